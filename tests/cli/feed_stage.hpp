// Programs with feeds, on the stage of the others. Compiled once, in feed_stage.cpp.
#pragma once

#include "stage.hpp"

#include <bulk/core/error.hpp>
#include <bulk/storage/memory/storage.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace stage {

/// A shelf of the shop that the feeds read: cut along prices of 0 to 999.
struct article {
    std::string id;
    std::int64_t price = 0;
    bulk::timestamp changed{};
};

class shop {
public:
    void put(const std::string& id, std::int64_t price) {
        const std::scoped_lock lock{mutex_};
        articles_[id] = {id, price, bulk::system_clock{}.now() - std::chrono::milliseconds{1}};
    }
    void remove(const std::string& id) {
        const std::scoped_lock lock{mutex_};
        articles_.erase(id);
    }
    [[nodiscard]] std::vector<article> select(std::int64_t first, std::int64_t last,
                                              bulk::timestamp from, bulk::timestamp to) const {
        const std::scoped_lock lock{mutex_};
        std::vector<article> found;
        for (const auto& [id, each] : articles_)
            if (each.price >= first && each.price <= last && each.changed >= from &&
                each.changed < to)
                found.push_back(each);
        return found;
    }

    std::function<bulk::result<>(std::uint32_t partition)> on_fetch;
    std::function<bulk::result<>(std::string_view id)> on_map;

private:
    mutable std::mutex mutex_;
    std::map<std::string, article> articles_;
};

/// A program, and the shop that its feeds read. With 60 articles: prices 0 to 59 have one each, in
/// three partitions.
struct feed_program : program {
    feed_program();
    ~feed_program();

    /// With the feed "articles" alone.
    answer run_feed(words command);
    /// With the operation "payments" and the feed "articles".
    answer run_all(words command);
    /// With the feed "first", which "second" follows.
    answer run_chain(words command);

    shop source;
};

}  // namespace stage
