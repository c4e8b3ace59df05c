// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/feed/checks.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/json/reader.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// An item of a canonical set as its feed declares it.
template <declared_feed Feed>
[[nodiscard]] result<typename Feed::canonical_type> read_item(const canonical_item& item) {
    typename Feed::canonical_type row{};
    auto reader = json::reader<typename Feed::canonical_type>::open(
        byte_source{std::string_view{item.payload}}, json::layout::lines, no_limits);
    if (reader.next(row) == read_status::row) return row;
    return fail(errc::invalid_row,
                concat("item '", item.key, "' of feed '", options_of_feed<Feed>.name,
                       "' was made by a program that declares it otherwise"));
}

/// Calls `visit(const canonical_item&, const Canonical&)` for every item of a feed that is not deleted,
/// by key, in little memory.
template <declared_feed Feed, typename Service, typename Visit>
[[nodiscard]] result<> for_each_item(Service& service, Visit&& visit) {
    item_query query{.feed = std::string{options_of_feed<Feed>.name}, .page_size = largest_page};
    do {
        auto found = service.items(query);
        if (!found) return std::unexpected{std::move(found).error()};
        for (const auto& each : found->items) {
            auto row = read_item<Feed>(each);
            if (!row) return std::unexpected{std::move(row).error()};
            visit(each, *row);
        }
        query.after = std::move(found->next);
    } while (!query.after.empty());
    return {};
}

}  // namespace bulk
