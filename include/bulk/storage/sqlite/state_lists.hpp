// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/reflect.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::sqlite {

/// The enumerators that `matches`, as numbers for an SQL list.
template <described_enum E, typename Matches>
[[nodiscard]] std::string numbers_of(Matches matches) {
    std::string all;
    for (const auto& [value, name] : enumerators_of<E>)
        if (matches(value)) all += concat(all.empty() ? "" : ", ", std::to_underlying(value));
    return all;
}

/// An operation that has not ended, as its index has it.
[[nodiscard]] inline std::string open_operation() {
    return concat(
        "state IN (",
        numbers_of<operation_state>([](operation_state state) { return !is_final(state); }), ')');
}

static_assert(std::ranges::all_of(enumerators_of<operation_state>, [](const auto& each) {
    const auto number = std::to_underlying(each.value);  // as the index says in schema.hpp
    return is_final(each.value) != (number <= 2 || number == 7);
}));

/// A partition of a feed's run that is not finished, as its index has it.
inline constexpr std::string_view open_partition = "state < 2";
static_assert(std::ranges::all_of(enumerators_of<partition_state>, [](const auto& each) {
    return is_finished(each.value) == (std::to_underlying(each.value) >= 2);
}));

}  // namespace bulk::sqlite
