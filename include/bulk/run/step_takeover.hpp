// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/run/changed_steps.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// What became of the step table of an operation.
struct step_takeover {
    struct step_tables {
        std::string from;
        std::string to;
    };
    std::optional<step_tables> moved{};  ///< its records were moved to other steps
    std::optional<std::string>
        refusal{};  ///< this program cannot run it; stored with the operation
};

namespace detail {

/// Leaves the operation as it is, with the reason, for a program that can run it.
[[nodiscard]] inline result<step_takeover> refuse_steps(owned_operation& operation,
                                                        std::string_view name,
                                                        const std::vector<std::string>& now,
                                                        std::string_view why) {
    auto text = changed_steps_text(name, operation.record().steps, now, why);
    if (auto stored = operation.set_error(text); !stored)
        return std::unexpected{std::move(stored).error()};
    return step_takeover{.refusal = std::move(text)};
}

}  // namespace detail

/// Makes the step table of a claimed operation that of this program: at its first claim, or when the program that began
/// it had others. Fails when the storage does.
[[nodiscard]] inline result<step_takeover> take_over_steps(owned_operation& operation,
                                                           const operation_description& description,
                                                           any_storage& storage,
                                                           changed_steps policy) {
    auto now = step_names(description);
    const auto then = operation.record().steps;
    if (operation.record().state == operation_state::pending || then.empty()) {
        operation.set_steps(std::move(now));
        return step_takeover{};
    }
    if (std::ranges::equal(then, now, same_name)) {
        if (auto stored = operation.set_error({}); !stored)
            return std::unexpected{std::move(stored).error()};
        return step_takeover{};
    }
    const auto refuse = [&](std::string_view why) {
        return detail::refuse_steps(operation, description.name, now, why);
    };
    if (policy == changed_steps::refuse)
        return refuse("run it with the program that began it, or let on_changed_steps be by_name");
    const auto found = find_steps(then, now);
    if (!found) return refuse(found.error().message);
    for (const auto gone : found->gone) {
        const auto rows = storage.row_numbers(row_query{.operation = operation.held().operation,
                                                        .step = gone,
                                                        .page_size = 1,
                                                        .with_total = false});
        if (!rows) return std::unexpected{rows.error()};
        if (!rows->items.empty())
            return refuse(concat("step '", then[static_cast<std::size_t>(to_number(gone))],
                                 "' is gone, and row ", to_number(rows->items.front()),
                                 " has been there"));
    }
    step_takeover done{.moved = {{.from = table_text(then), .to = table_text(now)}}};
    if (auto stored = operation.move_steps(std::move(now), found->to); !stored)
        return std::unexpected{std::move(stored).error()};
    return done;
}

}  // namespace bulk
