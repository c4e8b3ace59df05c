// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>

#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bulk::memory {

/// Where a step stands among the records of a row: validation first.
[[nodiscard]] constexpr std::size_t slot_of(step_index step) {
    return static_cast<std::size_t>(to_number(step) + 1);
}
[[nodiscard]] constexpr step_index step_of(std::size_t slot) {
    return static_cast<step_index>(static_cast<int>(slot) - 1);
}

/// One row at one step, in one number that sorts by row, then step.
class row_place {
public:
    constexpr row_place() = default;
    constexpr row_place(row_number row, step_index step)
        : bits_{to_number(row) << 16 | (slot_of(step) & 0xffffU)} {}

    [[nodiscard]] constexpr row_number row() const { return row_number{bits_ >> 16}; }
    [[nodiscard]] constexpr std::size_t slot() const { return bits_ & 0xffffU; }
    [[nodiscard]] constexpr step_index step() const { return step_of(slot()); }

    auto operator<=>(const row_place&) const = default;

private:
    std::uint64_t bits_ = 0;
};

/// For a cursor.
[[nodiscard]] inline std::string to_text(row_place place) {
    return concat(to_number(place.row()), ':', place.slot());
}

[[nodiscard]] inline std::optional<row_place> parse_place(std::string_view text) {
    std::uint64_t row = 0;
    std::uint16_t slot = 0;
    const char* const end = text.data() + text.size();
    const auto [colon, status] = std::from_chars(text.data(), end, row);
    if (status != std::errc{} || colon == end || *colon != ':') return std::nullopt;
    const auto [last, ended] = std::from_chars(colon + 1, end, slot);
    if (ended != std::errc{} || last != end) return std::nullopt;
    return row_place{row_number{row}, step_of(slot)};
}

}  // namespace bulk::memory
