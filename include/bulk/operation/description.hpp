// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/operation/checks.hpp>
#include <bulk/operation/operation.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/operation/step_table.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/metadata.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bulk {

/// All that can be said of an operation without running it. Made by the compiler and never freed:
/// copy it, keep views of it, ask it from any thread.
struct operation_description {
    std::string_view name{};
    std::string_view description{};
    bool track_row_data = false;
    bool retryable = false;
    std::optional<std::uint64_t> max_failed_rows{};
    std::optional<double> max_failed_ratio{};
    bool is_pipeline = false;  ///< declared with steps, not with `process`
    std::span<const field_description> metadata{};
    std::span<const column_description> columns{};
    std::span<const step_description> steps{};

    [[nodiscard]] constexpr std::string_view step_name(step_index step) const {
        if (step == validation_step) return "validation";
        const auto at = static_cast<std::size_t>(to_number(step));
        return at < steps.size() ? steps[at].name : std::string_view{};
    }
};

/// A step as people and programs are told it; `about` is none when the program does not know the operation.
[[nodiscard]] inline std::string step_text(const operation_description* about, step_index step) {
    if (step == validation_step) return "validation";
    const std::string_view name = about == nullptr ? std::string_view{} : about->step_name(step);
    return name.empty() ? concat("step ", to_number(step) + 1) : std::string{name};
}

/// Whether the records of an operation's rows keep all there is to them: personal fields are not kept.
[[nodiscard]] constexpr bool keeps_rows(const operation_description& operation) {
    return operation.track_row_data &&
           std::ranges::none_of(operation.columns, &column_description::hidden);
}

template <typename Op>
inline constexpr operation_description description_of = [] {
    if constexpr (check_operation<Op>()) {
        constexpr operation_options options = Op::template bulk_operation<Op>();
        return operation_description{.name = options.name,
                                     .description = options.description,
                                     .track_row_data = options.track_row_data,
                                     .retryable = options.retryable,
                                     .max_failed_rows = options.max_failed_rows,
                                     .max_failed_ratio = options.max_failed_ratio,
                                     .is_pipeline = method_steps<Op> + class_steps<Op>() > 0,
                                     .metadata = field_descriptions<typename Op::metadata_type>,
                                     .columns = column_descriptions<typename Op::row_type>,
                                     .steps = step_descriptions<Op>};
    } else {
        return operation_description{};  // after the sentence that says why
    }
}();

}  // namespace bulk
