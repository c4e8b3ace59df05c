// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/api/route.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::http::api::bulksharp {

// Ids as .NET has them. Its clients parse a GUID where we have a key of several parts, or a name.

/// A GUID in any of the forms with 32 digits that .NET reads: with hyphens or without, and in braces
/// or parentheses with them.
[[nodiscard]] inline std::optional<operation_id> parse_guid(std::string_view text) {
    if (text.size() == 38 && ((text.front() == '{' && text.back() == '}') ||
                              (text.front() == '(' && text.back() == ')')))
        text = text.substr(1, 36);
    std::string hyphened{text};
    if (text.size() == 32)
        for (const std::size_t at : {8U, 13U, 18U, 23U}) hyphened.insert(at, 1, '-');
    const auto id = parse_operation_id(hyphened);
    return id ? std::optional{*id} : std::nullopt;
}

/// Whether what stands in the place of `{id}`, if the path has one, is a GUID.
[[nodiscard]] inline bool has_guid(const captures& found) {
    return std::ranges::all_of(found, [](const auto& each) {
        return each.first != "id" || parse_guid(each.second).has_value();
    });
}

/// A GUID (RFC 9562, version 8) that is always the same for the same parts.
[[nodiscard]] constexpr uuid derived_guid(std::initializer_list<std::uint64_t> parts) {
    // The finaliser of SplitMix64: every bit of a part changes about half of all bits.
    const auto mixed = [](std::uint64_t value) {
        value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9;
        value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11eb;
        return value ^ (value >> 31);
    };
    uuid id{.high = 0x9e37'79b9'7f4a'7c15, .low = 0xd1b5'4a32'd192'ed03};
    for (const auto part : parts) {
        id.high = mixed(id.high ^ part) + 0x9e37'79b9'7f4a'7c15;
        id.low = mixed(id.low + part) ^ id.high;
    }
    id.high = (id.high & ~std::uint64_t{0xf000}) | 0x8000;
    id.low = (id.low >> 2) | std::uint64_t{2} << 62;
    return id;
}

/// Of a row at a step.
[[nodiscard]] constexpr uuid record_guid(operation_id operation, row_number row, step_index step) {
    return derived_guid({operation.value.high, operation.value.low, to_number(row),
                         static_cast<std::uint64_t>(to_number(step) + 1)});
}

/// Of a failure that was retried.
[[nodiscard]] constexpr uuid retry_guid(operation_id operation, row_number row, step_index step,
                                        std::uint32_t attempt) {
    return derived_guid({operation.value.high, operation.value.low, to_number(row),
                         static_cast<std::uint64_t>(to_number(step) + 1), attempt});
}

/// Of a file: its id if that is one; all zeros when there is no file.
[[nodiscard]] inline uuid file_guid(std::string_view id) {
    if (id.empty()) return {};
    if (const auto known = parse_uuid(id)) return *known;
    std::uint64_t sum = 0;
    for (const char c : id) sum = sum * 1'099'511'628'211 + static_cast<unsigned char>(c);
    return derived_guid({id.size(), sum});
}

}  // namespace bulk::http::api::bulksharp
