// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/feed/declare.hpp>

#include <cstdint>
#include <string>

struct thing {
    std::string id;
    int price = 0;
};
BULK_ROW(thing, (id, .row_id = true), price);

struct listing {
    std::string id;
};
BULK_ROW(listing, id);

/// All of a feed but its name, over a source without records. A case declares again what it has wrong.
template <typename Self, typename Raw = thing, typename Position = std::int64_t>
struct empty_feed : bulk::feed<Self, Raw, listing, Position> {
    using declared = bulk::feed<Self, Raw, listing, Position>;
    using typename declared::page;
    using typename declared::partition;
    using typename declared::range;
    using typename declared::window;

    static constexpr range extent{0, 1000};
    bulk::result<std::uint64_t> count(const range&, const window&) { return 0; }
    bulk::result<page> fetch(const partition&, std::uint64_t, std::uint32_t, const window&) {
        return page{};
    }
    bulk::result<listing> map(const Raw& raw) { return listing{std::string{raw.id}}; }
};
