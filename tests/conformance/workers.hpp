// What a worker store must do. `Make` gives a fresh, empty storage.
#pragma once

#include "operations.hpp"

#include <bulk/core/worker_record.hpp>
#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace conformance {

/// One that was seen as many seconds after its start as its number says.
inline bulk::worker_record worker(int number, std::string name, int started) {
    return {.id = {{.high = static_cast<std::uint64_t>(number), .low = 9}},
            .kind = number % 2 == 0 ? bulk::worker_kind::feeds : bulk::worker_kind::operations,
            .name = std::move(name),
            .host = "host",
            .pid = 4'000'000'000 + number,
            .started_at = at(started),
            .seen_at = at(started + number),
            .silent_after = std::chrono::seconds{30},
            .running_operations = 3,
            .running_pages = 4};
}

/// The numbers of all, in their order.
template <typename Store>
std::string workers_in(Store& store) {
    std::string all;
    for (const auto found = store.workers().value(); const auto& each : found)
        all += (all.empty() ? "" : " ") + std::to_string(each.id.value.high);
    return all;
}

template <typename Make>
void check_workers(Make make) {
    using namespace boost::ut;

    "workers are read as they were written, by name and then by start"_test = [&] {
        auto store = make();
        expect(store->workers().value().empty());
        for (const auto& each : {worker(1, "b", 5), worker(2, "a", 9), worker(3, "b", 2)})
            expect(store->save_worker(each).has_value());
        expect(workers_in(*store) == "2 3 1");
        expect(store->workers().value()[0] == worker(2, "a", 9));
        expect(store->workers().value()[1] == worker(3, "b", 2));
    };

    "what a worker says replaces what it has said"_test = [&] {
        auto store = make();
        auto one = worker(1, "a", 5);
        (void)store->save_worker(one);
        (void)store->save_worker(worker(2, "a", 6));
        one.seen_at = at(50);
        one.running_operations = 0;
        expect(store->save_worker(one).has_value());
        expect(workers_in(*store) == "1 2");
        expect(store->workers().value()[0] == one);
    };

    "one that has ended is gone, and may go twice"_test = [&] {
        auto store = make();
        (void)store->save_worker(worker(1, "a", 5));
        (void)store->save_worker(worker(2, "a", 6));
        for (int i = 0; i < 2; ++i) expect(store->remove_worker(worker(1, "a", 5).id).has_value());
        expect(workers_in(*store) == "2");
    };

    "one that was not seen for a day is forgotten by the next who says something"_test = [&] {
        auto store = make();
        const auto seen = [&](int number, std::chrono::seconds later) {
            auto record = worker(number, "a", number);
            record.seen_at = at(0) + later;
            (void)store->save_worker(record);
        };
        using std::chrono::hours, std::chrono::seconds;
        seen(1, seconds{0});
        seen(2, seconds{1});
        seen(3, hours{24});
        expect(workers_in(*store) == "1 2 3") << "a day is not more than a day";
        seen(3, hours{24} + seconds{1});
        expect(workers_in(*store) == "2 3");
    };

    "of very many those are given that were seen last"_test = [&] {
        auto store = make();
        const int most = static_cast<int>(bulk::most_workers);
        for (int number = 1; number <= most + 2; ++number)
            (void)store->save_worker(worker(number, "n" + std::to_string(number), 5));
        const auto all = store->workers().value();
        expect(fatal(all.size() == bulk::most_workers));
        for (std::size_t i = 1; i < all.size(); ++i) expect(all[i - 1].name < all[i].name);
        for (const auto& each : all) expect(each.id.value.high > 2_u);
    };
}

}  // namespace conformance
