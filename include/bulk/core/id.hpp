// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/uuid.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// Which run of which file: unique over all processes and machines, greater for later ones.
struct operation_id {
    uuid value{};

    auto operator<=>(const operation_id&) const = default;
};

[[nodiscard]] inline std::string to_text(const operation_id& id) { return to_text(id.value); }

[[nodiscard]] inline result<operation_id> parse_operation_id(std::string_view text) {
    const auto value = parse_uuid(text);
    if (!value) return std::unexpected{value.error()};
    return operation_id{*value};
}

/// The position of a data row in its file, from 1; the header does not count.
enum class row_number : std::uint64_t {};

/// The position of a step in its operation's table, from 0.
enum class step_index : std::int16_t {};

/// The record of a row's validation stands before its first step.
inline constexpr step_index validation_step{-1};

[[nodiscard]] constexpr std::uint64_t to_number(row_number row) { return std::to_underlying(row); }
[[nodiscard]] constexpr int to_number(step_index step) { return std::to_underlying(step); }

}  // namespace bulk
