// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/instruction_set.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace bulk::csv {

/// How a scan is carried out; the result is the same.
struct scan_tuning {
    std::size_t window = 64 * 1024;
    instruction_set set = best_instruction_set();
};

/// Finds the records of a text: what a reader needs. One that reads less than RFC 4180 says so.
template <typename Scanner>
concept record_scanner =
    std::movable<Scanner> &&
    std::constructible_from<Scanner, byte_source, const dialect&, const row_limits&, scan_start,
                            const scan_tuning&> &&
    requires(Scanner& scanner, const Scanner& same) {
        { Scanner::is_rfc_4180 } -> std::convertible_to<bool>;
        { scanner.next() } -> std::same_as<found>;
        { same.current() } -> std::same_as<const record&>;
        { same.format() } -> std::same_as<const dialect&>;
        { same.line() } -> std::same_as<std::uint64_t>;
        { same.is_valid_text() } -> std::same_as<bool>;
        { same.passed_over() } -> std::same_as<std::uint64_t>;
        { same.error() } -> std::same_as<const bulk::error&>;
    };

}  // namespace bulk::csv
