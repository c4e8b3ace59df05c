// What a row store must do.
#pragma once

#include "counted_pages.hpp"
#include "operations.hpp"
#include "torn_views.hpp"

#include <bulk/storage/completed_run.hpp>
#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace conformance {

inline bulk::row_number row(std::uint64_t number) { return bulk::row_number{number}; }
inline bulk::step_index step(int number) { return static_cast<bulk::step_index>(number); }

inline bulk::row_record record_of(std::uint64_t number, int step_number, bulk::row_state state) {
    return {.operation = operation(1).id,
            .row = row(number),
            .step = step(step_number),
            .state = state,
            .attempt = 1,
            .started_at = at(static_cast<int>(number))};
}

template <typename Make>
void check_rows(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::row_state, bulk::error_type;

    const auto with_claim = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        auto claimed = store->claim(request(0)).value().value();
        return std::pair{std::move(store), claimed.held};
    };

    "what is packed and what is apart reads as one"_test = [&] {
        auto [store, held] = with_claim();
        auto failed = record_of(3, 1, row_state::failed);
        failed.failure = error_type::step_failure;
        failed.error_message = "no";
        failed.row_id = "c";
        const bulk::row_batch batch{.completed = {{row(1), 5, step(-1), step(-1), at(0), at(1)},
                                                  {row(1), 2, step(0), step(2), at(1), at(3)},
                                                  {row(3), 1, step(0), step(0), at(3), at(4)}},
                                    .records = {failed},
                                    .row_ids = {{row(1), "a"}, {row(2), "b"}, {row(3), "c"}},
                                    .counted = {.processed = 3, .successful = 2, .failed = 1}};
        expect(store->record(held, batch).has_value());
        expect(store->get(operation(1).id).value().rows == batch.counted);
        const auto second = store->get(operation(1).id, row(2), step(1)).value();
        expect(fatal(second.has_value()));
        expect(second->state == row_state::completed and second->attempt == 1_u);
        expect(second->row_id == "b");
        expect(second->started_at == at(1) and second->completed_at == at(3));
        expect(store->get(operation(1).id, row(3), step(1)).value() == failed);
        expect(!store->get(operation(1).id, row(3), step(2)).value().has_value());
        expect(!store->get(operation(1).id, row(6), step(-1)).value().has_value());
        const auto all = store->query(bulk::row_query{.operation = operation(1).id}).value();
        expect(all.total == 13_u) << all.total;
    };

    "a record replaces the one before"_test = [&] {
        auto [store, held] = with_claim();
        auto record = record_of(1, 0, row_state::running);
        record.attempt = 2;
        (void)store->record(held, {.records = {record}});
        const auto progress = store->progress(operation(1).id, row(1), 1).value();
        expect(progress[0] == bulk::row_progress{step(0), row_state::running, 2});
        record.state = row_state::completed;
        (void)store->record(held, {.records = {record}});
        expect(store->get(operation(1).id, row(1), step(0)).value() == record);
        expect(
            store->query(bulk::row_query{.operation = operation(1).id, .state = row_state::running})
                .value()
                .items.empty());
    };

    "a record keeps everything, and replaces what is packed"_test = [&] {
        auto [store, held] = with_claim();
        bulk::row_record record{.operation = operation(1).id,
                                .row = row(5000),
                                .step = step(1),
                                .state = row_state::waiting_for_completion,
                                .attempt = 3,
                                .retry_attempt = 2,
                                .row_id = "id of the row",
                                .failure = error_type::signal_failure,
                                .error_message = std::string(300, 'm'),
                                .signal_key = "what it waits for",
                                .journal = std::string("a\0b", 3),
                                .row_data = std::string(20'000, 'd'),
                                .started_at = at(1),
                                .completed_at = at(2),
                                .wait_until = at(3)};
        (void)store->record(held, {.completed = {{row(4990), 20, step(0), step(2), at(0), at(1)}}});
        const auto count = [&, &store = store](bulk::row_query query) {
            query.operation = operation(1).id;
            return store->query(query).value().total;
        };
        expect(count({}) == 60_u);
        for (const auto& change : std::vector<void (*)(bulk::row_record&)>{
                 [](auto&) {}, [](auto& r) { r.completed_at.reset(); },
                 [](auto& r) { r.started_at.reset(); }, [](auto& r) { r.wait_until.reset(); },
                 [](auto& r) { r.row_data.clear(); }, [](auto& r) { r.signal_key.clear(); },
                 [](auto& r) { r.error_message.clear(); }, [](auto& r) { r.failure.reset(); },
                 [](auto& r) { r.journal.clear(); }, [](auto& r) { r.state = row_state::failed; },
                 [](auto& r) { r.completed_at = at(4); }}) {
            change(record);
            expect(store->record(held, {.records = {record}}).has_value());
            expect(store->get(operation(1).id, row(5000), step(1)).value() == record);
            expect(count({}) == 60_u and count({.state = row_state::completed}) == 59_u);
            expect(count({.state = record.state}) == 1_u);
        }
        expect(store->progress(operation(1).id, row(5000), 1).value()[0] ==
               bulk::row_progress{step(2), row_state::completed, 1});
        record.state = row_state::completed;
        (void)store->record(held, {.records = {record}});
        expect(count({.state = row_state::completed}) == 60_u);
    };

    "rows that come later in between others are found where they belong"_test = [&] {
        auto [store, held] = with_claim();
        constexpr std::uint64_t rows = 5000;
        static_assert(rows > bulk::rows_per_page);
        bulk::row_batch before, between;
        for (std::uint64_t first = 1; first <= rows; first += 10) {
            before.completed.push_back({row(first), 9, step(0), step(1), at(0), at(1)});
            between.completed.push_back({row(first + 9), 1, step(0), step(1), at(2), at(3)});
        }
        expect(store->record(held, before).has_value());
        const auto all = between.completed.begin();
        for (const auto& [begin, end] : {std::pair{300, 500}, {0, 100}, {100, 300}})
            expect(store->record(held, {.completed = {all + begin, all + end}}).has_value());
        for (std::uint64_t each = 1; each <= rows; ++each)
            for (int number = 0; number < 2; ++number) {
                const auto found = store->get(operation(1).id, row(each), step(number)).value();
                expect(fatal(found.has_value())) << each;
                expect(found->started_at == at(each % 10 == 0 ? 2 : 0)) << each;
            }
        expect(store->query({.operation = operation(1).id, .step = step(1)}).value().total == rows);
    };

    "progress is the last step with a record, over the edges of pages"_test = [&] {
        auto [store, held] = with_claim();
        const auto edge = bulk::rows_per_page;
        (void)store->record(held,
                            {.completed = {{row(1), edge + 2, step(-1), step(-1), at(0), at(0)},
                                           {row(edge), 2, step(0), step(1), at(1), at(1)}},
                             .records = {record_of(edge + 2, 0, row_state::failed)}});
        const auto progress = store->progress(operation(1).id, row(edge - 1), 5).value();
        expect(progress.size() == 5_ul);
        expect(progress[0] == bulk::row_progress{step(-1), row_state::completed, 1});
        expect(progress[1] == bulk::row_progress{step(1), row_state::completed, 1});
        expect(progress[2] == bulk::row_progress{step(1), row_state::completed, 1});
        expect(progress[3] == bulk::row_progress{step(0), row_state::failed, 1});
        expect(!progress[4].has_value());
        expect(!store->progress(operation(5).id, row(1), 1).value()[0].has_value());
    };

    "queries filter, sort and page"_test = [&] {
        auto [store, held] = with_claim();
        const auto with = [](bulk::row_record record, error_type type, std::uint32_t retries) {
            record.failure = type;
            record.retry_attempt = retries;
            return record;
        };
        auto waits = record_of(6, 0, row_state::waiting_for_completion);
        waits.signal_key = "key";
        // Rows 1 to 6 are valid but 5; 1 and 2 are done, 3 failed, 4 timed out, 6 waits.
        (void)store->record(
            held,
            {.completed = {{row(1), 4, step(-1), step(-1), at(0), at(1)},
                           {row(6), 1, step(-1), step(-1), at(0), at(1)},
                           {row(1), 2, step(0), step(1), at(20), at(21)}},
             .records = {with(record_of(5, -1, row_state::failed), error_type::validation, 0),
                         with(record_of(3, 0, row_state::failed), error_type::step_failure, 2),
                         with(record_of(4, 0, row_state::timed_out), error_type::timeout, 0),
                         waits},
             .row_ids = {{row(1), "Zed"}, {row(2), "anna"}, {row(3), "Annabel"}, {row(5), "bob"}}});
        const auto ask = [&, &store = store](bulk::row_query query) {
            query.operation = operation(1).id;
            query.page_size = 3;
            std::string order;
            std::uint64_t count = 0;
            const auto total = read_counted_pages(*store, query, [&](const auto& each) {
                order += std::to_string(to_number(each.row));
                order += each.step == bulk::validation_step
                             ? 'v'
                             : static_cast<char>('a' + to_number(each.step));
                ++count;
            });
            if (!total) return total.error().message;
            expect(*total == count) << order;
            return order;
        };
        using sort = bulk::row_sort;
        expect(ask({}) == "1v1a1b2v2a2b3v3a4v4a5v6v6a") << ask({});
        expect(ask({.descending = true}) == "6a6v5v4a4v3a3v2b2a2v1b1a1v");
        expect(ask({.rows = {row(6), row(2), row(99)}}) == "2v2a2b6v6a");
        expect(ask({.from_row = row(3), .to_row = row(4)}) == "3v3a4v4a");
        expect(ask({.row_id_contains = "ANNA"}) == "2v2a2b3v3a");
        expect(ask({.step = step(0)}) == "1a2a3a4a6a");
        expect(ask({.state = row_state::completed}) == "1v1a1b2v2a2b3v4v6v");
        expect(ask({.state = row_state::waiting_for_completion}) == "6a");
        expect(ask({.failure = error_type::timeout}) == "4a");
        expect(ask({.errors_only = true}) == "3a4a5v");
        expect(ask({.errors_only = true, .descending = true}) == "5v4a3a");
        expect(ask({.min_retry_attempt = 1}) == "3a");
        expect(ask({.signal_key = "key"}) == "6a");
        expect(ask({.signal_key = "KEY"}).empty());
        expect(ask({.awaits_signal = true}) == "6a");
        expect(ask({.awaits_signal = true, .errors_only = true}).empty());
        expect(ask({.rows = {row(1), row(3)}, .signal_key = "key"}).empty());
        expect(ask({.step = step(9)}).empty() and ask({.step = step(-5)}).empty());
        expect(ask({.rows = {row(1), row(3), row(1)}, .sort = sort::step, .descending = true}) ==
               "1b3a1a3v1v");
        expect(ask({.to_row = row(4), .errors_only = true}) == "3a4a");
        expect(ask({.sort = sort::step}) == "1v2v3v4v5v6v1a2a3a4a6a1b2b");
        expect(ask({.errors_only = true, .sort = sort::failure}) == "5v3a4a");
        expect(ask({.step = step(0), .sort = sort::state}) == "6a1a2a3a4a");
        expect(ask({.sort = sort::state}) == "6a1v1a1b2v2a2b3v4v6v3a5v4a");
        expect(ask({.sort = sort::state, .descending = true}) == "4a5v3a6v4v3v2b2a2v1b1a1v6a");
        expect(ask({.from_row = row(2), .sort = sort::step, .descending = true}) ==
               "2b6a4a3a2a6v5v4v3v2v");
        expect(ask({.step = step(0), .sort = sort::started_at}) == "3a4a6a1a2a");
        expect(ask({.step = step(-1), .sort = sort::row_id}) == "4v6v3v1v2v5v")
            << ask({.step = step(-1), .sort = sort::row_id});
        expect(store->query(bulk::row_query{.operation = operation(8).id}).error().code ==
               errc::not_found);
        expect(store->query(bulk::row_query{.operation = operation(1).id, .page_size = 1001})
                   .error()
                   .code == errc::invalid_argument);
    };

    "a search for a row id is literal: no character is a wildcard"_test = [&] {
        auto [store, held] = with_claim();
        const auto count = literal_texts.size();
        // The first rows are completed, which a backend may store in another way; the others failed.
        bulk::row_batch batch{.completed = {{row(1), count, step(0), step(0), at(0), at(1)}}};
        for (std::uint64_t i = 0; i < count; ++i) {
            batch.records.push_back(record_of(count + i + 1, 0, row_state::failed));
            for (const auto number : {i + 1, count + i + 1})
                batch.row_ids.emplace_back(row(number), literal_texts[i]);
        }
        expect(store->record(held, batch).has_value());
        for (const auto& [part, wanted] : literal_searches) {
            const bulk::row_query query{.operation = operation(1).id, .row_id_contains = part};
            const auto records = store->query(query);
            const auto numbers = store->row_numbers(query);
            std::string by_record, by_number;
            for (const auto& each : records.value().items) by_record += each.row_id + ' ';
            for (const auto each : numbers.value().items)
                by_number += literal_texts[(to_number(each) - 1) % count] + ' ';
            expect(by_record == wanted + wanted) << part << "found" << by_record;
            expect(by_number == wanted + wanted) << part << "found" << by_number;
            expect(records->total == records->items.size()) << part;
            expect(numbers->total == numbers->items.size()) << part;
        }
    };

    "a batch is written whole or not at all"_test = [&] {
        constexpr std::uint64_t apart = 100'000;  // where the rows begin that fail
        const auto id = operation(1).id;
        for (int round = 0; round < 8; ++round) {  // two threads may fall into step
            auto [store, held] = with_claim();
            const auto write = [&, &store = store, &held = held](int number) {
                const auto next = static_cast<std::uint64_t>(number) + 1;
                expect(store
                           ->record(held,
                                    {.completed = {{row(next), 1, step(0), step(0), at(0), at(0)}},
                                     .records = {record_of(apart + next, 0, row_state::failed)},
                                     .counted = {.processed = 2, .successful = 1, .failed = 1},
                                     .events = {created_event(operation(1))}})
                           .has_value());
            };
            // How many batches there are, by each of the things that a batch has.
            std::uint64_t packed = 0, failed = 0;
            const auto count_from = [&, &store = store](std::uint64_t& known, std::uint64_t first) {
                while (store->get(id, row(first + known + 1), step(0)).value().has_value()) ++known;
                return known;
            };
            const std::array<std::function<std::uint64_t()>, 4> parts{
                [&, &store = store] { return store->get(id).value().rows.failed; },
                [&] { return count_from(packed, 0); }, [&] { return count_from(failed, apart); },
                [&, &store = store]() -> std::uint64_t {  // events are numbered from 1 on
                    const auto newest = store->events(id, std::nullopt, 1).value();
                    return newest.empty() ? 0 : newest[0].sequence;
                }};
            const auto fits = [&] {
                for (const auto& first : parts)
                    for (const auto& other : parts) {
                        const auto known = first();
                        if (other() < known) return false;
                    }
                return true;
            };
            constexpr int batches = 400;
            expect(torn_views(batches, write, fits) == 0_i);
            for (const auto& each : parts) expect(each() == batches);
        }
    };

    "a batch of a lease that is over changes nothing"_test = [&] {
        auto [store, held] = with_claim();
        const bulk::lease stale = before(held);
        expect(!store
                    ->record(stale, {.completed = {{row(1), 1, step(0), step(0), at(0), at(0)}},
                                     .records = {record_of(2, 0, row_state::failed)},
                                     .counted = {.processed = 2},
                                     .events = {created_event(operation(1))}})
                    .has_value());
        expect(store->query(bulk::row_query{.operation = operation(1).id}).value().total == 0_u);
        expect(store->events(std::nullopt, 0, 10).value().empty());
        expect(store->get(operation(1).id).value().rows.processed == 0_u);
    };

    "the numbers of rows are given each once, in order, and counted"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->record(
            held,
            {.completed = {{row(1), 9, step(-1), step(0), at(0), at(1)}},
             .records = {record_of(2, 1, row_state::failed), record_of(4, 0, row_state::failed),
                         record_of(4, 1, row_state::failed), record_of(7, 1, row_state::timed_out),
                         record_of(9, 1, row_state::running)},
             .row_ids = {{row(4), "four"}, {row(7), "Fourteen"}}});
        const auto ask = [&, &store = store](bulk::row_query query) {
            query.operation = operation(1).id;
            query.page_size = 2;
            std::string order;
            while (true) {
                const auto page = store->row_numbers(query);
                if (!page) return page.error().message;
                for (const auto each : page->items) order += std::to_string(to_number(each));
                const auto total = page->total;
                query.with_total = false;
                expect(store->row_numbers(query).value().total == 0_u) << "nobody asked";
                query.with_total = true;
                query.after = page->next;
                if (!page->next.empty()) {
                    expect(page->items.size() == 2_ul) << "only the last page is short";
                    continue;
                }
                expect(total == order.size()) << order;
                return order;
            }
        };
        expect(ask({}) == "123456789");
        expect(ask({.descending = true}) == "987654321");
        expect(ask({.errors_only = true}) == "247");
        expect(ask({.state = row_state::failed, .descending = true}) == "42");
        expect(ask({.step = step(1)}) == "2479");
        expect(ask({.from_row = row(3), .to_row = row(5)}) == "345");
        expect(ask({.rows = {row(9), row(1), row(77)}}) == "19");
        expect(ask({.row_id_contains = "FOUR", .descending = true}) == "74");
        expect(ask({.from_row = row(5), .state = row_state::completed}) == "56789");
        expect(ask({.to_row = row(6), .errors_only = true, .sort = bulk::row_sort::state}) == "24");
        expect(ask({.after = "zz"}).contains("not one of ours"));
        expect(store->row_numbers(bulk::row_query{.operation = operation(8).id}).error().code ==
               errc::not_found);
    };

    "records over packed pages are found as in a plain map"_test = [&] {
        std::mt19937 random{23};
        for (int seed = 0; seed < 12; ++seed) {
            auto [store, held] = with_claim();
            std::map<std::pair<std::uint64_t, int>, row_state> model;
            const std::uint64_t rows = 4200;
            bulk::row_batch batch;
            for (std::uint64_t first = 1; first < rows;) {
                const std::uint64_t count = 1 + random() % 300;
                const int last = static_cast<int>(random() % 4) - 1;
                batch.completed.push_back({row(first), count, step(-1), step(last), at(0), at(1)});
                for (auto r = first; r < first + count; ++r)
                    for (int s = -1; s <= last; ++s) model[{r, s}] = row_state::completed;
                first += count + random() % 100;
            }
            expect(store->record(held, batch).has_value());
            batch.clear();
            for (int i = 0; i < 400; ++i) {
                const std::uint64_t number = 1 + random() % (rows + 100);
                const int at_step = static_cast<int>(random() % 4) - 1;
                const auto state = static_cast<row_state>(random() % 6);
                batch.records.push_back(record_of(number, at_step, state));
                model[{number, at_step}] = state;
            }
            expect(store->record(held, batch).has_value());

            bulk::row_query query{.operation = operation(1).id, .page_size = 313};
            if (random() % 2 == 0) query.state = static_cast<row_state>(random() % 6);
            if (random() % 3 == 0) query.step = step(static_cast<int>(random() % 4) - 1);
            if (random() % 3 == 0) query.from_row = row(1 + random() % 2000);
            if (random() % 3 == 0) query.to_row = row(2000 + random() % 3000);
            query.sort = std::vector{bulk::row_sort::row, bulk::row_sort::step,
                                     bulk::row_sort::state}[random() % 3];
            query.descending = random() % 2 == 0;
            using key = std::tuple<int, std::uint64_t, int>;
            std::vector<key> expected, found;
            std::vector<std::uint64_t> expected_rows, found_rows;
            for (const auto& [place, state] : model) {
                const auto [number, at_step] = place;
                if ((query.state && *query.state != state) ||
                    (query.step && to_number(*query.step) != at_step) ||
                    (query.from_row && number < to_number(*query.from_row)) ||
                    (query.to_row && number > to_number(*query.to_row)))
                    continue;
                const int by = query.sort == bulk::row_sort::row    ? 0
                               : query.sort == bulk::row_sort::step ? at_step
                                                                    : static_cast<int>(state);
                expected.emplace_back(by, number, at_step);
                if (expected_rows.empty() || expected_rows.back() != number)
                    expected_rows.push_back(number);
            }
            std::ranges::sort(expected);
            if (query.descending) {
                std::ranges::reverse(expected);
                std::ranges::reverse(expected_rows);
            }
            auto rows_query = query;
            while (true) {
                const auto page = store->query(query).value();
                expect(page.total == expected.size());
                for (const auto& each : page.items)
                    found.emplace_back(query.sort == bulk::row_sort::row ? 0
                                       : query.sort == bulk::row_sort::step
                                           ? to_number(each.step)
                                           : static_cast<int>(each.state),
                                       to_number(each.row), to_number(each.step));
                query.after = page.next;
                if (page.next.empty()) break;
            }
            while (true) {
                const auto page = store->row_numbers(rows_query).value();
                expect(page.total == expected_rows.size());
                for (const auto each : page.items) found_rows.push_back(to_number(each));
                rows_query.after = page.next;
                if (page.next.empty()) break;
            }
            expect(bool{found == expected}) << "seed" << seed;
            expect(bool{found_rows == expected_rows}) << "seed" << seed;

            const std::uint64_t first = 1 + random() % 300;
            const auto progress = store->progress(operation(1).id, row(first), rows).value();
            for (std::uint64_t i = 0; i < progress.size(); ++i) {
                const auto after = model.lower_bound({first + i + 1, -1});
                const bool has =
                    after != model.begin() && std::prev(after)->first.first == first + i;
                expect(fatal(progress[i].has_value() == has)) << i;
                if (has)
                    expect(to_number(progress[i]->step) == std::prev(after)->first.second and
                           progress[i]->state == std::prev(after)->second);
            }
        }
    };

    "rows far from each other are found from both sides"_test = [&] {
        auto [store, held] = with_claim();
        bulk::row_batch batch;
        for (const std::uint64_t number : {5'000'000U, 63U, 64U, 4095U, 4096U, 300'000U})
            batch.records.push_back(record_of(number, 0, row_state::failed));
        batch.completed.push_back({row(1'000'000), 2, step(0), step(0), at(0), at(1)});
        expect(store->record(held, batch).has_value());
        const auto ask = [&, &store = store](bulk::row_query query) {
            query.operation = operation(1).id;
            query.page_size = 1;
            std::string order;
            do {
                const auto page = store->row_numbers(query).value();
                for (const auto each : page.items) order += std::to_string(to_number(each)) + ' ';
                query.after = page.next;
            } while (!query.after.empty());
            return order;
        };
        expect(ask({}) == "63 64 4095 4096 300000 1000000 1000001 5000000 ") << ask({});
        expect(ask({.descending = true}) == "5000000 1000001 1000000 300000 4096 4095 64 63 ");
        expect(ask({.from_row = row(64), .to_row = row(4095)}) == "64 4095 ");
        expect(ask({.to_row = row(2'000'000), .errors_only = true, .descending = true}) ==
               "300000 4096 4095 64 63 ");
    };

    "random batches read as a plain map would"_test = [&] {
        std::mt19937 random{17};
        for (int seed = 0; seed < 30; ++seed) {
            auto [store, held] = with_claim();
            std::map<std::pair<std::uint64_t, int>, bulk::row_state> model;
            for (int batches = 0; batches < 20; ++batches) {
                bulk::row_batch batch;
                const std::uint64_t first = 1 + random() % 9000, count = 1 + random() % 50;
                const int from = -1 + static_cast<int>(random() % 3),
                          to = from + static_cast<int>(random() % 3);
                bool is_free = true;
                for (auto r = first; r < first + count; ++r)
                    for (int s = from; s <= to; ++s) is_free &= !model.contains({r, s});
                if (is_free) {
                    batch.completed.push_back(
                        {row(first), count, step(from), step(to), at(0), at(1)});
                    for (auto r = first; r < first + count; ++r)
                        for (int s = from; s <= to; ++s) model[{r, s}] = row_state::completed;
                }
                const std::uint64_t apart = 1 + random() % 9000;
                if (!model.contains({apart, 1})) {
                    batch.records.push_back(record_of(apart, 1, row_state::failed));
                    model[{apart, 1}] = row_state::failed;
                }
                expect(store->record(held, batch).has_value());
            }
            auto expected = model.begin();
            bulk::row_query query{.operation = operation(1).id, .page_size = 97};
            while (true) {
                const auto page = store->query(query).value();
                for (const auto& each : page.items) {
                    expect(fatal(expected != model.end()));
                    expect(to_number(each.row) == expected->first.first and
                           to_number(each.step) == expected->first.second and
                           each.state == expected->second);
                    ++expected;
                }
                query.after = page.next;
                if (page.next.empty()) break;
            }
            expect(expected == model.end());
        }
    };
}

}  // namespace conformance
