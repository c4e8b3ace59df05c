// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/options.hpp>
#include <bulk/feed/source.hpp>
#include <bulk/operation/member_names.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/members.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace bulk {

template <typename Feed>
concept feed_class =
    requires {
        typename Feed::self_type;
        typename Feed::raw_type;
        typename Feed::canonical_type;
        typename Feed::position_type;
    } && std::is_base_of_v<feed<Feed, typename Feed::raw_type, typename Feed::canonical_type,
                                typename Feed::position_type>,
                           Feed>;

namespace detail {

/// A text or a number.
template <typename T>
concept key_value =
    std::convertible_to<T, std::string_view> || (std::integral<T> && !std::same_as<T, bool>);

template <typename Row>
consteval bool has_views() {
    bool found = false;
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t) {
        using type = member_type_of<Pointer>;
        found |= std::same_as<type, std::string_view> ||
                 std::same_as<type, std::optional<std::string_view>>;
    });
    return found;
}

}  // namespace detail

template <typename Feed>
concept counts_source =
    requires(Feed& feed, const typename Feed::range& range, const update_window& window) {
        { feed.count(range, window) } -> std::convertible_to<result<std::uint64_t>>;
    };

template <typename Feed>
concept fetches_source =
    requires(Feed& feed, const typename Feed::partition& part, std::uint64_t offset,
             std::uint32_t limit, const update_window& window) {
        {
            feed.fetch(part, offset, limit, window)
        } -> std::convertible_to<result<typename Feed::page>>;
    };

template <typename Feed>
concept maps_items = requires(Feed& feed, const typename Feed::raw_type& raw) {
    { feed.map(raw) } -> std::convertible_to<result<typename Feed::canonical_type>>;
};

template <typename Feed>
concept keys_items = requires(Feed& feed, const typename Feed::raw_type& raw) {
    { feed.key(raw) } -> detail::key_value;
};

template <typename Feed>
concept hashes_items = requires(Feed& feed, const typename Feed::raw_type& raw) {
    { feed.hash(raw) } -> detail::key_value;
};

template <typename Feed>
concept prepares = requires(Feed& feed, const feed_run& run) {
    { feed.prepare(run) } -> std::convertible_to<result<>>;
};

template <typename Feed>
concept has_constant_extent = requires {
    { Feed::extent } -> std::convertible_to<typename Feed::range>;
};
template <typename Feed>
concept asks_extent = requires(Feed& feed, const update_window& window) {
    { feed.extent(window) } -> std::convertible_to<result<typename Feed::range>>;
};

/// A feed whose parts can be looked at; whether they are right is what `check_feed` says.
template <typename Feed>
concept declared_feed =
    feed_class<Feed> && declared_row<typename Feed::raw_type> &&
    declared_row<typename Feed::canonical_type> && feed_position<typename Feed::position_type> &&
    !std::is_final_v<Feed> && std::default_initializable<Feed> &&
    requires { Feed::template bulk_feed<Feed>(); };

/// The sentences for types that are no feed at all.
template <typename Feed>
consteval void check_feed_class() {
    static_assert(
        feed_class<Feed>,
        "a feed derives publicly from bulk::feed<itself, its raw row, its canonical row>, "
        "with its position as a fourth where that is no std::int64_t");
    if constexpr (feed_class<Feed>) {
        static_assert(declared_row<typename Feed::raw_type>,
                      "bulk::feed<Self, Raw, Canonical>: Raw is not declared; write BULK_ROW(Raw, "
                      "its members...) after its definition, in its own namespace");
        static_assert(declared_row<typename Feed::canonical_type>,
                      "bulk::feed<Self, Raw, Canonical>: Canonical is not declared; write "
                      "BULK_ROW(Canonical, its members...) after its definition, in its own "
                      "namespace");
        static_assert(feed_position<typename Feed::position_type>,
                      "bulk::feed<Self, Raw, Canonical, Position>: a source is cut along whole "
                      "numbers, bulk::decimal, days or moments; between two floating-point numbers "
                      "there is always another");
        static_assert(!std::is_final_v<Feed>, "a feed cannot be final");
        static_assert(std::default_initializable<Feed>, "a feed must be default-constructible");
        static_assert(
            requires { Feed::template bulk_feed<Feed>(); },
            "a feed needs BULK_FEED(\"its name\") inside, in a public place");
    }
}

/// The sentences for feeds that cannot work; whether there is enough right to go on, so that one
/// mistake is one error. Instantiated by every use of a feed.
template <typename Feed>
[[nodiscard]] consteval bool check_feed() {
    check_feed_class<Feed>();
    if constexpr (!declared_feed<Feed>) {
        return false;
    } else {
        using raw = typename Feed::raw_type;
        static_assert(
            !detail::has_views<raw>() && !detail::has_views<typename Feed::canonical_type>(),
            "bulk::feed<Self, Raw, Canonical>: items outlive the page that they came "
            "with; their texts are std::string, not std::string_view");
        static_assert(counts_source<Feed>,
                      "a feed has count(range, window), public, which returns "
                      "bulk::result<std::uint64_t>");
        static_assert(fetches_source<Feed>,
                      "a feed has fetch(const partition&, std::uint64_t offset, std::uint32_t "
                      "limit, window), public, which returns bulk::result<page>");
        static_assert(maps_items<Feed>,
                      "a feed has map(const Raw&), public, which returns bulk::result<Canonical>");
        static_assert(has_constant_extent<Feed> || asks_extent<Feed>,
                      "a feed has an extent, the first and the last position of its source: a "
                      "public `static constexpr range extent{...}`, or extent(window), which "
                      "returns bulk::result<range>");
        static_assert(names_key<Feed> || row_id_columns<raw>() == 1,
                      "a feed needs to know its items: key(const Raw&), or a column of Raw with "
                      ".row_id = true");
        static_assert(!names_key<Feed> || keys_items<Feed>,
                      "key takes (const Raw&), returns a text or a whole number, and is public");
        static_assert(!names_hash<Feed> || hashes_items<Feed>,
                      "hash takes (const Raw&), returns a text or a whole number, and is public");
        static_assert(!names_prepare<Feed> || prepares<Feed>,
                      "prepare takes (const bulk::feed_run&), returns bulk::result<>, and is "
                      "public");
        return counts_source<Feed> && fetches_source<Feed> && maps_items<Feed> &&
               (has_constant_extent<Feed> || asks_extent<Feed>) &&
               (names_key<Feed> ? keys_items<Feed> : row_id_columns<raw>() == 1) &&
               !detail::has_views<raw>() && (!names_hash<Feed> || hashes_items<Feed>) &&
               (!names_prepare<Feed> || prepares<Feed>);
    }
}

/// What was said about it.
template <declared_feed Feed>
inline constexpr feed_options options_of_feed = Feed::template bulk_feed<Feed>();

}  // namespace bulk
