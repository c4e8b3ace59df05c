// How a store stops reading.
#pragma once

#include "operations.hpp"
#include "rows.hpp"

#include <bulk/core/read_limit.hpp>
#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace conformance {

/// A limit whose time is up at the fifth look at the clock: one who looks only before and after a read
/// never gets there.
class short_limit {
public:
    short_limit() = default;
    short_limit(const short_limit&) = delete;
    short_limit& operator=(const short_limit&) = delete;

    [[nodiscard]] int looks() const { return looks_; }
    [[nodiscard]] const bulk::read_limit& limit() const { return limit_; }

private:
    int looks_ = 0;
    bulk::read_limit limit_{
        .deadline = bulk::read_limit::clock::time_point{std::chrono::seconds{1}}, .now = [this] {
            return bulk::read_limit::clock::time_point{std::chrono::seconds{++looks_ > 4 ? 2 : 0}};
        }};
};

template <typename Make>
void check_read_limits(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::row_query, bulk::row_sort, bulk::row_state;

    const auto filled = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        const auto held = store->claim(request(0)).value().value().held;
        bulk::row_batch batch{.completed = {{row(1), 20'000, step(-1), step(1), at(0), at(1)}}};
        for (std::uint64_t i = 1; i <= 20'000; ++i)
            batch.row_ids.push_back({row(i), "row-" + std::to_string(i)});
        expect(store->record(held, batch).has_value());
        batch = {};
        for (std::uint64_t i = 20'001; i <= 24'000; ++i)
            batch.records.push_back(record_of(i, 0, row_state::failed));
        expect(store->record(held, batch).has_value());
        return store;
    };

    "a read stops in the middle when its time is up"_test = [&] {
        auto store = filled();
        const row_query all{.operation = operation(1).id, .with_total = false};
        auto searched = all, by_id = all, by_time = all, counted = all, failed = all;
        searched.row_id_contains = "zzz";
        by_id.sort = row_sort::row_id;
        by_time.sort = row_sort::started_at;
        counted.row_id_contains = "zzz";
        counted.with_total = true;
        failed.errors_only = true;
        failed.row_id_contains = "zzz";
        for (const auto& query : {searched, by_id, by_time, counted, failed}) {
            short_limit one, two;
            {
                const bulk::read_scope limited{one.limit()};
                const auto found = store->query(query);
                expect(fatal(!found.has_value()));
                expect(found.error().code == errc::timed_out) << found.error().message;
            }
            {
                const bulk::read_scope limited{two.limit()};
                if (query.sort != row_sort::row) continue;  // numbers come by row
                const auto found = store->row_numbers(query);
                expect(fatal(!found.has_value()));
                expect(found.error().code == errc::timed_out) << found.error().message;
            }
            expect(one.looks() < 10 and two.looks() < 10) << one.looks() << two.looks();
        }
        expect(store->query(searched).value().items.empty()) << "and without a limit it ends";
        expect(store->query(by_id).value().items.size() == 100_u);
    };

    "a search for operations stops, too"_test = [&] {
        auto store = make();
        for (int i = 1; i <= 1'000; ++i) (void)store->create(operation(i), {});
        const bulk::operation_query query{.created_by_contains = "nobody"};
        expect(store->query(query).value().items.empty());
        short_limit time;
        const bulk::read_scope limited{time.limit()};
        const auto found = store->query(query);
        expect(fatal(!found.has_value()));
        expect(found.error().code == errc::timed_out) << found.error().message;
    };

    "a read that nobody waits for does not begin"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        std::stop_source gone;
        const bulk::read_limit limit{.cancelled = gone.get_token()};
        const bulk::read_scope limited{limit};
        expect(store->query(bulk::operation_query{}).has_value());
        gone.request_stop();
        expect(store->query(bulk::operation_query{}).error().code == errc::unavailable);
        expect(store->query(row_query{.operation = operation(1).id}).error().code ==
               errc::unavailable);
        expect(store->create(operation(2), {}).has_value()) << "writes are not limited";
    };
}

}  // namespace conformance
