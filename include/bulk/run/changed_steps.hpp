// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

/// The step table of an operation, as its record keeps it.
[[nodiscard]] inline std::vector<std::string> step_names(const operation_description& about) {
    std::vector<std::string> names;
    names.reserve(about.steps.size());
    for (const auto& each : about.steps) names.emplace_back(each.name);
    return names;
}

[[nodiscard]] inline std::string table_text(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& each : names) text += concat(text.empty() ? "" : ", ", '\'', each, '\'');
    return concat('(', text, ')');
}

/// The sentence for who resumes an operation with another program than began it.
[[nodiscard]] inline std::string changed_steps_text(std::string_view operation,
                                                    const std::vector<std::string>& then,
                                                    const std::vector<std::string>& now,
                                                    std::string_view why) {
    return concat("the steps of '", operation, "' have changed since this operation began: it has ",
                  table_text(then), ", the program has ", table_text(now), "; ", why);
}

/// Where the steps of then are now.
struct found_steps {
    step_moves to{};                 ///< of those that are gone, any place that keeps the order
    std::vector<step_index> gone{};  ///< no row may have a record of them
};

/// Finds steps by their names. Those that are still there must be in the order in which they were.
[[nodiscard]] inline result<found_steps> find_steps(const std::vector<std::string>& then,
                                                    const std::vector<std::string>& now) {
    found_steps found;
    std::size_t next = 0;
    for (std::size_t i = 0; i < then.size(); ++i) {
        const auto at = std::ranges::find_if(
            now, [&](const std::string& each) { return same_name(each, then[i]); });
        const auto place = static_cast<std::size_t>(at - now.begin());
        if (at == now.end()) {
            found.gone.push_back(static_cast<step_index>(i));
            found.to.push_back(static_cast<step_index>(next));
        } else if (place < next) {
            return fail(errc::conflict, concat("step '", then[i],
                                               "' comes earlier now than a step that was before "
                                               "it, and rows cannot go back"));
        } else {
            found.to.push_back(static_cast<step_index>(place));
            next = place + 1;
        }
    }
    return found;
}

}  // namespace bulk
