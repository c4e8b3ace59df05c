// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/operation/step_waits.hpp>
#include <bulk/run/row_text.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace bulk {

/// Why a row does not go on at once.
enum class park_reason : std::uint8_t {
    back_off,   ///< its step failed and is tried again later
    check,      ///< a polled step is asked again later
    repeat,     ///< a step asked to be called again later
    signal,     ///< somebody outside has to say so
    coroutine,  ///< a step that is a coroutine waits for something of its own
};

/// A row that waits: it holds no thread and no place in a queue, only its bytes. There may be a
/// million of them, so every field counts.
struct parked_row {
    row_number row{};
    row_text raw{};          ///< as it stands in the file, to be read again
    timestamp started_at{};  ///< when the step began
    timestamp deadline = no_deadline;
    std::unique_ptr<std::shared_ptr<step_waits>> frame{};  ///< of a coroutine; seldom there
    std::uint32_t attempt = 1;                             ///< the one that begins when it goes on
    std::uint16_t retry_attempt = 0;
    step_index step{};
    park_reason reason{};

    static constexpr timestamp no_deadline = timestamp::max();
};

/// A row that goes on, and why.
struct woken_row {
    parked_row row{};
    std::optional<given_signal> told{};
};

}  // namespace bulk
