// What a ledger must do when a run ends: the watermark, the version, and what the source has no more.
#pragma once

#include "feed_stage.hpp"
#include "torn_views.hpp"

#include <support/ut.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

#include <string>
#include <vector>

namespace conformance {

template <typename Make>
void check_feed_end(Make make) {
    using namespace boost::ut;
    using bulk::event_kind, bulk::run_state, bulk::severity;
    using namespace std::chrono_literals;

    "the end of a run, its watermark, its version and its events are one transaction"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a")});
        const auto batch = stage.batch(1002).value();
        stage.put(batch, 1003);
        expect(!stage.mark().has_value() and stage.version() == 0_u);
        expect(stage.told(run, event_kind::run_completed) == 0_ul);
        const auto done = stage->finish_batch(batch, at(1004)).value();
        expect(done == stage.of(run));
        expect(done.completed_at == at(1004) and done.watermark_after == at(1000));
        expect(stage->watermark_of("diamonds").value() == bulk::watermark{.feed = "diamonds",
                                                                          .value = at(1000),
                                                                          .run = run.id,
                                                                          .moved_at = at(1004),
                                                                          .version = 1})
            << "the end of the window, not of the run";
        expect(stage.item("a").value().version == 1_u);
        const auto told = stage.events(run);
        expect(fatal(told.size() == 5_ul));
        expect(told[3].kind == event_kind::run_completed and told[3].level == severity::info);
        expect(told[4].kind == event_kind::watermark_moved);
        for (std::size_t i = 1; i < told.size(); ++i)
            expect(told[i].sequence > told[i - 1].sequence);

        std::atomic<int> newest = 1;
        auto feeds = stage.storage()->feeds();
        const auto write = [&](int number) {
            const int next = number + 2;
            (void)stage.start(next, 1);
            newest = next;
            stage.fetch(next * 1000 + 1, {raw("a", static_cast<std::uint64_t>(next))});
            stage.consolidate(next * 1000 + 2);
        };
        // Of the newest run: whether it has ended, moved the watermark, made a version, and was told.
        const auto fits = [&] {
            const int number = newest;
            const std::array<std::function<bool()>, 4> ends{
                [&] { return feeds.run(run_id_of(number)).value().completed_at.has_value(); },
                [&] { return feeds.watermark_of("diamonds").value().value >= at(number * 1000); },
                [&] {
                    return feeds.watermark_of("diamonds").value().version >=
                           static_cast<std::uint64_t>(number);
                },
                [&] { return stage.told(run_plan(number), event_kind::run_completed) == 1; }};
            for (const auto& first : ends)
                if (first())
                    for (const auto& other : ends)
                        if (!other()) return false;
            return true;
        };
        constexpr int runs = 100;
        expect(torn_views(runs, write, fits) == 0_i);
        expect(stage.version() == static_cast<std::uint64_t>(runs + 1));
    };

    "each run that is consolidated is a version of the set"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a")});
        (void)stage.whole(2, {raw("a"), raw("b")});
        expect(stage.version() == 2_u and stage.mark() == at(2000));
        expect(stage.item("a").value().version == 1_u);
        expect(stage.item("b").value().version == 2_u);
    };

    "the watermark never goes back"_test = [&] {
        feed_stage stage{make};
        (void)stage->set_watermark("diamonds", at(5000), "ops", at(9000));
        const auto run = stage.whole(1, {raw("a")});
        expect(run.completed_at.has_value() and run.watermark_after == at(5000));
        expect(stage.mark() == at(5000));
        expect(!stage->watermark_of("diamonds").value().run) << "who has moved it is still known";
        expect(stage.told(run, event_kind::watermark_moved) == 0_ul);
        expect(stage.version() == 1_u);
    };

    "what a whole full run has not seen is deleted"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a"), raw("b"), raw("c"), raw("d")});
        const auto run = stage.whole(2, {raw("a"), raw("b", 2), raw("e")});
        expect(run.removed == 2_u and stage.live_keys() == keys{"a", "b", "e"});
        const auto gone = stage.item("c").value();
        expect(gone.is_deleted and gone.version == 2_u and gone.payload == "c#1");
        expect(stage.whole(3, {raw("a"), raw("b", 2), raw("e")}).removed == 0_u) << "once";
        expect(stage.item("c").value() == gone);
    };

    "a run that has not read everything deletes nothing"_test = [&] {
        const auto second = [&](auto tweak) {
            feed_stage stage{make};
            (void)stage.whole(1, {raw("a"), raw("b")});
            auto plan = run_plan(2);
            plan.rules.tolerate_bad_items = true;
            auto page = page_of({raw("a", 2)});
            std::uint32_t partitions = 1;
            tweak(plan, page, partitions);
            const auto run = stage.start(plan, partitions);
            (void)stage.store(stage.claim(2001), page, 2001);
            if (partitions > 1) {
                stage.fail(2002);
                if (!stage.of(run).consolidate_at) (void)stage->consolidate(run.id, true, at(2003));
            }
            stage.consolidate(2003);
            const auto done = stage.of(run);
            expect(done.completed_at.has_value() and done.removed == 0_u);
            expect(stage.item("a").value().payload == "a#2");
            expect(!stage.item("b").value().is_deleted);
            expect((stage.mark() == at(2000)) == done.watermark_after.has_value());
            return done.watermark_after.has_value();
        };
        using plan = bulk::feed_run&;
        using page = bulk::fetched_page&;
        using count = std::uint32_t&;
        expect(second([](plan run, page, count) { run.type = bulk::run_type::incremental; }))
            << "its watermark moves";
        expect(!second([](plan run, page, count) { run.is_capped = true; })) << "capped: kept";
        expect(second([](plan, page some, count) { some.bad = {{.key = "item 1"}}; }))
            << "keyless items may be any";
        expect(second([](plan, page, count partitions) { partitions = 2; })) << "forced: it moves";
        expect(!second([](plan run, page, count partitions) {
            partitions = 2;
            run.is_capped = true;
        })) << "forced and capped: kept";
        expect(!second([](plan run, page, count partitions) {
            partitions = 2;
            run.rules.min_success_ratio = 0.5;
        })) << "partial: kept";
    };

    "a bad item is not one that is gone"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a"), raw("b"), raw("c")});
        auto plan = run_plan(2);
        plan.rules.tolerate_bad_items = true;
        const auto run = stage.start(plan, 1);
        stage.fetch(2001, {raw("a", 2), raw("b")});
        const auto batch = stage.batch(2002).value();
        (void)stage->store_items(batch, all_bad(batch.items), worker(2003));
        expect(stage->finish_batch(batch, at(2003)).value().removed == 1_u);
        expect(stage.live_keys() == keys{"a", "b"});
        expect(stage.item("a").value().payload == "a#1") << "as it was";
        expect(run.id != run_id_of(1));
    };

    "what was seen by a run that did not end does not count as seen by the next"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a"), raw("b")});
        const auto cancelled = stage.start(2, 1);
        (void)stage.store(stage.claim(2001), page_of({raw("a"), raw("b")}, true), 2001);
        (void)stage->cancel_run(cancelled.id, "", at(2002));
        const auto run = stage.whole(3, {raw("a")});
        expect(run.records == 1_u and run.removed == 1_u and stage.live_keys() == keys{"a"});
    };

    "a run without any item empties the set, as the source is"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a")});
        const auto run = stage.whole(2, {});
        expect(run.completed_at.has_value() and run.records == 0_u and run.removed == 1_u);
        expect(stage.live_keys().empty() and stage.mark() == at(2000));
    };

    "a failed or skipped run keeps the watermark, and the next one reads the same again"_test =
        [&] {
            feed_stage stage{make};
            (void)stage.whole(1, {raw("a")});
            const auto skipped = stage.start(2, 2);
            stage.fetch(2001, {raw("b")});
            stage.fail(2002);
            expect(stage.mark() == at(1000) and !stage.of(skipped).watermark_after);
            const auto next = stage.start(3, 1);
            expect(next.watermark_before == at(1000));
            stage.fetch(3001, {raw("a"), raw("b")});
            stage.consolidate(3002);
            expect(stage.mark() == at(3000) and stage.live_keys() == keys{"a", "b"});
        };
}

}  // namespace conformance
