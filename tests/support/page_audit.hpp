// Hears every call that changed runs of feeds or fetched their pages, and keeps its own account of what
// must have become of it: which page is next, who holds it, what a run has read, and what its source
// was meanwhile.
#pragma once

#include <bulk/feed.hpp>

#include <support/audited_run.hpp>
#include <support/restless_source.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace support {

class page_audit {
public:
    explicit page_audit(const std::uint64_t& changes) : changes_{changes} {}

    audit_view view;
    bool leases_are_kept = true;  ///< nobody finds out by other means that a process died
    std::map<std::string, audited_feed> feeds;
    std::map<bulk::run_id, audited_run> runs;
    std::function<void(const bulk::page_work&, const bulk::fetched_page&)> on_page;
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
        made = {.feed = run.feed,
                .window = run.window,
                .read = window_to_read(run.type, run.window),
                .since = changes_};
        names_[run.id] = run.feed + std::to_string(run.feed_number);
        for (const auto& each : parts) made.parts[each.number] = {};
        current_[run.feed] = run.id;
        note(name(run.id) + " started, " + std::to_string(parts.size()) + " partitions");
        check_alone(run.feed);
    }
    void cancelled(const bulk::feed_run& run) {
        note(name(run.id) + " cancelled");
        runs[run.id].batches.clear();
        runs[run.id].is_over = true;
        runs[run.id].batches.clear();
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
        const bool was = before != nullptr && catalogue::is_in(*before, run.read);
        const bool is = after != nullptr && catalogue::is_in(*after, run.read);
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

    [[nodiscard]] std::string name(bulk::run_id id) { return names_[id]; }

protected:
    [[nodiscard]] std::string name(const bulk::page_work& work) {
        return name(work.run) + ':' + std::to_string(work.partition) + ':' +
               std::to_string(work.pass) + ':' + std::to_string(work.offset);
    }
    void check_newest(bulk::run_id id) {
        if (runs[id].is_over) wrong(name(id) + " goes on after its end");
        if (current_[runs[id].feed] != id) wrong(name(id) + " goes on, but a later one was begun");
    }
    void check_alone(const std::string& feed) {
        if (view.active_runs(feed) > 1) wrong("two runs of " + feed + " are active");
    }

private:
    void hold(audited_run::part& part, const bulk::page_work& work,
              const bulk::work_request& request) {
        if (work.fence <= part.fence) wrong(name(work) + " has an old fence");
        part.fence = work.fence;
        part.leased_until = request.now + request.lease_time;
    }

    const std::uint64_t& changes_;
    std::map<bulk::run_id, std::string> names_;
    std::map<std::string, bulk::run_id> current_;  ///< the newest run of a feed
};

}  // namespace support
