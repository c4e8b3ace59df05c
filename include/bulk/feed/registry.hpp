// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/checks.hpp>
#include <bulk/feed/typed_feed.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

namespace detail {

template <std::size_t N>
consteval bool has_twin_feeds(const std::array<feed_options, N>& all) {
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!all[i].name.empty() && same_name(all[i].name, all[j].name)) return true;
    return false;
}

template <std::size_t N>
consteval bool has_unknown_successor(const std::array<feed_options, N>& all) {
    for (const auto& each : all) {
        bool found = each.then.empty();
        for (const auto& other : all)
            found |= same_name(each.then, other.name) && !same_name(each.name, other.name);
        if (!found) return true;
    }
    return false;
}

template <typename Feed>
consteval feed_options checked_options() {
    if constexpr (check_feed<Feed>())
        return options_of_feed<Feed>;
    else
        return {};
}

}  // namespace detail

/// The feeds of a program, known at compile time.
template <typename... Feeds>
class feed_list {
public:
    static constexpr std::size_t size = sizeof...(Feeds);
    static constexpr std::array<feed_options, size> options{detail::checked_options<Feeds>()...};

    static_assert(!detail::has_twin_feeds(options),
                  "bulk::feeds<...>: two feeds have the same name (case does not count)");
    static_assert(!detail::has_unknown_successor(options),
                  "bulk::feeds<...>: .then of a feed names another feed of the program");

    [[nodiscard]] static std::vector<std::unique_ptr<any_feed>> make() {
        std::vector<std::unique_ptr<any_feed>> all;
        (all.push_back(std::make_unique<typed_feed<Feeds>>()), ...);
        return all;
    }
};

template <typename... Feeds>
inline constexpr feed_list<Feeds...> feeds{};

/// The same as a value, without the types.
class feed_catalog {
public:
    template <typename... Feeds>
    feed_catalog(feed_list<Feeds...>)  // NOLINT(google-explicit-constructor): the same list
        : make_{&feed_list<Feeds...>::make} {}

    using maker = std::vector<std::unique_ptr<any_feed>> (*)();
    explicit feed_catalog(maker make) : make_{make} {}

    [[nodiscard]] std::vector<std::unique_ptr<any_feed>> make() const { return make_(); }

private:
    maker make_;
};

/// One of them by name, in any case. Fails with `errc::not_found` and the name that was probably
/// meant.
[[nodiscard]] inline result<any_feed*> find_feed(const std::vector<std::unique_ptr<any_feed>>& all,
                                                 std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& each : all) {
        if (same_name(each->options().name, name)) return each.get();
        names.push_back(each->options().name);
    }
    std::string hint = "; there is";
    if (const auto near = nearest_name(name, names)) {
        hint = concat("; did you mean '", *near, "'?");
    } else {
        for (const std::string_view known : names)
            hint += concat(hint.ends_with('\'') ? ", '" : " '", known, '\'');
        if (names.empty()) hint += " none";
    }
    return fail(errc::not_found, concat("no feed is named '", name, '\'', hint));
}

}  // namespace bulk
