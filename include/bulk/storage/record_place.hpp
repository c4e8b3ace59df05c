// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>

#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bulk {

/// Position of a step among the records of a row: validation first.
[[nodiscard]] constexpr std::size_t slot_of(step_index step) {
    return static_cast<std::size_t>(to_number(step) + 1);
}
[[nodiscard]] constexpr step_index step_of(std::size_t slot) {
    return static_cast<step_index>(static_cast<int>(slot) - 1);
}

/// One row at one step, in one number that sorts by row, then step.
class record_place {
public:
    constexpr record_place() = default;
    constexpr record_place(row_number row, step_index step)
        : bits_{to_number(row) << 16 | (slot_of(step) & 0xffffU)} {}

    [[nodiscard]] constexpr row_number row() const { return row_number{bits_ >> 16}; }
    [[nodiscard]] constexpr std::size_t slot() const { return bits_ & 0xffffU; }
    [[nodiscard]] constexpr step_index step() const { return step_of(slot()); }

    auto operator<=>(const record_place&) const = default;

private:
    std::uint64_t bits_ = 0;
};

/// For a cursor.
[[nodiscard]] inline std::string to_text(record_place place) {
    return concat(to_number(place.row()), ':', to_number(place.step()));
}

[[nodiscard]] inline std::optional<record_place> parse_place(std::string_view text) {
    std::uint64_t row = 0;
    std::int16_t step = 0;
    const char* const end = text.data() + text.size();
    const auto [colon, status] = std::from_chars(text.data(), end, row);
    if (status != std::errc{} || colon == end || *colon != ':' || row >> 48 != 0)
        return std::nullopt;
    const auto [last, ended] = std::from_chars(colon + 1, end, step);
    if (ended != std::errc{} || last != end || step < to_number(validation_step))
        return std::nullopt;
    return record_place{row_number{row}, step_index{step}};
}

}  // namespace bulk
