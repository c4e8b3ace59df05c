// What docs/behaviours.md promises of feeds and no other test proves.
#include <bulk/feed.hpp>

#include <support/feed_stage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using support::article;
using support::listing;

namespace {

/// Nothing is said about it.
struct plain : support::article_feed<plain> {
    BULK_FEED("plain")
};

struct small_pages : support::article_feed<small_pages> {
    BULK_FEED("small-pages", .page_size = 7, .max_workers = 1)
};

struct refused : support::article_feed<refused> {
    BULK_FEED("refused")
    bulk::result<std::uint64_t> count(const range&, const window&) {
        return bulk::fail_with_status(403, "not you");
    }
};
struct followed : support::article_feed<followed> {
    BULK_FEED("followed", .then = "refused")
};

/// Whoever maps waits until five do, or until it is clear that no fifth comes.
struct crowd {
    std::mutex mutex;
    std::condition_variable changed;
    int inside = 0;
    int most = 0;

    void enter() {
        std::unique_lock lock{mutex};
        most = std::max(most, ++inside);
        changed.notify_all();
        changed.wait_for(lock, 10s, [&] { return most >= 5; });
        --inside;
    }
} mapping;

/// Each item is a chunk of its own.
struct one_by_one : support::article_feed<one_by_one> {
    BULK_FEED("one-by-one", .upsert_size = 1)
    bulk::result<listing> map(const article& raw) {
        mapping.enter();
        return support::listing_of(raw);
    }
};

}  // namespace

int main() {
    "a feed of which nothing is said has the sizes of the documents"_test = [] {
        constexpr auto said = bulk::options_of_feed<plain>;
        expect(said.page_size == 30_u);
        expect(said.target_per_partition == 2'500_ul);
        expect(said.max_workers == 30_u);
        expect(said.max_workers_incremental == 10_u);
        expect(said.min_per_worker == 1'000_ul);
        expect(said.scan_concurrency == 3_u);
        expect(said.dense_below == 20'000_l);
        expect(said.dense_step == 100_l);
        expect(said.sparse_step == 5'000_l);
        expect(said.granularity == 1_l);
        expect(said.max_retries == 5_i);
        expect(said.max_deliveries == 5_u);
        expect(said.safety_buffer == 15min);
        expect(said.min_success_ratio == 1.0_d);
        expect(said.partial_delay == 5min);
        expect(not said.tolerate_bad_items);
        expect(said.batch_size == 2'000_u);
        expect(said.upsert_size == 100_u);
        expect(said.upsert_concurrency == 5_u);
        const bulk::feed_service_options service;
        expect(service.lease_time == 2min);
        expect(service.batch_lease_time == 5min);
        expect(service.poll_interval == 5s);
        expect(service.stall_after == 30min);
    };

    "pages are asked for in the size that the feed says, one behind the other"_test = [] {
        support::feed_stage<small_pages> on;
        on.fill(25);
        std::vector<std::uint64_t> offsets, sizes;
        on.source.change_page = [&](std::uint64_t offset, auto& page) {
            offsets.push_back(offset);
            sizes.push_back(page.items.size());
        };
        expect(on.run().completed_at.has_value());
        expect(offsets == std::vector<std::uint64_t>{0, 7, 14, 21});
        expect(sizes == std::vector<std::uint64_t>{7, 7, 7, 4});
    };

    "a page is tried six times, after 1, 2, 4, 8 and 16 seconds and a little"_test = [] {
        support::feed_stage<plain> on;
        on.fill(5);
        std::vector<bulk::timestamp> tries;
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t) -> bulk::result<> {
            tries.push_back(on.jobs.now());
            return bulk::fail_with_status(429, "slowly");
        };
        expect(on.run().failed == 1_u);
        expect(fatal(tries.size() == 6_ul));
        for (std::size_t i = 1; i < tries.size(); ++i) {
            const std::chrono::microseconds least = 1s * (1 << (i - 1));
            expect(tries[i] - tries[i - 1] >= least and tries[i] - tries[i - 1] <= least * 13 / 10)
                << i;
        }
    };

    "a partition that was retried goes on at once, and as often as is asked for"_test = [] {
        support::feed_stage<small_pages> on;
        on.fill(25);
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t offset) -> bulk::result<> {
            if (offset == 14) return bulk::fail_with_status(403, "no");
            return {};
        };
        const auto run = on.run();
        for (int again = 0; again < 3; ++again) {
            const auto before = on.jobs.now();
            const auto fetches = on.source.fetches;
            expect(on.service->retry_partitions(run.id).value() == 1_u);
            expect(on.finish(run.id).failed == 1_u);
            expect(on.source.fetches == fetches + 1) << "the page that failed, and no other";
            expect(on.jobs.now() == before) << "nobody waits";
        }
        on.source.on_fetch = {};
        expect(on.service->retry_partitions(run.id).value() == 1_u);
        expect(on.finish(run.id).completed_at.has_value());
        expect(on.is_exact());
    };

    "chunks of a batch are mapped five at once, and no more"_test = [] {
        support::source_behaviour source;
        support::source_behaviour::now() = &source;
        for (int i = 0; i < 20; ++i)
            source.data.put({"a" + std::to_string(i), i, 1, 1'000'000'000'000'000});
        bulk::feed_service service{bulk::feeds<one_by_one>, bulk::memory::storage{}};
        const auto started = service.start("one-by-one");
        expect(fatal(started.has_value() and started->has_value()));
        const auto run = service.wait((*started)->id, 60s);
        expect(fatal(run.has_value()));
        expect(run->consolidated == 20_ul);
        const std::scoped_lock lock{mapping.mutex};
        expect(mapping.most == 5_i);
    };

    "a following feed that cannot start is not the fault of the run before it"_test = [] {
        support::feed_stage<followed, refused> on;
        on.fill(5);
        const auto run = on.run();
        for (int i = 0; i < 100; ++i) (void)on.jobs.step();
        expect(on.service->state_of(*on.service->get(run.id)) == bulk::run_state::completed);
        expect(on.watermark() == run.window.to);
        expect(on.service->query({.feed = "refused"})->items.empty());
        expect(std::ranges::any_of(on.log, [](const std::string& line) {
            return line.find("following feed not started") != std::string::npos &&
                   line.find("not you") != std::string::npos;
        }));
    };

    "a run has as many partitions as there are, not as many as were wished for"_test = [] {
        support::feed_stage<plain> on;
        for (int i = 0; i < 5'000; ++i) on.put("a" + std::to_string(i), 77, 1, 24h);
        const auto run = on.start();
        expect(run.partitions == 1_u)
            << "five would have had 1000 records each, but all are at one place";
        expect(on.service->partitions(run.id)->size() == 1_ul);
        expect(on.finish(run.id).completed_at.has_value());
        expect(on.is_exact());
    };
}
