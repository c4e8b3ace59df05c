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
#include <bulk/storage/feed_tables.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace bulk {

/// Pages of partitions, within one transaction.
template <feed_tables Tables>
class feed_pages {
public:
    explicit feed_pages(Tables& in) : in_{in} {}

    [[nodiscard]] result<std::optional<page_work>> claim(const work_request& request) {
        while (auto found = in_.find_claimable(request.feeds, request.now, request.lapsed_by())) {
            auto& [run, part] = *found;
            if (part.leased_until) ++part.deliveries;  // whoever had it did not come back
            if (part.deliveries >= run.rules.max_deliveries) {
                end_failed(run, part,
                           concat("the page at offset ", part.next_offset, " was given to ",
                                  part.deliveries,
                                  " workers, and none of them came back; the last "
                                  "one was '",
                                  part.worker, '\''),
                           request.now);
                continue;
            }
            return lease(run, part, request);
        }
        return std::nullopt;
    }

    [[nodiscard]] result<stored_page> store(const page_work& work, const fetched_page& page,
                                            const work_request& request) {
        auto run = in_.find_run(work.run);
        if (!run || run->cancelled_at) return stored_page{page_outcome::skipped_finished};
        auto part = in_.find_partition(*run, work.partition);
        if (!part || is_finished(part->state)) return stored_page{page_outcome::skipped_finished};
        if (part->next_offset != work.offset || part->pass != work.pass ||
            part->token != work.token)
            return stored_page{page_outcome::skipped_duplicate};
        if (auto valid = check_keys(work, page); !valid) return std::unexpected{valid.error()};
        for (const auto& item : page.items) take(*run, *part, item);
        for (const auto& bad : page.bad)
            if (in_.put_bad(*run, bad)) {
                ++run->bad_items;
                ++run->keyless;
            }
        part->next_offset += page.received;
        part->token = page.token;
        ++part->pages;
        part->attempt = 1;
        part->deliveries = 0;
        part->error.clear();
        part->due = std::min(part->due, request.now);  // it was put off by another worker
        if (page.counted) part->counted = page.counted;
        const bool is_full = part->most_records && part->next_offset >= *part->most_records;
        const bool is_short = part->counted && part->records < *part->counted;
        const bool begins_again = page.begin_again || (!page.has_more && !is_full && is_short &&
                                                       part->pass == 0 && page.may_begin_again);
        if (begins_again) begin_pass(*part);
        if (begins_again || (page.has_more && !is_full)) {
            // A late worker whose page was given to another: it goes on, the other one is late now.
            auto next = lease(*run, *part, request);
            return stored_page{page_outcome::advanced, std::move(next)};
        }
        part->state = partition_state::completed;
        part->leased_until.reset();
        part->updated_at = part->completed_at = request.now;
        in_.save_partition(*run, *part);
        ++run->completed;
        run->active_at = request.now;
        tell_completed(*run, *part, request.now);
        settle(*run, request.now);
        in_.save_run(*run);
        return stored_page{page_outcome::completed};
    }

    [[nodiscard]] result<bool> put_off(const page_work& work, const std::string& why, timestamp at,
                                       timestamp now) {
        auto held = find_held(work);
        if (!held) return false;
        auto& [run, part] = *held;
        ++part.attempt;
        part.due = at;
        part.leased_until.reset();
        part.deliveries = 0;
        part.error = why;
        part.updated_at = now;
        in_.save_partition(run, part);
        run.active_at = now;
        in_.save_run(run);
        return true;
    }

    [[nodiscard]] result<bool> fail(const page_work& work, const std::string& why, timestamp now,
                                    retry_from from) {
        auto held = find_held(work);
        if (!held) return false;
        end_failed(held->run, held->partition, why, now, from);
        return true;
    }

    [[nodiscard]] result<> give_back(const page_work& work, timestamp now) {
        auto held = find_held(work);
        if (!held) return {};
        auto& [run, part] = *held;
        part.leased_until.reset();
        part.updated_at = now;
        in_.save_partition(run, part);
        return {};
    }

private:
    /// Before anything is changed.
    [[nodiscard]] static result<> check_keys(const page_work& work, const fetched_page& page) {
        const auto has_none = [](const auto& item) { return item.key.empty(); };
        if (std::ranges::any_of(page.items, has_none) || std::ranges::any_of(page.bad, has_none))
            return bulk::fail(errc::invalid_argument,
                              concat("an item of page ", to_text(work),
                                     " has no key: it is a bad one, by where it was"));
        return {};
    }

    /// What the canonical set has already is only marked as seen; everything else is kept as raw until
    /// it is consolidated. Each item is counted once, however often it comes.
    void take(feed_run& run, feed_partition& part, const raw_item& item) {
        const auto known = in_.see(run, item.key, item.hash);
        bool is_new = false;
        if (known.is_same) {
            const bool was_changed = in_.drop_raw(run, item.key);  // it has changed back
            if (was_changed) --run.changed;
            is_new = !known.was_seen && !was_changed;
        } else if (in_.put_raw(run, item)) {
            ++run.changed;
            ++part.changed;
            is_new = !known.was_seen;
        }
        if (!is_new) return;
        ++run.records;
        ++part.records;
    }

    /// From its first page once more. Pages of the passes before are not wanted any more.
    static void begin_pass(feed_partition& part) {
        part.next_offset = 0;
        part.token.clear();
        ++part.pass;
    }

    [[nodiscard]] page_work lease(feed_run& run, feed_partition& part,
                                  const work_request& request) {
        part.state = partition_state::in_progress;
        if (!part.started_at) part.started_at = request.now;
        part.leased_until = request.now + request.lease_time;
        ++part.fence;
        part.worker = request.worker;
        part.updated_at = request.now;
        in_.save_partition(run, part);
        run.active_at = request.now;
        in_.save_run(run);
        return {.run = run.id,
                .feed = run.feed,
                .trace = run.trace,
                .type = run.type,
                .window = window_to_read(run.type, run.window),
                .partition = part.number,
                .range = part.range,
                .estimated = part.estimated,
                .most_records = part.most_records,
                .offset = part.next_offset,
                .token = part.token,
                .pass = part.pass,
                .counted = part.counted,
                .attempt = part.attempt,
                .fence = part.fence};
    }

    /// The partition of a page, if the caller has it still: nobody else has taken it over or come on
    /// with it, and it was not given back.
    [[nodiscard]] std::optional<claimable_partition> find_held(const page_work& work) {
        auto run = in_.find_run(work.run);
        if (!run || run->cancelled_at) return std::nullopt;
        auto part = in_.find_partition(*run, work.partition);
        if (!part || is_finished(part->state) || part->fence != work.fence || !part->leased_until)
            return std::nullopt;
        return claimable_partition{std::move(*run), std::move(*part)};
    }

    void tell_completed(const feed_run& run, const feed_partition& part, timestamp now) {
        auto text = concat(partition_name(part.number), " completed: ", part.records,
                           " records in ", part.pages, " pages, ", part.changed, " changed");
        const bool is_short = part.counted && part.records < *part.counted && !part.most_records;
        if (is_short)  // the count is wrong, or some were never given
            text += concat("; the source had counted ", *part.counted);
        in_.append({run_event(run, event_kind::partition_completed,
                              is_short ? severity::warning : severity::info, now, text)});
    }

    void end_failed(feed_run& run, feed_partition& part, const std::string& why, timestamp now,
                    retry_from from = retry_from::page) {
        const auto failed_at = part.next_offset;
        if (from == retry_from::begin) {
            begin_pass(part);
            part.counted.reset();
        }
        part.state = partition_state::failed;
        part.leased_until.reset();
        part.error = why;
        part.updated_at = part.completed_at = now;
        in_.save_partition(run, part);
        ++run.failed;
        run.active_at = now;
        in_.append({run_event(
            run, event_kind::partition_failed, severity::error, now,
            concat(partition_name(part.number), " failed at offset ", failed_at, ": ", why))});
        settle(run, now);
        in_.save_run(run);
    }

    /// With the last partition it is decided what becomes of the run: once, as each finishes once.
    void settle(feed_run& run, timestamp now) {
        const auto decision =
            decide(run.partitions, run.completed, run.failed, run.rules.min_success_ratio);
        const auto tell = [&](event_kind kind, severity level, std::string text) {
            in_.append({run_event(run, kind, level, now, std::move(text))});
        };
        switch (decision) {
            case run_decision::wait:
                return;
            case run_decision::consolidate:
                run.consolidate_at = now;
                return tell(event_kind::consolidation_started, severity::info,
                            concat("all ", run.partitions, " partitions completed: ", run.changed,
                                   " changed items are consolidated"));
            case run_decision::consolidate_partially:
                run.consolidate_at = now + run.rules.partial_delay;
                return tell(event_kind::consolidation_started, severity::warning,
                            concat(run.failed, " of ", run.partitions,
                                   " partitions failed, which is few enough: what there is will be "
                                   "consolidated; the watermark is kept"));
            case run_decision::skip:
                return tell(event_kind::consolidation_skipped, severity::error,
                            concat(run.failed, " of ", run.partitions,
                                   " partitions failed: nothing is consolidated, the watermark is "
                                   "kept; retry them, or force it"));
        }
    }

    Tables& in_;
};

}  // namespace bulk
