// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/problem.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api::bulksharp {

// Parameters of BulkSharp's routes. Those that it declares as numbers, moments, truths or enums are
// refused with 400 when they are none; those that it declares as texts are passed over when they mean
// nothing, as `from_pascal_case` does.

template <std::integral Number>
[[nodiscard]] or_problem<std::optional<Number>> number_parameter(const call& asked,
                                                                 std::string_view name) {
    std::optional<Number> number;
    if (auto read = asked.read(name, number); !read)
        return std::unexpected{std::move(read).error()};
    return number;
}

[[nodiscard]] inline or_problem<std::optional<timestamp>> moment_parameter(const call& asked,
                                                                           std::string_view name) {
    std::optional<timestamp> moment;
    if (auto read = asked.read(name, moment); !read)
        return std::unexpected{std::move(read).error()};
    return moment;
}

/// .NET writes True and False.
[[nodiscard]] inline or_problem<bool> truth_parameter(const call& asked, std::string_view name,
                                                      bool usual) {
    const auto given = asked.query(name);
    if (!given) return usual;
    if (same_name(*given, "true")) return true;
    if (same_name(*given, "false")) return false;
    return refuse(problems::invalid_argument,
                  concat(name, " must be true or false, got '", given->substr(0, 64), '\''),
                  std::string{name});
}

template <described_enum E>
[[nodiscard]] or_problem<std::optional<E>> choice_parameter(const call& asked,
                                                            std::string_view name) {
    const auto given = asked.query(name);
    if (!given) return std::nullopt;
    if (const auto value = from_pascal_case<E>(*given)) return value;
    std::string all;
    for (const auto& each : enumerators_of<E>)
        all += concat(all.empty() ? "" : ", ", bulksharp_name(each.value));
    return refuse(problems::invalid_argument,
                  concat(name, " must be one of ", all, "; got '", given->substr(0, 64), '\''),
                  std::string{name});
}

}  // namespace bulk::http::api::bulksharp
