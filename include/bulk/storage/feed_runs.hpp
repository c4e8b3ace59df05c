// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>
#include <bulk/storage/feed_tables.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// The life of runs, within one transaction.
template <feed_tables Tables>
class feed_runs {
public:
    explicit feed_runs(Tables& in) : in_{in} {}

    [[nodiscard]] result<feed_run> find(run_id id) {
        auto found = in_.find_run(id);
        if (!found) return fail(errc::not_found, concat("there is no run ", to_text(id)));
        return std::move(*found);
    }

    [[nodiscard]] result<feed_run> start(feed_run run,
                                         const std::vector<feed_partition>& partitions) {
        if (partitions.empty())
            return fail(errc::invalid_argument, "a run without partitions has nothing to do");
        if (in_.find_run(run.id))
            return fail(errc::conflict,
                        concat("there is a run ", to_text(run.id), " already: ids are unique"));
        if (const auto newest = in_.newest_run(run.feed); newest && is_active(*newest))
            return fail(errc::conflict,
                        concat("feed '", run.feed, "' has a run already, ", to_text(newest->id),
                               ": wait for its end, or cancel it"));
        if (in_.standing(run.feed).value != run.watermark_before)
            return fail(errc::conflict,
                        concat("the watermark of feed '", run.feed,
                               "' has moved since the run was planned: plan again"));
        run.partitions = static_cast<std::uint32_t>(partitions.size());
        run = in_.insert_run(run);
        for (std::uint32_t number = 0; number < run.partitions; ++number) {
            auto each = partitions[number];
            each.run = run.id;
            each.number = number;
            in_.insert_partition(run, each);
        }
        in_.append(
            {run_event(run, event_kind::run_started, severity::info, run.started_at,
                       concat(name_of(run.type), " run of ", run.estimated, " records in ",
                              run.partitions, " partitions started", by_whom(run.started_by)))});
        return run;
    }

    [[nodiscard]] result<feed_run> cancel(run_id id, const std::string& reason, timestamp now,
                                          std::string_view who) {
        auto run = find(id);
        if (!run) return run;
        if (run->completed_at || run->cancelled_at)
            return fail(errc::illegal_transition,
                        concat("run ", to_text(id), " is ",
                               run->completed_at ? "completed" : "cancelled", " already"));
        for (auto part : in_.partitions(*run)) {
            if (is_finished(part.state)) continue;
            part.state = partition_state::cancelled;
            part.leased_until.reset();
            part.completed_at = part.updated_at = now;
            in_.save_partition(*run, part);
        }
        for (const auto& batch : in_.batches(*run)) in_.remove_batch(*run, batch.number);
        run->open_batches = 0;
        if (run->consolidated > 0) {  // what it has done to the set stays
            auto standing = in_.standing(run->feed);
            ++standing.version;
            in_.save_standing(standing);
        }
        run->cancelled_at = now;
        run->reason = reason;
        in_.save_run(*run);
        in_.append({run_event(*run, event_kind::run_cancelled, severity::warning, now,
                              concat("run cancelled", by_whom(who), reason.empty() ? "" : ": ",
                                     reason, "; the watermark is kept"))});
        return run;
    }

    [[nodiscard]] result<std::uint32_t> retry(run_id id, std::optional<std::uint32_t> number,
                                              timestamp now, std::string_view who) {
        auto run = find(id);
        if (!run) return std::unexpected{run.error()};
        if (auto can = check_revivable(*run); !can) return std::unexpected{can.error()};
        if (run->consolidation_started_at)
            return fail(errc::illegal_transition,
                        concat("run ", to_text(id),
                               " is being consolidated: what its failed partitions lack comes with "
                               "the next run"));
        std::uint32_t retried = 0;
        for (auto part : in_.partitions(*run)) {
            if (part.state != partition_state::failed ||
                part.number != number.value_or(part.number))
                continue;
            part.state = partition_state::pending;
            part.attempt = 1;
            part.deliveries = 0;
            part.due = now;
            part.error.clear();
            part.completed_at.reset();
            part.updated_at = now;
            in_.save_partition(*run, part);
            ++retried;
        }
        if (retried == 0)
            return fail(
                errc::illegal_transition,
                number ? concat(partition_name(*number), " of run ", to_text(id), " has not failed")
                       : concat("no partition of run ", to_text(id), " has failed"));
        run->failed -= retried;
        run->consolidate_at.reset();  // of a part of them, which waited
        run->is_forced = false;
        run->active_at = now;
        in_.save_run(*run);
        in_.append({run_event(*run, event_kind::partitions_retried, severity::info, now,
                              concat(retried, " failed partitions are retried", by_whom(who)))});
        return retried;
    }

    /// Only the newest run of a feed can go on: a later one reads what it has left, and more. Nor can
    /// one go on after a person has moved the watermark: it would move it over what it never read.
    [[nodiscard]] result<> check_revivable(const feed_run& run) {
        if (run.completed_at || run.cancelled_at)
            return fail(errc::illegal_transition,
                        concat("run ", to_text(run.id), " is ",
                               run.completed_at ? "completed" : "cancelled", ": start another"));
        if (const auto newest = in_.newest_run(run.feed); newest && newest->id != run.id)
            return fail(errc::conflict, concat("run ", to_text(run.id), " is not the last one of '",
                                               run.feed, "': see run ", to_text(newest->id)));
        if (in_.standing(run.feed).value != run.watermark_before)
            return fail(errc::conflict,
                        concat("the watermark of feed '", run.feed, "' was set since run ",
                               to_text(run.id), " has started: start another"));
        return {};
    }

    [[nodiscard]] result<> remove(run_id id) {
        const auto run = find(id);
        if (!run) return std::unexpected{run.error()};
        if (is_active(*run))
            return fail(errc::illegal_transition,
                        concat("run ", to_text(id), " is active: cancel it first"));
        if (const auto older = find_outlived(*run))
            return fail(errc::illegal_transition,
                        concat("without run ", to_text(id), " an older one, ", to_text(older->id),
                               ", would be the last of '", run->feed,
                               "' and could go on: cancel or remove that one first"));
        in_.remove_run(*run);
        return {};
    }

    [[nodiscard]] result<watermark> set_watermark(const std::string& feed,
                                                  std::optional<timestamp> value,
                                                  const std::string& who, timestamp now) {
        if (value && *value > now)
            return fail(
                errc::invalid_argument,
                concat("the watermark of feed '", feed,
                       "' would be in the future: what changes until then would be missed"));
        const auto newest = in_.newest_run(feed);
        if (newest && is_active(*newest))
            return fail(errc::conflict, concat("feed '", feed, "' has an active run, ",
                                               to_text(newest->id), ": wait for it, or cancel it"));
        auto standing = in_.standing(feed);
        standing.value = value;
        standing.run.reset();
        standing.moved_at = now;
        in_.save_standing(standing);
        feed_run about{.feed = feed};
        if (newest) about.id = newest->id;
        in_.append({run_event(
            about, event_kind::watermark_moved, severity::warning, now,
            concat("watermark ", value ? "set" : "removed", who.empty() ? "" : " by ", who))});
        return standing;
    }

private:
    /// If a run is the newest of its feed: an older one that has not ended for good.
    [[nodiscard]] std::optional<feed_run> find_outlived(const feed_run& run) {
        if (const auto newest = in_.newest_run(run.feed); !newest || newest->id != run.id)
            return std::nullopt;
        const run_query query{.feed = run.feed, .page_size = largest_page};
        std::optional<std::uint64_t> before;
        while (true) {
            const auto some = in_.find_runs(query, before);
            for (const auto& each : some.items)
                if (each.id != run.id && !each.completed_at && !each.cancelled_at) return each;
            if (some.items.size() < query.page_size) return std::nullopt;
            before = some.items.back().number;
        }
    }

    Tables& in_;
};

}  // namespace bulk
