// What a retry store must do.
#pragma once

#include "operations.hpp"
#include "rows.hpp"

#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

inline bulk::row_record failed_row(std::uint64_t number, int step_number,
                                   bulk::error_type type = bulk::error_type::step_failure) {
    auto record = record_of(
        number, step_number,
        type == bulk::error_type::timeout ? bulk::row_state::timed_out : bulk::row_state::failed);
    record.failure = type;
    record.error_message = "row " + std::to_string(number) + " did not work";
    record.row_data = "{}";
    record.completed_at = at(static_cast<int>(number) + 50);
    return record;
}

template <typename Make>
void check_retry(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::row_state, bulk::error_type, bulk::operation_state;

    /// An operation that has ended with these records.
    const auto with_ended = [&](std::vector<bulk::row_record> records) {
        auto store = make();
        (void)store->create(operation(1), {});
        auto claimed = store->claim(request(0)).value().value();
        const auto failed = records.size();
        (void)store->record(claimed.held,
                            {.completed = {{row(1), 10, step(-1), step(-1), at(0), at(0)}},
                             .records = std::move(records),
                             .counted = {.processed = 10,
                                         .successful = 10 - std::min<std::uint64_t>(failed, 10),
                                         .failed = failed}});
        claimed.operation.state = operation_state::completed_with_errors;
        claimed.operation.rows.total = 10;
        claimed.operation.completed_at = at(99);
        (void)store->update(claimed.held, claimed.operation, {});
        return store;
    };
    const auto retrying = [](auto& store) {
        auto record = store.get(operation(1).id).value();
        (void)move_to(record, operation_state::retrying, at(100));
        record.rows = {};  // nobody may change them like this
        return record;
    };
    const auto history = [](auto& store, bulk::retry_history_query query) {
        query.operation = operation(1).id;
        query.page_size = 2;
        std::string text;
        std::uint64_t count = 0;
        while (true) {
            const auto page = store.retry_history(query);
            if (!page) return page.error().message;
            for (const auto& each : page->items) {
                text += std::to_string(to_number(each.row));
                text += static_cast<char>('a' + to_number(each.step));
                text += std::to_string(each.retry_attempt) + ' ';
                ++count;
            }
            query.after = page->next;
            if (!page->next.empty()) continue;
            expect(page->total == count) << text;
            return text;
        }
    };

    "what failed is reset, what it was is kept, and the operation can be claimed"_test = [&] {
        auto store = with_ended({failed_row(2, 0), failed_row(4, 1, error_type::timeout),
                                 failed_row(5, 1, error_type::signal_failure)});
        const auto record = retrying(*store);
        const auto made = store->retry(
            record, {}, {},
            {status_changed_event(record, operation_state::completed_with_errors, at(100))});
        expect(fatal(made.has_value()));
        expect(made->submitted == 3_u and made->skipped == 0_u and made->refused.empty());
        const auto stored = store->get(operation(1).id).value();
        expect(stored.state == operation_state::retrying and stored.retry_count == 1_u);
        expect(stored.version > record.version);
        expect(stored.rows ==
               bulk::row_counters{.total = 10, .processed = 7, .successful = 7, .failed = 0});
        expect(store->events(operation(1).id, 0, 10).value().size() == 1_ul);

        auto reset = failed_row(4, 1, error_type::timeout);
        reset.state = row_state::pending;
        reset.attempt = 0;
        reset.retry_attempt = 1;
        reset.failure.reset();
        reset.error_message.clear();
        reset.started_at.reset();
        reset.completed_at.reset();
        expect(store->get(operation(1).id, row(4), step(1)).value() == reset);
        expect(store->progress(operation(1).id, row(4), 1).value()[0] ==
               bulk::row_progress{step(1), row_state::pending, 0, 1});
        expect(store->query({.operation = operation(1).id, .errors_only = true}).value().total ==
               0_u);
        expect(store->query({.operation = operation(1).id, .min_retry_attempt = 1}).value().total ==
               3_u);

        const auto kept = store->retry_history({.operation = operation(1).id}).value();
        expect(fatal(kept.items.size() == 3_ul));
        expect(kept.items[1] == bulk::retry_entry{.operation = operation(1).id,
                                                  .row = row(4),
                                                  .step = step(1),
                                                  .failure = error_type::timeout,
                                                  .error_message = "row 4 did not work",
                                                  .failed_at = at(54),
                                                  .row_data = "{}"});
        const auto claimed = store->claim(request(100)).value();
        expect(fatal(claimed.has_value()));
        expect(claimed->operation == stored and !claimed->was_lapsed);
    };

    "a failed try's error and row data go to the history, and the row keeps its data"_test = [&] {
        std::vector<bulk::row_record> failed;
        for (int texts = 0; texts < 8; ++texts) {
            auto record = failed_row(static_cast<std::uint64_t>(texts) + 1, 0);
            if ((texts & 1) != 0) record.error_message.clear();
            if ((texts & 2) != 0) record.row_data.clear();
            if ((texts & 4) != 0) record.signal_key = record.journal = "key";
            if ((texts & 4) != 0) record.wait_until = at(500);
            failed.push_back(std::move(record));
        }
        auto store = with_ended(failed);
        expect(store->retry(retrying(*store), {}, {}, {}).value().submitted == 8_u);
        const auto kept = store->retry_history({.operation = operation(1).id}).value();
        expect(fatal(kept.items.size() == failed.size()));
        for (std::size_t i = 0; i < failed.size(); ++i) {
            auto reset = failed[i];
            expect(reset_for_retry(reset, at(100)).has_value());
            expect(store->get(operation(1).id, reset.row, reset.step).value() == reset) << i;
            expect(kept.items[i] == bulk::retry_entry{.operation = operation(1).id,
                                                      .row = failed[i].row,
                                                      .step = failed[i].step,
                                                      .failure = failed[i].failure,
                                                      .error_message = failed[i].error_message,
                                                      .failed_at = failed[i].completed_at,
                                                      .row_data = failed[i].row_data})
                << i;
        }
    };

    "history has the data that the validation kept, where the failed step kept none"_test = [&] {
        const auto validated = [](std::uint64_t number, std::string data) {
            auto record = record_of(number, -1, row_state::completed);
            record.row_data = std::move(data);
            return record;
        };
        auto own = failed_row(1, 0), other = failed_row(2, 1), none = failed_row(3, 0);
        own.row_data = R"({"of":"the step"})";
        other.row_data.clear();
        none.row_data.clear();
        auto store = with_ended({validated(1, R"({"of":"its validation"})"), own,
                                 validated(2, R"({"of":"row 2"})"), other, none});
        for (std::uint32_t round = 0; round < 2; ++round) {
            expect(store->retry(retrying(*store), {}, {}, {}).value().submitted == 3_u);
            auto claimed = store->claim(request(100)).value().value();
            own.retry_attempt = other.retry_attempt = none.retry_attempt = round + 1;
            own.row_data = R"({"of":"the second try"})";
            (void)store->record(claimed.held, {.records = {own, other, none}});
            claimed.operation.state = operation_state::completed_with_errors;
            (void)store->update(claimed.held, claimed.operation, {});
        }
        const auto data = [&](std::uint64_t number, std::uint32_t attempt) {
            const auto found = store->retry_history(
                {.operation = operation(1).id, .row = row(number), .retry_attempt = attempt});
            return found && found->items.size() == 1 ? found->items[0].row_data : "not found";
        };
        expect(data(1, 0) == R"({"of":"the step"})") << data(1, 0);
        expect(data(1, 1) == R"({"of":"the second try"})") << data(1, 1);
        expect(data(2, 0) == R"({"of":"row 2"})" and data(2, 1) == data(2, 0)) << data(2, 0);
        expect(data(3, 0).empty() and data(3, 1).empty()) << "nobody has kept it";
    };

    "what is the file's fault, or at a step that allows no retry, stays"_test = [&] {
        auto store = with_ended({failed_row(1, -1, error_type::validation), failed_row(2, 0),
                                 failed_row(3, 1), failed_row(4, 1), failed_row(5, 0),
                                 failed_row(6, 0, error_type::parse)});
        const auto made = store->retry(retrying(*store), {}, {step(1), step(7)}, {}).value();
        expect(made.submitted == 2_u and made.skipped == 3_u) << made.skipped;
        expect(made.refused == std::vector{std::pair{row(3), step(1)}, std::pair{row(4), step(1)}});
        expect(store->get(operation(1).id, row(3), step(1)).value() == failed_row(3, 1));
        expect(store->get(operation(1).id, row(6), step(0)).value() ==
               failed_row(6, 0, error_type::parse));
        expect(store->get(operation(1).id).value().rows.failed == 4_u);
        expect(history(*store, {}) == "2a0 5a0 ");
    };

    "rows, step and failure say which"_test = [&] {
        const auto ask = [&](bulk::retry_filter filter, std::vector<bulk::step_index> steps = {}) {
            auto store = with_ended({failed_row(2, 0), failed_row(3, 1),
                                     failed_row(4, 1, error_type::timeout), failed_row(5, 1)});
            const auto made = store->retry(retrying(*store), filter, steps, {}).value();
            std::string text = history(*store, {});
            for (const auto& [each, at] : made.refused)
                text += 'r' + std::to_string(to_number(each));
            expect(store->get(operation(1).id).value().rows.failed == 4 - made.submitted);
            return text + '-' + std::to_string(made.skipped);
        };
        expect(ask({}) == "2a0 3b0 4b0 5b0 -0");
        expect(ask({.rows = {{row(4), row(2), row(4), row(9)}}}) == "2a0 4b0 -0");
        expect(ask({.step = step(1)}) == "3b0 4b0 5b0 -0");
        expect(ask({.failure = error_type::timeout}) == "4b0 -0");
        expect(ask({.rows = {{row(2), row(3)}}, .step = step(1)}) == "3b0 -0");
        expect(ask({.rows = {{row(2), row(3), row(4)}}}, {step(1)}) == "2a0 r3r4-2");
        expect(ask({.rows = {{row(9)}}}) == "-0");
        auto store = with_ended({failed_row(2, 0)});
        expect(store->retry(retrying(*store), {.rows = {{}}}, {}, {}).error().code ==
               errc::invalid_argument);
        expect(store->get(operation(1).id, row(2), step(0)).value() == failed_row(2, 0));
    };

    "with no row to reset and none left over, nothing is changed"_test = [&] {
        auto store = with_ended({failed_row(2, 0)});
        const auto before = store->get(operation(1).id).value();
        const auto made =
            store->retry(retrying(*store), {.rows = {{row(7)}}}, {}, {created_event(before)});
        expect(made.has_value() and made->submitted == 0_u);
        expect(store->get(operation(1).id).value() == before);
        expect(store->events(operation(1).id, 0, 10).value().empty());
    };

    "a retry of what somebody else has changed does nothing"_test = [&] {
        auto store = with_ended({failed_row(2, 0)});
        auto record = retrying(*store);
        const auto stored = store->get(operation(1).id).value();
        --record.version;
        expect(store->retry(record, {}, {}, {created_event(record)}).error().code ==
               errc::conflict);
        expect(store->get(operation(1).id).value() == stored);
        expect(store->get(operation(1).id, row(2), step(0)).value() == failed_row(2, 0));
        expect(store->events(operation(1).id, 0, 10).value().empty());
        expect(history(*store, {}).empty());
        expect(store->retry(operation(7), {}, {}, {}).error().code == errc::not_found);
        expect(store->retry_history({.operation = operation(7).id}).error().code ==
               errc::not_found);
    };

    "history keeps every attempt, in order, and can be asked for in part"_test = [&] {
        auto store = with_ended({failed_row(3, 1), failed_row(2, 0), failed_row(1, 0)});
        for (std::uint32_t round = 0; round < 3; ++round) {
            const auto record = retrying(*store);
            expect(store->retry(record, {}, {}, {}).value().submitted == 3_u);
            auto claimed = store->claim(request(100)).value().value();
            bulk::row_batch batch{.counted = {.processed = 3, .failed = 3}};
            for (auto again : {failed_row(1, 0), failed_row(2, 1), failed_row(3, 1)}) {
                again.retry_attempt = round + 1;
                batch.records.push_back(again);
            }
            auto done = record_of(2, 0, row_state::completed);  // row 2 comes a step further
            done.retry_attempt = round + 1;
            batch.records.push_back(done);
            (void)store->record(claimed.held, batch);
            claimed.operation.state = operation_state::completed_with_errors;
            (void)store->update(claimed.held, claimed.operation, {});
        }
        expect(history(*store, {}) == "1a0 1a1 1a2 2a0 2b1 2b2 3b0 3b1 3b2 ")
            << history(*store, {});
        expect(history(*store, {.row = row(2)}) == "2a0 2b1 2b2 ");
        expect(history(*store, {.step = step(1)}) == "2b1 2b2 3b0 3b1 3b2 ");
        expect(history(*store, {.retry_attempt = 1}) == "1a1 2b1 3b1 ");
        expect(history(*store, {.row = row(3), .step = step(1), .retry_attempt = 2}) == "3b2 ");
        expect(history(*store, {.row = row(8)}).empty());
        expect(history(*store, {.after = "zz"}).contains("not one of ours"));
        expect(store->retry_history({.operation = operation(1).id, .page_size = 0}).error().code ==
               errc::invalid_argument);
    };

    "a signal finds no row that was reset"_test = [&] {
        auto record = failed_row(2, 0, error_type::timeout);
        record.signal_key = "k";
        auto store = with_ended({record});
        (void)store->retry(retrying(*store), {}, {}, {});
        const bulk::signal sent{
            .operation = operation(1).id, .key = "k", .row = row(2), .sent_at = at(101)};
        expect(store->send(sent, at(200)).value() == bulk::signal_receipt{.is_kept = true});
    };

    "a hundred thousand rows are reset in one call"_test = [&] {
        constexpr std::uint64_t rows = 100'000;
        auto store = make();
        (void)store->create(operation(1), {});
        auto claimed = store->claim(request(0)).value().value();
        bulk::row_batch batch{.counted = {.processed = rows, .failed = rows}};
        for (std::uint64_t i = 1; i <= rows; ++i) batch.records.push_back(failed_row(i, 0));
        (void)store->record(claimed.held, batch);
        claimed.operation.state = operation_state::completed_with_errors;
        claimed.operation.rows.total = rows;
        (void)store->update(claimed.held, claimed.operation, {});
        expect(store->retry(retrying(*store), {}, {}, {}).value().submitted == rows);
        expect(store->get(operation(1).id).value().rows == bulk::row_counters{.total = rows});
        expect(store->retry_history({.operation = operation(1).id}).value().total == rows);
        const auto pending = store->row_numbers(
            {.operation = operation(1).id, .state = row_state::pending, .page_size = 1});
        expect(pending.value().total == rows);
    };
}

}  // namespace conformance
