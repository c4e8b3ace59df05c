// What a ledger must do with runs of feeds: start, cancel, retry, remove, and be asked about them.
#pragma once

#include "feed_stage.hpp"

#include <support/ut.hpp>

#include <algorithm>
#include <string>

namespace conformance {

template <typename Make>
void check_feed_runs(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::event_kind, bulk::partition_state, bulk::run_state, bulk::severity;
    using namespace std::chrono_literals;

    "a run is started with its partitions and an event, and read as it was"_test = [&] {
        feed_stage stage{make};
        auto wanted = run_plan(1, "Diamonds");
        wanted.type = bulk::run_type::incremental;
        wanted.rules = {.min_success_ratio = 0.7,
                        .partial_delay = 300s,
                        .max_deliveries = 3,
                        .tolerate_bad_items = true};
        wanted.estimated = 77;
        wanted.is_capped = true;
        auto cut = parts(3);
        cut[2].most_records = 5;
        cut[2].range = {-5, 1LL << 60};
        const auto stored = stage->start_run(wanted, cut);
        expect(fatal(stored.has_value()));
        wanted.partitions = 3;
        wanted.number = stored->number;
        wanted.feed_number = 1;
        expect(*stored == wanted);
        expect(stage.of(wanted) == wanted);
        for (auto& each : cut) each.run = wanted.id;
        expect(std::ranges::equal(stage->partitions(wanted.id).value(), cut));
        const auto events = stage.events(wanted);
        expect(fatal(events.size() == 1_ul));
        expect(events[0].kind == event_kind::run_started and events[0].level == severity::info);
        expect(events[0].operation_name == "Diamonds" and events[0].time == wanted.started_at);
        expect(stage->run(run_id_of(2)).error().code == errc::not_found);
        expect(stage->partitions(run_id_of(2)).error().code == errc::not_found);
    };

    "partitions are numbered as they are listed"_test = [&] {
        feed_stage stage{make};
        auto cut = parts(3);
        for (auto& each : cut) each.number = 7;
        const auto run = stage->start_run(run_plan(1), cut).value();
        for (std::uint32_t i = 0; i < 3; ++i) expect(stage.part(run, i).number == i);
    };

    "runs are numbered over all, and within their feed"_test = [&] {
        feed_stage stage{make};
        const auto a = stage.whole(1, {}), b = stage.start(run_plan(2, "other"), 1);
        const auto c = stage.start(run_plan(3, "DIAMONDS"), 1);
        expect(a.number < b.number and b.number < c.number);
        expect(a.feed_number == 1_u and b.feed_number == 1_u and c.feed_number == 2_u);
    };

    "a run without partitions is refused, and one whose id there is already"_test = [&] {
        feed_stage stage{make};
        expect(stage->start_run(run_plan(1), {}).error().code == errc::invalid_argument);
        expect(stage->run(run_id_of(1)).error().code == errc::not_found);
        const auto run = stage.start(1, 1);
        expect(stage->start_run(run_plan(1, "other"), parts(2)).error().code == errc::conflict);
        expect(stage.of(run) == run) << "nothing was changed";
        expect(stage.all_events() == 1_ul);
    };

    "while a run of a feed is active no other one starts"_test = [&] {
        feed_stage stage{make};
        const auto first = stage.start(1, 1);
        const auto refused = stage->start_run(run_plan(2, "DIAmonds"), parts(1));
        expect(refused.error().code == errc::conflict);
        expect(refused.error().message.contains(to_text(first.id)));
        expect(stage->start_run(run_plan(3, "other"), parts(1)).has_value());
        stage.fetch(1001, {raw("a")});
        expect(stage->start_run(run_plan(2), parts(1)).error().code == errc::conflict)
            << "it is consolidated";
        expect(stage.all_events() == 4_ul) << "nothing is told of what was refused";
        stage.consolidate(1002);
        expect(stage.state(first, 1003) == run_state::completed);
        expect(!stage->start_run(run_plan(2), parts(1)).has_value()) << "the watermark has moved";
        auto planned = run_plan(2);
        planned.watermark_before = first.window.to;
        expect(stage->start_run(planned, parts(1)).has_value());
    };

    "a run that was planned from another watermark is refused"_test = [&] {
        feed_stage stage{make};
        auto planned = run_plan(1);
        planned.watermark_before = at(3);
        expect(stage->start_run(planned, parts(1)).error().code == errc::conflict);
        (void)stage->set_watermark("diamonds", at(3), "ops", at(5));
        expect(stage->start_run(run_plan(1), parts(1)).error().code == errc::conflict);
        expect(stage->start_run(planned, parts(1)).has_value());
    };

    "a cancelled run cancels what is not finished, begun or not, and is not completed"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 4);
        stage.fetch(1001, {raw("a")});
        stage.fail(1002);
        const auto held = stage.claim(1003);
        const auto cancelled = stage->cancel_run(run.id, "wrong feed", at(1004));
        expect(fatal(cancelled.has_value()));
        expect(cancelled->cancelled_at == at(1004) and cancelled->reason == "wrong feed");
        expect(!cancelled->completed_at and cancelled->completed == 1_u and
               cancelled->failed == 1_u);
        const auto all = stage->partitions(run.id).value();
        expect(all[0].state == partition_state::completed);
        expect(all[1].state == partition_state::failed);
        expect(all[2].state == partition_state::cancelled and !all[2].leased_until);
        expect(all[3].state == partition_state::cancelled) << "nobody had begun it";
        expect(stage.state(run, 9999) == run_state::cancelled);
        expect(status_of(stage.of(run)) == bulk::run_status::failed);
        const auto before = stage.of(run);
        expect(stage.store(held, page_of({raw("b")}), 1005).outcome ==
               bulk::page_outcome::skipped_finished);
        expect(!stage->fail_page(held, "late", at(1005)).value());
        expect(!stage->retry_page(held, "late", at(1006), at(1005)).value());
        expect(stage->return_page(held, at(1005)).has_value());
        expect(stage.of(run) == before);
        expect(!stage->claim_page(worker(2000)).value().has_value());
        expect(!stage.batch(2000).has_value());
        expect(!stage->next_due({"diamonds"}).value().has_value());
        expect(stage.told(run, event_kind::run_cancelled) == 1_ul);
        expect(stage.events(run).back().message.contains("wrong feed"));
        expect(stage->cancel_run(run.id, "", at(1006)).error().code == errc::illegal_transition);
        expect(!stage.mark().has_value());
        expect(stage->retry_partitions(run.id, {}, at(1006)).error().code ==
               errc::illegal_transition);
        expect(stage->consolidate(run.id, true, at(1006)).error().code == errc::illegal_transition);
        expect(stage->resume_consolidation(run.id, at(1006)).error().code ==
               errc::illegal_transition);
    };

    "what has completed, or is unknown, cannot be cancelled"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.whole(1, {raw("a")});
        expect(stage->cancel_run(run.id, "", at(1500)).error().code == errc::illegal_transition);
        expect(stage->cancel_run(run_id_of(9), "", at(1500)).error().code == errc::not_found);
    };

    "a run that is cancelled while it is consolidated leaves what it has done, as a version"_test =
        [&] {
            feed_stage stage{make};
            const auto run = stage.start(1, 1);
            stage.fetch(1001, {raw("a"), raw("b")});
            const auto held = stage.batch(1002, 1).value();
            stage.put(held, 1002);
            expect(stage->cancel_run(run.id, "", at(1003)).has_value());
            expect(stage.of(run).open_batches == 0_u) << "nobody holds anything of it";
            expect(stage.item("a").value().version == stage.version());
            expect(!stage.mark().has_value());
            expect(stage->store_items(held, mapped(held.items), worker(1004)).error().code ==
                   errc::conflict);
            expect(stage->finish_batch(held, at(1004)).error().code == errc::conflict);
            expect(!stage.batch(5000).has_value()) << "nor does it lapse";
            expect(!stage->next_due({"diamonds"}).value().has_value());
            const auto second = stage.start(2, 1);
            stage.fetch(2001, {raw("a"), raw("b")});
            stage.consolidate(2002);
            expect(stage.of(second).consolidated == 1_u) << "only the other one";
        };

    "failed partitions are retried from the page at which they failed"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 3);
        const auto first = stage.claim(1001);
        const auto next =
            stage.store(first, page_of({raw("a"), raw("b")}, true), 1002).next.value();
        expect(stage->fail_page(next, "broken", at(1003)).value());
        stage.fail(1004);
        stage.fetch(1005, {raw("c")});
        expect(stage.state(run, 1006) == run_state::consolidation_skipped);
        expect(stage->retry_partitions(run.id, 2, at(1007)).error().code ==
               errc::illegal_transition);
        expect(stage->retry_partitions(run.id, 9, at(1007)).error().code ==
               errc::illegal_transition);
        expect(stage->retry_partitions(run.id, 1, at(1007)).value() == 1_u);
        expect(stage.of(run).failed == 1_u and stage.part(run).state == partition_state::failed);
        expect(stage->retry_partitions(run.id, {}, at(1008)).value() == 1_u);
        expect(stage.of(run).failed == 0_u and stage.of(run).completed == 1_u);
        const auto part = stage.part(run);
        expect(part.state == partition_state::pending and part.next_offset == 2_u);
        expect(part.attempt == 1_u and part.error.empty() and !part.completed_at);
        expect(stage.told(run, event_kind::partitions_retried) == 2_ul);
        expect(stage->retry_partitions(run.id, {}, at(1009)).error().code ==
               errc::illegal_transition);
        expect(stage.claim(1010).partition == 1_u) << "it is due longest";
        const auto again = stage.claim(1010);
        expect(again.partition == 0_u and again.offset == 2_u and again.attempt == 1_u);
        (void)stage.store(again, page_of({raw("d")}), 1011);
        expect(stage.part(run).records == 3_u);
        expect(stage->retry_partitions(run_id_of(9), {}, at(1)).error().code == errc::not_found);
    };

    "only the newest run of a feed can go on"_test = [&] {
        feed_stage stage{make};
        const auto first = stage.start(1, 1);
        stage.fail(1001);
        const auto second = stage.start(2, 1);
        expect(stage->retry_partitions(first.id, {}, at(2001)).error().code == errc::conflict);
        expect(stage->consolidate(first.id, true, at(2001)).error().code == errc::conflict);
        expect(stage->resume_consolidation(first.id, at(2001)).error().code == errc::conflict);
        (void)stage->cancel_run(second.id, "", at(2002));
        const auto refused = stage->remove_run(second.id);
        expect(refused.error().code == errc::illegal_transition)
            << "or the first would be the newest again";
        expect(refused.error().message.contains(to_text(first.id)));
        expect(stage->remove_run(first.id).has_value());
        expect(stage->remove_run(second.id).has_value());
    };

    "a run does not go on after a person has set the watermark"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a")});
        const auto run = stage.start(2, 1);
        stage.fail(2001);
        (void)stage->set_watermark("diamonds", at(500), "ops", at(2002));
        expect(stage->retry_partitions(run.id, {}, at(2003)).error().code == errc::conflict);
        expect(stage->consolidate(run.id, true, at(2003)).error().code == errc::conflict);
        (void)stage->set_watermark("diamonds", at(1000), "ops", at(2004));
        expect(stage->retry_partitions(run.id, {}, at(2005)).value() == 1_u);
    };

    "a retry takes back a partial or forced consolidation that has not begun, and none that has"_test =
        [&] {
            feed_stage stage{make};
            auto plan = run_plan(1);
            plan.rules = {.min_success_ratio = 0.5, .partial_delay = 100s};
            const auto run = stage.start(plan, 2);
            stage.fetch(1001, {raw("a")});
            stage.fail(1002);
            expect(stage.of(run).consolidate_at == at(1102));
            expect(stage->retry_partitions(run.id, {}, at(1003)).value() == 1_u);
            expect(!stage.of(run).consolidate_at and !stage.batch(1200).has_value());
            stage.fail(1201);
            expect(stage->consolidate(run.id, true, at(1202)).value().is_forced);
            expect(stage->retry_partitions(run.id, {}, at(1203)).value() == 1_u);
            expect(!stage.of(run).is_forced) << "the next end of the partitions decides anew";
            stage.fail(1204);
            expect(stage.batch(1304).has_value());
            expect(stage->retry_partitions(run.id, {}, at(1305)).error().code ==
                   errc::illegal_transition);
        };

    "a removed run is gone with everything but what is canonical"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        auto page = page_of({raw("a"), raw("b")});
        page.bad = {{.key = "page 0, item 2", .payload = "{}", .reason = "no key"}};
        (void)stage.store(stage.claim(1001), page, 1001);
        expect(stage->remove_run(run.id).error().code == errc::illegal_transition) << "active";
        stage.consolidate(1002);
        expect(stage->bad_items(run.id, "", 10).value().size() == 1_ul);
        const auto other = stage.start(run_plan(2, "other"), 1);
        expect(stage->remove_run(run.id).has_value());
        expect(stage->run(run.id).error().code == errc::not_found);
        expect(stage->partitions(run.id).error().code == errc::not_found);
        expect(stage->bad_items(run.id, "", 10).error().code == errc::not_found);
        expect(stage->remove_run(run.id).error().code == errc::not_found);
        expect(stage.events(run).empty() and stage.all_events() == 1_ul);
        expect(stage.live_keys() == keys{"a", "b"});
        expect(stage.of(other) == other);
        expect(stage->runs({}).value().items.size() == 1_ul);
    };

    "a watermark is set and removed by hand, and that is told"_test = [&] {
        feed_stage stage{make};
        const auto none = stage->watermark_of("diamonds").value();
        expect(none == bulk::watermark{.feed = "diamonds"});
        const auto set = stage->set_watermark("diamonds", at(5), "ops", at(7));
        expect(fatal(set.has_value()));
        expect(*set == bulk::watermark{.feed = "diamonds", .value = at(5), .moved_at = at(7)});
        expect(stage->watermark_of("DIAMONDS").value().value == at(5));
        const auto events = stage.storage()->events(std::nullopt, 0, 10).value();
        expect(fatal(events.size() == 1_ul));
        expect(events[0].kind == event_kind::watermark_moved);
        expect(events[0].operation_name == "diamonds" and events[0].message.contains("ops"));
        expect(stage->set_watermark("diamonds", at(8), "ops", at(7)).error().code ==
               errc::invalid_argument);
        expect(stage.mark() == at(5));
        const auto run = stage.whole(1, {});
        expect(stage.mark() == run.window.to);
        expect(stage->set_watermark("diamonds", at(2), "", at(1100)).has_value()) << "back";
        expect(!stage->watermark_of("diamonds").value().run);
        expect(stage->set_watermark("diamonds", {}, "", at(1100)).has_value());
        expect(!stage.mark().has_value());
        expect(stage.version() == 1_u) << "of the set, which is what it was";
        (void)stage.start(2, 1);
        expect(stage->set_watermark("diamonds", at(3), "", at(2001)).error().code ==
               errc::conflict);
        expect(!stage.mark().has_value());
    };

    "runs are asked for newest first, page by page, by what they are"_test = [&] {
        feed_stage stage{make};
        for (int i = 1; i <= 7; ++i) {
            auto plan = run_plan(i, i % 2 == 0 ? "other" : "diamonds");
            if (i == 3) plan.type = bulk::run_type::incremental;
            const auto run = stage.start(plan, 1);
            if (i < 6) (void)stage->cancel_run(run.id, "", at(i * 1000 + 1));
        }
        const auto numbers = [&](bulk::run_query query) {
            std::string text;
            do {
                const auto found = stage->runs(query);
                if (!found) return found.error().message;
                if (found->items.size() > query.page_size) return std::string{"too many"};
                for (const auto& each : found->items) text += std::to_string(each.id.value.high);
                query.after = found->next;
                text += found->next.empty() ? "" : " ";
            } while (!query.after.empty());
            return text;
        };
        expect(numbers({}) == "7654321");
        expect(numbers({.page_size = 3}) == "765 432 1");
        expect(numbers({.page_size = 7}) == "7654321") << "no empty page at the end";
        expect(numbers({.feed = "DIAMONDS", .page_size = 2}) == "75 31");
        expect(numbers({.feed = "nobody"}).empty());
        expect(numbers({.type = bulk::run_type::incremental}) == "3");
        expect(numbers({.active_only = true}) == "76");
        expect(numbers({.state = run_state::cancelled, .page_size = 2}) == "54 32 1");
        expect(numbers({.state = run_state::created, .now = at(7100)}) == "76");
        expect(numbers({.state = run_state::stalled, .now = at(8000)}) == "6") << "30 minutes";
        expect(numbers({.state = run_state::stalled, .now = at(7500), .stall_after = 1s}) == "76");
        expect(numbers({.started_from = at(3000), .started_to = at(5000)}) == "543");
        expect(numbers({.started_from = at(7000) - 24h, .page_size = 1000}) == "7654321");
        expect(stage->runs({.started_from = at(2), .started_to = at(1)}).error().code ==
               errc::invalid_argument);
        expect(stage->runs({.page_size = 0}).error().code == errc::invalid_argument);
        expect(stage->runs({.page_size = 1001}).error().code == errc::invalid_argument);
        expect(stage->runs({.after = "!"}).error().code == errc::invalid_argument);
        const auto of_items = to_text(bulk::cursor{.key = "a"});
        expect(fatal(!stage->runs({.after = of_items}).has_value()));
        expect(stage->runs({.after = of_items}).error().code == errc::invalid_argument);
    };

    "whoever waits learns when there is something to do"_test = [&] {
        feed_stage stage{make};
        const auto due = [&] { return stage->next_due({"other", "DIAMONDS"}).value(); };
        expect(!due().has_value());
        auto cut = parts(2);
        cut[0].due = at(1005);
        cut[1].due = at(1007);
        const auto run = stage->start_run(run_plan(1), cut).value();
        expect(due() == at(1005) and !stage->next_due({"other"}).value().has_value());
        expect(!stage->next_due({}).value().has_value());
        expect(!stage->claim_page(worker(1004)).value().has_value());
        const auto first = stage.claim(1005);
        expect(due() == at(1007));
        (void)stage.store(stage.claim(1007), page_of({raw("a"), raw("b")}), 1008);
        expect(due() == at(1015)) << "the lease of the first ends";
        expect(stage->retry_page(first, "slow", at(1030), at(1009)).value());
        expect(due() == at(1030));
        stage.fetch(1030);
        expect(due() == at(1030)) << "it can be consolidated";
        const auto batch = stage.batch(1031).value();
        expect(due() == at(1041)) << "all is handed out; that batch may lapse";
        expect(stage->return_batch(batch, at(1032)).has_value());
        expect(due() == at(1032));
        (void)stage.end(stage.batch(1033).value(), 1034);
        expect(!due().has_value() and stage.state(run, 1035) == run_state::completed);
    };
}

}  // namespace conformance
