// Random histories of a feed: two workers, a source of a few records that changes, and after each call
// what the ledger says is compared with what the plainest bookkeeping says.
#pragma once

#include "feed_stage.hpp"

#include <support/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

template <typename Make>
class feed_history {
public:
    feed_history(Make make, unsigned seed) : stage_{make}, random_{seed} {
        for (int i = 0; i < 8; ++i)
            if (pick(4) > 0) source_["k" + std::to_string(i)] = pick(3);
    }

    /// What is wrong, first; empty if nothing is.
    [[nodiscard]] std::string run(int steps) {
        for (int i = 0; i < steps && wrong_.empty(); ++i) {
            now_ += static_cast<int>(pick(8));
            step();
            compare();
        }
        come_to_an_end();
        return wrong_;
    }

private:
    using contents = std::map<std::string, std::uint64_t>;

    std::uint64_t pick(std::uint64_t below) { return random_() % below; }
    std::string somebody() { return pick(2) == 0 ? "one" : "two"; }
    void wrong(const std::string& what) {
        if (wrong_.empty()) wrong_ = last_ + ": " + what;
    }

    void step() {
        switch (pick(24)) {
            case 0:
            case 1:
                return start();
            case 2:
            case 3:
            case 4:
            case 5:
                return claim_page();
            case 6:
            case 7:
            case 8:
            case 9:
            case 10:
                return store_page();
            case 11:
                return drop_page();
            case 12:
                return retry_or_cancel();
            case 13:
            case 14:
                return claim_batch();
            case 15:
            case 16:
                return store_items();
            case 17:
            case 18:
                return finish_batch();
            case 19:
                return ask();
            case 20:
                return resume();
            case 21:
                return set_watermark();
            case 22:
                return remove();
            default:
                return change_source();
        }
    }

    void start() {
        last_ = "start";
        auto plan = run_plan(++started_);
        plan.started_at = at(now_);
        plan.window.to = at(now_);
        plan.watermark_before = mark_;
        plan.type = pick(3) == 0 ? bulk::run_type::incremental : bulk::run_type::full;
        plan.rules = {.min_success_ratio = pick(2) == 0 ? 0.5 : 1,
                      .partial_delay = std::chrono::seconds{pick(10)},
                      .max_deliveries = static_cast<std::uint32_t>(1 + pick(3)),
                      .tolerate_bad_items = pick(2) == 0};
        plan.is_capped = pick(8) == 0;
        const bool was_active = current_ && is_active(*current_);
        const auto begun = stage_->start_run(plan, parts(2));
        if (begun.has_value() == was_active) return wrong("two runs at once, or none");
        if (!begun) return;
        current_ = *begun;
        before_ = canonical_;
        fetched_.clear();
        keyless_.clear();
        done_.clear();
        bad_.clear();
        open_.clear();
    }

    void claim_page() {
        last_ = "claim_page";
        if (auto work = stage_->claim_page(worker(now_, somebody())).value())
            works_.push_back(std::move(*work));
    }

    /// Any page that somebody was ever given, as the source is now.
    void store_page() {
        last_ = "store_page";
        if (works_.empty()) return;
        const auto behind = pick(pick(2) == 0 ? works_.size() : 1);
        const auto work = works_[works_.size() - 1 - behind];
        std::vector<bulk::raw_item> items;
        std::uint64_t offset = 0;
        bool has_more = false;
        for (const auto& [key, hash] : source_) {
            if ((key[1] - '0') % 2 != static_cast<int>(work.partition)) continue;
            if (offset >= work.offset + 2) has_more = true;
            if (offset >= work.offset && offset < work.offset + 2) items.push_back(raw(key, hash));
            ++offset;
        }
        if (!items.empty() && pick(4) == 0) items.push_back(items.front());
        auto page = page_of(items, has_more);
        page.received = 2;
        page.begin_again = has_more && pick(8) == 0;
        if (pick(20) == 0) page.bad = {{.key = to_text(work) + '!', .reason = "no key"}};
        const auto stored = stage_.store(work, page, now_, somebody());
        if (stored.outcome == bulk::page_outcome::skipped_duplicate ||
            stored.outcome == bulk::page_outcome::skipped_finished)
            return;
        if (!current_ || work.run != current_->id) return wrong("a page of a run that is over");
        for (const auto& each : items) fetched_[each.key] = each.hash;
        for (const auto& each : page.bad) keyless_.insert(each.key);
        if (stored.next) works_.push_back(*stored.next);
    }

    void drop_page() {
        last_ = "drop_page";
        if (works_.empty()) return;
        const auto& work = works_[pick(2) == 0 ? pick(works_.size()) : works_.size() - 1];
        const auto how = pick(3);
        if (how == 0) (void)stage_->fail_page(work, "gone", at(now_));
        if (how == 1)
            (void)stage_->retry_page(work, "slow", at(now_ + static_cast<int>(pick(9))), at(now_));
        if (how == 2) (void)stage_->return_page(work, at(now_));
    }

    void retry_or_cancel() {
        last_ = "retry or cancel";
        if (!current_) return;
        if (pick(3) > 0)
            (void)stage_->retry_partitions(
                current_->id, pick(2) == 0 ? std::optional<std::uint32_t>{0} : std::nullopt,
                at(now_));
        else if (pick(2) == 0 && stage_->cancel_run(current_->id, "", at(now_)))
            open_.clear();
    }

    void claim_batch() {
        last_ = "claim_batch";
        auto batch = stage_.batch(now_, static_cast<std::uint32_t>(1 + pick(4)), somebody());
        note_given_up();
        if (!batch) return;
        std::set<std::string> mine;
        for (const auto& each : batch->items) {
            mine.insert(each.key);
            if (!is_pending(each.key) || fetched_.at(each.key) != each.hash)
                wrong(each.key + " is handed out");
        }
        for (const auto& [number, theirs] : open_)
            for (const auto& key : theirs)
                if (number != batch->number && is_pending(key) && mine.contains(key))
                    wrong(key + " is in two batches");
        open_[batch->number] = std::move(mine);
        batches_.push_back(std::move(*batch));
    }

    /// Batches with which too many have died.
    void note_given_up() {
        if (!current_) return;
        bool is_new = false;
        for (const auto found = stage_->bad_items(current_->id, "", 1000).value();
             const auto& each : found) {
            if (each.reason.find("consolidators died") == std::string::npos ||
                bad_.contains(each.key))
                continue;
            if (!is_pending(each.key)) wrong(each.key + " was given up");
            bad_.insert(each.key);
            std::erase_if(open_,
                          [&](const auto& batch) { return batch.second.contains(each.key); });
            is_new = true;
        }
        const auto run = stage_.of(*current_);
        if (is_new && (run.completed_at || run.failed_at)) ended(run);
    }

    void store_items() {
        last_ = "store_items";
        if (batches_.empty()) return;
        const auto& batch = batches_[pick(2) == 0 ? pick(batches_.size()) : batches_.size() - 1];
        std::vector<bulk::mapped_item> items;
        for (auto each : mapped(batch.items)) {
            if (pick(6) == 0) each.error = "no price";
            if (pick(6) > 0) items.push_back(std::move(each));
        }
        if (!stage_->store_items(batch, items, worker(now_))) return;
        for (const auto& each : items) {
            if (!is_pending(each.key)) continue;
            if (each.error) {
                bad_.insert(each.key);
            } else {
                done_.insert(each.key);
                canonical_[each.key] = each.hash;
            }
        }
    }

    void finish_batch() {
        last_ = "finish_batch";
        if (batches_.empty()) return;
        const auto batch = batches_[pick(2) == 0 ? pick(batches_.size()) : batches_.size() - 1];
        const auto done = stage_->finish_batch(batch, at(now_));
        if (!done) return;
        for (const auto& key : open_[batch.number])
            if (is_pending(key)) wrong(key + " was forgotten");
        open_.erase(batch.number);
        if (done->completed_at || done->failed_at) ended(*done);
    }

    void ended(const bulk::feed_run& run) {
        for (const auto& [key, hash] : fetched_)
            if (is_pending(key)) wrong(key + " is not consolidated");
        if (!open_.empty()) wrong("somebody holds a batch");
        const bool may_complete = bad_.empty() && keyless_.empty();
        if (run.completed_at.has_value() != (may_complete || run.rules.tolerate_bad_items))
            wrong("it has ended with bad items, or failed without");
        if (!run.completed_at) return;
        const bool is_whole = run.failed == 0 && !run.is_capped;
        std::uint64_t removed = 0;
        if (is_whole && run.type == bulk::run_type::full && keyless_.empty())
            removed = std::erase_if(
                canonical_, [&](const auto& each) { return !fetched_.contains(each.first); });
        if (run.removed != removed) wrong("another number of items is removed");
        if ((is_whole || (run.is_forced && !run.is_capped)) && (!mark_ || *mark_ < run.window.to))
            mark_ = run.window.to;
    }

    void ask() {
        last_ = "consolidate";
        if (current_) (void)stage_->consolidate(current_->id, pick(2) == 0, at(now_));
    }

    void resume() {
        last_ = "resume";
        if (!current_ || pick(2) == 0) return;
        const auto reset = stage_->resume_consolidation(current_->id, at(now_));
        if (!reset) return;
        if (*reset != bad_.size()) wrong("another number of bad items is tried again");
        bad_.clear();
    }

    void set_watermark() {
        last_ = "set_watermark";
        if (pick(4) > 0) return;
        std::optional<bulk::timestamp> value;
        if (pick(3) > 0) value = at(static_cast<int>(pick(static_cast<std::uint64_t>(now_) + 1)));
        if (stage_->set_watermark("diamonds", value, "ops", at(now_))) mark_ = value;
    }

    void remove() {
        last_ = "remove_run";
        const auto id =
            run_id_of(static_cast<int>(1 + pick(static_cast<std::uint64_t>(started_) + 1)));
        if (stage_->remove_run(id) && current_ && current_->id == id) current_.reset();
    }

    void change_source() {
        last_ = "change";
        const auto key = "k" + std::to_string(pick(8));
        if (pick(4) == 0)
            source_.erase(key);
        else
            source_[key] = pick(3);
    }

    /// Fetched, not as it was before, and neither consolidated nor bad.
    [[nodiscard]] bool is_pending(const std::string& key) const {
        return is_changed(key) && !done_.contains(key) && !bad_.contains(key);
    }
    [[nodiscard]] bool is_changed(const std::string& key) const {
        const auto now = fetched_.find(key), before = before_.find(key);
        return now != fetched_.end() && (before == before_.end() || before->second != now->second);
    }

    void compare() {
        contents stored;
        for (const auto found = stage_->items({.feed = "diamonds"}).value();
             const auto& each : found.items)
            stored[each.key] = std::stoull(each.payload.substr(each.payload.find('#') + 1));
        if (stored != canonical_) wrong("the canonical set is another one");
        if (stage_.mark() != mark_) wrong("the watermark is another one");
        if (!current_) return;
        const auto run = stage_.of(*current_);
        current_ = run;
        std::uint32_t completed = 0, failed = 0;
        std::uint64_t records = 0, changed = 0;
        for (const auto found = stage_->partitions(run.id).value(); const auto& part : found) {
            completed += part.state == bulk::partition_state::completed;
            failed += part.state == bulk::partition_state::failed;
            records += part.records;
            changed += part.changed;
            if (part.leased_until && part.state != bulk::partition_state::in_progress)
                wrong("a partition is leased, and not in progress");
        }
        equal("completed", run.completed, completed);
        equal("failed", run.failed, failed);
        equal("records of the partitions", run.records, records);
        equal("records", run.records, fetched_.size());
        std::uint64_t differing = 0;
        for (const auto& [key, hash] : fetched_) differing += is_changed(key);
        equal("changed", run.changed, differing);
        if (changed < run.changed) wrong("partitions have fewer changed items than the run");
        equal("consolidated", run.consolidated, done_.size());
        equal("keyless", run.keyless, keyless_.size());
        equal("bad items", run.bad_items, keyless_.size() + bad_.size());
        equal("listed bad items", run.bad_items,
              stage_->bad_items(run.id, "", 1000).value().size());
        equal("open batches", run.open_batches, open_.size());
        check_events(run);
        const auto due = stage_->next_due({"diamonds"}).value();
        if (due.has_value() != is_active(run)) wrong("nobody is told of work, or of none");
    }

    void check_events(const bulk::feed_run& run) {
        using bulk::event_kind;
        const auto events = stage_.events(run);
        const auto told = [&](event_kind kind) {
            return static_cast<std::uint64_t>(std::ranges::count(events, kind, &bulk::event::kind));
        };
        equal("run_started", told(event_kind::run_started), 1);
        equal("partition_completed", told(event_kind::partition_completed), run.completed);
        equal("run_completed", told(event_kind::run_completed), run.completed_at.has_value());
        equal("run_cancelled", told(event_kind::run_cancelled), run.cancelled_at.has_value());
        if (told(event_kind::partition_failed) < run.failed) wrong("a failure is not told");
    }

    void equal(const std::string& what, std::uint64_t is, std::uint64_t should) {
        if (is != should)
            wrong(what + ": " + std::to_string(is) + ", should be " + std::to_string(should));
    }

    /// Whatever has happened, two workers who do what there is to do bring a run to its end.
    void come_to_an_end() {
        for (int i = 0; i < 400 && wrong_.empty() && current_ && is_active(*current_); ++i) {
            now_ += 5;
            works_.clear();
            claim_page();
            if (!works_.empty()) store_page();
            compare();
            batches_.clear();
            claim_batch();
            if (!batches_.empty()) {
                store_items();
                finish_batch();
            }
            compare();
        }
        last_ = "the end";
        if (current_ && is_active(*current_)) wrong("it never comes");
    }

    feed_stage<Make> stage_;
    std::mt19937_64 random_;
    int now_ = 1000;
    int started_ = 0;
    std::string last_, wrong_;

    contents source_, canonical_;
    std::optional<bulk::timestamp> mark_;
    std::optional<bulk::feed_run> current_;
    contents before_;   ///< the canonical set when the run began
    contents fetched_;  ///< by it
    std::set<std::string> keyless_, done_, bad_;
    std::map<std::uint64_t, std::set<std::string>> open_;  ///< batches
    std::vector<bulk::page_work> works_;                   ///< that somebody was given
    std::vector<bulk::item_batch> batches_;
};

template <typename Make>
void check_feed_histories(Make make, unsigned histories) {
    using namespace boost::ut;

    "whatever is called in whatever order, counters say what partitions and items say"_test = [&] {
        for (unsigned seed = 1; seed <= histories; ++seed) {
            const auto wrong = feed_history{make, seed}.run(80);
            expect(wrong.empty()) << "seed" << seed << wrong;
            if (!wrong.empty()) return;
        }
    };
}

}  // namespace conformance
