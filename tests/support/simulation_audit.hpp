// The same for what is made of the pages: who consolidates which items, what was stored, and what the
// canonical set must have when a run is completed.
#pragma once

#include <bulk/feed.hpp>

#include <support/audited_run.hpp>
#include <support/page_audit.hpp>
#include <support/restless_source.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace support {

class feed_audit : public page_audit {
public:
    using page_audit::claimed;
    using page_audit::name;
    using page_audit::page_audit;
    using page_audit::stored;

    std::function<void(const bulk::item_batch&)> on_batch;

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
    /// Whoever claims a batch gives those up with which too many have died, and may end their runs.
    void gave_up(const bulk::work_request& request) {
        for (auto& [id, run] : runs) {
            if (run.is_over || run.batches.empty()) continue;
            const auto now = view.run(id);
            if (now.bad_items - now.keyless == run.bad.size()) continue;
            std::set<std::string> given_up;
            for (const auto& key : view.bad_keys(id))
                if (run.seen.contains(key) && run.bad.insert(key).second) given_up.insert(key);
            std::erase_if(run.batches, [&](const auto& each) {
                const auto& [number, batch] = each;
                const bool is_gone = std::ranges::any_of(
                    batch.keys, [&](const auto& key) { return given_up.contains(key); });
                if (is_gone && leases_are_kept &&
                    batch.leased_until.value_or(request.now) > request.now)
                    wrong(name(id) + ": a batch was given up while somebody had it");
                return is_gone;
            });
            note(request.worker + " gave items of " + name(id) + " up");
            ended(now);
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
        ended(now);
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

    [[nodiscard]] static std::string payload_of(const listing& made) {
        std::string text;
        bulk::json::write_row(text, made, {.reveal_pii = true});
        return text;
    }

private:
    [[nodiscard]] std::string name(const bulk::item_batch& batch) {
        return name(batch.run) + " batch " + std::to_string(batch.number);
    }
    [[nodiscard]] bool is_held(const bulk::item_batch& batch) {
        const auto& run = runs[batch.run];
        const auto found = run.batches.find(batch.number);
        return !run.is_over && found != run.batches.end() && found->second.fence == batch.fence;
    }

    void ended(const bulk::feed_run& now) {
        if (now.failed_at) ++feeds[now.feed].version;
        if (now.completed_at) completed(now);
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
            if (record.data.id.empty() || record.since > run.since || updated >= run.read.to ||
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
};

}  // namespace support
