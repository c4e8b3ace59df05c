// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/operation/description.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace bulk {

/// Why an operation stops when so many of its rows have failed; empty while it goes on. `total` is 0
/// until it is known.
[[nodiscard]] inline std::string over_budget(const operation_description& operation,
                                             std::uint64_t failed, std::uint64_t total) {
    const auto refuse = [&](std::string_view limit) {
        return concat(failed, " rows have failed, more than ", limit,
                      ": the rest is not processed");
    };
    if (operation.max_failed_rows && failed > *operation.max_failed_rows)
        return refuse(concat("the ", *operation.max_failed_rows, " of max_failed_rows"));
    if (operation.max_failed_ratio && total > 0 &&
        static_cast<double>(failed) > *operation.max_failed_ratio * static_cast<double>(total))
        return refuse(concat("the share of max_failed_ratio of ", total));
    return {};
}

}  // namespace bulk
