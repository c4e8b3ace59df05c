#include "../conformance/feeds.hpp"
#include "../conformance/storage.hpp"

#include <bulk/storage/memory/records.hpp>

#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace boost::ut;

namespace {

/// Waits that nobody ends cost each signal nothing, once one has found that they are over.
void check_waits_long_over() {
    "waits that are long over are passed by once"_test = [] {
        using conformance::at, conformance::waiting, conformance::signal_for;
        bulk::memory::records store;
        (void)store.create(conformance::operation(1), {});
        const auto held = store.claim(conformance::request(0)).value().value().held;
        bulk::row_batch batch;
        for (std::uint64_t i = 1; i <= 100'000; ++i) {
            batch.records.push_back(waiting(i, 0, "k"));
            batch.records.back().wait_until = at(10);
        }
        expect(store.record(held, batch).has_value());
        for (int i = 0; i < 5000; ++i)
            expect(store.send(signal_for("k", 500), at(500)).value().is_kept);
        batch.records.back().wait_until = at(900);  // the same wait, longer
        (void)store.record(held, batch);
        expect(store.send(signal_for("k", 501), at(600)).value().row == conformance::row(100'000));
    };
}

/// What a claim, a page or a batch costs does not depend on how many others there are.
void check_large_runs() {
    "a run of thousands of partitions and a hundred thousand items"_test = [] {
        using conformance::at, conformance::raw;
        constexpr std::uint32_t partitions = 5000;
        conformance::feed_stage stage{[] { return std::make_unique<bulk::memory::records>(); }};
        for (const int number : {1, 2}) {
            const auto run = stage.start(number, partitions);
            std::vector<bulk::page_work> held;
            for (std::uint32_t i = 0; i < partitions; ++i) held.push_back(stage.claim(5000));
            for (const auto& work : held) {
                std::vector<bulk::raw_item> items;
                for (std::uint32_t i = 0; i < 20; ++i)
                    items.push_back(raw(std::to_string(work.partition + i * partitions)));
                (void)stage.store(work, conformance::page_of(std::move(items)), 5001);
            }
            while (const auto batch = stage.batch(5002, 2000)) (void)stage.end(*batch, 5002);
            const auto done = stage.of(run);
            expect(done.completed_at.has_value() and done.records == partitions * 20);
            expect(done.consolidated == (number == 1 ? partitions * 20 : 0));
        }
    };
}

/// A search that stops at its look at the clock, with the lock, until it is told to go on.
class held_search {
public:
    explicit held_search(bulk::memory::records store)
        : thread_{[this, store = std::move(store)]() mutable {
              const bulk::read_limit limit{.deadline = clock::time_point::max(), .now = [this] {
                                               is_inside_.store(true);
                                               is_inside_.notify_all();
                                               may_end_.wait(false);
                                               return clock::time_point{};
                                           }};
              const bulk::read_scope scope{limit};
              (void)store.query(bulk::row_query{.operation = conformance::operation(1).id});
          }} {
        is_inside_.wait(false);
    }
    void end() {
        may_end_ = true;
        may_end_.notify_all();
    }
    ~held_search() { end(); }

private:
    using clock = bulk::read_limit::clock;
    std::atomic<bool> is_inside_ = false, may_end_ = false;
    std::jthread thread_;
};

void check_reads_beside_a_search() {
    "a read does not wait for a search, and a change is made when it ends"_test = [] {
        using namespace std::chrono_literals;
        bulk::memory::records store;
        const auto id = store.create(conformance::operation(1), {}).value().id;
        held_search search{store};
        auto reads = std::async(std::launch::async, [&] {
            const bool is_found = store.get(id).has_value();
            return is_found && store.get(id, bulk::row_number{1}, bulk::step_index{0}) &&
                   store.progress(id, bulk::row_number{1}, 10) && store.signals(id, 0, 10) &&
                   store.crashes(id) && store.events(id, 0, 10) && store.event_position("me") &&
                   store.workers() && !store.file("none") && !store.open_file("none", 0) &&
                   store.feeds().runs({});
        });
        const bool has_come = reads.wait_for(20s) == std::future_status::ready;
        expect(has_come) << "it waits";
        auto change = std::async(std::launch::async,
                                 [&] { return store.create(conformance::operation(2), {}); });
        search.end();
        expect(reads.get() and change.get().has_value());
    };

    "reads beside changes see each operation whole"_test = [] {
        bulk::memory::records store;
        (void)store.create(conformance::operation(1), {});
        const auto held = store.claim(conformance::request(0)).value().value().held;
        std::atomic<bool> is_over = false;
        std::vector<std::jthread> readers;
        for (int i = 0; i < 3; ++i)
            readers.emplace_back([&, store]() mutable {
                while (!is_over) {
                    const auto seen = store.get(held.operation).value().rows;
                    if (seen.processed != seen.successful) std::abort();
                    (void)store.query(bulk::row_query{.operation = held.operation});
                    (void)store.query(bulk::operation_query{});
                    (void)store.retry_history({.operation = held.operation});
                    (void)store.progress(held.operation, bulk::row_number{1}, 100);
                    (void)store.files({}, 10);
                }
            });
        for (std::uint64_t i = 1; i <= 200; ++i) {
            bulk::row_batch batch{.counted = {.processed = 1, .successful = 1}};
            batch.records.push_back(conformance::record_of(i, 0, bulk::row_state::completed));
            expect(store.record(held, batch).has_value());
        }
        is_over = true;
    };
}

suite<"memory"> memory = [] {
    const auto make = [] { return std::make_unique<bulk::memory::records>(); };
    conformance::check_storage(make);
    conformance::check_feeds(make, 3000);
    check_large_runs();
    check_reads_beside_a_search();
    check_waits_long_over();
};

}  // namespace

int main() {}
