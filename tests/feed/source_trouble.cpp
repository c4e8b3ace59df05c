// Sources that do not behave: what is lost is noticed, what is wrong is said, and nothing is stuck.
#include <bulk/feed.hpp>

#include <support/feed_stage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using support::article;
using support::listing;

namespace {

struct articles : support::article_feed<articles> {
    BULK_FEED("articles", .page_size = 10, .target_per_partition = 50, .max_workers = 5,
              .min_per_worker = 20, .dense_below = 100, .dense_step = 10, .sparse_step = 50,
              .max_retries = 2, .batch_size = 40, .upsert_size = 7)
};
using stage = support::feed_stage<articles>;

/// All in one partition, as the order of pages matters here.
struct single : support::article_feed<single> {
    BULK_FEED("single", .page_size = 10, .max_workers = 1, .max_retries = 1)
};
using single_stage = support::feed_stage<single>;

/// Paged by a mark: the id behind which a page begins.
struct marked : support::article_feed<marked> {
    BULK_FEED("marked", .page_size = 10, .max_workers = 1)
    bulk::result<page> fetch(const partition& part, std::uint64_t, std::uint32_t limit,
                             const window& changed) {
        auto& source = *support::source_behaviour::now();
        ++source.fetches;
        page found;
        for (const auto& each : source.data.select(part.range.first, part.range.last, changed)) {
            if (each.id <= part.token) continue;
            if (found.items.size() == limit) {
                found.has_more = true;
                break;
            }
            found.items.push_back(each);
        }
        if (found.has_more) found.next = found.items.back().id;
        if (source.change_page) source.change_page(0, found);
        return found;
    }
};

struct anonymous_article {
    std::optional<std::string> id;
    std::int64_t price = 0;
};
BULK_ROW(anonymous_article, (id, .row_id = true), price);

struct anonymous : bulk::feed<anonymous, anonymous_article, listing> {
    BULK_FEED("anonymous", .page_size = 2)
    static constexpr range extent{0, 9};
    bulk::result<std::uint64_t> count(const range& prices, const window&) {
        return prices.first == 0 ? 3U : 0U;
    }
    bulk::result<page> fetch(const partition&, std::uint64_t offset, std::uint32_t, const window&) {
        if (offset == 0) return page{.items = {{"a", 0}, {std::nullopt, 0}}, .has_more = true};
        return page{.items = {{"c", 0}}};
    }
    bulk::result<listing> map(const anonymous_article& raw) {
        return listing{.id = *raw.id, .label = "", .stock = 0};
    }
};

/// An extent that is found out, and can be wrong.
struct wide : bulk::feed<wide, article, listing> {
    BULK_FEED("wide", .page_size = 10)
    static inline range extent_now{};
    bulk::result<range> extent(const window&) { return extent_now; }
    bulk::result<std::uint64_t> count(const range& prices, const window& changed) {
        return support::source_behaviour::now()
            ->data.select(prices.first, prices.last, changed)
            .size();
    }
    bulk::result<page> fetch(const partition& part, std::uint64_t, std::uint32_t,
                             const window& changed) {
        return page{.items = support::source_behaviour::now()->data.select(
                        part.range.first, part.range.last, changed)};
    }
    bulk::result<listing> map(const article& raw) { return support::listing_of(raw); }
};

template <typename Stage>
void lose_a_record_with_each_page(Stage& on) {
    on.source.on_fetch = [&on, next = 0](std::uint32_t, std::uint64_t) mutable -> bulk::result<> {
        on.source.data.remove("a100" + std::to_string(10 + next++));
        return {};
    };
}

/// A run that is completed with so many records, after which the canonical set is the source.
template <typename Stage>
bulk::feed_run run_exactly(Stage& on, std::uint64_t records) {
    const auto run = on.run();
    expect(run.completed_at.has_value());
    expect(run.records == records);
    expect(on.is_exact());
    return run;
}

[[nodiscard]] bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

int main() {
    "pages with fewer records than asked for are no end"_test = [] {
        stage on;
        on.fill(300);
        on.source.change_page = [](std::uint64_t, auto& page) {
            if (page.items.size() > 3) {
                page.items.resize(3);
                page.has_more = true;
            }
        };
        const auto run = on.run();
        expect(run.records == 300_ul);
        expect(on.is_exact());
    };

    "pages with more records than asked for are taken whole"_test = [] {
        single_stage on;
        on.fill(55);
        on.source.change_page = [&](std::uint64_t offset, auto& page) {
            const auto all = on.source.data.all();
            page.items.clear();
            std::uint64_t at = 0;
            for (const auto& [id, each] : all)
                if (at++ >= offset && page.items.size() < 20) page.items.push_back(each);
            page.has_more = offset + page.items.size() < all.size();
        };
        (void)run_exactly(on, 55);
    };

    "records that come twice, on one page or on two, count once"_test = [] {
        single_stage on;
        on.fill(55);
        on.source.change_page = [](std::uint64_t offset, auto& page) {
            if (offset == 0) page.items.push_back(page.items.front());
            page.has_more |= offset == 0;
        };
        on.source.change_count = [](std::uint64_t count) { return count; };
        const auto run = on.run();
        expect(run.completed_at.has_value());
        expect(run.records == 55_ul) << "one was behind the page that had one too many";
        expect(run.consolidated == 55_ul);
        expect(on.is_exact());
    };

    "a source whose order changes is read once more"_test = [] {
        single_stage on;
        on.fill(60);
        std::mt19937_64 random{3};
        std::map<std::string, article> all = on.source.data.all();
        bool is_first = true;
        on.source.change_page = [&](std::uint64_t offset, auto& page) {
            if (!is_first) return;
            std::vector<article> order;
            for (const auto& [id, each] : all) order.push_back(each);
            std::ranges::shuffle(order, random);
            for (std::size_t i = 0; i < page.items.size(); ++i) page.items[i] = order[offset + i];
            is_first = page.has_more;
        };
        const auto run = on.run();
        expect(run.completed_at.has_value());
        expect(on.is_exact());
        expect(on.service->partitions(run.id)->front().pass == 1_u);
    };

    "an empty page with more behind it is tried again, then its partition fails"_test = [] {
        single_stage on;
        on.fill(55);
        int empty = 1;
        on.source.change_page = [&](std::uint64_t offset, auto& page) {
            if (offset != 20 || empty-- <= 0) return;
            page.items.clear();
            page.has_more = true;
        };
        expect(on.run().completed_at.has_value()) << "once does no harm";
        expect(on.is_exact());
        empty = 1000;
        const auto run = on.run({.type = bulk::run_type::full});
        expect(run.failed == 1_u);
        expect(contains(on.service->failed_partitions(run.id)->front().error,
                        "there is more behind offset 20, but gives nothing"));
    };

    "what comes into the window while it is read is taken, what comes later is left"_test = [] {
        single_stage on;
        on.fill(55);
        int added = 0;
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t) -> bulk::result<> {
            if (added++ < 5) {
                on.put("z-in" + std::to_string(added), 5, 1, 24h);
                on.put("z-later" + std::to_string(added), 5, 1, -1h);
            }
            return {};
        };
        const auto run = on.run({.type = bulk::run_type::incremental});
        expect(run.completed_at.has_value());
        expect(on.canonical().size() == 60_ul);
        on.jobs.advance(2h);
        on.run();
        expect(on.is_exact());
    };

    "a record that changes while a full run reads is not taken for gone"_test = [] {
        single_stage on;
        on.fill(95);
        on.run();
        bool has_changed = false;
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t offset) -> bulk::result<> {
            if (offset == 30 && !std::exchange(has_changed, true))
                for (int i = 0; i < 9; ++i) on.put("a1008" + std::to_string(i), 5, 77, -1s);
            return {};
        };
        const auto run = on.run({.type = bulk::run_type::full});
        expect(run.completed_at.has_value());
        expect(run.removed == 0_ul);
        expect(on.is_exact());
        expect(on.watermark() == run.window.to) << "they are read once more by the next run";
    };

    "records that leave the source while it is read take none along"_test = [] {
        single_stage on;
        on.fill(95);
        bool is_gone = false;
        on.source.on_fetch = [&](std::uint32_t, std::uint64_t offset) -> bulk::result<> {
            if (offset == 50 && !std::exchange(is_gone, true))
                for (int i = 0; i < 7; ++i) on.source.data.remove("a1000" + std::to_string(i));
            return {};
        };
        const auto run = on.run();
        expect(run.completed_at.has_value());
        const auto part = on.service->partitions(run.id)->front();
        expect(part.pass == 1_u);
        const auto all = on.canonical();
        for (const auto& [id, each] : on.source.data.all()) expect(all.contains(id)) << id;
        on.run({.type = bulk::run_type::full});
        expect(on.is_exact());
    };

    "a source that never stops losing records fails its partition, in words"_test = [] {
        single_stage on;
        on.fill(95);
        lose_a_record_with_each_page(on);
        const auto run = on.run();
        expect(run.failed == 1_u);
        const auto why = on.service->failed_partitions(run.id)->front().error;
        expect(contains(why, "lost records while it was read, 3 times")) << why;
    };

    "when it is quiet again, a retry reads the partition from its begin, and is done"_test = [] {
        single_stage on;
        on.fill(95);
        lose_a_record_with_each_page(on);
        const auto run = on.run();
        expect(fatal(run.failed == 1_u));
        const auto failed = on.service->failed_partitions(run.id)->front();
        expect(failed.next_offset == 0_ul and failed.pass == 3_u);
        on.source.on_fetch = {};
        expect(on.service->retry_partitions(run.id).value() == 1_u);
        const auto ended = on.finish(run.id);
        expect(ended.completed_at.has_value());
        expect(on.service->partitions(run.id)->front().pass == 3_u);
        const auto all = on.canonical();
        for (const auto& [id, each] : on.source.data.all()) expect(all.contains(id)) << id;
    };

    "a source that is paged by a mark needs no second look"_test = [] {
        support::feed_stage<marked> on;
        on.fill(95);
        bool is_gone = false;
        on.source.change_page = [&](std::uint64_t, auto&) {
            if (on.source.fetches == 5 && !std::exchange(is_gone, true))
                for (int i = 0; i < 7; ++i) on.source.data.remove("a1000" + std::to_string(i));
        };
        const auto run = on.run();
        expect(run.completed_at.has_value());
        const auto part = on.service->partitions(run.id)->front();
        expect(part.pass == 0_u);
        expect(on.canonical().size() == 95_ul);
    };

    "counts that say more than there is cost a second pass, and are told"_test = [] {
        single_stage on;
        on.fill(55);
        on.source.change_count = [](std::uint64_t count) { return count == 0 ? 0 : count + 3; };
        const auto run = run_exactly(on, 55);
        const auto told = on.events(run.id, bulk::event_kind::partition_completed);
        expect(fatal(told.size() == 1_ul));
        expect(told[0].level == bulk::severity::warning);
        expect(contains(told[0].message, "the source had counted 58")) << told[0].message;
    };

    "counts that say less than there is lose nothing"_test = [] {
        stage on;
        on.fill(300);
        on.source.change_count = [](std::uint64_t count) { return count / 3; };
        (void)run_exactly(on, 300);
    };

    "a source without end is left, in words"_test = [] {
        single_stage on;
        on.fill(20);
        on.source.change_page = [&](std::uint64_t, auto& page) {
            page.items.assign(10, {"same", 1, 1, 1'000'000'000'000'000});
            page.has_more = true;
        };
        const auto run = on.run();
        expect(run.failed == 1_u);
        const auto why = on.service->failed_partitions(run.id)->front().error;
        expect(contains(why, "and does not end")) << why;
    };

    "an item without key is a bad one, and says where it was"_test = [] {
        support::feed_stage<anonymous> on;
        const auto run = on.run();
        expect(on.service->state_of(run) == bulk::run_state::failed);
        expect(run.bad_items == 1_ul);
        expect(run.consolidated == 2_ul);
        const auto bad = on.service->bad_items(run.id);
        expect(fatal(bad->size() == 1_ul));
        expect(bad->front().key == std::string{"partition-0, record 2"});
        expect(bad->front().reason == std::string{"it has no key"});
        expect(on.service->resume_consolidation(run.id).value() == 0_ul) << "it cannot be mended";
        expect(on.service->state_of(on.finish(run.id)) == bulk::run_state::failed);
    };

    "an extent that is the wrong way round is refused"_test = [] {
        support::feed_stage<wide> on;
        wide::extent_now = {10, 5};
        const auto refused = on.service->start("wide");
        expect(fatal(not refused.has_value()));
        expect(refused.error().code == bulk::errc::invalid_argument);
        expect(contains(refused.error().message, "is the wrong way round: 10 to 5"));
    };

    "negative positions are positions"_test = [] {
        support::feed_stage<wide> on;
        wide::extent_now = {-5'000, 5'000};
        for (int i = -100; i < 100; ++i) on.put("a" + std::to_string(i), i * 50, 1, 24h);
        expect(on.run().records == 200_ul);
        expect(on.is_exact());
    };

    "an extent without end is refused before the source is asked a million times"_test = [] {
        support::feed_stage<wide> on;
        wide::extent_now = {std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max()};
        on.put("a", 5, 1, 24h);
        const auto refused = on.service->start("wide");
        expect(fatal(not refused.has_value()));
        expect(refused.error().code == bulk::errc::invalid_argument) << refused.error().message;
    };

    "a source that is down when it is looked at is asked again; then there is no run"_test = [] {
        stage on;
        on.fill(100);
        int asked = 0;
        on.source.on_count = [&](std::int64_t) -> bulk::result<> {
            return ++asked <= 2 ? bulk::result<>{bulk::fail_with_status(502, "gone")}
                                : bulk::result<>{};
        };
        expect(on.run().completed_at.has_value()) << "two retries are enough";
        on.source.on_count = [&](std::int64_t) -> bulk::result<> {
            return bulk::fail_with_status(502, "gone");
        };
        const auto refused = on.service->start("articles", {.type = bulk::run_type::full});
        expect(fatal(not refused.has_value()));
        expect(contains(refused.error().message, "feed 'articles': counting 0 to"))
            << refused.error().message;
        expect(on.service->query({})->items.size() == 1_ul);
    };

    "what a feed throws is an error like any other"_test = [] {
        stage on;
        on.fill(100);
        on.source.on_count = [](std::int64_t) -> bulk::result<> {
            throw std::runtime_error{"no network"};
        };
        const auto refused = on.service->start("articles");
        expect(contains(refused.error().message, "no network"));
        on.source.on_count = {};
        on.source.on_fetch = [](std::uint32_t, std::uint64_t) -> bulk::result<> { throw 42; };
        const auto run = on.run();
        expect(run.failed == run.partitions);
        expect(contains(on.service->failed_partitions(run.id)->front().error,
                        "something was thrown that is no std::exception"));
    };

    "a watermark in the future is refused, when it is set and when it is used"_test = [] {
        stage on;
        on.fill(100);
        const auto refused = on.service->set_watermark("articles", on.jobs.now() + 1s, "ops");
        expect(fatal(not refused.has_value()));
        expect(refused.error().code == bulk::errc::invalid_argument);
        on.run();
        on.jobs.set_back(24h);
        const auto start = on.service->start("articles");
        expect(fatal(not start.has_value()));
        expect(contains(start.error().message, "is in the future")) << start.error().message;
        expect(on.service->set_watermark("articles", std::nullopt, "ops").has_value());
        expect(on.service->start("articles").has_value());
    };

    "HTTP statuses pass, or do not"_test = [] {
        const auto passes = [](int status) {
            return bulk::is_passing(bulk::fail_with_status(status, "").error().code);
        };
        for (const int status : {408, 425, 429, 500, 502, 503, 504})
            expect(passes(status)) << status;
        for (const int status : {400, 401, 403, 404, 409, 410, 422})
            expect(not passes(status)) << status;
        expect(bulk::is_passing(bulk::fail("anything").error().code)) << "unknown ones pass";
    };
}
