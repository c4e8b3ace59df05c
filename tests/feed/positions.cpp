// Feeds that are cut along decimals, days, moments and numbers that have no sign: every record is in
// exactly one partition, whatever it stands at.
#include <bulk/feed.hpp>

#include <support/seeded_executor.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;

namespace {

struct record {
    std::string id;
};
BULK_ROW(record, (id, .row_id = true));

template <typename Position>
struct entry {
    Position at;
    std::string id;
};

/// The records of the feed that is tested, by where they stand.
template <typename Position>
std::vector<entry<Position>>& entries() {
    static std::vector<entry<Position>> all;
    return all;
}

template <typename Self, typename Position>
struct placed_feed : bulk::feed<Self, record, record, Position> {
    using base = bulk::feed<Self, record, record, Position>;

    bulk::result<std::uint64_t> count(const typename base::range& within,
                                      const bulk::update_window&) {
        return select(within).size();
    }
    bulk::result<typename base::page> fetch(const typename base::partition& part,
                                            std::uint64_t offset, std::uint32_t limit,
                                            const bulk::update_window&) {
        auto all = select(part.range);
        typename base::page page;
        for (std::uint64_t i = offset; i < all.size() && i < offset + limit; ++i)
            page.items.push_back({all[i]});
        page.has_more = offset + limit < all.size();
        return page;
    }
    bulk::result<record> map(const record& raw) { return raw; }

private:
    static std::vector<std::string> select(const typename base::range& within) {
        std::vector<std::string> found;
        for (const auto& each : entries<Position>())
            if (each.at >= within.first && each.at <= within.last) found.push_back(each.id);
        return found;
    }
};

using money = bulk::decimal<2>;
using moment = std::chrono::sys_seconds;

struct by_price : placed_feed<by_price, money> {
    BULK_FEED("by price", .page_size = 50, .target_per_partition = 20, .max_workers = 7,
              .min_per_worker = 10, .dense_below = 200, .dense_step = 10, .granularity = 100)
    static constexpr range extent{{-100'000},
                                  {100'000'000}};  // cuts at whole euros, prices in cents
};
struct by_day : placed_feed<by_day, std::chrono::sys_days> {
    BULK_FEED("by day", .page_size = 50, .target_per_partition = 20, .max_workers = 7,
              .min_per_worker = 10, .sparse_step = 100)
    static constexpr range extent{std::chrono::sys_days{1990y / 1 / 1},
                                  std::chrono::sys_days{2040y / 12 / 31}};
};
struct by_hour : placed_feed<by_hour, moment> {
    BULK_FEED("by hour", .page_size = 50, .target_per_partition = 20, .max_workers = 7,
              .min_per_worker = 10, .dense_below = 0, .sparse_step = 24 * 30, .two_pass = true,
              .granularity = 3600)
    static constexpr range extent{std::chrono::sys_days{2020y / 1 / 1},
                                  std::chrono::sys_days{2030y / 1 / 1} - 1s};
};
struct by_number : placed_feed<by_number, std::uint32_t> {
    BULK_FEED("by number", .page_size = 50, .target_per_partition = 20, .max_workers = 7,
              .min_per_worker = 10, .dense_below = 0, .dense_step = 1'000'000,
              .sparse_step = 100'000'000)
    static constexpr range extent{0, std::numeric_limits<std::uint32_t>::max()};
};

/// A run over random records, and whether all of them arrived.
template <typename Feed, typename Place>
void check(Place place) {
    using position = typename Feed::position_type;
    auto& all = entries<position>();
    all.clear();
    std::mt19937_64 random{11};
    for (int i = 0; i < 400; ++i) all.push_back({place(random), "r" + std::to_string(i)});
    all.push_back({Feed::extent.first, "first"});
    all.push_back({Feed::extent.last, "last"});

    support::seeded_executor jobs{1};
    const std::string name{bulk::options_of_feed<Feed>.name};
    {
        bulk::feed_service service{bulk::feeds<Feed>, bulk::memory::storage{},
                                   bulk::feed_service_options{}, &jobs};
        const auto started = service.start(name);
        expect(started.has_value()) << (started ? "" : started.error().message);
        expect(fatal(started.has_value()));
        const auto id = (*started)->id;
        while (bulk::is_active(*service.get(id))) expect(fatal(jobs.step()));
        const auto run = *service.get(id);
        expect(run.completed_at.has_value());
        expect(run.partitions > 2_u);
        expect(run.records == all.size());
        std::uint64_t sum = 0;
        const auto partitions = service.partitions(id).value();
        for (const auto& part : partitions) sum += part.records;
        expect(sum == all.size()) << "each in one partition";
        std::set<std::string> found;
        const auto read = bulk::for_each_item<Feed>(
            service, [&](const bulk::canonical_item&, const record& row) { found.insert(row.id); });
        expect(read.has_value());
        expect(found.size() == all.size());
    }
    jobs.drop_all();
}

}  // namespace

int main() {
    "along decimals, with cuts at whole units and records between them"_test = [] {
        check<by_price>([](auto& random) {
            return money{static_cast<std::int64_t>(random() % 1'000 == 0 ? random() % 100'000'000
                                                                         : random() % 30'000)};
        });
    };
    "along days"_test = [] {
        check<by_day>([](auto& random) {
            return std::chrono::sys_days{2020y / 1 / 1} + std::chrono::days{random() % 700};
        });
    };
    "along moments, in steps of an hour"_test = [] {
        check<by_hour>([](auto& random) {
            return moment{std::chrono::sys_days{2024y / 3 / 1} +
                          std::chrono::seconds{random() % 8'000'000}};
        });
    };
    "along numbers without a sign, up to the last one"_test = [] {
        check<by_number>([](auto& random) {
            return static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 50'000'000);
        });
    };

    "positions are shown as they are written"_test = [] {
        expect(bulk::position_text<money>(1234) == std::string{"12.34"});
        expect(bulk::position_text<std::chrono::sys_days>(0) == std::string{"1970-01-01"});
        expect(bulk::position_text<moment>(3600) == std::string{"1970-01-01T01:00:00Z"});
        expect(bulk::position_text<int>(-5) == std::string{"-5"});
        expect(bulk::position_at<std::uint32_t>(-1) == 0_u) << "the nearest that there is";
    };
}
