// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/options.hpp>
#include <bulk/rows/to_text.hpp>

#include <algorithm>
#include <optional>

namespace bulk {

/// What a run is going to read, before anybody has looked at the source.
struct run_outline {
    run_type type = run_type::full;
    update_window window{};

    bool operator==(const run_outline&) const = default;
};

/// Without a watermark a run is full, with one it is incremental, unless somebody wants it otherwise.
/// An incremental run begins some time before the watermark, since clocks differ and changes may come
/// in late; without a watermark it reads everything. Every run ends at the moment when it starts.
[[nodiscard]] inline result<run_outline> outline_run(const feed_options& options,
                                                     const watermark& standing,
                                                     std::optional<run_type> wanted,
                                                     timestamp now) {
    if (standing.value && *standing.value > now)
        return fail(errc::invalid_argument,
                    concat("the watermark of feed '", options.name, "' is in the future (",
                           to_text(*standing.value), ", now it is ", to_text(now),
                           "): set the clock, or the watermark"));
    run_outline made{.type =
                         wanted.value_or(standing.value ? run_type::incremental : run_type::full)};
    made.window.to = now;
    made.window.from = std::min(options.full_from, now);
    if (made.type == run_type::incremental && standing.value)
        made.window.from = *standing.value - options.safety_buffer;
    return made;
}

}  // namespace bulk
