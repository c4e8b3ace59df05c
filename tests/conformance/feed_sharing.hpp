// What a ledger must do for those who share a storage: handles, threads, and later processes.
#pragma once

#include "feed_stage.hpp"

#include <support/ut.hpp>

#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace conformance {

template <typename Make>
void check_feed_sharing(Make make) {
    using namespace boost::ut;

    "a run goes on with whoever opens the storage next, at every step"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 2);
        const auto look = [&] {
            return std::tuple{stage.of(run), stage.part(run, 0), stage.part(run, 1), stage.mark(),
                              stage.all_events()};
        };
        const auto reopen = [&] {
            const auto before = look();
            stage.reopen();
            expect(look() == before);
        };
        reopen();
        const auto first = stage.claim(1001);
        reopen();
        auto page = page_of({raw("a"), raw("b")}, true);
        page.token = "t";
        page.counted = 9;
        page.bad = {{.key = "page 0, item 2", .payload = "{}", .reason = "no key"}};
        const auto next = stage.store(first, page, 1002).next.value();
        reopen();
        expect(stage->retry_page(next, "slow", at(1005), at(1003)).value());
        reopen();
        stage.fetch(1005, {raw("c")});
        stage.fetch(1005, {raw("d")});
        reopen();
        const auto batch = stage.batch(1006, 3).value();
        reopen();
        (void)stage->store_items(batch, all_bad({raw("a")}), worker(1007));
        reopen();
        expect(stage->bad_items(run.id, "", 9).value().size() == 2_ul);
        (void)stage.end(batch, 1008);
        reopen();
        (void)stage.end(stage.batch(1009, 3).value(), 1009);
        reopen();
        expect(stage.of(run).failed_at == at(1009));
        expect(stage->resume_consolidation(run.id, at(1010)).value() == 1_u);
        reopen();
        stage.consolidate(1011);
        reopen();
        expect(stage.live_keys() == keys{"a", "b", "c", "d"});
        const auto again = stage.start(2, 1);
        stage.fetch(2001, {raw("a"), raw("b"), raw("c", 2)});
        stage.reopen();
        stage.consolidate(2002);
        stage.reopen();
        const auto done = stage.of(again);
        expect(done.consolidated == 1_u and done.removed == 1_u and stage.mark() == at(2000));
    };

    "workers in several threads, and each page and item once"_test = [&] {
        feed_stage stage{make};
        constexpr std::uint32_t partitions = 6, pages = 5;
        const auto run = stage.start(1, partitions);
        const auto work = [&](const std::string& name) {
            auto ledger = stage.storage()->feeds();
            while (is_active(ledger.run(run.id).value())) {
                auto page = ledger.claim_page(worker(1001, name)).value();
                while (page) {
                    const auto key = std::to_string(page->partition) + ':';
                    const auto at = page->offset;
                    page = ledger
                               .store_page(*page,
                                           page_of({raw(key + std::to_string(at)), raw("shared")},
                                                   at + 2 < 2 * pages),
                                           worker(1002, name))
                               .value()
                               .next;
                }
                while (const auto batch = ledger.claim_batch(worker(1003, name), 4).value()) {
                    (void)ledger.store_items(*batch, mapped(batch->items), worker(1004, name));
                    (void)ledger.finish_batch(*batch, at(1005));
                }
            }
        };
        {
            std::vector<std::jthread> workers;
            for (int i = 0; i < 4; ++i) workers.emplace_back(work, "worker " + std::to_string(i));
        }
        const auto done = stage.of(run);
        expect(done.completed == partitions and done.records == partitions * pages + 1);
        expect(done.changed == done.records and done.consolidated == done.records);
        expect(stage.live_keys().size() == partitions * pages + 1);
        for (std::uint32_t i = 0; i < partitions; ++i) expect(stage.part(run, i).pages == pages);
        expect(stage.told(run, bulk::event_kind::run_completed) == 1_ul);
    };
}

}  // namespace conformance
