// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/service/retry_desk.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace bulk::http::api::bulksharp {

// Texts of BulkSharp, where ours are different: its clients show them, and some compare them.

/// The length of a text in UTF-16 code units, which is what .NET counts. The text is UTF-8.
[[nodiscard]] inline std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0U) == 0x80U) continue;  // inside a character
        units += byte >= 0xf0U ? 2 : 1;         // four bytes are a surrogate pair
    }
    return units;
}

/// A span in .NET's format `g`: `[d:]h:mm:ss[.ffffff]`, without zeros at the end of the fraction.
[[nodiscard]] inline std::string duration_text(std::chrono::microseconds span) {
    using namespace std::chrono;
    const auto two_digits = [](auto count) { return concat(count < 10 ? "0" : "", count); };
    const auto whole_days = duration_cast<days>(span).count();
    const hh_mm_ss<microseconds> time{span % days{1}};
    std::string text = whole_days > 0 ? concat(whole_days, ':') : std::string{};
    text += concat(time.hours().count(), ':', two_digits(time.minutes().count()), ':',
                   two_digits(time.seconds().count()));
    if (time.subseconds().count() == 0) return text;
    std::string fraction = std::to_string(1'000'000 + time.subseconds().count());
    fraction.erase(fraction.find_last_not_of('0') + 1);
    fraction.front() = '.';
    return text + fraction;
}

/// The message of an event; `Cancelled` and `Requested` are ours.
[[nodiscard]] inline std::string event_message(const event& each) {
    switch (each.kind) {
        case event_kind::created:
            return "Operation created";
        case event_kind::status_changed:
            if (!each.previous) return each.message;
            return concat(bulksharp_name(*each.previous), " to ", bulksharp_name(each.state));
        case event_kind::completed:
            if (!each.ended) return each.message;
            return concat(each.ended->successful, '/', each.ended->total.value_or(0),
                          " rows succeeded in ", duration_text(each.ended->duration));
        default:
            return each.message;
    }
}

/// Why an operation in `state` cannot be retried.
[[nodiscard]] inline std::string retry_reason(const retry_eligibility& of, operation_state state) {
    switch (of.obstacle) {
        case retry_obstacle::wrong_state:
        case retry_obstacle::not_validated:  // it failed or was cancelled
            return concat("Operation is in ", bulksharp_name(state),
                          " state, must be CompletedWithErrors");
        case retry_obstacle::not_retryable:
            return "Operation is not retryable (IsRetryable = false)";
        case retry_obstacle::rows_deleted:
            return "TrackRowData must be enabled for retry";
        default:
            return of.reason;
    }
}

}  // namespace bulk::http::api::bulksharp
