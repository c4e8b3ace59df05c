// The source of the processes that are killed: some thousand records, most of them cheap and few of
// them dear, which change from round to round. What it has in each round follows from the seed.
#pragma once

#include <bulk/feed.hpp>

#include <support/catalogue.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace crash {

using support::article;

struct offer {
    std::string label;
    std::int64_t stock = 0;
};
BULK_ROW(offer, label, stock);

inline offer offer_of(const article& raw) {
    return {.label = raw.id + " at " + std::to_string(raw.price), .stock = raw.stock};
}

/// How often something was begun, by all processes: one that is killed has counted all the same.
class marks {
public:
    enum kind { count, fetch, map, last_map };

    explicit marks(const std::string& path) {
        const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0 || ::ftruncate(file, sizeof(numbers)) != 0)
            throw std::runtime_error{"no marks can be made in " + path};
        void* const at =
            ::mmap(nullptr, sizeof(numbers), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::close(file);
        if (at == MAP_FAILED) throw std::runtime_error{"no marks can be made in " + path};
        all_ = static_cast<numbers*>(at);
    }
    marks(const marks&) = delete;
    marks& operator=(const marks&) = delete;
    ~marks() { ::munmap(all_, sizeof(numbers)); }

    void add(kind what) { std::atomic_ref{all_->of[what]}.fetch_add(1); }
    [[nodiscard]] std::uint64_t get(kind what) const {
        return std::atomic_ref{all_->of[what]}.load();
    }

private:
    struct numbers {
        std::uint64_t of[4];
    };
    numbers* all_ = nullptr;
};

/// The source in one round. In round 0 everything is new; in every odd one some records have changed,
/// some are new and some are back; in every even one some have changed and some are gone.
class goods_of_round {
public:
    /// `moments` is when each round has begun, up to this one.
    goods_of_round(std::uint64_t seed, const std::vector<std::int64_t>& moments) {
        std::mt19937_64 random{seed};
        for (int i = 0; i < first_count; ++i) add(random, long_ago);
        for (std::size_t round = 1; round < moments.size(); ++round)
            turn(random, round, moments[round]);
        for (const auto& [id, each] : all_) by_price_.emplace_back(each);
        std::ranges::sort(by_price_, {},
                          [](const article& each) { return std::pair{each.price, each.id}; });
    }

    [[nodiscard]] static bool is_full(std::size_t round) { return round % 2 == 0; }

    [[nodiscard]] const std::map<std::string, article>& all() const { return all_; }
    [[nodiscard]] const std::set<std::string>& removed() const { return removed_; }
    /// In this round alone.
    [[nodiscard]] std::uint64_t changed_now() const { return changed_now_; }
    [[nodiscard]] std::uint64_t removed_now() const { return removed_now_; }

    [[nodiscard]] std::vector<article> select(std::int64_t first, std::int64_t last,
                                              const bulk::update_window& window) const {
        std::vector<article> found;
        const auto price = [](const article& each) { return each.price; };
        const auto begin = std::ranges::lower_bound(by_price_, first, {}, price);
        for (auto at = begin; at != by_price_.end() && at->price <= last; ++at)
            if (is_in(*at, window)) found.push_back(*at);
        return found;
    }
    [[nodiscard]] std::uint64_t count(const bulk::update_window& window) const {
        return static_cast<std::uint64_t>(std::ranges::count_if(
            by_price_, [&](const article& each) { return is_in(each, window); }));
    }

private:
    static constexpr int first_count = 3'000;
    static constexpr std::int64_t long_ago = 1'600'000'000'000'000;

    [[nodiscard]] static bool is_in(const article& each, const bulk::update_window& window) {
        const bulk::timestamp at{std::chrono::microseconds{each.updated}};
        return at >= window.from && at < window.to;
    }

    /// Two thirds of them within a thousandth of the range.
    void add(std::mt19937_64& random, std::int64_t now) {
        const auto kind = random() % 100;
        const std::uint64_t most = kind < 66 ? 1'000 : kind < 95 ? 50'000 : 1'000'000;
        char id[16];
        std::snprintf(id, sizeof id, "a%06d", next_++);
        all_[id] = {.id = id,
                    .price = static_cast<std::int64_t>(random() % most),
                    .stock = static_cast<std::int64_t>(random() % 100),
                    .updated = now};
        ++changed_now_;
    }

    void turn(std::mt19937_64& random, std::size_t round, std::int64_t now) {
        changed_now_ = removed_now_ = 0;
        std::vector<std::string> gone;
        for (auto& [id, each] : all_) {
            const auto chance = random() % 100;
            if (chance < 12) {
                each.stock += 1;
                each.updated = now;
                ++changed_now_;
            } else if (chance < 15 && is_full(round)) {
                gone.push_back(id);
            }
        }
        for (const auto& id : gone) {
            all_.erase(id);
            removed_.insert(id);
            ++removed_now_;
        }
        if (is_full(round)) return;
        for (int i = 0; i < 100; ++i) add(random, now);
        for (int i = 0; i < 10 && !removed_.empty(); ++i) {
            const std::string id = *removed_.begin();
            removed_.erase(id);
            all_[id] = {.id = id, .price = 7, .stock = 7, .updated = now};
            ++changed_now_;
        }
    }

    std::map<std::string, article> all_;
    std::vector<article> by_price_;
    std::set<std::string> removed_;
    int next_ = 0;
    std::uint64_t changed_now_ = 0, removed_now_ = 0;
};

struct world {
    goods_of_round source;
    marks begun;
};
inline world* now_in = nullptr;

struct goods : bulk::feed<goods, article, offer> {
    // Whoever is killed does not come back: that must fail no partition here.
    BULK_FEED("goods", .page_size = 30, .target_per_partition = 200, .max_workers = 8,
              .max_workers_incremental = 4, .min_per_worker = 50, .dense_below = 1'000,
              .dense_step = 100, .sparse_step = 5'000, .max_deliveries = 1'000'000,
              .batch_size = 250, .upsert_size = 50)
    static constexpr range extent{0, 1'000'000};

    bulk::result<std::uint64_t> count(const range& prices, const window& changed) {
        now_in->begun.add(marks::count);
        return now_in->source.select(prices.first, prices.last, changed).size();
    }
    bulk::result<page> fetch(const partition& part, std::uint64_t offset, std::uint32_t limit,
                             const window& changed) {
        now_in->begun.add(marks::fetch);
        const auto all = now_in->source.select(part.range.first, part.range.last, changed);
        page found;
        for (std::uint64_t i = offset; i < all.size() && i < offset + limit; ++i)
            found.items.push_back(all[i]);
        found.has_more = offset + limit < all.size();
        return found;
    }
    bulk::result<offer> map(const article& raw) {
        now_in->begun.add(raw.id >= "a002950" ? marks::last_map : marks::map);
        return offer_of(raw);
    }
};

}  // namespace crash
