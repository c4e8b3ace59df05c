// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::http::api {

namespace bodies {

/// A page of anything; the total is none when nobody has counted.
template <typename Item>
struct list {
    std::vector<Item> items{};
    std::optional<std::string> next{};
    std::optional<std::uint64_t> total{};

    BOOST_DESCRIBE_CLASS(list, (), (items, next, total), (), ())
};

}  // namespace bodies

/// `{shape(each), ...}`
template <typename Range, typename Shape>
[[nodiscard]] auto bodies_of(const Range& all, Shape shape) {
    std::vector<std::remove_cvref_t<decltype(shape(*all.begin()))>> made;
    made.reserve(all.size());
    for (const auto& each : all) made.push_back(shape(each));
    return made;
}

}  // namespace bulk::http::api
