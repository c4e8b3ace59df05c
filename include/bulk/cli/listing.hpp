// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/page.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace bulk::cli {

// Lists that are printed page by page.

/// How many, and behind which cursor.
inline void declare_page(flags& to, std::uint32_t& size, std::string& after) {
    to.number("--limit", size, concat("how many, at most ", largest_page, " (", size, ')'));
    to.text("--after", after, "go on where another list ended", "CURSOR");
}

/// Items as JSON lines (`to_line(each)`), then the cursor behind them; none when there are no more. For people:
/// as `write()` does it.
template <typename Items, typename ToLine, typename Write>
int print_list(const invocation& program, const Items& items, std::string_view next, ToLine to_line,
               Write write) {
    if (!program.settings().json) {
        write();
        return exit_code::success;
    }
    for (const auto& each : items) program.print(to_line(each));
    if (!next.empty()) program.print(line_of("next").add("after", next));
    return exit_code::success;
}

}  // namespace bulk::cli
