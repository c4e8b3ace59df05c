// A catalogue that is too big for one file is copied in 30 parts: one part fails and is retried; then
// what has changed is copied alone. `08_feed [RECORDS]`
#include <bulk/feed.hpp>
#include <bulk/feed/histogram.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

using namespace std::chrono_literals;
using price = bulk::decimal<2>;

struct gem {
    std::string id;
    price cost;
    bulk::timestamp updated;
};
BULK_ROW(gem, (id, .row_id = true), cost, updated);

struct offer {
    std::string label;
    price asked;
};
BULK_ROW(offer, label, asked);

/// Somebody else's shop, sorted by price. Most of it is cheap: each price is the product of many chances.
struct shop {
    std::vector<gem> gems;
    std::atomic<bool> is_closed_in_part = true;

    void fill(std::size_t count) {
        std::mt19937_64 random{7};
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t cents = 100'000;
            for (int chance = 0; chance < 24; ++chance)
                cents = cents * static_cast<std::int64_t>(55 + random() % 91) / 100;
            gems.push_back({"gem-" + std::to_string(1'000'000 + i), price{cents},
                            bulk::system_clock{}.now() - 24h});
        }
        sort();
    }
    void sort() {
        std::ranges::sort(gems, {}, [](const gem& each) { return std::pair{each.cost, each.id}; });
    }
    template <typename Visit>
    void visit(price first, price last, const bulk::update_window& changed, Visit visit) const {
        const auto from = std::ranges::lower_bound(gems, first, {}, &gem::cost);
        for (auto at = from; at != gems.end() && at->cost <= last; ++at)
            if (at->updated >= changed.from && at->updated < changed.to && !visit(*at)) return;
    }
} source;

struct offers : bulk::feed<offers, gem, offer, price> {
    BULK_FEED("offers", .page_size = 500, .target_per_partition = 250, .dense_below = 2'000,
              .dense_step = 50, .granularity = 100)
    static constexpr range extent{price{0}, price{100'000'000}};

    bulk::result<std::uint64_t> count(const range& asked, const window& changed) {
        std::uint64_t found = 0;
        source.visit(asked.first, asked.last, changed, [&](const gem&) { return ++found > 0; });
        return found;
    }
    bulk::result<page> fetch(const partition& part, std::uint64_t offset, std::uint32_t limit,
                             const window& changed) {
        if (source.is_closed_in_part && part.number == 12 && offset >= 1'000)
            return bulk::fail_with_status(403, "ask the manager");
        page found;
        source.visit(part.range.first, part.range.last, changed, [&](const gem& each) {
            if (offset > 0) return --offset, true;
            found.has_more = found.items.size() == limit;
            if (!found.has_more) found.items.push_back(each);
            return !found.has_more;
        });
        return found;
    }
    bulk::result<offer> map(const gem& g) {
        return offer{g.id + " for " + to_text(g.cost), price{g.cost.units * 120 / 100}};
    }
};

template <typename Service>
void print(Service& service, const bulk::feed_run& run) {
    std::cout << name_of(run.type) << " run: " << name_of(service.state_of(run)) << ", "
              << run.completed << " of " << run.partitions << " partitions, " << run.records
              << " records, " << run.changed << " changed, " << run.consolidated
              << " consolidated\n";
}

int main(int argc, char** argv) {
    source.fill(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 500'000);
    std::string directory = (std::filesystem::temp_directory_path() / "feed-XXXXXX").string();
    if (mkdtemp(directory.data()) == nullptr) return 1;
    {
        bulk::feed_service service{bulk::feeds<offers>,
                                   bulk::sqlite::storage::open(directory + "/feeds.db").value()};
        const auto show = [&](std::int64_t at) { return service.feeds().front()->text_of(at); };
        const auto plan = service.plan("offers").value();
        std::cout << histogram_of(plan.found, {0, 999'999}, 10, 72, show);
        const auto [least, most] =
            std::ranges::minmax(plan.partitions, {}, &bulk::planned_partition::estimated);
        std::cout << plan.found.total << " records in " << plan.partitions.size()
                  << " partitions of " << least.estimated << " to " << most.estimated
                  << ", found with " << plan.found.counts_asked << " counts\n\n";

        const auto id = service.start("offers").value()->id;
        print(service, service.wait(id).value());
        for (const auto found = service.failed_partitions(id).value(); const auto& failed : found)
            std::cout << "partition " << failed.number << ", from " << show(failed.range.first)
                      << " to " << show(failed.range.last) << ", failed at offset "
                      << failed.next_offset << ": " << failed.error << '\n';
        source.is_closed_in_part = false;
        std::cout << service.retry_partitions(id).value() << " partition is retried\n";
        print(service, service.wait(id).value());

        for (std::size_t i = 0; i < source.gems.size(); i += 400) {
            source.gems[i].cost.units += 100;
            source.gems[i].updated = bulk::system_clock{}.now();
        }
        source.gems.push_back({"gem-new", price{1'999'99}, bulk::system_clock{}.now()});
        source.sort();
        const auto next = service.start("offers").value()->id;
        print(service, service.wait(next).value());

        std::size_t kept = 0;
        if (!bulk::for_each_item<offers>(service, [&](const auto&, const offer&) { ++kept; }))
            return 1;
        std::cout << kept << " offers in version " << service.watermark_of("offers")->version
                  << "; " << service.item("offers", "gem-new").value()->payload << '\n';
    }
    std::filesystem::remove_all(directory);
}
