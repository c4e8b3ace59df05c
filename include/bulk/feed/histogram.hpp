// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/feed/density.hpp>
#include <bulk/feed/granules.hpp>
#include <bulk/feed/partitioner.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

/// Turns a place on the axis of a feed into what people know it by: a price, a date.
template <typename Show>
concept place_text = requires(Show& show, std::int64_t place) {
    { std::invoke(show, place) } -> std::convertible_to<std::string>;
};

namespace detail {

/// The texts of a line, and what its bar is to show.
struct bar_line {
    std::string name{};
    std::string first{};
    std::string last{};
    std::uint64_t records = 0;
};

/// In characters, not bytes.
[[nodiscard]] inline std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

[[nodiscard]] inline std::string spaces_to(std::size_t width, std::string_view text) {
    const std::size_t has = columns_of(text);
    return std::string(has < width ? width - has : 0, ' ');
}

/// One line each: name, range, records, bar. The longest bar ends at `width`; whoever has a record
/// has a bar, so that little does not look like nothing.
[[nodiscard]] inline std::string bar_chart(const std::vector<bar_line>& lines, std::size_t width) {
    std::size_t name = 0, first = 0, last = 0, digits = 0;
    std::uint64_t most = 1;
    for (const auto& line : lines) {
        name = std::max(name, columns_of(line.name));
        first = std::max(first, columns_of(line.first));
        last = std::max(last, columns_of(line.last));
        digits = std::max(digits, std::to_string(line.records).size());
        most = std::max(most, line.records);
    }
    const std::size_t gaps = (name > 0 ? 2U : 0U) + 4U + 2U + 2U;
    const std::size_t taken = name + first + last + digits + gaps;
    const std::size_t room = width > taken ? width - taken : 1;

    std::string text;
    for (const auto& line : lines) {
        const auto bar = static_cast<std::size_t>(granule{line.records} * room / most);
        if (name > 0) text += concat(line.name, spaces_to(name, line.name), "  ");
        const std::string records = std::to_string(line.records);
        text += concat(spaces_to(first, line.first), line.first, " .. ", spaces_to(last, line.last),
                       line.last, "  ", spaces_to(digits, records), records);
        if (line.records > 0) text += concat("  ", std::string(std::max<std::size_t>(bar, 1), '#'));
        text += '\n';
    }
    return text;
}

}  // namespace detail

/// Where the records are: a line for each of `buckets` equal parts of the extent. Of a chunk that
/// lies in several of them, each gets its share.
template <place_text Show>
[[nodiscard]] std::string histogram_of(const density& found, const key_range& extent,
                                       std::size_t buckets, std::size_t width, Show&& show) {
    if (extent.first > extent.last || buckets == 0) return {};
    const granule_span all = granules_of(extent, 1);
    const auto parts = static_cast<std::uint64_t>(std::min<granule>(all.width(), buckets));
    std::vector<detail::bar_line> lines;
    std::size_t chunk = 0;
    for (std::uint64_t i = 0; i < parts; ++i) {
        const granule_span bucket = part_of(all, i, parts);
        const key_range places = places_of(bucket, extent, 1);
        std::uint64_t records = 0;
        for (; chunk < found.chunks.size(); ++chunk) {
            const granule_span span = granules_of(found.chunks[chunk].range, 1);
            const auto before = [&](granule at) {
                return share_before(found.chunks[chunk].count, span,
                                    std::min(std::max(at, span.begin), span.end));
            };
            records += before(bucket.end) - before(bucket.begin);
            if (span.end > bucket.end) break;  // the next bucket has the rest of it
        }
        lines.push_back({.first = std::invoke(show, places.first),
                         .last = std::invoke(show, places.last),
                         .records = records});
    }
    return detail::bar_chart(lines, width);
}

/// How they are cut: a line for each partition.
template <place_text Show>
[[nodiscard]] std::string histogram_of(const feed_plan& plan, std::size_t width, Show&& show) {
    std::vector<detail::bar_line> lines;
    for (std::size_t i = 0; i < plan.partitions.size(); ++i) {
        const auto& each = plan.partitions[i];
        lines.push_back({.name = partition_name(static_cast<std::uint32_t>(i)),
                         .first = std::invoke(show, each.range.first),
                         .last = std::invoke(show, each.range.last),
                         .records = each.estimated});
    }
    std::string text = detail::bar_chart(lines, width);
    if (plan.is_capped)
        text += concat("capped at ", plan.total, " records: the rest of the source is left out\n");
    return text;
}

}  // namespace bulk
