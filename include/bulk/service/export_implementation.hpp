// SPDX-License-Identifier: MIT
#pragma once

// How the text of an export is handed over: see core/linkage.hpp for who includes this.

#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/export_options_implementation.hpp>
#include <bulk/service/export_output.hpp>
#include <bulk/service/row_selection_implementation.hpp>
#include <bulk/service/row_standing_implementation.hpp>

#include <cstddef>
#include <string>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE std::string& export_output::text() { return text_; }

BULK_INLINE result<> export_output::hand_over(bool is_last) {
    constexpr std::size_t part = std::size_t{64} * 1024;
    if (text_.empty() || (!is_last && text_.size() < part)) return {};
    auto taken = guarded([&] { return sink_(text_); });
    text_.clear();
    return taken;
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
