// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_runs.hpp>
#include <bulk/storage/feed_tables.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// From raw items to the canonical set, within one transaction.
template <feed_tables Tables>
class feed_consolidation {
public:
    explicit feed_consolidation(Tables& in) : in_{in} {}

    [[nodiscard]] result<feed_run> ask(run_id id, bool force, timestamp now, std::string_view who) {
        auto run = feed_runs{in_}.find(id);
        if (!run || run->completed_at) return run;  // twice does no harm
        if (auto can = feed_runs{in_}.check_revivable(*run); !can)
            return std::unexpected{can.error()};
        if (run->failed_at)
            return fail(errc::illegal_transition,
                        concat("run ", to_text(id), " was consolidated, but ", run->bad_items,
                               " items are bad: resume its consolidation, or start another run"));
        if (run->consolidation_started_at) return run;
        if (!all_finished(*run))
            return fail(
                errc::illegal_transition,
                concat("run ", to_text(id), " has ", run->partitions - run->completed - run->failed,
                       " partitions that are not finished: wait for them, or cancel it"));
        if (run->failed > 0 && !force)
            return fail(errc::invalid_argument,
                        concat(run->failed, " of ", run->partitions, " partitions of run ",
                               to_text(id), " failed: retry them, or force it without them"));
        if (run->consolidate_at && *run->consolidate_at <= now &&
            run->is_forced == (run->failed > 0))
            return run;
        run->is_forced = run->failed > 0;
        run->consolidate_at = run->active_at = now;
        in_.save_run(*run);
        in_.append({run_event(
            *run, event_kind::consolidation_started,
            run->is_forced ? severity::warning : severity::info, now,
            run->is_forced
                ? concat("consolidation is forced", by_whom(who), " without ", run->failed,
                         " failed partitions")
                : concat(run->changed, " changed items are consolidated", by_whom(who)))});
        return run;
    }

    [[nodiscard]] result<std::optional<item_batch>> claim(const work_request& request,
                                                          std::uint32_t most) {
        while (auto lapsed = in_.find_lapsed(request.feeds, request.lapsed_by()))
            if (auto taken = take_over(lapsed->run, lapsed->batch, request)) return taken;
        auto run = in_.find_consolidating(request.feeds, request.now);
        if (!run) return std::nullopt;
        most = std::clamp<std::uint32_t>(most, 1, most_in_batch);
        auto items = in_.pending_items(*run, run->cursor, most);
        run->is_handed_out = items.size() < most;
        if (!run->consolidation_started_at) run->consolidation_started_at = request.now;
        if (items.empty() && run->open_batches > 0) {  // whoever has the last one ends the run
            touch(*run, request.now);
            return std::nullopt;
        }
        open_batch batch{.number = ++run->batches,
                         .fence = 1,
                         .deliveries = 1,
                         .leased_until = request.now + request.lease_time,
                         .worker = request.worker};
        if (!items.empty()) {
            batch.first = items.front().key;
            batch.last = run->cursor = items.back().key;
        }
        ++run->open_batches;
        in_.insert_batch(*run, batch);
        touch(*run, request.now);
        return handed_out(*run, batch, std::move(items));
    }

    [[nodiscard]] result<> store(const item_batch& batch, const std::vector<mapped_item>& items,
                                 const work_request& request) {
        auto held = find_held(batch);
        if (!held) return std::unexpected{held.error()};
        auto& [run, kept] = *held;
        for (const auto& item : items)
            if (item.key < kept.first || item.key > kept.last)
                return fail(errc::invalid_argument,
                            concat("item '", item.key, "' is not of batch ", batch.number,
                                   " of run ", to_text(run.id), ": store it with its own"));
        const auto version = in_.standing(run.feed).version + 1;
        for (const auto& item : items) {
            if (item.error) {
                if (in_.mark_bad(run, item.key, *item.error)) ++run.bad_items;
            } else if (in_.drop_raw(run, item.key)) {
                in_.put_item(run, item, version, request.now);
                ++run.consolidated;
            }
        }
        kept.leased_until = request.now + request.lease_time;
        kept.deliveries = 1;
        in_.save_batch(run, kept);
        touch(run, request.now);
        return {};
    }

    [[nodiscard]] result<feed_run> finish(const item_batch& batch, timestamp now) {
        auto held = find_held(batch);
        if (!held) return std::unexpected{held.error()};
        auto& [run, kept] = *held;
        if (!kept.last.empty() && !in_.pending_between(run, kept.first, kept.last, 1).empty())
            return fail(errc::conflict, concat("batch ", batch.number, " of run ", to_text(run.id),
                                               " has items that are not stored: store them first"));
        close(run, kept, now);
        in_.save_run(run);
        return run;
    }

    [[nodiscard]] result<> give_back(const item_batch& batch, timestamp now) {
        auto held = find_held(batch);
        if (!held) return {};  // somebody else has it
        held->batch.leased_until = now;
        if (held->batch.deliveries > 0) --held->batch.deliveries;  // nobody has died with it
        in_.save_batch(held->run, held->batch);
        return {};
    }

    [[nodiscard]] result<std::uint64_t> resume(run_id id, timestamp now, std::string_view who) {
        auto run = feed_runs{in_}.find(id);
        if (!run) return std::unexpected{run.error()};
        if (auto can = feed_runs{in_}.check_revivable(*run); !can)
            return std::unexpected{can.error()};
        if (!run->consolidation_started_at)
            return fail(errc::illegal_transition,
                        concat("run ", to_text(id), " is not being consolidated yet"));
        const auto reset = in_.reset_bad(*run);
        run->bad_items -= reset;
        for (auto batch : in_.batches(*run)) {
            batch.leased_until = now;
            batch.deliveries = 0;
            ++batch.fence;
            in_.save_batch(*run, batch);
        }
        if (run->open_batches == 0) {
            run->cursor.clear();
            run->is_handed_out = false;
        }
        run->failed_at.reset();
        run->reason.clear();
        run->consolidate_at = run->active_at = now;
        in_.save_run(*run);
        in_.append({run_event(*run, event_kind::consolidation_started, severity::info, now,
                              concat("consolidation resumed", by_whom(who), ": ", reset,
                                     " bad items are tried again"))});
        return reset;
    }

private:
    static constexpr std::uint32_t most_in_batch = 100'000;

    /// As many as it takes to find an item at which processes die, among the first of a batch: what is
    /// handed out again gets smaller, and the rest has its turn later.
    static constexpr std::size_t fewest_suspects = 32;

    /// None when it is given up: too many workers have died with it.
    [[nodiscard]] std::optional<item_batch> take_over(feed_run& run, open_batch& batch,
                                                      const work_request& request) {
        std::vector<raw_item> items;
        if (!batch.last.empty())
            items = in_.pending_between(run, batch.first, batch.last, most_in_batch);
        if (!items.empty() && batch.deliveries >= run.rules.max_deliveries) {
            for (const auto& each : items)
                if (in_.mark_bad(
                        run, each.key,
                        concat(batch.deliveries, " consolidators died with the ", items.size(),
                               " items of which this is one; the last was '", batch.worker, '\'')))
                    ++run.bad_items;
            close(run, batch, request.now);
            in_.save_run(run);
            return std::nullopt;
        }
        if (batch.deliveries > 0 && items.size() > fewest_suspects) {
            items.resize(std::max(fewest_suspects, items.size() / 8));
            batch.last = items.back().key;
        }
        ++batch.deliveries;
        ++batch.fence;
        batch.leased_until = request.now + request.lease_time;
        batch.worker = request.worker;
        in_.save_batch(run, batch);
        touch(run, request.now);
        return handed_out(run, batch, std::move(items));
    }

    /// With the last one the run ends, unless items are left to be handed out once more.
    void close(feed_run& run, const open_batch& batch, timestamp now) {
        in_.remove_batch(run, batch.number);
        --run.open_batches;
        run.active_at = now;
        if (!run.is_handed_out || run.open_batches > 0) return;
        if (in_.pending_items(run, {}, 1).empty()) return end(run, now);
        run.cursor.clear();
        run.is_handed_out = false;
    }

    void touch(feed_run& run, timestamp now) {
        run.active_at = now;
        in_.save_run(run);
    }

    [[nodiscard]] static item_batch handed_out(const feed_run& run, const open_batch& batch,
                                               std::vector<raw_item> items) {
        return {.run = run.id,
                .feed = run.feed,
                .trace = run.trace,
                .number = batch.number,
                .fence = batch.fence,
                .items = std::move(items)};
    }

    [[nodiscard]] result<lapsed_batch> find_held(const item_batch& batch) {
        auto run = in_.find_run(batch.run);
        const auto refuse = [&](std::string_view why) {
            return fail(errc::conflict, concat("batch ", batch.number, " of run ",
                                               to_text(batch.run), " is not ours any more: ", why));
        };
        if (!run) return refuse("the run is removed");
        if (!is_active(*run)) return refuse("the run has ended");
        auto kept = in_.find_batch(*run, batch.number);
        if (!kept) return refuse("it is finished");
        if (kept->fence != batch.fence) return refuse("somebody else has taken it over");
        return lapsed_batch{std::move(*run), std::move(*kept)};
    }

    /// Everything is consolidated. The end of the run, the watermark, the version of the set and what
    /// is deleted of it are one transaction.
    void end(feed_run& run, timestamp now) {
        auto standing = in_.standing(run.feed);
        ++standing.version;
        if (run.bad_items > 0 && !run.rules.tolerate_bad_items) {
            run.failed_at = now;
            run.reason = concat(run.bad_items,
                                " items are bad, so the watermark is kept; see why, and resume the "
                                "consolidation or start another run");
            in_.save_standing(standing);
            in_.append({run_event(run, event_kind::run_failed, severity::error, now, run.reason)});
            return;
        }
        run.completed_at = now;
        const bool is_whole = run.failed == 0 && !run.is_capped;
        if (is_whole && run.type == run_type::full && run.keyless == 0)
            run.removed = in_.remove_unseen(run, standing.version, now);
        const bool may_move = is_whole || (run.is_forced && !run.is_capped);
        const bool moves = may_move && (!standing.value || *standing.value < run.window.to);
        if (moves) {
            standing.value = run.window.to;
            standing.run = run.id;
            standing.moved_at = now;
        }
        if (may_move) run.watermark_after = standing.value;
        in_.save_standing(standing);
        in_.forget_older_items(run);
        const bool is_clean = is_whole && run.bad_items == 0;
        in_.append({run_event(run, event_kind::run_completed,
                              is_clean ? severity::info : severity::warning, now, summary(run))});
        if (moves)
            in_.append({run_event(run, event_kind::watermark_moved, severity::info, now,
                                  "the watermark has moved to the end of the run's window")});
    }

    [[nodiscard]] static std::string summary(const feed_run& run) {
        auto text = concat(run.consolidated, " items consolidated of ", run.records, " records");
        if (run.removed > 0) text += concat(", ", run.removed, " deleted");
        if (run.bad_items > 0) text += concat(", ", run.bad_items, " bad");
        if (run.failed > 0)
            text += concat("; without ", run.failed, " failed partitions",
                           run.is_forced ? "" : ", so the watermark is kept");
        if (run.is_capped) text += "; not the whole source, so the watermark is kept";
        return text;
    }

    Tables& in_;
};

}  // namespace bulk
