// What becomes of a run in each case in which something fails.
#include <bulk/feed.hpp>
#include <bulk/storage/memory/records.hpp>

#include <support/feed_crash_stage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::event_kind, bulk::run_state;

namespace {

using stage = support::feed_crash_stage<bulk::memory::records>;
using moment = stage::moment;

/// A worker that is no part of the service.
/// Whose source has a hundred articles.
struct filled_stage : stage {
    filled_stage() { fill(100); }
};

bulk::work_request stranger(const stage& on) {
    return {.worker = "stranger",
            .feeds = {"articles"},
            .now = on.jobs.now(),
            .lease_time = support::feed_lease_time};
}

/// What the source has where a page begins, as a worker would have fetched it.
bulk::fetched_page fetched(const bulk::page_work& work) {
    bulk::typed_feed<support::articles> feed;
    return feed.fetch(work, 10).value();
}

/// A run that nobody works on yet, so that a test does it by hand.
bulk::feed_run start_alone(stage& on) {
    const auto run = on.start();
    on.jobs.drop_all();
    return run;
}

/// From then on a partition is refused by the source, at that offset.
void refuse(stage& on, std::uint32_t partition, std::uint64_t offset) {
    on.world.on_fetch = [=](std::uint32_t part, std::uint64_t at) -> bulk::result<> {
        if (part == partition && at == offset) return bulk::fail_with_status(403, "forbidden");
        return {};
    };
}

std::size_t run_count(stage& on) { return on.storage.real_feeds().runs({}).value().items.size(); }

/// Of a hundred articles.
int pages_of_calm_run() {
    filled_stage on;
    int calls = 0;
    on.storage.faults() = {.before = [&](std::string_view call) {
        calls += call == "store_page";
        return false;
    }};
    (void)on.run();
    return calls;
}

suite<"before a run"> before_a_run = [] {
    "without its watermark no run starts, and the source is not even asked"_test = [] {
        filled_stage on;
        on.fail_once("watermark_of");
        const auto refused = on.service->start("articles");
        expect(fatal(not refused.has_value()));
        expect(refused.error().code == bulk::errc::unavailable);
        expect(on.world.counts == 0_ul);
        expect(run_count(on) == 0_ul);
        expect(on.run().completed_at.has_value());
        expect(on.audit() == std::string{});
    };

    "a source that is down while it is scanned is asked again, then no run starts"_test = [] {
        filled_stage on;
        on.world.on_count = [](std::int64_t) -> bulk::result<> {
            return bulk::fail_with_status(503, "down");
        };
        const auto refused = on.service->start("articles");
        expect(fatal(not refused.has_value()));
        expect(refused.error().code == bulk::errc::unavailable);
        expect(refused.error().message.find("counting 0 to") != std::string::npos)
            << refused.error().message;
        expect(on.world.counts % 3 == 0_ul) << "each count is tried three times";
        expect(run_count(on) == 0_ul);
        on.world.on_count = [left = 2](std::int64_t) mutable -> bulk::result<> {
            if (left-- > 0) return bulk::fail_with_status(503, "down");
            return {};
        };
        expect(on.run().completed_at.has_value());
        expect(on.audit() == std::string{});
    };

    "a run is there with all of its work, or not at all"_test = [] {
        filled_stage on;
        on.fail_once("start_run");
        expect(not on.service->start("articles").has_value());
        expect(run_count(on) == 0_ul);
        const auto run = start_alone(on);
        std::uint32_t pages = 0;
        while (on.storage.real_feeds().claim_page(stranger(on)).value()) ++pages;
        expect(pages == run.partitions) << "everything can be claimed at once";
        expect(pages > 1_u);
    };

    "whoever starts a run and dies has started it"_test = [] {
        filled_stage on;
        on.die_at(moment::after, "start_run");
        expect(not on.service->start("articles").has_value());
        on.restart();
        const auto second = on.service->start("articles");
        expect(fatal(not second.has_value()));
        expect(second.error().code == bulk::errc::conflict);
        const auto active = on.service->active_runs().value();
        expect(fatal(active.items.size() == 1_ul));
        expect(on.finish(active.items.front().id).completed_at.has_value());
        expect(on.audit() == std::string{});
    };
};

suite<"pages"> pages = [] {
    "a page that is delivered twice is stored once"_test = [] {
        filled_stage on;
        const auto run = start_alone(on);
        auto feeds = on.storage.real_feeds();
        const auto work = feeds.claim_page(stranger(on)).value().value();
        const auto page = fetched(work);
        expect(feeds.store_page(work, page, stranger(on)).value().outcome ==
               bulk::page_outcome::advanced);
        const auto before = std::pair{on.get(run.id), feeds.partitions(run.id).value()};
        const auto again = feeds.store_page(work, page, stranger(on)).value();
        expect(again.outcome == bulk::page_outcome::skipped_duplicate);
        expect(not again.next.has_value());
        expect((before == std::pair{on.get(run.id), feeds.partitions(run.id).value()}));
        on.restart();
        expect(on.finish(run.id).records == 100_ul);
        expect(on.audit() == std::string{});
    };

    "a page that comes when its partition is completed changes nothing"_test = [] {
        filled_stage on;
        const auto run = start_alone(on);
        auto feeds = on.storage.real_feeds();
        const auto late = feeds.claim_page(stranger(on)).value().value();
        const auto page = fetched(late);
        on.restart();  // the page is given to the service when its lease has ended
        const auto ended = on.finish(run.id);
        expect(ended.completed_at.has_value());
        expect(feeds.store_page(late, page, stranger(on)).value().outcome ==
               bulk::page_outcome::skipped_finished);
        expect(on.get(run.id) == ended);
        expect(on.audit() == std::string{});
    };

    "a page out of order is skipped"_test = [] {
        filled_stage on;
        const auto run = start_alone(on);
        auto feeds = on.storage.real_feeds();
        auto ahead = feeds.claim_page(stranger(on)).value().value();
        ahead.offset = 10;
        const auto before = std::pair{on.get(run.id), feeds.partitions(run.id).value()};
        expect(feeds.store_page(ahead, fetched(ahead), stranger(on)).value().outcome ==
               bulk::page_outcome::skipped_duplicate);
        expect((before == std::pair{on.get(run.id), feeds.partitions(run.id).value()}));
        on.restart();
        expect(on.finish(run.id).completed_at.has_value());
        expect(on.audit() == std::string{});
    };

    "after a crash before a page is stored, the same page is fetched again"_test = [] {
        filled_stage on;
        const auto run = on.start();
        on.die_at(moment::before, "store_page", 3);
        const auto ended = on.finish(run.id);
        expect(on.deaths() == 1_i);
        expect(ended.records == 100_ul);
        int twice = 0;
        for (const auto& [where, times] : on.world.asked) twice += times > 1;
        expect(twice >= 1_i);
        expect(on.audit() == std::string{});
    };

    "after a crash when a page was stored, the next one follows, and nothing is counted twice"_test =
        [] {
            filled_stage on;
            const auto run = on.start();
            on.die_at(moment::after, "store_page", 3);
            for (int i = 0; i < 1000 && on.deaths() == 0; ++i) (void)on.step();
            std::uint64_t stored = 0, pages = 0;
            for (const auto found = on.storage.real_feeds().partitions(run.id).value();
                 const auto& part : found) {
                stored += part.records;
                pages += part.pages;
            }
            expect(pages == 3_ul);
            expect(on.get(run.id).records == stored);
            const auto ended = on.finish(run.id);
            expect(ended.records == 100_ul);
            expect(on.audit() == std::string{});
        };

    "a crash before or after the last page of a partition: it is counted once"_test = [] {
        for (const auto when : {moment::before, moment::after}) {
            const int calls = pages_of_calm_run();
            filled_stage on;
            const auto run = on.start();
            on.die_at(when, "store_page", calls);
            const auto ended = on.finish(run.id);
            expect(on.deaths() == 1_i);
            expect(ended.completed == ended.partitions);
            expect(on.told(run.id, event_kind::partition_completed) ==
                   static_cast<int>(ended.partitions));
            expect(on.told(run.id, event_kind::consolidation_started) == 1_i);
            expect(on.audit() == std::string{});
        }
    };

    "an error of the source that does not pass fails the partition at once"_test = [] {
        filled_stage on;
        refuse(on, 0, 10);
        const auto run = on.run();
        expect(run.failed == 1_u);
        expect(run.completed + 1 == run.partitions);
        expect((on.world.asked[{0, 10}] == 1_i)) << "it is not asked again";
        const auto failed = on.service->failed_partitions(run.id).value();
        expect(fatal(failed.size() == 1_ul));
        expect(failed.front().error == std::string{"HTTP status 403: forbidden"});
        expect(on.told(run.id, event_kind::partition_failed) == 1_i);
    };

    "a clock that is set forward does not end the lease of a worker that lives"_test = [] {
        filled_stage on;
        const auto run = on.start();
        auto feeds = on.storage.real_feeds();
        const auto work = feeds.claim_page(stranger(on)).value().value();
        const auto page = fetched(work);
        on.jobs.set_forward(1h);
        const auto end = on.jobs.now() + support::feed_lease_time;
        const auto part = [&] {
            auto all = feeds.partitions(run.id).value();
            return *std::ranges::find(all, work.partition, &bulk::feed_partition::number);
        };
        on.jobs.submit_at(end - 1s, bulk::job{[] {}});
        while (on.jobs.now() < end - 1s) expect(fatal(on.jobs.step()));
        expect(part().worker == "stranger" and part().deliveries == 0_u) << part().worker;
        expect(on.finish(run.id).completed_at.has_value()) << "when the lease has really ended";
        expect(on.jobs.now() >= end and on.jobs.now() < end + 10min);
        expect(feeds.store_page(work, page, stranger(on)).value().outcome !=
               bulk::page_outcome::advanced);
        expect(on.audit() == std::string{});
    };

    "a page that no worker comes back from fails its partition, which can be retried"_test = [] {
        filled_stage on;
        const auto run = start_alone(on);
        auto feeds = on.storage.real_feeds();
        const auto deadly = feeds.claim_page(stranger(on)).value().value();
        for (int delivery = 2; delivery <= 5; ++delivery) {
            on.jobs.advance(support::feed_lease_time + 1s);
            bool is_given = false;
            while (const auto work = feeds.claim_page(stranger(on)).value()) {
                if (work->partition == deadly.partition)
                    is_given = true;
                else
                    (void)feeds.return_page(*work, on.jobs.now());
                if (is_given) break;
            }
            expect(is_given) << delivery;
        }
        on.restart();
        const auto ended = on.finish(run.id);
        expect(ended.failed == 1_u);
        expect(on.service->state_of(ended) == run_state::consolidation_skipped);
        const auto failed = on.service->failed_partitions(run.id).value();
        expect(fatal(failed.size() == 1_ul));
        expect(failed.front().error.find("was given to 5 workers, and none of them came back; the "
                                         "last one was 'stranger'") != std::string::npos)
            << failed.front().error;
        expect(on.service->retry_partitions(run.id).value() == 1_u);
        expect(on.finish(run.id).completed_at.has_value());
        expect(on.audit() == std::string{});
    };
};

suite<"when partitions failed"> when_partitions_failed = [] {
    "nothing is consolidated, somebody is told, and the watermark stays"_test = [] {
        filled_stage on;
        expect(on.run().completed_at.has_value());
        const auto before = on.watermark();
        on.jobs.advance(2h);
        for (int i = 0; i < 50; ++i) on.put("n" + std::to_string(i), i * 20);
        refuse(on, 1, 0);
        const auto run = on.run();
        expect(fatal(run.failed == 1_u));
        expect(on.service->state_of(run) == run_state::consolidation_skipped);
        expect(run.consolidated == 0_ul);
        expect(on.watermark() == before);
        expect(not on.service->item("articles", "n1").value().has_value());
        bool is_alarmed = false;
        for (const auto found = on.service->events(run.id).value(); const auto& each : found)
            is_alarmed |= each.kind == event_kind::consolidation_skipped &&
                          each.level == bulk::severity::error;
        expect(is_alarmed);
        on.world.on_fetch = {};
        const auto next = on.run();
        expect(next.completed_at.has_value()) << "a later run reads what this one did not";
        expect(on.audit() == std::string{});
    };

    "a retry goes on at the page that failed, and the counts are right"_test = [] {
        filled_stage on;
        refuse(on, 0, 10);
        const auto run = on.run();
        expect(fatal(run.failed == 1_u));
        on.world.on_fetch = {};
        expect(on.service->retry_partitions(run.id, 0).value() == 1_u);
        expect(on.get(run.id).failed == 0_u);
        const auto ended = on.finish(run.id);
        expect(ended.completed == ended.partitions);
        expect(ended.failed == 0_u);
        expect((on.world.asked[{0, 0}] == 1_i));
        expect((on.world.asked[{0, 10}] == 2_i));
        expect(on.audit() == std::string{});
    };

    "a retry that is killed before or after it is noted is asked for again"_test = [] {
        for (const auto when : {moment::before, moment::after}) {
            filled_stage on;
            refuse(on, 0, 10);
            const auto run = on.run();
            on.world.on_fetch = {};
            on.die_at(when, "retry_partitions");
            expect(not on.service->retry_partitions(run.id).has_value());
            on.restart();
            const auto again = on.service->retry_partitions(run.id);
            expect(again.has_value() == (when == moment::before));
            const auto ended = on.finish(run.id);
            expect(ended.completed_at.has_value());
            expect(on.told(run.id, event_kind::partitions_retried) == 1_i);
            expect(on.audit() == std::string{});
        }
    };

    "forced, a run is consolidated without them, and the watermark moves"_test = [] {
        filled_stage on;
        refuse(on, 0, 10);
        const auto run = on.run();
        const auto refused = on.service->consolidate(run.id);
        expect(fatal(not refused.has_value()));
        expect(refused.error().message.find("retry them, or force it") != std::string::npos);
        expect(on.service->consolidate(run.id, true).has_value());
        const auto ended = on.finish(run.id);
        expect(ended.completed_at.has_value());
        expect(ended.is_forced);
        expect(ended.failed == 1_u);
        expect(ended.consolidated == ended.changed);
        expect(ended.removed == 0_ul) << "what the failed partition has is not taken for gone";
        expect(on.watermark() == ended.window.to);
        on.world.on_fetch = {};
        expect(on.run({.type = bulk::run_type::full}).completed_at.has_value());
        expect(on.audit() == std::string{});
    };
};

suite<"consolidation"> consolidation = [] {
    "when a consolidator dies in a batch, another one does what is left of it"_test = [] {
        filled_stage on;
        const auto run = on.start();
        on.die_at(moment::after, "store_items", 3);
        const auto ended = on.finish(run.id);
        expect(on.deaths() == 1_i);
        expect(ended.completed_at.has_value());
        expect(ended.consolidated == 100_ul);
        int twice = 0, total = 0;
        for (const auto& [id, times] : on.world.mapped) {
            total += times;
            twice += times > 1;
        }
        expect(twice <= 35_i) << "what was stored is not mapped again";
        expect(total == 100 + twice);
        expect(on.audit() == std::string{});
    };

    "an item that cannot be mapped stops no other, and keeps the watermark back"_test = [] {
        filled_stage on;
        on.world.on_map = [](const support::article& raw) -> bulk::result<> {
            if (raw.id == "a10042") return bulk::fail("of no known colour");
            return {};
        };
        const auto run = on.run();
        expect(on.service->state_of(run) == run_state::failed);
        expect(run.consolidated == 99_ul);
        expect(run.bad_items == 1_ul);
        expect(not on.watermark().has_value());
        const auto bad = on.service->bad_items(run.id).value();
        expect(fatal(bad.size() == 1_ul));
        expect(bad.front().key == std::string{"a10042"});
        expect(bad.front().reason == std::string{"of no known colour"});
        on.world.on_map = {};
        expect(on.service->resume_consolidation(run.id).value() == 1_ul);
        expect(on.finish(run.id).completed_at.has_value());
        expect(on.watermark() == run.window.to);
        expect(on.audit() == std::string{});
    };

    "unless the feed tolerates it: then it is told, and the watermark moves"_test = [] {
        filled_stage on;
        on.world.on_map = [](const support::article& raw) -> bulk::result<> {
            if (raw.id == "a10042") return bulk::fail("of no known colour");
            return {};
        };
        const auto run = on.run({}, "loose articles");
        expect(run.completed_at.has_value());
        expect(run.bad_items == 1_ul);
        expect(run.watermark_after == run.window.to);
        expect(on.service->bad_items(run.id).value().size() == 1_ul);
    };

    "items that could not be stored are stored later, and the others meanwhile"_test = [] {
        filled_stage on;
        const auto run = on.start();
        on.fail_once("store_items", 2);
        const auto ended = on.finish(run.id);
        expect(ended.completed_at.has_value());
        expect(ended.consolidated == 100_ul);
        expect(on.log.find("items are not stored") != std::string::npos);
        expect(on.audit() == std::string{});
    };

    "a run is completed and its watermark moved at once, or neither"_test = [] {
        filled_stage on;
        (void)on.run();
        const auto before = on.watermark();
        on.jobs.advance(1h);
        on.remove("a10001");
        const auto run = on.start({.type = bulk::run_type::full});
        // The set is as it was: one batch, that has nothing in it, ends the run.
        on.die_at(moment::before, "finish_batch");
        for (int i = 0; i < 1000 && on.deaths() == 0; ++i) (void)on.step();
        expect(fatal(on.deaths() == 1_i));
        expect(not on.get(run.id).completed_at.has_value());
        expect(on.watermark() == before);
        expect(not on.service->item("articles", "a10001").value()->is_deleted);
        expect(on.told(run.id, event_kind::watermark_moved) == 0_i);
        const auto ended = on.finish(run.id);
        expect(ended.removed == 1_ul);
        expect(on.watermark() == ended.window.to);
        expect(on.service->item("articles", "a10001").value()->is_deleted);
        expect(on.told(run.id, event_kind::watermark_moved) == 1_i);
        expect(on.audit() == std::string{});
    };

    "an end whose answer is lost is not done again"_test = [] {
        filled_stage on;
        const auto run = on.start();
        on.storage.faults() = {
            .after = [](std::string_view call) { return call == "finish_batch"; }};
        const auto ended = on.finish(run.id);
        expect(ended.completed_at.has_value());
        for (int i = 0; i < 100; ++i) (void)on.step();
        expect(on.get(run.id) == ended);
        expect(on.audit() == std::string{});
    };

    "asking for consolidation once more does no harm"_test = [] {
        filled_stage on;
        const auto run = on.start();
        while (!on.get(run.id).consolidate_at) (void)on.step();
        expect(on.service->consolidate(run.id).has_value());
        const auto ended = on.finish(run.id);
        const auto again = on.service->consolidate(run.id);
        expect(fatal(again.has_value()));
        expect(*again == ended);
        expect(on.get(run.id) == ended);
        expect(on.told(run.id, event_kind::consolidation_started) == 1_i);
        expect(on.told(run.id, event_kind::run_completed) == 1_i);
        expect(on.audit() == std::string{});
    };
};

suite<"cancelling"> cancelling = [] {
    "pages in flight are skipped, what is not finished is cancelled, the watermark stays"_test =
        [] {
            filled_stage on;
            const auto run = on.start();
            auto feeds = on.storage.real_feeds();
            auto flying = feeds.claim_page(stranger(on)).value();
            while (on.get(run.id).records == 0) (void)on.step();
            if (!flying) flying = feeds.claim_page(stranger(on)).value();
            expect(fatal(flying.has_value()));
            const auto cancelled = on.service->cancel(run.id, "not today");
            expect(fatal(cancelled.has_value()));
            expect(feeds.store_page(*flying, fetched(*flying), stranger(on)).value().outcome ==
                   bulk::page_outcome::skipped_finished);
            for (int i = 0; i < 200; ++i) (void)on.step();
            expect(on.get(run.id) == *cancelled) << "nobody goes on with it";
            const auto parts = feeds.partitions(run.id).value();
            expect(parts.size() == run.partitions and run.partitions > 1_u);
            for (const auto& part : parts)
                expect(is_finished(part.state) && not part.leased_until.has_value());
            expect(not on.watermark().has_value());
            expect(on.told(run.id, event_kind::run_cancelled) == 1_i);
            expect(on.run().completed_at.has_value()) << "another one can start";
            expect(on.audit() == std::string{});
        };

    "a run that is cancelled while it is consolidated leaves nothing to do"_test = [] {
        filled_stage on;
        const auto run = on.start();
        while (on.get(run.id).consolidated == 0) (void)on.step();
        const auto cancelled = on.service->cancel(run.id);
        expect(fatal(cancelled.has_value()));
        expect(cancelled->open_batches == 0_ul) << "nobody holds anything of it";
        for (int i = 0; i < 200; ++i) (void)on.step();
        expect(on.get(run.id) == *cancelled);
        expect(not on.storage.real_feeds().next_due({"articles"}).value().has_value());
        expect(on.run().completed_at.has_value());
        expect(on.audit() == std::string{});
    };
};

}  // namespace

int main() {}
