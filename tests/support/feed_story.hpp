// Whether the events of a run tell one story: every partition ends once, one decision comes with the
// last of them, and an end stays the end.
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/feed_run.hpp>

#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

class feed_story {
public:
    /// What is wrong with it; empty if nothing is.
    [[nodiscard]] static std::string check(const bulk::feed_run& run,
                                           const std::vector<bulk::event>& events) {
        feed_story told{run};
        for (const auto& each : events) told.hear(each);
        told.end();
        return told.wrong_;
    }

private:
    using kind = bulk::event_kind;

    explicit feed_story(const bulk::feed_run& run) : run_{run} {}

    void hear(const bulk::event& each) {
        const bool is_due = std::exchange(is_decision_due_, false);
        const bool is_decision = (each.kind == kind::consolidation_started ||
                                  each.kind == kind::consolidation_skipped) &&
                                 is_by_itself(each.message);
        if (is_due && !is_decision) say("nothing was decided with the last partition");
        if (is_decision && !is_due) say("it was decided once more: " + each.message);
        if (completions_ + cancels_ > 0 && each.kind != kind::watermark_moved)
            say("something happened after the end: " + each.message);
        switch (each.kind) {
            case kind::run_started:
                ++starts_;
                break;
            case kind::partition_completed:
                if (!completed_.insert(name_in(each.message)).second)
                    say(name_in(each.message) + " was completed twice");
                finish_one();
                break;
            case kind::partition_failed:
                if (completed_.contains(name_in(each.message)))
                    say(name_in(each.message) + " failed after it was completed");
                ++failures_;
                finish_one();
                break;
            case kind::partitions_retried:
                retried_ += number_in(each.message);
                break;
            case kind::consolidation_started:
                if (finished() != run_.partitions)
                    say("consolidation began too early: " + each.message);
                is_begun_ = true;
                break;
            case kind::run_completed:
                ++completions_;
                if (!is_begun_) say("it was completed, but never consolidated");
                break;
            case kind::run_failed:
                ++ends_in_failure_;
                break;
            case kind::run_cancelled:
                ++cancels_;
                break;
            default:
                break;
        }
    }

    [[nodiscard]] std::uint64_t finished() const {
        return completed_.size() + failures_ - retried_;
    }

    void finish_one() {
        if (finished() > run_.partitions) say("more partitions finished than there are");
        is_decision_due_ = finished() == run_.partitions;
    }

    void end() {
        if (is_decision_due_) say("nothing was decided with the last partition");
        if (starts_ != 1) say("its start was not told once");
        if (completions_ != (run_.completed_at ? 1 : 0)) say("its completion was not told once");
        if (cancels_ != (run_.cancelled_at ? 1 : 0)) say("its cancellation was not told once");
        if (run_.failed_at && ends_in_failure_ == 0) say("its failure was not told");
        if (completed_.size() != run_.completed) say("completed partitions and events differ");
        if (failures_ - retried_ != run_.failed) say("failed partitions and events differ");
    }

    void say(const std::string& what) {
        if (wrong_.empty()) wrong_ = "run " + std::to_string(run_.number) + ": " + what;
    }

    /// Not because a person wanted it.
    [[nodiscard]] static bool is_by_itself(std::string_view message) {
        return message.starts_with("all ") ||
               message.find(" partitions failed") != std::string_view::npos;
    }
    [[nodiscard]] static std::string name_in(std::string_view message) {
        return std::string{message.substr(0, message.find(' '))};
    }
    [[nodiscard]] static std::uint64_t number_in(std::string_view message) {
        std::uint64_t number = 0;
        (void)std::from_chars(message.data(), message.data() + message.size(), number);
        return number;
    }

    const bulk::feed_run& run_;
    std::string wrong_;
    std::set<std::string> completed_;
    std::uint64_t failures_ = 0;
    std::uint64_t retried_ = 0;
    bool is_decision_due_ = false;
    bool is_begun_ = false;
    int starts_ = 0;
    int completions_ = 0;
    int ends_in_failure_ = 0;
    int cancels_ = 0;
};

}  // namespace support
