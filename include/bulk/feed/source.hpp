// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/position.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bulk {

/// A part of a source that is fetched page by page.
template <typename Position>
struct source_partition {
    run_id run{};
    std::uint32_t number = 0;
    source_range<Position> range{};
    std::uint64_t estimated = 0;  ///< records, when the run was planned
    std::string token{};          ///< `next` of the page before, if it had one
    std::string trace{};          ///< of the run, for your logs and requests
};

/// One page of it. Records come in an order that does not change; those that are in the source twice
/// do no harm.
template <typename Raw>
struct source_page {
    std::vector<Raw> items{};
    bool has_more = false;
    std::string
        next{};  ///< where the next page begins, if the source pages by a mark, not by number
};

/// The base of every feed: `struct diamonds : bulk::feed<diamonds, diamond, listing> { … };`, with
/// rows of the source, items of the canonical set, and what the source is cut along. A feed has
///   count(range, window) -> bulk::result<std::uint64_t>
///   fetch(const partition&, std::uint64_t offset, std::uint32_t limit, window) -> bulk::result<page>
///   map(const Raw&) -> bulk::result<Canonical>
///   extent: a constant `range`, or a function of `window` that gives one
///   key(const Raw&) -> text or number, unless Raw has a row_id
/// and may have
///   hash(const Raw&) -> text or number: what matters in it; else all of it does
///   prepare(const bulk::feed_run&) -> bulk::result<>: called before anything is mapped
/// One object serves a process; all of them are called from many threads at once.
template <typename Self, typename Raw, typename Canonical, typename Position = std::int64_t>
struct feed {
    using self_type = Self;
    using raw_type = Raw;
    using canonical_type = Canonical;
    using position_type = Position;

    using range = source_range<Position>;
    using partition = source_partition<Position>;
    using page = source_page<Raw>;
    using window = update_window;
};

/// Whether trying again may help: the source did not answer, was busy, or nobody knows.
[[nodiscard]] constexpr bool is_passing(errc code) {
    return code == errc::unavailable || code == errc::timed_out || code == errc::step_failed ||
           code == errc::conflict;
}

/// What an HTTP status says, as an error that `fetch` and `count` can return: too many requests,
/// time-outs and faults of the server pass; other refusals do not.
[[nodiscard]] inline std::unexpected<error> fail_with_status(int status, std::string_view what) {
    const bool passes =
        status == 408 || status == 425 || status == 429 || status >= 500 || status < 400;
    return fail(
        passes ? errc::unavailable : (status == 404 ? errc::not_found : errc::invalid_argument),
        concat("HTTP status ", status, ": ", what));
}

}  // namespace bulk
