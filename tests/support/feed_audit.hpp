// Hears every call that changed a ledger of feeds and keeps its own account of what must have become
// of it: which page is next, who holds what, which items a run has seen and stored, and what the
// canonical set must have when a run is completed.
#pragma once

#include <bulk/feed.hpp>

#include <support/audited_run.hpp>
#include <support/restless_source.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace support {

class feed_audit {
public:
    explicit feed_audit(const std::uint64_t& changes) : changes_{changes} {}

    audit_view view;
    bool leases_are_kept = true;  ///< nobody finds out by other means that a process died
    std::map<std::string, audited_feed> feeds;
    std::map<bulk::run_id, audited_run> runs;
    std::function<void(const bulk::page_work&, const bulk::fetched_page&)> on_page;
    std::function<void(const bulk::item_batch&)> on_batch;
    std::string trace;
    std::vector<std::string> wrongs;

    void note(const std::string& what) { trace += what + '\n'; }
    void wrong(std::string what) {
        note("WRONG: " + what);
        wrongs.push_back(std::move(what));
    }

    // --- runs ------------------------------------------------------------------------------------

    void started(const bulk::feed_run& run, const std::vector<bulk::feed_partition>& parts) {
        auto& made = runs[run.id];
        made = {.feed = run.feed, .window = run.window, .since = changes_};
        names_[run.id] = run.feed + std::to_string(run.feed_number);
        for (const auto& each : parts) made.parts[each.number] = {};
        current_[run.feed] = run.id;
        note(name(run.id) + " started, " + std::to_string(parts.size()) + " partitions");
        check_alone(run.feed);
    }
    void cancelled(const bulk::feed_run& run) {
        note(name(run.id) + " cancelled");
        runs[run.id].is_over = true;
        if (run.consolidated > 0) ++feeds[run.feed].version;
    }
    void removed(bulk::run_id id) {
        note(name(id) + " removed");
        runs[id].is_over = runs[id].is_removed = true;
    }
    /// Failed partitions are to be fetched again, or consolidation was asked for.
    void revived(bulk::run_id id) {
        note(name(id) + " revived");
        check_newest(id);
        for (const auto& each : view.partitions(id)) {
            auto& part = runs[id].parts[each.number];
            part.is_finished = is_finished(each.state);
            if (part.is_finished) continue;
            part.offset = each.next_offset;
            part.pass = each.pass;
            part.leased_until = each.leased_until;
        }
        check_alone(runs[id].feed);
    }
    void set_by_hand(const bulk::watermark& set) {
        auto& feed = feeds[set.feed];
        note(set.feed + " watermark set");
        if (set.value && (!feed.watermark || *set.value > *feed.watermark)) feed.has_gap = true;
        feed.watermark = set.value;
    }
    /// The source of a feed is about to change.
    void changes(const std::string& feed, const article* before, const article* after) {
        const auto at = current_.find(feed);
        if (at == current_.end()) return;
        auto& run = runs[at->second];
        const bool was = before != nullptr && catalogue::is_in(*before, run.window);
        const bool is = after != nullptr && catalogue::is_in(*after, run.window);
        const bool moves = was && is && before->price != after->price;
        run.has_lost |= (was && !is) || moves;
        run.has_gained |= (is && !was) || moves;
    }
    void lies(const std::string& feed) {
        if (const auto at = current_.find(feed); at != current_.end())
            runs[at->second].was_lied_to = true;
    }

    // --- pages -----------------------------------------------------------------------------------

    void claimed(const bulk::page_work& work, const bulk::work_request& request) {
        auto& run = runs[work.run];
        auto& part = run.parts[work.partition];
        note(request.worker + " claimed " + name(work));
        if (run.is_over) wrong(name(work) + " of a run that has ended was handed out");
        if (part.is_finished) wrong(name(work) + " of a finished partition was handed out");
        if (work.offset != part.offset || work.pass != part.pass)
            wrong(name(work) + " is not the next one");
        if (leases_are_kept && part.leased_until && request.now < *part.leased_until)
            wrong(name(work) + " was handed out while somebody had it");
        hold(part, work, request);
    }
    void stored(const bulk::page_work& work, const bulk::fetched_page& page,
                const bulk::stored_page& answer, const bulk::work_request& request) {
        auto& run = runs[work.run];
        auto& part = run.parts[work.partition];
        if (on_page) on_page(work, page);
        note(request.worker + " stored " + name(work) + ": " +
             std::string{bulk::name_of(answer.outcome)});
        const bool is_taken = answer.outcome == bulk::page_outcome::advanced ||
                              answer.outcome == bulk::page_outcome::completed;
        if (answer.outcome == bulk::page_outcome::skipped_finished && !run.is_over)
            part.is_finished = is_finished(view.partitions(work.run)[work.partition].state);
        const bool is_next = !run.is_over && !part.is_finished && work.offset == part.offset &&
                             work.pass == part.pass;
        if (is_taken != is_next)
            wrong(name(work) + (is_next ? " was next, but skipped" : " was not next, but taken"));
        if (!is_taken) return;
        for (const auto& item : page.items) run.seen[item.key] = item.payload;
        const bool begins_again = page.begin_again || (page.may_begin_again && answer.next);
        part.offset = begins_again ? 0 : part.offset + page.received;
        part.pass += begins_again ? 1 : 0;
        part.leased_until.reset();
        part.is_finished = answer.outcome == bulk::page_outcome::completed;
        if (part.is_finished) return;
        if (!answer.next || answer.next->offset != part.offset || answer.next->pass != part.pass)
            return wrong(name(work) + ": the page behind it is not handed out");
        hold(part, *answer.next, request);
    }
    [[nodiscard]] bool holds(const bulk::page_work& work) {
        const auto& run = runs[work.run];
        const auto part = run.parts.find(work.partition);
        return !run.is_over && part != run.parts.end() && !part->second.is_finished &&
               part->second.leased_until && part->second.fence == work.fence;
    }
    /// A page was put off, given back or given up.
    void let_go(const bulk::page_work& work, bool is_taken, const std::string& what) {
        auto& part = runs[work.run].parts[work.partition];
        note(what + ' ' + name(work) + (is_taken ? "" : ": not ours"));
        if (is_taken && !holds(work)) wrong(what + " of " + name(work) + " by somebody else");
        if (!is_taken && holds(work)) {  // unless it was given to too many
            part.is_finished = is_finished(view.partitions(work.run)[work.partition].state);
            if (!part.is_finished) wrong(what + " of " + name(work) + " was refused");
        }
        if (!is_taken) return;
        part.leased_until.reset();
        part.is_finished = what == "fail_page";
    }

    // --- batches ---------------------------------------------------------------------------------

    void claimed(const bulk::item_batch& batch, const bulk::work_request& request) {
        auto& run = runs[batch.run];
        if (on_batch) on_batch(batch);
        note(request.worker + " claimed " + name(batch));
        if (run.is_over) wrong(name(batch) + " of a run that has ended was handed out");
        auto& mine = run.batches[batch.number];
        if (leases_are_kept && mine.leased_until && request.now < *mine.leased_until)
            wrong(name(batch) + " was handed out while somebody had it");
        if (batch.fence <= mine.fence) wrong(name(batch) + " has an old fence");
        mine = {.fence = batch.fence, .leased_until = request.now + request.lease_time};
        for (const auto& item : batch.items) {
            mine.keys.insert(item.key);
            const auto came = run.seen.find(item.key);
            if (came == run.seen.end() || came->second != item.payload)
                wrong(name(batch) + " has " + item.key + ", which is not what its run has read");
            if (run.stored.contains(item.key)) wrong(name(batch) + " has " + item.key + " again");
            for (const auto& [number, other] : run.batches)
                if (number != batch.number && other.keys.contains(item.key))
                    wrong(item.key + " is in two batches at once");
        }
    }
    void stored(const bulk::item_batch& batch, const std::vector<bulk::mapped_item>& items,
                const bulk::work_request& request) {
        auto& run = runs[batch.run];
        note(request.worker + " stored items of " + name(batch));
        if (!is_held(batch)) return wrong(name(batch) + " was stored by somebody else");
        run.batches[batch.number].leased_until = request.now + request.lease_time;
        for (const auto& item : items) {
            if (item.error && !run.stored.contains(item.key)) run.bad.insert(item.key);
            if (!item.error && !run.bad.contains(item.key)) run.stored.insert(item.key);
        }
    }
    void finished(const bulk::item_batch& batch, const bulk::feed_run& now) {
        auto& run = runs[batch.run];
        note(name(batch) + " finished" + (now.completed_at ? ", the run completed" : "") +
             (now.failed_at ? ", the run failed" : ""));
        if (!is_held(batch)) wrong(name(batch) + " was finished by somebody else");
        for (const auto& item : batch.items)
            if (!run.stored.contains(item.key) && !run.bad.contains(item.key))
                wrong(name(batch) + " was finished without " + item.key);
        run.batches.erase(batch.number);
        if (now.failed_at) ++feeds[run.feed].version;
        if (now.completed_at) completed(now);
    }
    void returned(const bulk::item_batch& batch) {
        note(name(batch) + " returned");
        if (is_held(batch)) runs[batch.run].batches[batch.number].leased_until.reset();
    }
    void resumed(bulk::run_id id) {
        note(name(id) + " resumed");
        check_newest(id);
        auto& run = runs[id];
        for (auto& [number, batch] : run.batches) {
            ++batch.fence;
            batch.leased_until.reset();
            for (const auto& key : run.bad) batch.keys.erase(key);
        }
        run.bad.clear();
        check_alone(run.feed);
    }

    [[nodiscard]] std::string name(bulk::run_id id) { return names_[id]; }

    /// What a run says of itself is what was done.
    void check_counters(const bulk::feed_run& now) {
        const auto& run = runs[now.id];
        std::uint64_t completed = 0, failed = 0, records = 0;
        for (const auto& part : view.partitions(now.id)) {
            completed += part.state == bulk::partition_state::completed;
            failed += part.state == bulk::partition_state::failed;
            records += part.records;
        }
        const auto same = [&](const char* what, std::uint64_t said, std::uint64_t is) {
            if (said != is)
                wrong(name(now.id) + " says " + std::to_string(said) + ' ' + what + ", not " +
                      std::to_string(is));
        };
        same("completed partitions", now.completed, completed);
        same("failed partitions", now.failed, failed);
        same("records", now.records, records);
        same("different records", now.records, run.seen.size());
        same("stored items", now.consolidated, run.stored.size());
        same("items that cannot be mapped", now.bad_items - now.keyless, run.bad.size());
        same("open batches", now.open_batches, run.batches.size());
        if (now.completed_at || now.failed_at)
            same("changed items", now.changed, run.stored.size() + run.bad.size());
    }

private:
    [[nodiscard]] std::string name(const bulk::page_work& work) {
        return name(work.run) + ':' + std::to_string(work.partition) + ':' +
               std::to_string(work.pass) + ':' + std::to_string(work.offset);
    }
    [[nodiscard]] std::string name(const bulk::item_batch& batch) {
        return name(batch.run) + " batch " + std::to_string(batch.number);
    }

    void hold(audited_run::part& part, const bulk::page_work& work,
              const bulk::work_request& request) {
        if (work.fence <= part.fence) wrong(name(work) + " has an old fence");
        part.fence = work.fence;
        part.leased_until = request.now + request.lease_time;
    }
    [[nodiscard]] bool is_held(const bulk::item_batch& batch) {
        const auto& run = runs[batch.run];
        const auto found = run.batches.find(batch.number);
        return !run.is_over && found != run.batches.end() && found->second.fence == batch.fence;
    }
    void check_newest(bulk::run_id id) {
        if (runs[id].is_over) wrong(name(id) + " goes on after its end");
        if (current_[runs[id].feed] != id) wrong(name(id) + " goes on, but a later one was begun");
    }
    void check_alone(const std::string& feed) {
        if (view.active_runs(feed) > 1) wrong("two runs of " + feed + " are active");
    }

    void completed(const bulk::feed_run& now) {
        auto& run = runs[now.id];
        auto& feed = feeds[run.feed];
        if (run.is_over) wrong(name(now.id) + " was completed once more");
        if (!run.batches.empty()) wrong(name(now.id) + " was completed while a batch is open");
        if (now.bad_items > 0 && !now.rules.tolerate_bad_items)
            wrong(name(now.id) + " was completed with bad items");
        run.is_over = true;
        ++feed.version;
        const bool is_whole = now.failed == 0 && !now.is_capped;
        const bool is_unsure =
            run.has_lost &&
            (feed.never_looks || (feed.can_lose && (run.has_gained || run.was_lied_to)));
        note(name(now.id) + " is completed" + (is_whole ? "" : ", but not whole") +
             (is_unsure ? ", but nobody can be sure" : "") + (feed.has_gap ? ", over a gap" : ""));
        if (is_whole && !is_unsure) check_set(now);
        if (!is_whole && !(now.is_forced && !now.is_capped)) return;
        const auto read_from = feed.watermark.value_or(bulk::feed_options{}.full_from);
        if (run.window.from > read_from)
            wrong(name(now.id) + " moves the watermark over what it has not read");
        if (!feed.watermark || *feed.watermark < run.window.to) feed.watermark = run.window.to;
        if (!is_whole || is_unsure || !run.bad.empty())
            feed.has_gap = true;
        else if (now.type == bulk::run_type::full)
            feed.has_gap = false;
    }

    /// What was in the source when the run began, and still is, is in the set. After a full run, what
    /// is in the set was in the source since the run began.
    void check_set(const bulk::feed_run& now) {
        const auto& run = runs[now.id];
        const auto& feed = feeds[run.feed];
        const auto set = view.set(run.feed);
        for (const auto& [key, record] : feed.source->records()) {
            const bulk::timestamp updated{std::chrono::microseconds{record.data.updated}};
            if (record.data.id.empty() || record.since > run.since || updated >= run.window.to ||
                (feed.has_gap && updated < run.window.from) || run.bad.contains(key))
                continue;
            const auto found = set.find(key);
            if (found == set.end() || found->second.is_deleted)
                wrong(name(now.id) + " was completed, but " + key + " is not in the set");
            else if (found->second.payload != payload_of(listing_of(record.data)))
                wrong(name(now.id) + " was completed, but " + key + " is old in the set");
        }
        if (now.type != bulk::run_type::full || now.keyless > 0) return;
        for (const auto& [key, item] : set) {
            if (item.is_deleted || run.bad.contains(key)) continue;
            bool was_there = false;
            for (const auto& version : feed.source->versions(key))
                was_there |= payload_of(version.made) == item.payload &&
                             (!version.until || *version.until > run.since);
            if (!was_there)
                wrong(name(now.id) + " was completed, but " + key + " is not what its source had");
        }
    }

public:
    [[nodiscard]] static std::string payload_of(const listing& made) {
        std::string text;
        bulk::json::write_row(text, made, {.reveal_pii = true});
        return text;
    }

private:
    const std::uint64_t& changes_;
    std::map<bulk::run_id, std::string> names_;
    std::map<std::string, bulk::run_id> current_;  ///< the newest run of a feed
};

}  // namespace support
