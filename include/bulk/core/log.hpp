// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

enum class log_level : std::uint8_t { debug, info, warning, error };
BOOST_DESCRIBE_ENUM(log_level, debug, info, warning, error)

/// Something worth a line in the program's log. Values of `pii` columns are never in it.
struct log_entry {
    log_level level = log_level::info;
    std::string_view event{};  ///< a fixed name, such as "operation ended"
    std::vector<std::pair<std::string_view, std::string>> fields{};
};

/// The library prints nothing: this is called instead, from any thread.
using log_handler = std::function<void(const log_entry&)>;

[[nodiscard]] inline std::string to_text(const log_entry& entry) {
    std::string text{entry.event};
    for (const auto& [name, value] : entry.fields)
        text.append(" ").append(name).append("=").append(value);
    return text;
}

}  // namespace bulk
