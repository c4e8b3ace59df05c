// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk {

/// Which run of which feed: unique over all processes and machines, greater for later ones.
struct run_id {
    uuid value{};

    auto operator<=>(const run_id&) const = default;
};

[[nodiscard]] inline std::string to_text(const run_id& id) { return to_text(id.value); }

[[nodiscard]] inline result<run_id> parse_run_id(std::string_view text) {
    const auto value = parse_uuid(text);
    if (!value) return std::unexpected{value.error()};
    return run_id{*value};
}

enum class run_type : std::uint8_t {
    full,         ///< everything; what is gone from the source is marked as deleted
    incremental,  ///< what was changed since the watermark
};
BOOST_DESCRIBE_ENUM(run_type, full, incremental)

/// Which changes of the source a run answers for: those from `from` on and before `to`. Fixed when the
/// run starts: what changes meanwhile is left to the next one.
struct update_window {
    timestamp from{};
    timestamp to{};

    bool operator==(const update_window&) const = default;
};

/// No change is as late as this.
inline constexpr timestamp end_of_changes{std::chrono::sys_days{std::chrono::year{9999} / 12 / 31}};

/// The changes that the source is asked for. A full run reads everything, also what changes while it
/// reads: a record that left its window unseen would look as if it were gone. An incremental run ends
/// where its window does. The watermark moves to the end of the window in any case.
[[nodiscard]] constexpr update_window window_to_read(run_type type, const update_window& window) {
    return {window.from, type == run_type::full ? end_of_changes : window.to};
}

/// What a run was told about itself when it started, so that every process treats it alike.
struct run_rules {
    double min_success_ratio = 1;  ///< this share of the partitions is enough to consolidate
    std::chrono::milliseconds partial_delay{};  ///< before a part of them is
    std::uint32_t max_deliveries = 5;  ///< of a page or a batch to workers that die with it
    bool tolerate_bad_items = false;   ///< they do not keep the watermark back

    bool operator==(const run_rules&) const = default;
};

/// A run of a feed as it is stored. How far it is follows from what it says: see `state_of`.
struct feed_run {
    run_id id{};
    std::string feed{};
    std::uint64_t number = 0;       ///< given by the store: its place among all runs
    std::uint64_t feed_number = 0;  ///< the same among those of its feed
    run_type type = run_type::full;
    run_rules rules{};
    update_window window{};
    std::string trace{};  ///< what ties together everything that is done for it, in any process
    std::string started_by{};
    timestamp started_at{};
    std::optional<timestamp> active_at{};  ///< when it last came on; none: nobody has begun

    std::uint32_t partitions = 0;  ///< all of them
    std::uint32_t completed = 0;
    std::uint32_t failed = 0;
    std::uint64_t estimated = 0;  ///< records, by the plan
    bool is_capped = false;       ///< the plan leaves out what is too much: never the whole source
    std::uint64_t records = 0;    ///< that the source gave, each once
    std::uint64_t changed = 0;    ///< those that are not what they were after the last run

    std::optional<timestamp> consolidate_at{};  ///< asked for, not before then
    bool is_forced = false;                     ///< by a person, although partitions failed
    std::optional<timestamp> consolidation_started_at{};
    std::string cursor{};            ///< the key up to which changed items are handed out
    bool is_handed_out = false;      ///< all of them
    std::uint64_t batches = 0;       ///< handed out so far
    std::uint64_t open_batches = 0;  ///< of them, not done
    std::uint64_t consolidated = 0;  ///< items
    std::uint64_t bad_items = 0;     ///< that have no key or could not be mapped
    std::uint64_t keyless = 0;       ///< those of them that have no key
    std::uint64_t removed = 0;       ///< items that the source does not have any more

    std::optional<timestamp> watermark_before{};
    std::optional<timestamp> watermark_after{};
    std::optional<timestamp> completed_at{};
    std::optional<timestamp> failed_at{};  ///< consolidated, but not completed
    std::optional<timestamp> cancelled_at{};
    std::string reason{};  ///< of an end that is none to be glad of

    bool operator==(const feed_run&) const = default;
};

enum class run_state : std::uint8_t {
    created,                ///< nobody has fetched anything yet
    workers_running,        ///< partitions are being fetched
    consolidation_skipped,  ///< partitions failed: retry them, force it, or start again
    consolidating,          ///< everything is fetched and goes into the canonical set
    completed,
    failed,  ///< it was consolidated, but items are bad: the watermark was kept
    cancelled,
    stalled,  ///< nothing has happened for long
};
BOOST_DESCRIBE_ENUM(run_state, created, workers_running, consolidation_skipped, consolidating,
                    completed, failed, cancelled, stalled)

[[nodiscard]] constexpr bool all_finished(const feed_run& run) {
    return run.completed + run.failed >= run.partitions;
}

/// How far a run is. Derived, so that no two fields can disagree. What is stalled goes on by itself
/// when a worker comes.
[[nodiscard]] constexpr run_state state_of(const feed_run& run, timestamp now,
                                           std::chrono::milliseconds stall_after) {
    if (run.cancelled_at) return run_state::cancelled;
    if (run.completed_at) return run_state::completed;
    if (run.failed_at) return run_state::failed;
    if (all_finished(run) && !run.consolidate_at) return run_state::consolidation_skipped;
    const bool is_waiting = run.consolidate_at && *run.consolidate_at > now;
    const timestamp seen = std::max(run.active_at.value_or(run.started_at),
                                    run.consolidate_at.value_or(run.started_at));
    if (!is_waiting && now - seen > stall_after) return run_state::stalled;
    if (all_finished(run)) return run_state::consolidating;
    return run.active_at ? run_state::workers_running : run_state::created;
}

/// Whether somebody is to work on it, so that no other run of its feed may start.
[[nodiscard]] constexpr bool is_active(const feed_run& run) {
    if (run.cancelled_at || run.completed_at || run.failed_at) return false;
    return !all_finished(run) || run.consolidate_at.has_value();
}

/// The four words of the simplest question about a run.
enum class run_status : std::uint8_t { in_progress, consolidating, completed, failed };
BOOST_DESCRIBE_ENUM(run_status, in_progress, consolidating, completed, failed)

[[nodiscard]] constexpr run_status status_of(const feed_run& run) {
    if (run.completed_at) return run_status::completed;
    if (run.cancelled_at || run.failed_at) return run_status::failed;
    if (run.failed > 0 && !run.consolidate_at) return run_status::failed;
    return all_finished(run) ? run_status::consolidating : run_status::in_progress;
}

/// Some partitions failed while others are still going on.
[[nodiscard]] constexpr bool is_partial(const feed_run& run) {
    return run.failed > 0 && !all_finished(run) && !run.cancelled_at;
}

[[nodiscard]] constexpr std::chrono::microseconds duration_of(const feed_run& run, timestamp now) {
    const auto end = run.completed_at   ? *run.completed_at
                     : run.failed_at    ? *run.failed_at
                     : run.cancelled_at ? *run.cancelled_at
                                        : now;
    return std::max(end - run.started_at, std::chrono::microseconds{0});
}

// --- what becomes of a run when its last partition has finished -----------------------------------

enum class run_decision : std::uint8_t {
    wait,         ///< partitions are not finished
    consolidate,  ///< all are completed
    consolidate_partially,
    skip,  ///< some failed, and too few did not
};
BOOST_DESCRIBE_ENUM(run_decision, wait, consolidate, consolidate_partially, skip)

[[nodiscard]] constexpr run_decision decide(std::uint32_t partitions, std::uint32_t completed,
                                            std::uint32_t failed, double min_success_ratio) {
    if (completed + failed < partitions) return run_decision::wait;
    if (failed == 0) return run_decision::consolidate;
    const bool is_enough = completed > 0 && static_cast<double>(completed) >=
                                                min_success_ratio * static_cast<double>(partitions);
    return is_enough && min_success_ratio < 1 ? run_decision::consolidate_partially
                                              : run_decision::skip;
}

static_assert(decide(10, 10, 0, 1) == run_decision::consolidate);
static_assert(decide(10, 9, 1, 1) == run_decision::skip);
static_assert(decide(10, 7, 3, 0.7) == run_decision::consolidate_partially);
static_assert(decide(10, 6, 4, 0.7) == run_decision::skip);
static_assert(decide(10, 0, 10, 0) == run_decision::skip);
static_assert(decide(10, 5, 4, 0.5) == run_decision::wait);

}  // namespace bulk
