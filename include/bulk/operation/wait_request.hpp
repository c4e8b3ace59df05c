// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace bulk {

/// `co_await ctx.sleep(d)`: the row waits that long, and holds no thread meanwhile.
struct sleep_request {
    std::chrono::milliseconds time{};
};

/// `co_await ctx.signal(key, timeout)`: the row waits for a signal.
struct signal_request {
    std::string key{};
    std::optional<std::chrono::milliseconds> timeout{};
};

/// How a wait of a coroutine ended.
struct wait_answer {
    enum class kind : std::uint8_t { slept, told, told_failure, timed_out };
    kind what{};
    std::string text{};  ///< of a failure

    bool operator==(const wait_answer&) const = default;
};

}  // namespace bulk
