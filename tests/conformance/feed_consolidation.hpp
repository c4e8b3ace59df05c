// What a ledger must do between raw items and the canonical set.
#pragma once

#include "feed_stage.hpp"

#include <support/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace conformance {

template <typename Make>
void check_feed_consolidation(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::event_kind, bulk::run_state, bulk::severity;
    using namespace std::chrono_literals;

    "consolidation with failed partitions must be forced, and of unfinished ones is refused"_test =
        [&] {
            feed_stage stage{make};
            const auto run = stage.start(1, 2);
            stage.fetch(1001, {raw("a")});
            expect(stage->consolidate(run.id, true, at(1002)).error().code ==
                   errc::illegal_transition);
            stage.fail(1002);
            expect(stage->consolidate(run.id, false, at(1003)).error().code ==
                   errc::invalid_argument);
            expect(!stage.of(run).consolidate_at);
            const auto forced = stage->consolidate(run.id, true, at(1004)).value();
            expect(forced.is_forced and forced.consolidate_at == at(1004));
            expect(stage.events(run).back().level == severity::warning);
            expect(stage->consolidate(run_id_of(9), true, at(1)).error().code == errc::not_found);
        };

    "who asks twice is given the same run, and nothing is told again"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a")});
        const auto once = stage.of(run);
        expect(stage->consolidate(run.id, false, at(1002)).value() == once);
        const auto batch = stage.batch(1003).value();
        const auto begun = stage.of(run);
        expect(stage->consolidate(run.id, true, at(1004)).value() == begun);
        (void)stage.end(batch, 1005);
        const auto done = stage.of(run);
        expect(stage->consolidate(run.id, false, at(1006)).value() == done);
        expect(stage.told(run, event_kind::consolidation_started) == 1_ul);
        expect(stage.told(run, event_kind::run_completed) == 1_ul);
        expect(!stage.batch(1007).has_value());
    };

    "a partial consolidation that waits can be forced at once"_test = [&] {
        feed_stage stage{make};
        auto plan = run_plan(1);
        plan.rules = {.min_success_ratio = 0.5, .partial_delay = 300s};
        const auto run = stage.start(plan, 2);
        stage.fetch(1001, {raw("a")});
        stage.fail(1002);
        expect(stage->consolidate(run.id, true, at(1003)).value().is_forced);
        stage.consolidate(1003);
        expect(stage.state(run, 1004) == run_state::completed and stage.mark() == run.window.to);
    };

    "batches of one run are disjoint, and cover it, whoever takes them"_test = [&] {
        for (const int count : {0, 1, 4, 5, 9, 10, 11}) {
            feed_stage stage{make};
            const auto run = stage.start(1, 1);
            std::vector<bulk::raw_item> items;
            for (int i = 0; i < count; ++i) items.push_back(raw("k" + std::to_string(10 + i)));
            stage.fetch(1001, items);
            keys handed;
            std::vector<bulk::item_batch> held;
            for (int i = 0; const auto batch = stage.batch(1002, 5, i % 2 == 0 ? "one" : "two");
                 ++i) {
                expect(batch->items.size() <= 5_ul and batch->feed == "diamonds");
                expect(batch->trace == "trace-1" and batch->run == run.id);
                const auto some = keys_of(batch->items);
                handed.insert(handed.end(), some.begin(), some.end());
                held.push_back(*batch);
            }
            expect(handed == keys_of(items)) << count;
            expect(!held.empty()) << "an empty one ends a run without changes";
            std::ranges::reverse(held);
            for (std::size_t i = 0; i < held.size(); ++i) {
                expect(stage.state(run, 1003) == run_state::consolidating);
                const auto now = stage.end(held[i], 1003);
                expect(now.completed_at.has_value() == (i + 1 == held.size()))
                    << "only the last one completes the run";
            }
            expect(stage.of(run).consolidated == static_cast<std::uint64_t>(count));
            expect(stage.of(run).open_batches == 0_u);
            expect(stage.live_keys() == keys_of(items));
            expect(stage.told(run, event_kind::run_completed) == 1_ul);
        }
    };

    "batches that are finished one by one end a run of exactly so many, too"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a"), raw("b"), raw("c"), raw("d")});
        for (int i = 0; i < 2; ++i)
            expect(!stage.end(stage.batch(1002, 2).value(), 1002).completed_at);
        const auto last = stage.batch(1003, 2);
        expect(fatal(last.has_value() and last->items.empty()));
        expect(!stage.batch(1003, 2).has_value()) << "somebody has the end";
        expect(stage.end(*last, 1004).completed_at == at(1004));
        expect(stage.of(run).consolidation_started_at == at(1002));
    };

    "a replica that finds nothing more does not complete what another one still holds"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a"), raw("b"), raw("c")});
        const auto slow = stage.batch(1002, 2, "slow").value();
        const auto quick = stage.batch(1002, 2, "quick").value();
        expect(!stage.end(quick, 1003).completed_at and !stage.mark().has_value());
        expect(!stage.batch(1003, 2, "quick").has_value());
        const auto ended = stage->store_items(slow, all_bad(slow.items), worker(1004));
        expect(ended.has_value());
        expect(stage->finish_batch(slow, at(1005)).value().failed_at == at(1005));
        expect(!stage.mark().has_value()) << "and they were bad: it had been too early";
        expect(stage.of(run).bad_items == 2_u);
    };

    "a batch whose lease has run out is taken over with what is left of it"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a"), raw("b"), raw("c")});
        const auto stale = stage.batch(1002, 3, "one").value();
        expect(stage->store_items(stale, mapped({raw("b")}), worker(1005)).has_value());
        expect(!stage.batch(1014, 3, "two").has_value()) << "what is stored keeps it for longer";
        const auto taken = stage.batch(1015, 3, "two").value();
        expect(taken.number == stale.number and taken.fence > stale.fence);
        expect(keys_of(taken.items) == keys{"a", "c"});
        const auto before = std::tuple{stage.of(run), stage.live_keys()};
        expect(stage->store_items(stale, mapped(stale.items), worker(1016)).error().code ==
               errc::conflict);
        expect(stage->finish_batch(stale, at(1016)).error().code == errc::conflict);
        expect(stage->return_batch(stale, at(1016)).has_value()) << "no harm is done";
        expect(before == std::tuple{stage.of(run), stage.live_keys()});
        expect(!stage.batch(1017, 3, "three").has_value());
        expect(stage.end(taken, 1018).completed_at == at(1018));
        expect(stage->finish_batch(taken, at(1019)).error().code == errc::conflict) << "again";
        expect(stage.of(run).consolidated == 3_u);
    };

    "an item at which every consolidator dies is found, and is a bad one"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        std::vector<bulk::raw_item> items;
        for (int i = 100; i < 500; ++i) items.push_back(raw("k" + std::to_string(i)));
        stage.fetch(1001, items);
        int deaths = 0;
        std::set<std::string> stored;
        for (int now = 1002; stage.of(run).failed_at == std::nullopt; now += 100) {
            expect(fatal(now < 20'000_i)) << "it does not end";
            const auto batch = stage.batch(now, 400);
            if (!batch) continue;
            // In chunks of ten, in order; the process dies with the one that has k217 in it.
            bool has_died = false;
            for (std::size_t i = 0; i < batch->items.size() && !has_died; i += 10) {
                const std::vector<bulk::raw_item> chunk(
                    batch->items.begin() + static_cast<std::ptrdiff_t>(i),
                    batch->items.begin() +
                        static_cast<std::ptrdiff_t>(std::min(i + 10, batch->items.size())));
                has_died = std::ranges::any_of(
                    chunk, [](const bulk::raw_item& each) { return each.key == "k217"; });
                if (has_died) break;
                expect(stage->store_items(*batch, mapped(chunk), worker(now)).has_value());
                for (const auto& each : chunk) expect(stored.insert(each.key).second) << "twice";
            }
            deaths += has_died ? 1 : 0;
            if (!has_died) expect(stage->finish_batch(*batch, at(now)).has_value());
        }
        expect(deaths <= 12_i) << deaths;
        const auto bad = stage->bad_items(run.id, {}, 1000).value();
        expect(bad.size() <= 32_ul);
        expect(std::ranges::any_of(bad, [](const auto& each) { return each.key == "k217"; }));
        expect(bad.front().reason.find("consolidators died with the") != std::string::npos);
        expect(stored.size() + bad.size() == 400_ul);
        expect(stage.of(run).open_batches == 0_u);
    };

    "a batch that is given back can be had at once"_test = [&] {
        feed_stage stage{make};
        (void)stage.start(1, 1);
        stage.fetch(1001, {raw("a")});
        const auto first = stage.batch(1002).value();
        expect(!stage.batch(1003).has_value());
        expect(stage->return_batch(first, at(1003)).has_value());
        const auto second = stage.batch(1003).value();
        expect(second.number == first.number and std::ranges::equal(second.items, first.items));
        expect(stage->finish_batch(first, at(1004)).error().code == errc::conflict);
    };

    "a batch with items that are not stored is not finished"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a"), raw("b")});
        const auto batch = stage.batch(1002).value();
        expect(stage->store_items(batch, mapped({raw("a")}), worker(1003)).has_value());
        expect(stage->finish_batch(batch, at(1004)).error().code == errc::conflict);
        expect(stage.of(run).open_batches == 1_u);
        expect(stage.end(batch, 1005).completed_at.has_value());
        expect(stage.of(run).consolidated == 2_u) << "one of them was stored twice";
    };

    "items are stored with their own batch only"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a"), raw("b"), raw("c")});
        const auto first = stage.batch(1002, 2).value(), second = stage.batch(1002, 2).value();
        expect(stage->store_items(first, mapped({raw("a"), raw("c")}), worker(1003)).error().code ==
               errc::invalid_argument);
        expect(stage.of(run).consolidated == 0_u and stage.live_keys().empty());
        (void)stage.end(first, 1004);
        expect(stage.end(second, 1004).consolidated == 3_u);
    };

    "only items of the run itself are consolidated"_test = [&] {
        feed_stage stage{make};
        const auto left = stage.start(1, 2);
        stage.fetch(1001, {raw("a"), raw("b")});
        stage.fail(1002);
        const auto fetching = stage.start(run_plan(2, "other"), 2);
        (void)stage->store_page(stage->claim_page(worker(2001, "one", {"other"})).value().value(),
                                page_of({raw("x")}), worker(2001, "one", {"other"}));
        const auto run = stage.start(3, 1);
        stage.fetch(3001, {raw("c")});
        const auto batch = stage.batch(3002, 100, "one").value();
        expect(batch.run == run.id and keys_of(batch.items) == keys{"c"});
        expect(
            !stage->claim_batch(worker(3002, "one", {"other", "diamonds"}), 5).value().has_value())
            << "one is held, of the other feed a partition is missing";
        (void)stage.end(batch, 3003);
        expect(stage.of(left).consolidated == 0_u and stage.of(fetching).consolidated == 0_u);
        expect(stage.live_keys() == keys{"c"});
    };

    "batches of several feeds go to those who know them, the oldest run first"_test = [&] {
        feed_stage stage{make};
        const auto both = worker(3000, "one", {"diamonds", "Other"});
        for (const auto* feed : {"other", "diamonds"}) {
            (void)stage.start(run_plan(*feed == 'o' ? 1 : 2, feed), 1);
            (void)stage->store_page(stage->claim_page(both).value().value(), page_of({raw("a")}),
                                    both);
        }
        expect(!stage->claim_batch(worker(3001, "one", {"third"}), 5).value().has_value());
        expect(stage->claim_batch(both, 5).value().value().feed == "other");
        expect(stage->claim_batch(both, 5).value().value().feed == "diamonds");
        expect(!stage->claim_batch(both, 5).value().has_value());
    };

    "a bad item is kept with its reason, and keeps the watermark back"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a"), raw("b"), raw("c")});
        const auto batch = stage.batch(1002).value();
        auto items = mapped(batch.items);
        items[1].error = "no price";
        expect(stage->store_items(batch, items, worker(1003)).has_value());
        expect(stage->store_items(batch, items, worker(1003)).has_value());
        const auto failed = stage->finish_batch(batch, at(1004)).value();
        expect(failed.failed_at == at(1004) and !failed.completed_at and !failed.watermark_after);
        expect(failed.bad_items == 1_u and failed.consolidated == 2_u) << "each once";
        expect(failed.reason.contains("1 items are bad"));
        expect(stage.live_keys() == keys{"a", "c"});
        expect(!stage.mark().has_value() and stage.version() == 1_u) << "the set has changed";
        const auto listed = stage->bad_items(run.id, "", 10).value();
        expect(std::ranges::equal(listed, std::vector<bulk::bad_item>{{"b", "b#1", "no price"}}));
        expect(stage.state(run, 1005) == run_state::failed);
        expect(stage.told(run, event_kind::run_failed) == 1_ul);
        expect(stage.told(run, event_kind::run_completed) == 0_ul);
        expect(stage->consolidate(run.id, false, at(1005)).error().code ==
               errc::illegal_transition);
        const auto next = stage.start(2, 1);
        expect(!next.watermark_before) << "what it had to read is read again";
        stage.fetch(2001, {raw("a"), raw("b"), raw("c")});
        expect(stage.of(next).changed == 1_u);
        stage.consolidate(2002);
        expect(stage.live_keys() == keys{"a", "b", "c"} and stage.mark() == next.window.to);
        expect(stage->bad_items(run.id, "", 10).value().empty()) << "of no use any more";
    };

    "a run that may have bad items completes with them"_test = [&] {
        feed_stage stage{make};
        auto plan = run_plan(1);
        plan.rules.tolerate_bad_items = true;
        const auto run = stage.start(plan, 1);
        auto page = page_of({raw("a")});
        page.bad = {{.key = "page 0, item 1", .reason = "no key"}};
        (void)stage.store(stage.claim(1001), page, 1001);
        const auto batch = stage.batch(1002).value();
        (void)stage->store_items(batch, all_bad(batch.items), worker(1003));
        expect(stage->finish_batch(batch, at(1004)).value().completed_at == at(1004));
        expect(stage.mark() == run.window.to and stage.of(run).bad_items == 2_u);
        expect(keys_of(stage->bad_items(run.id, "", 10).value()) == keys{"a", "page 0, item 1"});
        const auto told = stage.events(run);
        expect(std::ranges::any_of(told, [](const bulk::event& each) {
            return each.kind == event_kind::run_completed && each.level == severity::warning;
        }));
    };
}

template <typename Make>
void check_feed_resume(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::event_kind, bulk::run_state;

    "bad items are tried again, and the run completes when they are good"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        expect(stage->resume_consolidation(run.id, at(1000)).error().code ==
               errc::illegal_transition);
        stage.fetch(1001, {raw("a"), raw("b"), raw("c")});
        for (int i = 0; i < 2; ++i) {
            const auto batch = stage.batch(1002, 2).value();
            (void)stage->store_items(batch, all_bad(batch.items), worker(1003));
            (void)stage->finish_batch(batch, at(1004));
        }
        expect(stage.state(run, 1005) == run_state::failed);
        expect(!stage.batch(2000).has_value());
        expect(stage->resume_consolidation(run.id, at(1005)).value() == 3_u);
        const auto resumed = stage.of(run);
        expect(resumed.bad_items == 0_u and !resumed.failed_at and resumed.reason.empty());
        expect(stage.state(run, 1006) == run_state::consolidating);
        expect(stage->start_run(run_plan(2), parts(1)).error().code == errc::conflict);
        keys again;
        for (int i = 0; i < 2; ++i) {
            const auto batch = stage.batch(1006, 2).value();
            for (const auto& each : batch.items) again.push_back(each.key);
            (void)stage.end(batch, 1007);
        }
        expect(again == keys{"a", "b", "c"});
        expect(stage.state(run, 1008) == run_state::completed and stage.mark() == run.window.to);
        expect(stage.of(run).consolidated == 3_u);
        expect(stage.told(run, event_kind::consolidation_started) == 2_ul);
        expect(stage->resume_consolidation(run.id, at(1009)).error().code ==
               errc::illegal_transition);
        expect(stage->resume_consolidation(run_id_of(7), at(1009)).error().code == errc::not_found);
    };

    "who resumes takes open batches from their owners, and all bad items come again"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a"), raw("b"), raw("c"), raw("d"), raw("e")});
        const auto first = stage.batch(1002, 2).value(), second = stage.batch(1002, 2).value();
        (void)stage->store_items(first, all_bad(first.items), worker(1003));
        (void)stage->finish_batch(first, at(1003));
        (void)stage->store_items(second, all_bad({raw("c")}), worker(1003));
        expect(stage->resume_consolidation(run.id, at(1004)).value() == 3_u);
        expect(stage->store_items(second, mapped(second.items), worker(1005)).error().code ==
               errc::conflict);
        const auto taken = stage.batch(1005, 2).value();
        expect(taken.number == second.number and keys_of(taken.items) == keys{"c", "d"});
        const auto third = stage.batch(1005, 2).value();
        expect(keys_of(third.items) == keys{"e"}) << "what was not handed out goes on";
        (void)stage.end(taken, 1006);
        expect(!stage.end(third, 1006).completed_at) << "two of the first batch are left";
        const auto rest = stage.batch(1007, 10).value();
        expect(keys_of(rest.items) == keys{"a", "b"});
        expect(stage.end(rest, 1008).completed_at == at(1008));
        expect(stage.of(run).consolidated == 5_u and stage.of(run).bad_items == 0_u);
    };

    "items without a key stay bad"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        auto page = page_of({raw("a")});
        page.bad = {{.key = "page 0, item 1", .reason = "no key"}};
        (void)stage.store(stage.claim(1001), page, 1001);
        const auto batch = stage.batch(1002).value();
        (void)stage->store_items(batch, all_bad(batch.items), worker(1003));
        (void)stage->finish_batch(batch, at(1004));
        expect(stage.of(run).bad_items == 2_u);
        expect(stage->resume_consolidation(run.id, at(1005)).value() == 1_u);
        expect(stage.of(run).bad_items == 1_u and stage.of(run).keyless == 1_u);
        stage.consolidate(1006);
        expect(stage.state(run, 1007) == run_state::failed and stage.live_keys() == keys{"a"});
        expect(stage->resume_consolidation(run.id, at(1008)).value() == 0_u);
        stage.consolidate(1009);
        expect(stage.state(run, 1010) == run_state::failed and !stage.mark().has_value());
    };
}

}  // namespace conformance
