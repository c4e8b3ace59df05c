// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/operation/description.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk {

/// How many rows of an operation may fail before the rest is not worth trying.
class failure_budget {
public:
    failure_budget(const operation_description& operation, std::uint64_t failed)
        : operation_{operation}, failed_{failed} {}

    void add(std::uint64_t failed_rows) { failed_ += failed_rows; }

    /// Why the operation has to stop, if it has to. `total` is 0 while nobody knows.
    [[nodiscard]] std::optional<std::string> exceeded(std::uint64_t total) const {
        const auto because = [&](std::string_view limit) {
            return concat(failed_, " rows have failed, more than ", limit,
                          ": the rest is not processed");
        };
        if (operation_.max_failed_rows && failed_ > *operation_.max_failed_rows)
            return because(concat("the ", *operation_.max_failed_rows, " of max_failed_rows"));
        if (operation_.max_failed_ratio && total > 0 &&
            static_cast<double>(failed_) >
                *operation_.max_failed_ratio * static_cast<double>(total))
            return because(concat("the share of max_failed_ratio of ", total));
        return std::nullopt;
    }

private:
    const operation_description& operation_;
    std::uint64_t failed_;
};

}  // namespace bulk
