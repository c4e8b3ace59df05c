// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// Which operations are removed: those that have ended so long ago, in one of these states.
struct prune_options {
    std::chrono::milliseconds older_than{};
    std::vector<operation_state> states{};  ///< empty: whichever, if it is final
    /// Called for each before it goes, to export it for example; if it fails, the operation stays.
    std::function<result<>(const operation_record&)> before{};
};

struct prune_report {
    std::uint64_t removed = 0;
    std::vector<std::pair<operation_id, std::string>> kept{};  ///< and why
};

}  // namespace bulk
