// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>

#include <chrono>
#include <concepts>
#include <initializer_list>
#include <string_view>

namespace bulk::setting_rules {

// Each says of one setting what it is and what it must be, so that the reader of the message can
// change it without looking it up.

template <std::integral Number>
[[nodiscard]] result<> at_least(std::string_view name, Number value, Number least) {
    if (value >= least) return {};
    return fail(errc::invalid_argument,
                concat(name, " is ", value, "; it must be at least ", least));
}

[[nodiscard]] inline result<> positive(std::string_view name, std::chrono::milliseconds value) {
    if (value.count() > 0) return {};
    return fail(errc::invalid_argument,
                concat(name, " is ", value.count(), " ms; it must be longer than 0"));
}

[[nodiscard]] inline result<> not_negative(std::string_view name, std::chrono::milliseconds value) {
    if (value.count() >= 0) return {};
    return fail(errc::invalid_argument,
                concat(name, " is ", value.count(), " ms; it cannot be negative"));
}

[[nodiscard]] inline result<> not_blank(std::string_view name, std::string_view value) {
    if (!is_blank(value)) return {};
    return fail(errc::invalid_argument, concat(name, " is blank; it must be given"));
}

[[nodiscard]] inline result<> first_failure(std::initializer_list<result<>> checks) {
    for (const auto& check : checks)
        if (!check) return check;
    return {};
}

}  // namespace bulk::setting_rules
