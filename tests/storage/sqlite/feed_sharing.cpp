// Several who work on feeds in one file, and what those leave who die.
#include "small_feed.hpp"

#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace small_feed;
using bulk::errc;
using storage = support::sqlite_backend;
using support::temporary_directory;

namespace {

/// A lease that nobody waits for.
bulk::work_request for_long(int now) {
    auto wanted = worker(now);
    wanted.lease_time = 24h;
    return wanted;
}

/// What a process does with a storage of its own before it is killed. Whether it came that far.
template <typename Work>
bool die_after(const std::string& path, Work work) {
    if (const pid_t child = ::fork(); child != 0) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSIGNALED(status);
    }
    auto store = storage::open(path);
    if (!store || !work(*store)) ::_exit(1);
    ::raise(SIGKILL);
    ::_exit(1);
}

suite<"sharing feeds"> sharing_feeds = [] {
    "of those who start a run at once, one does"_test = [] {
        for (int round = 0; round < 5; ++round) {
            const temporary_directory directory;
            const auto path = directory.path("bulk.db");
            auto store = storage::open(path).value();
            std::atomic<int> started = 0, refused = 0;
            {
                std::vector<std::jthread> all;
                for (int i = 1; i <= 4; ++i)
                    all.emplace_back([&, i] {
                        auto own = storage::open(path).value();
                        bulk::feed_run run{.id = run_id_of(i),
                                           .feed = i % 2 == 0 ? "Diamonds" : "diamonds",
                                           .started_at = at(1)};
                        const auto done = own.feeds().start_run(run, {{.due = at(1)}});
                        if (done)
                            ++started;
                        else if (done.error().code == errc::conflict)
                            ++refused;
                    });
            }
            expect(started == 1 and refused == 3);
            expect(store.feeds().runs({}).value().items.size() == 1_ul);
        }
    };

    "no page and no batch is in two hands"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path).value();
        constexpr std::uint32_t partitions = 30, batches = 40;
        (void)start(store.feeds(), 1, partitions);
        std::mutex mutex;
        std::map<std::uint64_t, int> pages, handed_out;
        std::map<std::string, int> items;
        const auto in_three = [&](auto work) {
            std::vector<std::jthread> all;
            for (int i = 0; i < 3; ++i)
                all.emplace_back([&] {
                    auto own = storage::open(path).value();
                    work(own.feeds());
                });
        };
        in_three([&](auto feeds) {
            while (const auto work = feeds.claim_page(worker(1)).value()) {
                const std::scoped_lock lock{mutex};
                ++pages[work->partition];
            }
        });
        expect(pages.size() == partitions);
        for (const auto& [number, times] : pages) expect(times == 1_i);

        // All leases have lapsed: whoever gets a page now stores it.
        in_three([&](auto feeds) {
            while (const auto work = feeds.claim_page(worker(100)).value()) {
                std::vector<bulk::raw_item> found;
                for (int i = 0; i < 4; ++i)
                    found.push_back(raw(std::to_string(work->partition) + ':' + std::to_string(i)));
                (void)feeds.store_page(*work, page_of(found), worker(100)).value();
            }
        });
        in_three([&](auto feeds) {
            while (const auto batch = feeds.claim_batch(worker(100), 3).value()) {
                const std::scoped_lock lock{mutex};
                ++handed_out[batch->number];
                for (const auto& each : batch->items) ++items[each.key];
            }
        });
        expect(handed_out.size() >= batches and items.size() == partitions * 4);
        for (const auto& [number, times] : handed_out) expect(times == 1_i);
        for (const auto& [key, times] : items) expect(times == 1_i) << key;
        consolidate(store.feeds(), 200);
        expect(canonical(store.feeds()).size() == partitions * 4);
        expect(store.feeds().run(run_id_of(1)).value().completed_at.has_value());
    };

    "one storage sees at once what the other does"_test = [] {
        const temporary_directory directory;
        auto mine = storage::open(directory.path("bulk.db")).value();
        auto yours = storage::open(directory.path("bulk.db")).value();
        (void)start(mine.feeds(), 1, 1);
        const auto work = yours.feeds().claim_page(worker(1)).value().value();
        expect(!mine.feeds().claim_page(worker(1)).value().has_value());
        expect(mine.feeds().next_due({"diamonds"}).value() == at(11));
        (void)yours.feeds().store_page(work, page_of({raw("a")}), worker(1)).value();
        const auto batch = mine.feeds().claim_batch(worker(1), 10).value().value();
        expect(!yours.feeds().claim_batch(worker(1), 10).value().has_value());
        mine.feeds().store_items(batch, mapped(batch.items), worker(1)).value();
        (void)mine.feeds().finish_batch(batch, at(1)).value();
        expect(yours.feeds().item("diamonds", "a").value().has_value());
    };

    "the page of a process that died goes to the next one at once, and counts as delivered"_test =
        [] {
            const temporary_directory directory;
            const auto path = directory.path("bulk.db");
            {
                auto store = storage::open(path).value();
                (void)start(store.feeds(), 1, 1);
            }
            const auto take = [](storage& store) {
                return store.feeds().claim_page(for_long(1)).value().has_value();
            };
            expect(die_after(path, take));
            expect(die_after(path, take)) << "and of the next one";
            auto store = storage::open(path).value();
            const auto work = store.feeds().claim_page(for_long(1)).value();
            expect(fatal(work.has_value()));
            const auto part = store.feeds().partitions(run_id_of(1)).value().front();
            expect(part.deliveries == 2_u and part.fence == 3_ul);
            expect(!store.feeds().claim_page(for_long(1)).value().has_value())
                << "who lives keeps what they have";
        };

    "a page that kills its workers fails its partition, without waiting for leases"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        {
            auto store = storage::open(path).value();
            (void)start(store.feeds(), 1, 1);
        }
        for (int i = 0; i < 5; ++i)
            expect(die_after(path, [](storage& store) {
                return store.feeds().claim_page(for_long(1)).value().has_value();
            }));
        auto store = storage::open(path).value();
        expect(!store.feeds().claim_page(for_long(1)).value().has_value());
        const auto part = store.feeds().partitions(run_id_of(1)).value().front();
        expect(part.state == bulk::partition_state::failed);
        expect(part.error.contains("5 workers")) << part.error;
    };

    "the batch of a process that died goes to the next one at once"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        {
            auto store = storage::open(path).value();
            (void)fetch(store.feeds(), 1, {raw("a"), raw("b"), raw("c")});
        }
        expect(die_after(path, [](storage& store) {
            auto feeds = store.feeds();
            const auto batch = feeds.claim_batch(for_long(1), 2).value().value();
            auto made = mapped(batch.items);
            made.pop_back();
            return feeds.store_items(batch, made, for_long(1)).has_value();
        }));
        auto store = storage::open(path).value();
        const auto batch = store.feeds().claim_batch(for_long(1), 2).value().value();
        expect(batch.number == 1_ul and batch.fence == 2_ul);
        expect(fatal(batch.items.size() == 1_ul)) << "what it had stored is stored";
        expect(batch.items.front().key == "b");
        store.feeds().store_items(batch, mapped(batch.items), for_long(1)).value();
        (void)store.feeds().finish_batch(batch, at(1)).value();
        consolidate(store.feeds(), 1);
        expect(store.feeds().run(run_id_of(1)).value().consolidated == 3_ul);
    };

    "whatever is claimed first after a death: everything that was left can be claimed"_test = [] {
        enum class kind : std::uint8_t { operation, page, batch };
        for (const auto first : {kind::operation, kind::page, kind::batch}) {
            const temporary_directory directory;
            const auto path = directory.path("bulk.db");
            {
                auto store = storage::open(path).value();
                (void)store.create(conformance::operation(1), {}).value();
                (void)fetch(store.feeds(), 1, {raw("a")});
                bulk::feed_run other{.id = run_id_of(2), .feed = "rubies", .started_at = at(1)};
                (void)store.feeds().start_run(other, {{.due = at(1)}}).value();
            }
            const auto operations = [] {
                auto wanted = conformance::request(1);
                wanted.lease_time = 24h;
                return wanted;
            }();
            auto rubies = for_long(1);
            rubies.feeds = {"Rubies"};
            expect(die_after(path, [&](storage& store) {
                return store.claim(operations).value().has_value() &&
                       store.feeds().claim_page(rubies).value().has_value() &&
                       store.feeds().claim_batch(for_long(1), 9).value().has_value();
            }));
            auto store = storage::open(path).value();
            const auto claim = [&](kind what) {
                switch (what) {
                    case kind::operation: {
                        const auto claimed = store.claim(operations).value();
                        return claimed && claimed->was_lapsed;
                    }
                    case kind::page:
                        return store.feeds().claim_page(rubies).value().has_value();
                    default:
                        return store.feeds().claim_batch(for_long(1), 9).value().has_value();
                }
            };
            expect(claim(first));
            for (const auto next : {kind::operation, kind::page, kind::batch})
                if (next != first) expect(claim(next)) << static_cast<int>(next);
        }
    };

    "what a process gave back before it died is nobody's delivery"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        {
            auto store = storage::open(path).value();
            (void)start(store.feeds(), 1, 1);
        }
        expect(die_after(path, [](storage& store) {
            const auto work = store.feeds().claim_page(for_long(1)).value().value();
            return store.feeds().return_page(work, at(1)).has_value();
        }));
        auto store = storage::open(path).value();
        expect(store.feeds().claim_page(for_long(1)).value().has_value());
        expect(store.feeds().partitions(run_id_of(1)).value().front().deliveries == 0_u);
    };
};

}  // namespace

int main() {}
