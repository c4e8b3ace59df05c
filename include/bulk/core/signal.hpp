// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/reflect.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk {

/// Something said from outside to a row that waits for it.
struct signal {
    operation_id operation{};
    std::string key{};                     ///< as the step named it
    std::optional<row_number> row{};       ///< for this row only; else for whoever waited longest
    std::optional<std::string> failure{};  ///< why the step failed; unset: it is complete
    timestamp sent_at{};

    bool operator==(const signal&) const = default;
};

/// `{operation}:{key}:{row}`: names one wait of all there are.
[[nodiscard]] inline std::string full_signal_key(operation_id operation, std::string_view key,
                                                 row_number row) {
    return concat(to_text(operation), ':', key, ':', to_number(row));
}

/// The signal that a full key is for. The key in its middle may have colons of its own.
[[nodiscard]] inline result<signal> parse_signal_key(std::string_view full) {
    const auto refuse = [&] {
        return fail(errc::invalid_argument,
                    concat("signal key '", full.substr(0, 64),
                           "' is not of the form operation:key:row; by the key alone, name the "
                           "operation, too"));
    };
    const auto first = full.find(':'), last = full.rfind(':');
    if (first == std::string_view::npos || first == last) return refuse();
    const auto id = parse_operation_id(full.substr(0, first));
    const auto digits = full.substr(last + 1);
    std::uint64_t row = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), row);
    if (!id || status != std::errc{} || end != digits.data() + digits.size() || row == 0)
        return refuse();
    return signal{.operation = *id,
                  .key = std::string{full.substr(first + 1, last - first - 1)},
                  .row = row_number{row}};
}

/// What became of a signal.
struct signal_receipt {
    bool is_kept = false;  ///< nobody waits for it yet: the next that does gets it
    std::optional<row_number> row{};
    std::optional<step_index> step{};
    bool is_here = false;  ///< its operation runs in this process, which acts on it at once

    bool operator==(const signal_receipt&) const = default;
};

/// A signal that was given to a row and not used yet.
struct given_signal {
    std::uint64_t sequence = 0;  ///< grows within an operation
    row_number row{};
    step_index step{};
    std::string key{};  ///< that it was sent for
    std::optional<std::string> failure{};

    bool operator==(const given_signal&) const = default;
};

}  // namespace bulk
