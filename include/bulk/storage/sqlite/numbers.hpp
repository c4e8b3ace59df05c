// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/reflect.hpp>

#include <string>
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

}  // namespace bulk::sqlite
