#include <bulk/feed.hpp>

#include <support/catalogue.hpp>
#include <support/seeded_executor.hpp>
#include <support/ut.hpp>

#include <functional>
#include <map>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using support::article;
using support::listing;

namespace {

/// What the source does in a test beside answering.
struct source_behaviour {
    support::catalogue data;
    std::function<bulk::result<>(std::int64_t price)> on_count;
    std::function<bulk::result<>(std::uint32_t partition, std::uint64_t offset)> on_fetch;
    std::function<bulk::result<>(const article&)> on_map;
    std::function<void(bulk::source_page<article>&)> change_page;
    std::uint64_t fetches = 0;
    std::uint64_t counts = 0;
};
source_behaviour* source = nullptr;

struct articles : bulk::feed<articles, article, listing> {
    BULK_FEED("articles", .page_size = 10, .target_per_partition = 50, .max_workers = 5,
              .min_per_worker = 20, .dense_below = 100, .dense_step = 10, .sparse_step = 50,
              .max_retries = 2, .batch_size = 40, .upsert_size = 7)
    static constexpr range extent{0, 999};

    bulk::result<std::uint64_t> count(const range& prices, const window& changed) {
        ++source->counts;
        if (source->on_count)
            if (auto said = source->on_count(prices.first); !said)
                return std::unexpected{said.error()};
        return source->data.select(prices.first, prices.last, changed).size();
    }
    bulk::result<page> fetch(const partition& part, std::uint64_t offset, std::uint32_t limit,
                             const window& changed) {
        ++source->fetches;
        if (source->on_fetch)
            if (auto said = source->on_fetch(part.number, offset); !said)
                return std::unexpected{said.error()};
        const auto all = source->data.select(part.range.first, part.range.last, changed);
        page found;
        for (std::uint64_t i = offset; i < all.size() && i < offset + limit; ++i)
            found.items.push_back(all[i]);
        found.has_more = offset + limit < all.size();
        if (source->change_page) source->change_page(found);
        return found;
    }
    bulk::result<listing> map(const article& raw) {
        if (source->on_map)
            if (auto said = source->on_map(raw); !said) return std::unexpected{said.error()};
        return support::listing_of(raw);
    }
};

/// A service on one thread, whose clock moves only when there is nothing else to do.
struct stage {
    explicit stage(std::uint64_t seed = 1) : jobs{seed} {
        source = &world;
        restart();
    }
    ~stage() {
        service.reset();
        jobs.drop_all();
    }

    void restart() {
        service.reset();
        jobs.drop_all();
        service = std::make_unique<bulk::feed_service<bulk::memory::storage>>(
            bulk::feeds<articles>, storage, bulk::feed_service_options{.worker_name = "test"},
            &jobs);
    }

    void fill(std::uint64_t count, std::uint64_t seed = 7) {
        std::mt19937_64 random{seed};
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto skew = random() % 100;
            put("a" + std::to_string(10'000 + i),
                static_cast<std::int64_t>(skew < 80 ? random() % 100 : random() % 1000), 1, 24h);
        }
    }
    void put(const std::string& id, std::int64_t price, std::int64_t stock = 1,
             std::chrono::microseconds age = 1s) {
        world.data.put({id, price, stock, (jobs.now() - age).time_since_epoch().count()});
    }

    bulk::feed_run run_to_end(bulk::run_id id) {
        for (int i = 0; i < 1'000'000; ++i) {
            const auto now = service->get(id);
            expect(fatal(now.has_value()));
            if (!bulk::is_active(*now)) return *now;
            expect(fatal(jobs.step()));
        }
        expect(false) << "the run does not end";
        return {};
    }
    bulk::feed_run run(const bulk::start_options& options = {}) {
        const auto started = service->start("articles", options);
        expect(fatal(started.has_value())) << (started ? "" : started.error().message);
        expect(fatal(started->has_value()));
        return run_to_end((*started)->id);
    }

    /// What the set must be, and what it is.
    [[nodiscard]] std::map<std::string, listing> wanted() const {
        std::map<std::string, listing> all;
        for (const auto& [id, each] : world.data.all()) all[id] = support::listing_of(each);
        return all;
    }
    [[nodiscard]] std::map<std::string, listing> canonical() {
        std::map<std::string, listing> all;
        const auto read = bulk::for_each_item<articles>(
            *service,
            [&](const bulk::canonical_item& item, const listing& row) { all[item.key] = row; });
        expect(read.has_value()) << (read ? "" : read.error().message);
        return all;
    }

    [[nodiscard]] bool is_exact() { return canonical() == wanted(); }

    source_behaviour world;
    bulk::memory::storage storage;
    support::seeded_executor jobs;
    std::unique_ptr<bulk::feed_service<bulk::memory::storage>> service;
};

}  // namespace

int main() {
    "a first run is full, and the canonical set is the source"_test = [] {
        stage on;
        on.fill(300);
        const auto run = on.run();
        expect(run.type == bulk::run_type::full);
        expect(run.completed_at.has_value());
        expect(run.partitions > 1_u);
        expect(run.records == 300_ul);
        expect(run.consolidated == 300_ul);
        expect(run.watermark_after == run.window.to);
        expect(on.is_exact());
        const auto mark = on.service->watermark_of("articles");
        expect(mark->value == run.window.to);
        expect(mark->version == 1_ul);
    };

    "the next run reads only what has changed"_test = [] {
        stage on;
        on.fill(300);
        const auto first = on.run();
        on.jobs.advance(2h);
        on.put("a10005", 50, 99);
        on.put("new", 500, 1);
        const auto second = on.run();
        expect(second.type == bulk::run_type::incremental);
        expect(second.window.from == first.window.to - 15min);
        expect(second.records == 2_ul);
        expect(second.changed == 2_ul);
        expect(on.is_exact());
    };

    "a page that fails for a passing reason is tried again, and nothing is lost"_test = [] {
        stage on;
        on.fill(300);
        int failures = 0;
        on.world.on_fetch = [&](std::uint32_t, std::uint64_t offset) -> bulk::result<> {
            if (offset == 20 && ++failures <= 2) return bulk::fail_with_status(503, "busy");
            return {};
        };
        const auto run = on.run();
        expect(run.completed_at.has_value());
        expect(failures > 2_i);
        expect(on.is_exact());
    };

    "a partition that fails is counted once, and its retry goes on at the page that failed"_test =
        [] {
            stage on;
            on.fill(300);
            std::map<std::uint64_t, int> asked;
            bool is_down = true;
            on.world.on_fetch = [&](std::uint32_t part, std::uint64_t offset) -> bulk::result<> {
                if (part != 0) return {};
                ++asked[offset];
                if (offset == 10 && is_down) return bulk::fail_with_status(401, "who are you?");
                return {};
            };
            const auto run = on.run();
            expect(run.failed == 1_u);
            expect(on.service->state_of(run) == bulk::run_state::consolidation_skipped);
            expect(not on.service->watermark_of("articles")->value.has_value());
            expect(asked[10] == 1_i);
            const auto failed = on.service->failed_partitions(run.id);
            expect(fatal(failed->size() == 1_ul));
            expect(failed->front().error == std::string{"HTTP status 401: who are you?"});
            expect(failed->front().next_offset == 10_ul);
            is_down = false;
            expect(on.service->retry_partitions(run.id).value() == 1_u);
            const auto ended = on.run_to_end(run.id);
            expect(ended.completed_at.has_value());
            expect(asked[0] == 1_i);
            expect(asked[10] == 2_i);
            expect(on.is_exact());
        };
}
