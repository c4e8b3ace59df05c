// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>

#include <cstddef>
#include <vector>

namespace bulk {

/// Where the steps of a table stand in another, by their place in the first one; in order, since a
/// row's records are in the order of its steps. The validation stays where it is.
using step_moves = std::vector<step_index>;

[[nodiscard]] inline step_index moved(step_index step, const step_moves& to) {
    const auto at = static_cast<std::size_t>(to_number(step));
    return step == validation_step || at >= to.size() ? step : to[at];
}

}  // namespace bulk
