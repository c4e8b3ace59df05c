// What a ledger must make of the items of a run: each counted once, only what is changed kept.
#pragma once

#include "feed_stage.hpp"

#include <support/ut.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace conformance {

template <typename Make>
void check_feed_items(Make make) {
    using namespace boost::ut;
    using bulk::errc;

    "an item is counted once, however often it comes"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 2);
        const auto next =
            stage.store(stage.claim(1001), page_of({raw("a"), raw("b"), raw("a")}, true), 1001)
                .next;
        (void)stage.store(*next, page_of({raw("b"), raw("c")}), 1002);
        stage.fetch(1003, {raw("c"), raw("d")});
        const auto now = stage.of(run);
        expect(now.records == 4_u and now.changed == 4_u);
        expect(stage.part(run, 0).records == 3_u and stage.part(run, 1).records == 1_u);
        expect(stage.part(run, 0).next_offset == 5_u) << "the source moves on by what it gave";
        stage.consolidate(1004);
        expect(stage.of(run).consolidated == 4_u and stage.live_keys() == keys{"a", "b", "c", "d"});
    };

    "what came last of an item is kept"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        stage.fetch(1001, {raw("a", 1), raw("a", 2)});
        expect(stage.of(run).records == 1_u and stage.of(run).changed == 1_u);
        stage.consolidate(1002);
        expect(stage.item("a").value().payload == "a#2");
    };

    "an unchanged item is neither handed out nor touched"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a"), raw("b")});
        const auto before = stage.item("a").value();
        const auto second = stage.whole(2, {raw("a"), raw("b", 2), raw("a")});
        expect(second.records == 2_u and second.changed == 1_u and second.consolidated == 1_u);
        expect(stage.item("a").value() == before);
        expect(stage.item("b").value().payload == "b#2");
        expect(stage.item("b").value().version > before.version);
        expect(stage.item("b").value().changed_at == at(2002));
    };

    "an item that changes, and changes back, in one run"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a"), raw("b"), raw("c")});
        const auto before = stage.item("a").value();
        const auto run = stage.start(2, 1);
        stage.fetch(2001, {raw("a", 2), raw("a", 1),                 // changed, and back
                           raw("b", 1), raw("b", 2),                 // changed later
                           raw("c", 2), raw("c", 1), raw("c", 3)});  // back, and changed again
        expect(stage.of(run).records == 3_u and stage.of(run).changed == 2_u);
        stage.consolidate(2002);
        expect(stage.of(run).consolidated == 2_u and stage.item("a").value() == before);
        expect(stage.item("b").value().payload == "b#2");
        expect(stage.item("c").value().payload == "c#3");
    };

    "an item with another hash and the same payload is not a changed one for readers"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {{.key = "a", .hash = 1, .payload = "{}"}});
        const auto before = stage.item("a").value();
        const auto run = stage.whole(2, {{.key = "a", .hash = 2, .payload = "{}"}});
        expect(run.consolidated == 1_u and stage.item("a").value() == before);
        const auto third = stage.whole(3, {{.key = "a", .hash = 2, .payload = "{}"}});
        expect(third.changed == 0_u) << "the hash is kept";
    };

    "an item that was deleted comes back, although it is the same"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a"), raw("b")});
        (void)stage.whole(2, {raw("b")});
        expect(stage.item("a").value().is_deleted);
        const auto run = stage.whole(3, {raw("a"), raw("b")});
        expect(run.changed == 1_u and !stage.item("a").value().is_deleted);
        expect(stage.item("a").value().version == stage.version());
    };

    "what a run has left behind is taken over by the next one, although the hash is the same"_test =
        [&] {
            feed_stage stage{make};
            const auto first = stage.start(1, 2);
            stage.fetch(1001, {raw("a")});
            stage.fail(1002);
            const auto second = stage.start(2, 1);
            stage.fetch(2001, {raw("a")});
            expect(stage.of(second).changed == 1_u and stage.of(second).records == 1_u);
            stage.consolidate(2002);
            expect(stage.live_keys() == keys{"a"} and stage.of(second).consolidated == 1_u);
            expect(stage.of(first).consolidated == 0_u);
        };

    "items without a key are bad ones, known by where they were"_test = [&] {
        feed_stage stage{make};
        const auto run = stage.start(1, 1);
        auto page = page_of({raw("a")}, true);
        page.received = 3;
        page.bad = {{.key = "page 0, item 1", .payload = "{}", .reason = "no key"},
                    {.key = "page 0, item 2", .payload = "[]", .reason = "no key"}};
        auto again = stage.store(stage.claim(1001), page, 1001).next.value();
        auto back = page_of({});
        back.begin_again = true;
        again = stage.store(again, back, 1002).next.value();
        page.has_more = false;
        page.bad[1].reason = "still none";
        (void)stage.store(again, page, 1003);
        expect(stage.of(run).bad_items == 2_u and stage.of(run).keyless == 2_u);
        expect(stage.of(run).records == 1_u);
        const auto listed = stage->bad_items(run.id, "", 10).value();
        expect(std::ranges::equal(listed, page.bad)) << "what came last";
        expect(std::ranges::equal(stage->bad_items(run.id, listed[0].key, 10).value(),
                                  std::vector{listed[1]}));
        expect(stage->bad_items(run.id, "", 0).value().size() == 1_ul) << "at least one is given";
        expect(stage->bad_items(run_id_of(7), "", 10).error().code == errc::not_found);
    };

    "each feed has its own set"_test = [&] {
        feed_stage stage{make};
        (void)stage.whole(1, {raw("a")});
        (void)stage.start(run_plan(2, "other"), 1);
        const auto other = worker(2001, "one", {"other"});
        const auto work = stage->claim_page(other).value().value();
        (void)stage->store_page(work, page_of({raw("a", 7)}), other);
        const auto batch = stage->claim_batch(other, 10).value().value();
        (void)stage->store_items(batch, mapped(batch.items), other);
        expect(stage->finish_batch(batch, at(2002)).has_value());
        expect(stage->item("Other", "a").value().value().payload == "a#7");
        expect(stage.item("a").value().payload == "a#1");
        expect(!stage->item("third", "a").value().has_value());
        expect(stage->watermark_of("other").value().value == at(2000) and stage.mark() == at(1000));
    };

    "items are asked for by key, page by page"_test = [&] {
        feed_stage stage{make};
        const std::string odd{"b\0'\"%\xff", 6};
        (void)stage.whole(1, {raw("a"), raw("b"), raw(odd), raw("c"), raw("d"), raw("B")});
        (void)stage.whole(2, {raw("a"), raw("b"), raw(odd, 2), raw("c", 2), raw("B")});
        const auto found = [&](bulk::item_query query) {
            query.feed = "DIAmonds";
            keys all;
            do {
                const auto some = stage->items(query);
                expect(fatal(some.has_value()));
                expect(some->items.size() <= query.page_size);
                for (const auto& each : some->items) all.push_back(each.key);
                query.after = some->next;
                if (!query.after.empty()) all.push_back("-");
            } while (!query.after.empty());
            return all;
        };
        expect(found({}) == keys{"B", "a", "b", odd, "c"});
        expect(found({.page_size = 2}) == keys{"B", "a", "-", "b", odd, "-", "c"});
        expect(found({.page_size = 5}) == keys{"B", "a", "b", odd, "c"});
        expect(found({.from_key = "b", .page_size = 1}) == keys{"b", "-", odd, "-", "c"});
        expect(found({.with_deleted = true}) == keys{"B", "a", "b", odd, "c", "d"});
        expect(found({.with_deleted = true, .changed_since = 1, .page_size = 2}) ==
               keys{odd, "c", "-", "d"});
        expect(found({.changed_since = 2}).empty());
        expect(stage->items({.feed = "nobody"}).value().items.empty());
        expect(stage->items({.page_size = 0}).error().code == errc::invalid_argument);
        expect(stage->items({.after = "x"}).error().code == errc::invalid_argument);
        const auto gone = stage.item("d").value();
        expect(gone == bulk::canonical_item{.key = "d",
                                            .payload = "d#1",
                                            .is_deleted = true,
                                            .version = 2,
                                            .changed_at = at(2002)});
        expect(!stage.item("e").has_value());
    };
}

}  // namespace conformance
