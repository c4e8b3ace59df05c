// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/operation/step_options.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace bulk {

/// A step before the merge, and where it was declared.
struct declared_step {
    step_options options{};
    step_kind kind = step_kind::plain;
    bool is_class = false;     ///< from `steps()`, not a method
    std::size_t position = 0;  ///< among the steps of its kind
};

template <std::size_t N>
struct merged_steps {
    std::array<declared_step, N> steps{};
    std::size_t size = 0;
};

/// Whether two classes, or two methods, have one name. A method with the name of a class is no
/// twin: the class replaces it.
template <std::size_t N>
[[nodiscard]] constexpr bool has_twin_steps(const std::array<declared_step, N>& declared) {
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (declared[i].is_class == declared[j].is_class &&
                same_name(declared[i].options.name, declared[j].options.name))
                return true;
    return false;
}

/// The order in which the steps run. `declared` has the classes as listed, then the methods as
/// written.
///
/// Classes without `order` come first, as listed. All others follow by `order` (a method without
/// one has 0), ties as declared. A method with the name of a class is dropped.
template <std::size_t N>
[[nodiscard]] constexpr merged_steps<N> merge(const std::array<declared_step, N>& declared) {
    const auto replaced = [&](const declared_step& step) {
        for (const auto& other : declared)
            if (other.is_class && same_name(other.options.name, step.options.name))
                return !step.is_class;
        return false;
    };
    const auto runs_before = [](const declared_step& a, const declared_step& b) {
        const auto key = [](const declared_step& step) {
            return std::pair{!step.is_class || step.options.order.has_value(),
                             step.options.order.value_or(0)};
        };
        return key(a) < key(b);
    };
    merged_steps<N> merged;
    for (const auto& step : declared) {
        if (replaced(step)) continue;
        auto place = merged.size++;
        for (; place > 0 && runs_before(step, merged.steps[place - 1]); --place)
            merged.steps[place] = merged.steps[place - 1];
        merged.steps[place] = step;
    }
    return merged;
}

}  // namespace bulk
