// A feed whose source does what a test wants.
#pragma once

#include <bulk/feed.hpp>

#include <support/catalogue.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// What the source does in a test beside answering.
struct source_behaviour {
    catalogue data;
    std::function<bulk::result<>(std::int64_t price)> on_count;
    std::function<std::uint64_t(std::uint64_t)> change_count;
    std::function<bulk::result<>(std::uint32_t partition, std::uint64_t offset)> on_fetch;
    std::function<void(std::uint64_t offset, bulk::source_page<article>&)> change_page;
    std::function<bulk::result<>(const article&)> on_map;
    std::function<bulk::result<>(const bulk::feed_run&)> on_prepare;
    std::uint64_t fetches = 0;
    std::uint64_t counts = 0;
    std::uint64_t maps = 0;
    std::map<std::pair<std::uint32_t, std::uint64_t>, int> asked;  ///< by partition and offset
    std::map<std::string, int> mapped;                             ///< by id

    std::mutex noting;  ///< a service of its own threads asks from many

    template <typename Note>
    void note(Note write) {
        const std::scoped_lock lock{noting};
        write();
    }

    static source_behaviour*& now() {
        static source_behaviour* used = nullptr;
        return used;
    }
};

/// The functions of a feed over it.
template <typename Self>
struct article_feed : bulk::feed<Self, article, listing> {
    using base = bulk::feed<Self, article, listing>;
    static constexpr typename base::range extent{0, 999};

    bulk::result<std::uint64_t> count(const typename base::range& prices,
                                      const bulk::update_window& changed) {
        auto& source = *source_behaviour::now();
        source.note([&] { ++source.counts; });
        if (source.on_count)
            if (auto said = source.on_count(prices.first); !said)
                return std::unexpected{said.error()};
        const std::uint64_t found = source.data.select(prices.first, prices.last, changed).size();
        return source.change_count ? source.change_count(found) : found;
    }
    bulk::result<typename base::page> fetch(const typename base::partition& part,
                                            std::uint64_t offset, std::uint32_t limit,
                                            const bulk::update_window& changed) {
        auto& source = *source_behaviour::now();
        source.note([&] {
            ++source.fetches;
            ++source.asked[{part.number, offset}];
        });
        if (source.on_fetch)
            if (auto said = source.on_fetch(part.number, offset); !said)
                return std::unexpected{said.error()};
        const auto all = source.data.select(part.range.first, part.range.last, changed);
        typename base::page found;
        for (std::uint64_t i = offset; i < all.size() && i < offset + limit; ++i)
            found.items.push_back(all[i]);
        found.has_more = offset + limit < all.size();
        if (source.change_page) source.change_page(offset, found);
        return found;
    }
    bulk::result<listing> map(const article& raw) {
        auto& source = *source_behaviour::now();
        source.note([&] {
            ++source.maps;
            ++source.mapped[raw.id];
        });
        if (source.on_map)
            if (auto said = source.on_map(raw); !said) return std::unexpected{said.error()};
        return listing_of(raw);
    }
    bulk::result<> prepare(const bulk::feed_run& run) {
        auto& source = *source_behaviour::now();
        return source.on_prepare ? source.on_prepare(run) : bulk::result<>{};
    }
};

}  // namespace support
