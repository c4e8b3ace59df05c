// What a store must do when the steps of an operation have changed.
#pragma once

#include "operations.hpp"
#include "retry.hpp"
#include "rows.hpp"
#include "signals.hpp"

#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <string>
#include <vector>

namespace conformance {

template <typename Make>
void check_steps(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::row_state;

    "records go with their steps"_test = [&] {
        auto store = make();
        auto wanted = operation(1);
        wanted.steps = {"a", "b", "c"};
        (void)store->create(wanted, {});
        auto claimed = store->claim(request(0)).value().value();
        expect(claimed.operation.steps == wanted.steps);
        (void)store->record(
            claimed.held,
            {.completed = {{row(1), 5000, step(-1), step(-1), at(0), at(1)},
                           {row(1), 4998, step(0), step(1), at(1), at(2)},
                           {row(4999), 2, step(0), step(0), at(1), at(2)}},
             .records = {waiting(4999, 1, "k"), waiting(5000, 1, "l", 1), failed_row(7, 2)},
             .counted = {.processed = 1, .failed = 1}});
        expect(store->send(signal_for("k"), at(9)).has_value());

        auto changed = claimed.operation;
        changed.steps = {"x", "a", "b", "y", "c"};
        const auto stored = store->move_steps(claimed.held, changed, {step(1), step(2), step(4)});
        expect(fatal(stored.has_value()));
        expect(stored->steps == changed.steps and stored->rows.failed == 1_u);
        expect(store->get(wanted.id).value().steps == changed.steps);

        const auto has = [&](std::uint64_t number, int at_step) {
            return store->get(wanted.id, row(number), step(at_step)).value().has_value();
        };
        expect(has(1, -1) and !has(1, 0) and has(1, 1) and has(1, 2) and !has(1, 3));
        expect(has(4500, 2) and !has(4999, 3) and has(4999, 2) and !has(4999, 0));
        expect(has(7, 4) and !has(7, 3));
        const auto progress = store->progress(wanted.id, row(1), 5000).value();
        expect(progress[0]->step == step(2) and progress[6]->step == step(4));
        expect(progress[4999]->step == step(2) and
               progress[4999]->state == row_state::waiting_for_completion);
        const auto at_b =
            store->query(bulk::row_query{.operation = wanted.id, .step = step(2)}).value();
        expect(at_b.total == 5000_u) << at_b.total;
        expect(store->query(bulk::row_query{.operation = wanted.id, .step = step(0)})
                   .value()
                   .items.empty());

        const auto given = store->signals(wanted.id, 0, 10).value();
        expect(given.size() == 1_ul and given.front().step == step(2));
        expect(store->send(signal_for("l"), at(9)).value() == given_to(5000, 2));
        expect(store->close_wait(claimed.held, row(4999), step(2)).value().has_value());
    };

    "what was retried before, too"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        auto claimed = store->claim(request(0)).value().value();
        (void)store->record(claimed.held, {.records = {failed_row(2, 1)},
                                           .counted = {.processed = 1, .failed = 1}});
        claimed.operation.state = bulk::operation_state::completed_with_errors;
        auto record = store->update(claimed.held, claimed.operation, {}).value();
        (void)move_to(record, bulk::operation_state::retrying, at(20));
        expect(store->retry(record, {}, {}, {}).value().submitted == 1_u);
        const auto again = store->claim(request(50)).value().value();
        expect(store->move_steps(again.held, again.operation, {step(0), step(5)}).has_value());
        const auto history = store->retry_history({.operation = operation(1).id}).value();
        expect(history.items.size() == 1_ul and history.items.front().step == step(5));
        expect(store->get(operation(1).id, row(2), step(5)).value()->state == row_state::pending);
    };

    "where rows crashed a process, too"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        (void)store->claim(request(0)).value().value();
        auto* const seat = store->flights().take(operation(1).id);
        expect(fatal(seat != nullptr));
        seat->show(row(3), step(1));
        const auto again = store->claim(request(50)).value().value();
        store->flights().give_back(seat);
        // A backend with processes finds no dead one here, and counts nothing.
        const auto before = store->crashes(operation(1).id).value();
        expect(store->move_steps(again.held, again.operation, {step(0), step(5)}).has_value());
        const auto after = store->crashes(operation(1).id).value();
        expect(after.size() == before.size());
        for (const auto& each : after)
            expect(each == bulk::crashed_row{.row = row(3), .step = step(5), .count = 1});
    };

    "only its owner moves them"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        const auto old = store->claim(request(0)).value().value();
        (void)store->record(old.held, {.records = {failed_row(2, 1)}});
        const auto now = store->claim(request(20)).value().value();
        expect(store->move_steps(old.held, old.operation, {step(0), step(5)}).error().code ==
               errc::conflict);
        expect(store->get(operation(1).id, row(2), step(1)).value().has_value());
        expect(store->get(operation(1).id).value().steps.empty());
        (void)now;
    };

    "a claim leaves out what it is told to"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        (void)store->create(operation(2), {});
        auto wanted = request(0);
        wanted.except = {operation(1).id};
        expect(store->claim(wanted).value().value().operation.id == operation(2).id);
        wanted.except.push_back(operation(2).id);
        expect(!store->claim(wanted).value().has_value());
        expect(store->claim(operation(1).id, wanted).value().has_value()) << "by name it may";
    };
}

}  // namespace conformance
