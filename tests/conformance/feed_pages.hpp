// What a ledger must do with the pages of a run's partitions.
#pragma once

#include "feed_stage.hpp"
#include "torn_views.hpp"

#include <support/ut.hpp>

#include <string>
#include <tuple>

namespace conformance {

template <typename Make>
void check_feed_claims(Make make) {
    using namespace boost::ut;
    using bulk::event_kind, bulk::partition_state, bulk::run_state;

    "pages are claimed by when they are due, then by the age of the run, then by number"_test =
        [&] {
            feed_stage stage{make};
            auto cut = parts(3);
            cut[0].due = at(5);
            cut[1].due = cut[2].due = at(3);
            (void)stage->start_run(run_plan(2, "other"), cut);
            (void)stage->start_run(run_plan(1), cut);
            std::string order;
            const auto both = worker(6, "one", {"DIAMONDS", "Other"});
            while (const auto work = stage->claim_page(both).value())
                order += work->feed.substr(0, 1) + std::to_string(work->partition) + ' ';
            expect(order == "o1 o2 d1 d2 o0 d0 ") << order;
        };

    "only pages of feeds that the worker knows are given to it"_test = [&] {
        feed_stage stage{make};
        (void)stage.start(1, 1);
        expect(!stage->claim_page(worker(1001, "one", {"other"})).value().has_value());
        expect(!stage->claim_page(worker(1001, "one", {})).value().has_value());
        expect(stage->claim_page(worker(1001, "one", {"other", "dIAMONDs"})).value().has_value());
    };

    "a page says all that is needed to fetch it"_test = [&] {
        feed_stage stage{make};
        auto cut = parts(1);
        cut[0].most_records = 99;
        auto plan = run_plan(1);
        plan.type = bulk::run_type::incremental;
        const auto run = stage->start_run(plan, cut).value();
        const auto work = stage.claim(1001);
        expect(work == bulk::page_work{.run = run.id,
                                       .feed = "diamonds",
                                       .trace = "trace-1",
                                       .type = bulk::run_type::incremental,
                                       .window = window_to_read(run.type, run.window),
                                       .range = {0, 9},
                                       .estimated = 10,
                                       .most_records = 99,
                                       .fence = 1});
        const auto part = stage.part(run);
        expect(part.state == partition_state::in_progress and part.worker == "one");
        expect(part.started_at == at(1001) and part.leased_until == at(1011));
        expect(stage.of(run).active_at == at(1001));
        expect(stage.state(run, 1002) == run_state::workers_running);
    };

    "a page is leased to one, and taken over with a greater fence when the lease has run out"_test =
        [&] {
            feed_stage stage{make};
            const auto run = stage.start(1, 1);
            const auto first = stage.claim(1001, "one");
            expect(!stage->claim_page(worker(1010, "two")).value().has_value());
            const auto second = stage.claim(1011, "two");
            expect(second.fence > first.fence and second.offset == first.offset);
            expect(stage.part(run).worker == "two" and stage.part(run).deliveries == 1_u);
            expect(stage.part(run).started_at == at(1001));
            expect(!stage->claim_page(worker(1020, "one")).value().has_value());
        };

    "a page that workers die with is given to so many, then its partition has failed"_test = [&] {
        feed_stage stage{make};
        auto plan = run_plan(1);
        plan.rules.max_deliveries = 3;
        const auto run = stage.start(plan, 2);
        for (int i = 0; i < 3; ++i) {
            const auto work = stage.claim(1100 + i * 10, "worker " + std::to_string(i));
            expect(work.partition == 0_u);
        }
        const auto next = stage.claim(1130);
        expect(next.partition == 1_u) << "the other one is given instead";
        const auto part = stage.part(run);
        expect(part.state == partition_state::failed and part.error.contains("worker 2"));
        expect(stage.of(run).failed == 1_u);
        expect(stage.told(run, event_kind::partition_failed) == 1_ul);
        (void)stage.store(next, page_of({raw("a")}, true), 1131);
        expect(stage.part(run, 1).deliveries == 0_u) << "each page is counted by itself";
        for (int i = 0; i < 2; ++i) (void)stage.claim(1141 + i * 10);
        expect(!stage->claim_page(worker(1200)).value().has_value());
        expect(stage.state(run, 1201) == run_state::consolidation_skipped);
        expect(stage.told(run, event_kind::consolidation_skipped) == 1_ul);
    };

    "a page that is put off comes again when it is due, as the next try"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto lapsed = stage.claim(1001);
        const auto work = stage.claim(1011);
        expect(work.fence != lapsed.fence);
        expect(stage->retry_page(work, "timeout", at(1050), at(1012)).value());
        const auto part = stage.part(run);
        expect(part.attempt == 2_u and part.due == at(1050) and part.error == "timeout");
        expect(!part.leased_until and part.deliveries == 0_u) << "that worker did come back";
        expect(stage.of(run).active_at == at(1012) and stage.of(run).failed == 0_u);
        expect(!stage->claim_page(worker(1049)).value().has_value());
        const auto again = stage.claim(1050);
        expect(again.attempt == 2_u and again.offset == work.offset);
        (void)stage.store(again, page_of({raw("a")}, true), 1051);
        expect(stage.part(run).attempt == 1_u and stage.part(run).error.empty());
    };

    "a page that is given back can be claimed at once, and nothing is counted"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto first = stage.claim(1001);
        expect(stage->return_page(first, at(1002)).has_value());
        const auto second = stage.claim(1002, "two");
        expect(second.fence > first.fence and second.attempt == 1_u);
        expect(stage.part(run).deliveries == 0_u);
    };

    "a worker whose page was taken over can neither put it off, fail it nor give it back"_test =
        [&] {
            feed_stage stage{make};
            const auto run = stage.start(1, 1);
            const auto stale = stage.claim(1001, "one");
            const auto held = stage.claim(1011, "two");
            const auto before = std::tuple{stage.of(run), stage.part(run)};
            expect(!stage->retry_page(stale, "late", at(9000), at(1012)).value());
            expect(!stage->fail_page(stale, "late", at(1012)).value());
            expect(stage->return_page(stale, at(1012)).has_value());
            expect(before == std::tuple{stage.of(run), stage.part(run)});
            const auto next =
                stage.store(held, page_of({raw("a")}, true), 1013, "two").next.value();
            expect(!stage->fail_page(held, "late", at(1014)).value()) << "the page before";
            expect(stage->fail_page(next, "now", at(1015)).value());
            expect(stage.of(run).failed == 1_u);
            auto unknown = next;
            unknown.run = run_id_of(8);
            expect(!stage->fail_page(unknown, "", at(1016)).value());
            unknown = next;
            unknown.partition = 8;
            expect(!stage->fail_page(unknown, "", at(1016)).value());
        };

    "what was given back, put off or has failed is nobody's until it is claimed again"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto first = stage.claim(1001);
        expect(stage->retry_page(first, "slow", at(1005), at(1002)).value());
        expect(!stage->retry_page(first, "slow", at(1005), at(1002)).value()) << "the call again";
        expect(stage.part(run).attempt == 2_u);
        const auto second = stage.claim(1005);
        expect(stage->return_page(second, at(1006)).has_value());
        expect(!stage->fail_page(second, "late", at(1006)).value());
        const auto third = stage.claim(1007);
        expect(stage->fail_page(third, "gone", at(1008)).value());
        expect(stage->retry_partitions(run.id, {}, at(1009)).value() == 1_u);
        expect(!stage->fail_page(third, "gone", at(1010)).value()) << "before it was retried";
        expect(stage.part(run).state == partition_state::pending and stage.of(run).failed == 0_u);
    };

    "a run on which nobody has worked for long is stalled, and goes on when somebody does"_test =
        [&] {
            feed_stage stage{make};
            const auto run = stage.start(1, 1);
            expect(stage.state(run, 1000) == run_state::created);
            expect(stage.state(run, 2801) == run_state::stalled);
            const auto work = stage.claim(2900);
            expect(stage.state(run, 2901) == run_state::workers_running);
            expect(stage.state(run, 4701) == run_state::stalled);
            (void)stage.store(work, page_of({raw("a")}), 4702);
            expect(stage.state(run, 4703) == run_state::consolidating);
            expect(stage.state(run, 6600) == run_state::stalled);
            stage.consolidate(6601);
            expect(stage.state(run, 99999) == run_state::completed);
        };
}

template <typename Make>
void check_feed_pages(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::event_kind, bulk::page_outcome, bulk::partition_state;

    "a stored page and the next one are one transaction: no continuation is lost"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto work = stage.claim(1001);
        auto page = page_of({raw("a"), raw("b")}, true);
        page.token = "t1";
        page.counted = 40;
        const auto stored = stage.store(work, page, 1002, "two");
        expect(stored.outcome == page_outcome::advanced);
        expect(fatal(stored.next.has_value()));
        expect(stored.next->offset == 2_u and stored.next->token == "t1");
        expect(stored.next->counted == 40U and stored.next->fence > work.fence);
        const auto part = stage.part(run);
        expect(part.next_offset == 2_u and part.pages == 1_u and part.leased_until == at(1012));
        expect(part.worker == "two") << "whoever stored it has the next one";
        const auto later = stage.claim(1012) /* nobody came back */;
        expect(later.offset == 2_u and later.token == "t1" and later.counted == 40U);

        auto next = later;
        const auto write = [&](int number) {
            next =
                stage.store(next, page_of({raw(std::to_string(number))}, true), 1013).next.value();
        };
        auto feeds = stage.storage()->feeds();
        const auto in_run = [&] { return feeds.run(run.id).value().records; };
        const auto in_part = [&] { return feeds.partitions(run.id).value()[0].records; };
        const auto fits = [&] {
            const auto first = in_run();
            const bool has_part = in_part() >= first;
            const auto second = in_part();
            return has_part && in_run() >= second;
        };
        constexpr int pages = 400;
        expect(torn_views(pages, write, fits) == 0_i);
        expect(in_run() == pages + 2 and in_part() == pages + 2 and next.offset == pages + 2);
    };

    "a page that comes twice, or out of order, is skipped and changes nothing"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 2);
        const auto first = stage.claim(1001);
        const auto next = stage.store(first, page_of({raw("a")}, true), 1002).next.value();
        const auto before = std::tuple{stage.of(run), stage.part(run), stage.all_events()};
        const auto unchanged = [&] {
            return before == std::tuple{stage.of(run), stage.part(run), stage.all_events()};
        };
        const auto again = stage.store(first, page_of({raw("x")}, false), 1003);
        expect(again.outcome == page_outcome::skipped_duplicate and !again.next);
        expect(unchanged()) << "a duplicate completes nothing";
        auto ahead = next;
        ahead.offset = 2;
        expect(stage.store(ahead, page_of({raw("x")}), 1003).outcome ==
               page_outcome::skipped_duplicate);
        expect(unchanged());
        auto unknown = next;
        unknown.partition = 7;
        expect(stage.store(unknown, page_of({raw("x")}), 1003).outcome ==
               page_outcome::skipped_finished);
        unknown.run = run_id_of(9);
        expect(stage.store(unknown, page_of({raw("x")}), 1003).outcome ==
               page_outcome::skipped_finished);
        expect(unchanged());
    };

    "the last page completes its partition at its new offset, once"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 2);
        const auto work = stage.claim(1001);
        const auto stored = stage.store(work, page_of({raw("a"), raw("b"), raw("c")}), 1002);
        expect(stored.outcome == page_outcome::completed and !stored.next);
        const auto part = stage.part(run);
        expect(part.state == partition_state::completed and part.next_offset == 3_u);
        expect(part.completed_at == at(1002) and !part.leased_until);
        for (int i = 0; i < 5; ++i)
            expect(stage.store(work, page_of({raw("d")}), 1003 + i).outcome ==
                   page_outcome::skipped_finished);
        expect(!stage->fail_page(work, "late", at(1009)).value());
        expect(stage.of(run).completed == 1_u and stage.of(run).failed == 0_u);
        expect(stage.of(run).records == 3_u and !stage.of(run).consolidate_at);
        expect(stage.told(run, event_kind::partition_completed) == 1_ul);
        expect(stage.part(run) == part);
    };

    "a partition fails once, at whatever page, and is counted once"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 2);
        const auto first = stage.claim(1001);
        const auto next = stage.store(first, page_of({raw("a")}, true), 1002).next.value();
        expect(stage->fail_page(next, "404", at(1003)).value());
        for (int i = 0; i < 4; ++i) expect(!stage->fail_page(next, "404", at(1004)).value());
        expect(stage.store(next, page_of({raw("b")}), 1005).outcome ==
               page_outcome::skipped_finished);
        expect(stage.of(run).failed == 1_u and stage.of(run).completed == 0_u);
        expect(stage.part(run).error == "404" and stage.part(run).completed_at == at(1003));
        expect(stage.told(run, event_kind::partition_failed) == 1_ul);
        expect(stage.events(run).back().message.contains("offset 1: 404"));
        expect(is_partial(stage.of(run)));
    };

    "a late worker whose page was taken over goes on with it, and the other one is late"_test =
        [&] {
            feed_stage stage{make};
            const auto run = stage.start(1, 1);
            const auto late = stage.claim(1001, "late");
            const auto quick = stage.claim(1011, "quick");
            const auto stored = stage.store(late, page_of({raw("a")}, true), 1012, "late");
            expect(stored.outcome == page_outcome::advanced);
            expect(stage.part(run).worker == "late" and stage.part(run).deliveries == 0_u);
            expect(stage.store(quick, page_of({raw("a")}, true), 1013, "quick").outcome ==
                   page_outcome::skipped_duplicate);
            expect(!stage->fail_page(quick, "late now", at(1013)).value());
            expect(stage.store(*stored.next, page_of({raw("b")}), 1014, "late").outcome ==
                   page_outcome::completed);
            expect(stage.of(run).records == 2_u and stage.of(run).completed == 1_u);
        };

    "a page that another worker has put off, or whose partition was retried, is still wanted"_test =
        [&] {
            feed_stage stage{make};
            const auto run = stage.start(1, 1);
            const auto late = stage.claim(1001, "late");
            const auto quick = stage.claim(1011, "quick");
            expect(stage->retry_page(quick, "slow", at(5000), at(1012)).value());
            const auto next = stage.store(late, page_of({raw("a")}, true), 1013, "late").next;
            expect(fatal(next.has_value()));
            expect(stage->return_page(*next, at(1014)).has_value());
            const auto held = stage->claim_page(worker(1014)).value();
            expect(fatal(held.has_value())) << "it is not put off any more";
            (void)stage->fail_page(*held, "gone", at(1015));
            (void)stage->retry_partitions(run.id, {}, at(1016));
            expect(stage.store(*held, page_of({raw("b")}, true), 1017).outcome ==
                   page_outcome::advanced);
            expect(stage.part(run).state == partition_state::in_progress);
        };

    "a partition that was begun again knows its pages from those of the pass before"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto first = stage.claim(1001);
        auto page = page_of({raw("a"), raw("b")}, true);
        page.token = "t";
        const auto next = stage.store(first, page, 1002).next.value();
        auto shrunk = page_of({raw("c")});
        shrunk.begin_again = true;
        shrunk.counted = 3;
        shrunk.token = "u";
        const auto stored = stage.store(next, shrunk, 1003);
        expect(stored.outcome == page_outcome::advanced);
        expect(stored.next->offset == 0_u and stored.next->pass == 1_u);
        expect(stored.next->token.empty() and stored.next->counted == 3U);
        expect(stage.store(first, page_of({raw("x")}, true), 1004).outcome ==
               page_outcome::skipped_duplicate);
        const auto last = stage.store(*stored.next, page_of({raw("a"), raw("b"), raw("c")}), 1005);
        expect(last.outcome == page_outcome::completed);
        expect(stage.part(run).records == 3_u and stage.of(run).records == 3_u) << "each once";
        expect(stage.part(run).pages == 3_u and stage.part(run).pass == 1_u);
    };

    "a partition that failed as a whole goes on at its begin when it is retried"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto first = stage.claim(1001);
        auto page = page_of({raw("a"), raw("b")}, true);
        page.counted = 3;
        page.token = "t";
        const auto next = stage.store(first, page, 1002).next.value();
        expect(stage->fail_page(next, "lost", at(1003), bulk::retry_from::begin).value());
        expect(stage.part(run).error == "lost" and stage.part(run).next_offset == 0_u);
        (void)stage->retry_partitions(run.id, {}, at(1004));
        const auto again = stage.claim(1005);
        expect(again.offset == 0_u and again.pass == 1_u and again.token.empty());
        expect(!again.counted.has_value()) << "it is counted anew";
        expect(stage.store(first, page, 1006).outcome == page_outcome::skipped_duplicate);
        expect(stage.store(again, page_of({raw("a"), raw("b")}), 1007).outcome ==
               page_outcome::completed);
        expect(stage.of(run).records == 2_u) << "each once";
    };

    "an empty page with more behind it is known by its token"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto first = stage.claim(1001);
        auto page = page_of({}, true);
        page.token = "t1";
        const auto next = stage.store(first, page, 1002).next.value();
        expect(next.offset == 0_u and next.token == "t1");
        expect(stage.store(first, page, 1003).outcome == page_outcome::skipped_duplicate);
        expect(stage.store(next, page_of({raw("a")}), 1004).outcome == page_outcome::completed);
        expect(stage.part(run).pages == 2_u);
    };

    "a partition of which only so much is wanted ends there"_test = [&] {
        feed_stage stage{make};
        auto cut = parts(1);
        cut[0].most_records = 3;
        const auto run = stage->start_run(run_plan(1), cut).value();
        const auto next = stage.store(stage.claim(1001), page_of({raw("a"), raw("b")}, true), 1002);
        expect(next.outcome == page_outcome::advanced);
        expect(stage.store(*next.next, page_of({raw("c"), raw("d")}, true), 1003).outcome ==
               page_outcome::completed);
        expect(stage.of(run).consolidate_at == at(1003));
    };

    "an item without a key is none: the whole page is refused, and nothing is stored"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        const auto work = stage.claim(1001);
        const auto before = std::tuple{stage.of(run), stage.part(run)};
        const auto refused = stage->store_page(work, page_of({raw("a"), raw("")}), worker(1002));
        expect(refused.error().code == errc::invalid_argument);
        expect(refused.error().message.contains(to_text(work)));
        auto page = page_of({raw("a")});
        page.bad = {{.key = "", .reason = "no key"}};
        expect(stage->store_page(work, page, worker(1002)).error().code == errc::invalid_argument);
        expect(before == std::tuple{stage.of(run), stage.part(run)});
        (void)stage.store(work, page_of({raw("b")}), 1003);
        expect(stage.of(run).changed == 1_u) << "no part of the other pages";
    };
}

template <typename Make>
void check_feed_settling(Make make) {
    using namespace boost::ut;
    using bulk::event_kind, bulk::run_state, bulk::severity;
    using namespace std::chrono_literals;

    "when all partitions are completed the run is consolidated, once"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 3);
        for (int i = 0; i < 3; ++i) {
            expect(!stage.of(run).consolidate_at and !stage.batch(1001).has_value());
            stage.fetch(1001 + i, {raw(std::to_string(i))});
        }
        const auto now = stage.of(run);
        expect(now.consolidate_at == at(1003) and !now.is_forced and now.completed == 3_u);
        expect(stage.told(run, event_kind::consolidation_started) == 1_ul);
        expect(stage.told(run, event_kind::partition_completed) == 3_ul);
        expect(stage.state(run, 1004) == run_state::consolidating);
        expect(status_of(now) == bulk::run_status::consolidating) << "and not completed";
    };

    "when one has failed nothing is consolidated, and that is told"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 3);
        stage.fetch(1001, {raw("a")});
        stage.fail(1002);
        expect(stage.state(run, 1003) == run_state::workers_running) << "the third goes on";
        stage.fetch(1003, {raw("b")});
        expect(stage.state(run, 1004) == run_state::consolidation_skipped);
        expect(status_of(stage.of(run)) == bulk::run_status::failed);
        expect(stage.told(run, event_kind::consolidation_skipped) == 1_ul);
        expect(stage.told(run, event_kind::consolidation_started) == 0_ul);
        expect(stage.events(run).back().level == severity::error);
        expect(!stage.batch(9999).has_value() and !stage.mark().has_value());
        expect(!stage->next_due({"diamonds"}).value().has_value());
        expect(stage->retry_partitions(run.id, {}, at(1005)).value() == 1_u);
        stage.fetch(1006, {raw("c")});
        expect(stage.told(run, event_kind::consolidation_started) == 1_ul);
        stage.consolidate(1007);
        expect(stage.state(run, 1008) == run_state::completed and stage.mark() == run.window.to);
    };

    "exactly the share that is enough is consolidated after the delay, less is not"_test = [&] {
        for (const std::uint32_t failed : {3U, 4U, 10U}) {
            feed_stage stage{make};
            auto plan = run_plan(1);
            plan.rules = {.min_success_ratio = 0.7, .partial_delay = 300s};
            const auto run = stage.start(plan, 10);
            for (std::uint32_t i = 0; i < failed; ++i) stage.fail(1001);
            for (std::uint32_t i = failed; i < 10; ++i) stage.fetch(1002, {raw(std::to_string(i))});
            if (failed == 3) {
                expect(stage.of(run).consolidate_at == at(1302));
                expect(stage.told(run, event_kind::consolidation_started) == 1_ul);
                expect(stage.state(run, 1003) == run_state::consolidating);
                expect(!stage.batch(1301).has_value() and stage.batch(1302).has_value());
            } else {
                expect(stage.state(run, 1003) == run_state::consolidation_skipped);
                expect(stage.told(run, event_kind::consolidation_skipped) == 1_ul);
            }
        }
    };
}

}  // namespace conformance
