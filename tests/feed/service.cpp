#include <bulk/feed.hpp>
#include <bulk/storage/memory/records.hpp>

#include <support/feed_stage.hpp>
#include <support/ut.hpp>

#include <map>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using support::article;
using support::listing;

namespace {

struct articles : support::article_feed<articles> {
    BULK_FEED("articles", .page_size = 10, .target_per_partition = 50, .max_workers = 5,
              .max_workers_incremental = 2, .min_per_worker = 20, .dense_below = 100,
              .dense_step = 10, .sparse_step = 50, .max_retries = 2, .batch_size = 40,
              .upsert_size = 7)
};

struct tolerant : support::article_feed<tolerant> {
    BULK_FEED("tolerant", .page_size = 10, .min_per_worker = 20, .tolerate_bad_items = true)
};

struct partial : support::article_feed<partial> {
    BULK_FEED("partial", .page_size = 10, .max_workers = 10, .min_per_worker = 1,
              .dense_below = 1000, .dense_step = 10, .min_success_ratio = 0.7)
};

struct successor : support::article_feed<successor> {
    BULK_FEED("successor", .page_size = 100)
};
struct leader : support::article_feed<leader> {
    BULK_FEED("leader", .page_size = 100, .then = "successor")
};

using stage = support::feed_stage<articles>;

}  // namespace

int main() {
    "a first run is full, and the canonical set is the source"_test = [] {
        stage on;
        on.fill(300);
        const auto run = on.run();
        expect(run.type == bulk::run_type::full);
        expect(run.completed_at.has_value());
        expect(run.partitions == 5_u);
        expect(run.completed == 5_u);
        expect(run.records == 300_ul);
        expect(run.consolidated == 300_ul);
        expect(not run.watermark_before.has_value());
        expect(run.watermark_after == run.window.to);
        expect(run.window.from == bulk::timestamp{std::chrono::sys_days{2000y / 1 / 1}});
        expect(on.is_exact());
        const auto mark = on.service->watermark_of("articles");
        expect(mark->value == run.window.to);
        expect(mark->run == run.id);
        expect(mark->version == 1_ul);
    };

    "the next run reads only what has changed, with a margin"_test = [] {
        stage on;
        on.fill(300);
        const auto first = on.run();
        on.jobs.advance(2h);
        on.put("a10005", 50, 99);
        on.put("new", 500, 1);
        const auto second = on.run();
        expect(second.type == bulk::run_type::incremental);
        expect(second.watermark_before == first.window.to);
        expect(second.window.from == first.window.to - 15min);
        expect(second.partitions == 1_u);
        expect(second.records == 2_ul);
        expect(second.changed == 2_ul);
        expect(on.is_exact());
    };

    "what has not changed is not written again"_test = [] {
        stage on;
        on.fill(300);
        on.run();
        const auto maps = on.source.maps;
        on.put("a10005", 50, 99);
        const auto again = on.run({.type = bulk::run_type::full});
        expect(again.records == 300_ul);
        expect(again.changed == 1_ul);
        expect(on.source.maps == maps + 1);
        expect(on.service->item("articles", "a10005")->value().version == 2_ul);
        expect(on.service->item("articles", "a10006")->value().version == 1_ul);
        const auto changed = on.service->items({.feed = "articles", .changed_since = 1});
        expect(changed->items.size() == 1_ul);
    };

    "what is gone from the source is deleted softly, on full runs only"_test = [] {
        stage on;
        on.fill(100);
        on.run();
        on.source.data.remove("a10003");
        on.jobs.advance(1h);
        on.put("other", 10);
        on.run();
        expect(on.canonical().contains("a10003")) << "an incremental run does not see it";
        const auto full = on.run({.type = bulk::run_type::full});
        expect(full.removed == 1_ul);
        expect(on.is_exact());
        const auto gone = on.service->item("articles", "a10003");
        expect(gone->value().is_deleted);
        on.jobs.advance(1h);
        on.put("a10003", 20);
        on.run();
        expect(on.is_exact()) << "it came back";
    };

    "without anything to read there is no run"_test = [] {
        stage on;
        const auto none = on.service->start("articles");
        expect(none.has_value() and not none->has_value());
        expect(on.service->query({})->items.empty());
        on.fill(50);
        on.run();
        on.jobs.advance(24h);
        const auto mark = on.watermark();
        expect(not on.service->start("articles")->has_value());
        expect(on.watermark() == mark);
    };

    "a type that is asked for wins; incremental without a watermark reads everything"_test = [] {
        stage on;
        on.fill(50);
        const auto first = on.run({.type = bulk::run_type::incremental});
        expect(first.type == bulk::run_type::incremental);
        expect(first.window.from == bulk::timestamp{std::chrono::sys_days{2000y / 1 / 1}});
        expect(on.is_exact());
        expect(on.run({.type = bulk::run_type::full}).type == bulk::run_type::full);
    };

    "everything that is done for a run carries its trace"_test = [] {
        stage on;
        on.fill(50);
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t) {
            return bulk::fail_with_status(403, "no");
        };
        const auto run = on.run({.trace = "nightly-7", .started_by = "ops"});
        expect(run.trace == std::string{"nightly-7"});
        expect(run.started_by == std::string{"ops"});
        expect(on.log.back().find("trace=nightly-7") != std::string::npos) << on.log.back();
        expect(on.start().trace.size() == 36_ul) << "without one it is the run's id";
    };

    "a page that fails for a passing reason is tried again, and nothing is lost"_test = [] {
        stage on;
        on.fill(300);
        int failures = 0;
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t offset) -> bulk::result<> {
            if (offset == 20 && ++failures <= 2) return bulk::fail_with_status(503, "busy");
            return {};
        };
        const auto run = on.run();
        expect(run.completed_at.has_value());
        expect(failures > 2_i);
        expect(on.is_exact());
    };

    "the waits between tries grow, and are not waited by a thread"_test = [] {
        stage on;
        on.fill(15);
        std::vector<bulk::timestamp> tries;
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t) -> bulk::result<> {
            tries.push_back(on.jobs.now());
            return bulk::fail("anything");
        };
        const auto run = on.run();
        expect(run.failed == 1_u);
        expect(fatal(tries.size() == 3_ul)) << "two retries";
        expect(tries[1] - tries[0] >= 1s and tries[1] - tries[0] <= 1300ms);
        expect(tries[2] - tries[1] >= 2s and tries[2] - tries[1] <= 2600ms);
    };

    "a partition that fails is counted once, and its retry goes on at the page that failed"_test =
        [] {
            stage on;
            on.fill(300);
            std::map<std::uint64_t, int> asked;
            bool is_down = true;
            on.source.on_fetch = [&](std::uint32_t part, std::uint64_t offset) -> bulk::result<> {
                if (part != 0) return {};
                ++asked[offset];
                if (offset == 10 && is_down) return bulk::fail_with_status(401, "who are you?");
                return {};
            };
            const auto run = on.run();
            expect(run.failed == 1_u);
            expect(run.completed == 4_u);
            expect(on.service->state_of(run) == bulk::run_state::consolidation_skipped);
            expect(not on.watermark().has_value());
            expect(asked[10] == 1_i);
            expect(on.events(run.id, bulk::event_kind::consolidation_skipped).size() == 1_ul);
            const auto failed = on.service->failed_partitions(run.id);
            expect(fatal(failed->size() == 1_ul));
            expect(failed->front().error == std::string{"HTTP status 401: who are you?"});
            expect(failed->front().next_offset == 10_ul);
            is_down = false;
            expect(on.service->retry_partitions(run.id).value() == 1_u);
            const auto ended = on.finish(run.id);
            expect(ended.completed_at.has_value());
            expect(asked[0] == 1_i);
            expect(asked[10] == 2_i);
            expect(on.is_exact());
        };

    "a failed run leaves the watermark, and the next one reads the same again"_test = [] {
        stage on;
        on.fill(100);
        on.run();
        const auto mark = on.watermark();
        on.jobs.advance(1h);
        on.put("a10001", 1, 77);
        on.source.on_fetch = [](std::uint32_t, std::uint64_t) {
            return bulk::fail_with_status(400, "no");
        };
        const auto failed = on.run();
        expect(on.watermark() == mark);
        on.source.on_fetch = {};
        on.jobs.advance(1h);
        const auto next = on.run();
        expect(next.window.from == failed.window.from);
        expect(on.is_exact());
    };

    "an item that cannot be mapped is kept with its reason, and keeps the watermark back"_test =
        [] {
            stage on;
            on.fill(100);
            on.source.on_map = [](const article& raw) -> bulk::result<> {
                if (raw.id == "a10007") return bulk::fail("it has no colour");
                if (raw.id == "a10009") throw std::runtime_error{"no idea"};
                return {};
            };
            const auto run = on.run();
            expect(on.service->state_of(run) == bulk::run_state::failed);
            expect(run.bad_items == 2_ul);
            expect(run.consolidated == 98_ul);
            expect(not on.watermark().has_value());
            const auto bad = on.service->bad_items(run.id);
            expect(fatal(bad->size() == 2_ul));
            expect(bad->at(0).key == std::string{"a10007"});
            expect(bad->at(0).reason == std::string{"it has no colour"});
            expect(bad->at(1).reason == std::string{"no idea"});
            on.source.on_map = {};
            expect(on.service->resume_consolidation(run.id).value() == 2_ul);
            const auto resumed = on.finish(run.id);
            expect(resumed.completed_at.has_value());
            expect(on.watermark() == resumed.window.to);
            expect(on.is_exact());
        };

    "where bad items are tolerated, the watermark moves on"_test = [] {
        support::feed_stage<tolerant> on;
        on.fill(100);
        on.source.on_map = [](const article& raw) -> bulk::result<> {
            if (raw.id == "a10007") return bulk::fail("no");
            return {};
        };
        const auto run = on.run();
        expect(run.completed_at.has_value());
        expect(run.bad_items == 1_ul);
        expect(on.watermark() == run.window.to);
        expect(on.canonical().size() == 99_ul);
    };

    "seven of ten are enough where a feed says so; the watermark is kept"_test = [] {
        support::feed_stage<partial> on;
        for (int i = 0; i < 100; ++i) on.put("a" + std::to_string(i), i * 10, 1, 24h);
        on.source.on_fetch = [](std::uint32_t part, std::uint64_t) -> bulk::result<> {
            if (part < 3) return bulk::fail_with_status(400, "no");
            return {};
        };
        const auto started = on.start();
        expect(started.partitions == 10_u);
        const auto run = on.finish(started.id);
        expect(run.completed_at.has_value());
        expect(run.failed == 3_u);
        expect(*run.consolidation_started_at - run.started_at >= 5min);
        expect(not on.watermark().has_value());
        expect(on.canonical().size() == 70_ul);
    };

    "forced, a run is consolidated without what failed, and the watermark moves"_test = [] {
        stage on;
        on.fill(300);
        on.source.on_fetch = [](std::uint32_t part, std::uint64_t) -> bulk::result<> {
            if (part == 1) return bulk::fail_with_status(400, "no");
            return {};
        };
        const auto run = on.run();
        expect(not on.service->consolidate(run.id).has_value()) << "not by itself";
        expect(on.service->consolidate(run.id, true).has_value());
        const auto ended = on.finish(run.id);
        expect(ended.completed_at.has_value());
        expect(on.watermark() == run.window.to);
        expect(on.canonical().size() == run.records);
        expect(on.service->consolidate(run.id).has_value()) << "twice does no harm";
    };

    "a cancelled run stops at its next page and is not completed"_test = [] {
        stage on;
        on.fill(300);
        const auto run = on.start();
        for (int i = 0; i < 20; ++i) (void)on.jobs.step();
        expect(on.service->cancel(run.id, "wrong source").has_value());
        while (on.source.fetches == 0) (void)on.jobs.step();
        for (int i = 0; i < 200; ++i) (void)on.jobs.step();
        const auto fetched = on.source.fetches;
        for (int i = 0; i < 200; ++i) (void)on.jobs.step();
        expect(on.source.fetches == fetched);
        const auto report = on.service->report(run.id);
        expect(report->state == bulk::run_state::cancelled);
        expect(not report->run.completed_at.has_value());
        expect(report->run.reason == std::string{"wrong source"});
        expect(report->partitions.size() == run.partitions and run.partitions > 0_u);
        for (const auto& part : report->partitions)
            expect(bulk::is_finished(part.state)) << part.number;
        expect(on.run().completed_at.has_value()) << "the next one can start";
        expect(on.is_exact());
    };

    "of two who start a run of one feed at once, one wins"_test = [] {
        stage on;
        on.fill(100);
        auto other = on.make();
        bool is_nested = false;
        bulk::result<std::optional<bulk::feed_run>> second;
        on.source.on_count = [&](std::int64_t) -> bulk::result<> {
            if (std::exchange(is_nested, true)) return {};
            second = other->start("articles");
            return {};
        };
        const auto first = on.service->start("articles");
        expect(second.has_value());
        expect(fatal(not first.has_value()));
        expect(first.error().code == bulk::errc::conflict);
        expect(first.error().message.find("has a run already") != std::string::npos)
            << first.error().message;
        expect(on.finish((*second)->id).completed_at.has_value());
        expect(on.is_exact());
    };

    "a run goes on after a crash where it was"_test = [] {
        stage on;
        on.fill(300);
        const auto run = on.start();
        for (int crash = 0; crash < 8; ++crash) {
            for (int i = 0; i < 12; ++i) (void)on.jobs.step();
            on.restart();
        }
        const auto ended = on.finish(run.id);
        expect(ended.completed_at.has_value());
        expect(ended.records == 300_ul);
        expect(ended.completed == 5_u);
        expect(on.is_exact());
    };

    "what is prepared before items are mapped is prepared once, and tried again when it fails"_test =
        [] {
            stage on;
            on.fill(200);
            int asked = 0;
            on.source.on_prepare = [&](const bulk::feed_run& run) -> bulk::result<> {
                expect(run.feed == std::string{"articles"});
                if (++asked <= 2) return bulk::fail("no prices yet");
                return {};
            };
            const auto run = on.run();
            expect(asked == 3_i);
            expect(run.batches > 3_ul);
            expect(on.is_exact());
        };

    "a feed can be followed by another"_test = [] {
        support::feed_stage<leader, successor> on;
        on.fill(50);
        const auto first = on.run({.trace = "both"});
        for (int i = 0; i < 200; ++i) (void)on.jobs.step();
        const auto runs = on.service->query({.feed = "successor"});
        expect(fatal(runs->items.size() == 1_ul));
        expect(runs->items[0].trace == first.trace);
        expect(runs->items[0].completed_at.has_value());
    };

    "a plan says what a run would do, and stores nothing"_test = [] {
        stage on;
        on.fill(300);
        const auto plan = on.service->plan("articles");
        expect(plan.has_value());
        expect(plan->found.total == 300_ul);
        expect(plan->partitions.size() == 5_ul);
        expect(plan->outline.type == bulk::run_type::full);
        expect(on.service->query({})->items.empty());
        const auto capped = on.service->plan("articles", {.max_records = 100});
        expect(capped->is_capped);
    };

    "a run of at most so many records never moves the watermark"_test = [] {
        stage on;
        on.fill(300);
        const auto run = on.run({.max_records = 100});
        expect(run.completed_at.has_value());
        expect(run.records == 100_ul);
        expect(not on.watermark().has_value());
        expect(run.removed == 0_ul);
    };

    "runs can be looked for"_test = [] {
        stage on;
        on.fill(50);
        const auto first = on.run();
        on.jobs.advance(25h);
        on.put("x", 5);
        const auto second = on.start();
        expect(on.service->active_runs()->items.size() == 1_ul);
        expect(on.service->recent_runs()->items.size() == 1_ul);
        expect(on.service->query({})->items.size() == 2_ul);
        expect(on.service->query({.type = bulk::run_type::full})->items[0].id == first.id);
        expect(on.service->query({.state = bulk::run_state::completed})->items[0].id == first.id);
        expect(on.service->unfinished_partitions(second.id)->size() == 1_ul);
        on.finish(second.id);
        expect(on.service->active_runs()->items.empty());
    };

    "a run that nobody works on is stalled after a while, and goes on when somebody comes"_test =
        [] {
            stage on;
            on.fill(100);
            const auto run = on.start();
            on.jobs.drop_all();
            on.service.reset();
            on.jobs.drop_all();
            on.jobs.advance(31min);
            on.service = on.make();
            expect(on.service->state_of(*on.service->get(run.id)) == bulk::run_state::stalled);
            expect(on.finish(run.id).completed_at.has_value());
            expect(on.is_exact());
        };

    "an unknown feed is named, with the one that was meant"_test = [] {
        stage on;
        const auto wrong = on.service->start("artikles");
        expect(wrong.error().code == bulk::errc::not_found);
        expect(wrong.error().message.find("did you mean 'articles'?") != std::string::npos);
    };

    "on threads of its own"_test = [] {
        support::source_behaviour source;
        support::source_behaviour::now() = &source;
        bulk::memory::storage storage;
        bulk::feed_service service{bulk::feeds<articles>, storage, {.workers = 4}};
        for (int i = 0; i < 500; ++i)
            source.data.put({"a" + std::to_string(i), i % 700, 1, 1'000'000'000'000'000});
        const auto started = service.start("articles");
        expect(fatal(started.has_value() and started->has_value()));
        const auto run = service.wait((*started)->id, 60s);
        expect(fatal(run.has_value()));
        expect(run->completed_at.has_value());
        expect(run->records == 500_ul);
        expect(service.items({.feed = "articles", .page_size = 1000})->items.size() == 500_ul);
        expect(service.shutdown().has_value());
    };

    "a storage that keeps no feeds makes no usable service"_test = [] {
        class without_feeds : public bulk::memory::records {
            using bulk::memory::records::feeds;
        };
        const bulk::feed_service service{bulk::feeds<articles>, bulk::any_storage{without_feeds{}}};
        const auto usable = service.usable();
        expect(fatal(!usable.has_value()));
        expect(usable.error().code == bulk::errc::unavailable);
        expect(usable.error().message.starts_with("the storage keeps no feeds"));
    };

    "in the thread that starts it"_test = [] {
        support::source_behaviour source;
        support::source_behaviour::now() = &source;
        bulk::feed_service service{bulk::feeds<articles>,
                                   bulk::memory::storage{},
                                   {.scheduler = bulk::scheduling::immediate}};
        source.data.put({"a", 5, 1, 1'000'000'000'000'000});
        const auto started = service.start("articles");
        expect(service.get((*started)->id)->completed_at.has_value());
    };
}
