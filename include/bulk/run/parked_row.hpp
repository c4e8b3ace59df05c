// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace bulk {

/// Why a row does not go on at once.
enum class park_reason : std::uint8_t {
    back_off,  ///< its step failed and is tried again later
    check,     ///< a polled step is asked again later
    repeat,    ///< a step asked to be called again later
    signal,    ///< somebody outside has to say so
};

/// A row that waits: it holds no thread and no place in a queue, only its bytes.
struct parked_row {
    row_number row{};
    std::uint64_t line = 0;
    std::string raw{};  ///< as it stands in the file, to be read again
    step_index step{};
    std::uint32_t attempt = 1;  ///< the one that begins when it goes on
    park_reason reason{};
    timestamp started_at{};               ///< when the step began
    std::optional<timestamp> deadline{};  ///< of the wait as a whole
    std::chrono::milliseconds interval{};
    std::string signal_key{};
};

}  // namespace bulk
