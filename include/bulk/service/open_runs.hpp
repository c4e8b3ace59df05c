// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/run/active_run.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// The operations that this process works on, those that it has set aside for others, and those that it must not
/// claim. For any thread. Times are those of `executor::steady_now`.
class open_runs {
public:
    enum class place : std::uint8_t { taken, none, stopping };

    /// A place for one more run, while fewer than `most` need a worker. Every place that is taken is given back
    /// by `end_claim`.
    [[nodiscard]] place take_place(std::size_t most) {
        const std::scoped_lock lock{mutex_};
        if (is_stopping_) return place::stopping;
        if (busy() + claiming_ >= most) return place::none;
        ++claiming_;
        return place::taken;
    }
    void end_claim() {
        const std::scoped_lock lock{mutex_};
        --claiming_;
        ended_.notify_all();
    }

    /// The last run of the operation may not have been forgotten yet.
    void insert(const std::shared_ptr<active_run>& run, timestamp now) {
        const std::scoped_lock lock{mutex_};
        runs_.insert_or_assign(run->id(), open_run{run, now});
    }
    void erase(operation_id id) {
        const std::scoped_lock lock{mutex_};
        runs_.erase(id);
        ended_.notify_all();
    }
    /// A run has ended. `look_again` is called when its place is free, and before anybody learns that all is
    /// done: whoever waits for that may destroy this next.
    template <typename LookAgain>
    void forget(const std::shared_ptr<active_run>& run, LookAgain look_again) {
        const std::scoped_lock lock{mutex_};
        if (const auto known = runs_.find(run->id());
            known != runs_.end() && known->second.run == run)
            runs_.erase(known);
        look_again();
        ended_.notify_all();
    }

    [[nodiscard]] std::shared_ptr<active_run> find(operation_id id) const {
        const std::scoped_lock lock{mutex_};
        const auto found = runs_.find(id);
        return found == runs_.end() ? nullptr : found->second.run;
    }
    [[nodiscard]] std::size_t size() const {
        const std::scoped_lock lock{mutex_};
        return runs_.size();
    }

    // --- taking turns ----------------------------------------------------------------------------

    /// The operation that was set aside first, when others have had `shortest_stay`; takes a place for it.
    [[nodiscard]] std::optional<operation_id> take_set_aside(timestamp now,
                                                             std::chrono::seconds shortest_stay) {
        const std::scoped_lock lock{mutex_};
        const auto oldest = longest_open();
        if (set_aside_.empty() || oldest == runs_.end() || is_stopping_ ||
            now - oldest->second.since < shortest_stay)
            return std::nullopt;
        const operation_id next = set_aside_.front();
        set_aside_.erase(set_aside_.begin());
        ++claiming_;
        return next;
    }

    /// The run that has been open longest is to leave; null when there is none.
    [[nodiscard]] std::shared_ptr<active_run> set_one_aside() {
        const std::scoped_lock lock{mutex_};
        const auto oldest = longest_open();
        if (oldest == runs_.end()) return nullptr;
        oldest->second.is_leaving = true;
        set_aside_.push_back(oldest->first);
        return oldest->second.run;
    }

    /// Nobody comes before those that were set aside any more; whether there were some.
    bool clear_set_aside() {
        const std::scoped_lock lock{mutex_};
        return !std::exchange(set_aside_, {}).empty();
    }

    /// An operation that this program cannot run.
    void refuse(operation_id id) {
        const std::scoped_lock lock{mutex_};
        refused_.push_back(id);
    }

    /// The operations that are not to be claimed.
    [[nodiscard]] std::vector<operation_id> excluded() const {
        const std::scoped_lock lock{mutex_};
        auto all = refused_;
        all.insert(all.end(), set_aside_.begin(), set_aside_.end());
        return all;
    }

    // --- the end ---------------------------------------------------------------------------------

    /// No place is given any more. Those that are open, to be told.
    [[nodiscard]] std::vector<std::shared_ptr<active_run>> stop() {
        const std::scoped_lock lock{mutex_};
        is_stopping_ = true;
        std::vector<std::shared_ptr<active_run>> all;
        for (const auto& [id, open] : runs_) all.push_back(open.run);
        return all;
    }
    [[nodiscard]] bool is_stopping() const {
        const std::scoped_lock lock{mutex_};
        return is_stopping_;
    }

    /// All of them, which are not known here any more.
    [[nodiscard]] std::vector<std::shared_ptr<active_run>> take_all() {
        const std::scoped_lock lock{mutex_};
        std::vector<std::shared_ptr<active_run>> all;
        for (auto& [id, open] : runs_) all.push_back(std::move(open.run));
        runs_.clear();
        return all;
    }

    [[nodiscard]] bool is_idle() const {
        const std::scoped_lock lock{mutex_};
        return runs_.empty() && claiming_ == 0;
    }
    /// Waits until nothing runs any more; whether that happened in time.
    [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds time) {
        std::unique_lock lock{mutex_};
        return ended_.wait_for(lock, time, [&] { return runs_.empty() && claiming_ == 0; });
    }

private:
    struct open_run {
        std::shared_ptr<active_run> run;
        timestamp since;
        bool is_leaving = false;  ///< it was asked to go aside
    };

    /// Of those that work. Under the lock.
    [[nodiscard]] std::map<operation_id, open_run>::iterator longest_open() {
        auto oldest = runs_.end();
        for (auto at = runs_.begin(); at != runs_.end(); ++at)
            if (!at->second.is_leaving && !at->second.run->is_resting() &&
                (oldest == runs_.end() || at->second.since < oldest->second.since))
                oldest = at;
        return oldest;
    }

    /// How many runs need a worker. Those that only wait do not: they may wait for days. Under the lock.
    [[nodiscard]] std::size_t busy() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            runs_, [](const auto& each) { return !each.second.run->is_resting(); }));
    }

    mutable std::mutex mutex_;
    std::condition_variable ended_;
    std::map<operation_id, open_run> runs_;
    std::vector<operation_id> refused_;    ///< whose steps are not those of this program
    std::vector<operation_id> set_aside_;  ///< that others go before, the first first
    std::size_t claiming_ = 0;
    bool is_stopping_ = false;
};

}  // namespace bulk
