// A source for feeds that lives in memory: records by price, each with the moment of its last change,
// which can be changed, removed and made to misbehave while it is read.
#pragma once

#include <bulk/feed.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace support {

struct article {
    std::string id;
    std::int64_t price = 0;
    std::int64_t stock = 0;
    std::int64_t updated = 0;  ///< microseconds

    bool operator==(const article&) const = default;
};
BULK_ROW(article, (id, .row_id = true), price, stock, updated);

struct listing {
    std::string id;
    std::string label;
    std::int64_t stock = 0;

    bool operator==(const listing&) const = default;
};
BULK_ROW(listing, id, label, stock);

/// All articles. Paged by number in the order of their ids, as they are at that moment.
class catalogue {
public:
    void put(article each) {
        const std::scoped_lock lock{mutex_};
        articles_[each.id] = std::move(each);
    }
    void remove(const std::string& id) {
        const std::scoped_lock lock{mutex_};
        articles_.erase(id);
    }
    [[nodiscard]] std::size_t size() const {
        const std::scoped_lock lock{mutex_};
        return articles_.size();
    }
    [[nodiscard]] std::map<std::string, article> all() const {
        const std::scoped_lock lock{mutex_};
        return articles_;
    }

    [[nodiscard]] std::vector<article> select(std::int64_t first, std::int64_t last,
                                              const bulk::update_window& window) const {
        const std::scoped_lock lock{mutex_};
        std::vector<article> found;
        for (const auto& [id, each] : articles_)
            if (each.price >= first && each.price <= last && is_in(each, window))
                found.push_back(each);
        return found;
    }

    [[nodiscard]] static bool is_in(const article& each, const bulk::update_window& window) {
        const bulk::timestamp at{std::chrono::microseconds{each.updated}};
        return at >= window.from && at < window.to;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, article> articles_;
};

[[nodiscard]] inline listing listing_of(const article& raw) {
    return {.id = raw.id, .label = raw.id + " at " + std::to_string(raw.price), .stock = raw.stock};
}

}  // namespace support
