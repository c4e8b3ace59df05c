// What removing an operation must do.
#pragma once

#include "operations.hpp"
#include "retry.hpp"
#include "rows.hpp"
#include "signals.hpp"

#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <string>

namespace conformance {

/// An operation that has ended, with something in every table but that of crashes.
template <typename Store>
bulk::operation_record fill(Store& store, int number) {
    using bulk::operation_state;
    auto wanted = operation(number);
    wanted.idempotency_key = "k" + std::to_string(number);
    (void)store.create(wanted, {created_event(wanted)});
    auto claimed = store.claim(wanted.id, request(0)).value().value();
    auto waits = waiting(3, 0, "k"), failed = failed_row(2, 0);
    waits.operation = failed.operation = wanted.id;
    failed.row_id = "two";
    (void)store.record(claimed.held,
                       {.completed = {{row(1), 9, step(-1), step(-1), at(0), at(1)}},
                        .records = {waits, failed},
                        .row_ids = {{row(1), "one"}},
                        .counted = {.total = 9, .processed = 9, .successful = 8, .failed = 1}});
    auto sent = signal_for("k"), early = signal_for(5, "k");
    sent.operation = early.operation = wanted.id;
    (void)store.send(sent, at(1000));
    (void)store.send(early, at(1000));
    claimed.operation.state = operation_state::completed_with_errors;
    claimed.operation.rows.total = 9;
    auto ended = store.update(claimed.held, claimed.operation, {}).value();
    (void)move_to(ended, operation_state::retrying, at(20));
    (void)store.retry(ended, {}, {}, {});
    claimed = store.claim(wanted.id, request(30)).value().value();
    claimed.operation.state = operation_state::cancelled;
    (void)store.update(claimed.held, claimed.operation, {});
    return wanted;
}

template <typename Make>
void check_removal(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::operation_state, bulk::row_state;

    "an operation is removed with everything of it, and nothing of another"_test = [&] {
        auto store = make();
        const auto gone = fill(*store, 1), stays = fill(*store, 2);
        const auto last = store->events(std::nullopt, std::nullopt, 1).value()[0].sequence;
        expect(fatal(store->remove(gone.id).has_value()));
        expect(store->get(gone.id).error().code == errc::not_found);
        expect(store->remove(gone.id).error().code == errc::not_found);
        expect(store->query(bulk::operation_query{}).value().total == 1_u);
        expect(store->events(gone.id, 0, 10).value().empty());
        expect(!store->get(gone.id, row(1), step(-1)).value().has_value());
        expect(!store->claim(gone.id, request(99)).value().has_value());

        const auto left = store->events(std::nullopt, 0, 10).value();
        expect(left.size() == 1_ul and left[0].operation == stays.id);
        expect(store->events(stays.id, 0, 10).value() == left);
        expect(store->query({.operation = stays.id}).value().total == 11_u);
        expect(store->signals(stays.id, 0, 10).value().size() == 1_ul);
        expect(store->retry_history({.operation = stays.id}).value().total == 1_u);
        expect(store->get(stays.id, row(1), step(-1)).value()->row_id == "one");

        expect(store->create(gone, {created_event(gone)}).value().id == gone.id)
            << "its key is free";
        const auto events = store->events(gone.id, 0, 10).value();
        expect(events.size() == 1_ul and events[0].sequence > last) << "no number is used twice";
        const bulk::row_query all{.operation = gone.id};
        expect(store->query(all).value().total == 0_u) << "nothing of it has come back";
        expect(store->signals(gone.id, 0, 10).value().empty());
        expect(store->retry_history({.operation = gone.id}).value().total == 0_u);
        const auto held = store->claim(gone.id, request(99)).value().value().held;
        (void)store->record(held,
                            {.records = {waiting(5, 0, "k"), record_of(2, 1, row_state::failed)}});
        expect(store->signals(gone.id, 0, 10).value().empty()) << "not even an early signal";
        expect(store->get(gone.id, row(2), step(1)).value()->row_id.empty());
    };

    "one that has not ended is not removed"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {created_event(operation(1))});
        const auto refused = store->remove(operation(1).id);
        expect(fatal(!refused.has_value()));
        expect(refused.error().code == errc::illegal_transition);
        expect(refused.error().message.contains("pending")) << refused.error().message;
        expect(store->get(operation(1).id).has_value());
        expect(store->events(operation(1).id, 0, 10).value().size() == 1_ul);
    };
}

}  // namespace conformance
