// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/options.hpp>
#include <bulk/engine/clock_steps.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/turns.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/failure_log.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/run/operation_run.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/run/run_environment.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// Takes operations from the store and runs them until told to stop. `worker_count` of them have what they
/// need for themselves. One that has waited for a second begins beside them, and takes turns with them:
/// up to `most_open` operations at once. When as many are open and one more waits, the one that was
/// opened first is set aside for it, and goes on later.
class dispatcher {
public:
    dispatcher(const catalog& operations, any_storage& storage, executor& jobs,
               const service_options& options, const read_options& reading,
               std::function<void()> on_events, std::function<void()> on_change,
               std::function<std::shared_ptr<const void>()> owner, const log_handler& log)
        : operations_{operations},
          storage_{storage},
          jobs_{jobs},
          options_{options},
          row_turns_{jobs, row_threads(options)},
          reading_{reading},
          on_events_{std::move(on_events)},
          on_change_{std::move(on_change)},
          owner_{std::move(owner)},
          failed_claims_{log},
          failed_runs_{log} {
        for (const auto& each : operations_.all()) observers_.emplace_back(each.steps.size(), log);
    }

    /// So many rows run at once, of all operations together.
    [[nodiscard]] static std::size_t row_threads(const service_options& options) {
        return static_cast<std::size_t>(std::max(options.worker_count, 1)) *
               static_cast<std::size_t>(std::max(options.max_row_concurrency, 1));
    }

    /// Claims as long as there is something to claim and a worker for it. Whoever finds none waits a
    /// little for one to come free.
    void look_for_work() {
        if (!claim_while_fewer_than(workers())) look_for_late_soon();
    }

    /// Ends an operation that is to be cancelled and that nobody has. Whoever has it ends it itself.
    void end_cancelled(operation_id id) {
        auto claimed = storage_.claim(id, request());
        if (!claimed || !*claimed) return;
        owned_operation mine{storage_, std::move(**claimed)};
        const auto closed = mine.close(
            [](operation_record& operation, timestamp now) {
                return move_to(operation, operation_state::cancelled, now);
            },
            jobs_.now());
        if (!closed) (void)storage_.release(mine.held());  // somebody finds it later
        on_change_();
    }

    /// Asks the run of an operation to stop, if this process has it.
    void ask_to_stop(operation_id id, stop_reason reason) {
        if (const auto run = find(id)) run->ask_to_stop(reason);
    }

    /// Somebody has sent a signal to an operation. Whether this process runs it.
    bool check_signals(operation_id id) {
        const auto run = find(id);
        if (run) run->check_signals();
        return run != nullptr;
    }

    /// Takes nothing new and gives back what it has, rows in flight apart.
    void stop() {
        std::vector<std::shared_ptr<active_run>> all;
        {
            const std::scoped_lock lock{mutex_};
            is_stopping_ = true;
            for (const auto& [id, open] : runs_) all.push_back(open.run);
        }
        for (const auto& run : all) run->ask_to_stop(stop_reason::shutdown);
    }

    /// Ends what did not end; says what was still being done.
    [[nodiscard]] std::string abandon() {
        std::map<operation_id, open_run> all;
        {
            const std::scoped_lock lock{mutex_};
            all.swap(runs_);
        }
        std::string sentence;
        for (const auto& [id, open] : all) {
            const std::string said = open.run->abandon();
            if (!said.empty()) sentence += (sentence.empty() ? "" : "; ") + said;
        }
        return sentence;
    }

    /// From now on only the jobs of a run keep it: whoever drops them ends it.
    void let_go() {
        std::map<operation_id, open_run> all;
        const std::scoped_lock lock{mutex_};
        all.swap(runs_);
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

    [[nodiscard]] std::vector<service_metrics::operation> metrics() const {
        std::vector<service_metrics::operation> all;
        const auto known = operations_.all();
        for (std::size_t i = 0; i < observers_.size(); ++i) {
            const observer& seen = observers_[i];
            auto& each = all.emplace_back(
                service_metrics::operation{.name = known[i].name,
                                           .succeeded_rows = seen.succeeded(),
                                           .failed_rows = seen.failed(),
                                           .refused_rows = seen.refused(),
                                           .timed_out_rows = seen.timed_out(),
                                           .retried_steps = seen.retried(),
                                           .waiting_rows = seen.waiting(),
                                           .flushes = seen.flushes(),
                                           .failed_flushes = seen.failed_flushes()});
            for (std::size_t step = 0; step < known[i].steps.size(); ++step)
                each.steps.push_back({known[i].steps[step].name, seen.step(step)});
        }
        return all;
    }

    [[nodiscard]] std::size_t running() const {
        const std::scoped_lock lock{mutex_};
        return runs_.size();
    }

private:
    struct open_run {
        std::shared_ptr<active_run> run;
        timestamp since;
        bool is_leaving = false;  ///< it was asked to go aside
    };

    /// So long an operation waits for a worker before it begins beside the others.
    static constexpr std::chrono::seconds longest_wait{1};
    /// So long one keeps its place when others were set aside.
    static constexpr std::chrono::seconds shortest_stay{10};

    [[nodiscard]] std::size_t workers() const {
        return static_cast<std::size_t>(options_.worker_count);
    }
    /// Each has its file open and some of it in memory.
    [[nodiscard]] std::size_t most_open() const { return 16 * workers(); }

    /// Claims as long as there is something to claim; false when there was no place for it any more.
    [[nodiscard]] bool claim_while_fewer_than(std::size_t places) {
        while (true) {
            {
                const std::scoped_lock lock{mutex_};
                if (is_stopping_) return true;
                if (busy() + claiming_ >= places) return false;
                ++claiming_;
            }
            if (start(claim())) continue;
            const std::scoped_lock lock{mutex_};
            if (set_aside_.empty()) return true;
            set_aside_.clear();  // nobody comes before them any more
        }
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim() {
        return asked([&] { return storage_.claim(request()); });
    }

    /// Begins what was claimed; whether something was.
    bool start(result<std::optional<claimed_operation>> claimed) {
        {
            const std::scoped_lock lock{mutex_};
            --claiming_;
            ended_.notify_all();
        }
        if (claimed) failed_claims_.worked(jobs_.steady_now());
        if (claimed && !*claimed) return false;
        const auto begun =
            claimed ? begin(std::move(**claimed)) : result<>{std::unexpected{claimed.error()}};
        if (!begun) look_again_later(begun.error());
        return begun.has_value();
    }

    /// An operation that cannot begin, as there is no memory for it, is given back.
    [[nodiscard]] result<> begin(claimed_operation claimed) {
        const auto held = claimed.held;
        const auto begun = guarded([&] {
            std::shared_ptr<active_run> started;
            {
                const std::scoped_lock lock{mutex_};
                started = make_run(std::move(claimed));
                // The last run of the operation may not have been forgotten yet.
                runs_.insert_or_assign(started->id(), open_run{started, jobs_.steady_now()});
            }
            started->start();
            if (is_stopping()) started->ask_to_stop(stop_reason::shutdown);
        });
        if (begun) return {};
        (void)asked([&] { return storage_.release(held); });
        const std::scoped_lock lock{mutex_};
        runs_.erase(held.operation);
        ended_.notify_all();
        return begun;
    }

    /// Those that still wait begin beside the others. With no place left, one at a time takes that of
    /// the operation that has been open longest.
    void look_for_late() {
        is_late_look_due_ = false;
        if (claim_while_fewer_than(most_open())) return;
        operation_id next{};
        {
            const std::scoped_lock lock{mutex_};
            if (is_stopping_) return;
            ++claiming_;
        }
        bool has_begun = start(claim());
        if (!has_begun && take_set_aside(next))
            has_begun = start(asked([&] { return storage_.claim(next, request()); }));
        if (has_begun) set_one_aside();
        look_for_late_soon();
    }

    /// The one that was set aside first, when others have had their time.
    [[nodiscard]] bool take_set_aside(operation_id& next) {
        const std::scoped_lock lock{mutex_};
        const auto oldest = longest_open();
        if (set_aside_.empty() || oldest == runs_.end() || is_stopping_ ||
            jobs_.steady_now() - oldest->second.since < shortest_stay)
            return false;
        next = set_aside_.front();
        set_aside_.erase(set_aside_.begin());
        ++claiming_;
        return true;
    }

    void set_one_aside() {
        std::shared_ptr<active_run> leaving;
        {
            const std::scoped_lock lock{mutex_};
            const auto oldest = longest_open();
            if (oldest == runs_.end()) return;
            oldest->second.is_leaving = true;
            set_aside_.push_back(oldest->first);
            leaving = oldest->second.run;
        }
        leaving->ask_to_stop(stop_reason::set_aside);
    }

    /// Of those that work. Under the lock.
    [[nodiscard]] std::map<operation_id, open_run>::iterator longest_open() {
        auto oldest = runs_.end();
        for (auto at = runs_.begin(); at != runs_.end(); ++at)
            if (!at->second.is_leaving && !at->second.run->is_resting() &&
                (oldest == runs_.end() || at->second.since < oldest->second.since))
                oldest = at;
        return oldest;
    }

    [[nodiscard]] claim_request request() {
        const std::scoped_lock lock{mutex_};
        auto except = refused_;
        except.insert(except.end(), set_aside_.begin(), set_aside_.end());
        return {.owner = options_.service_name,
                .names = names(),
                .except = std::move(except),
                .now = jobs_.now(),
                .lease_time = options_.lease_time,
                .clock_doubt = doubt_.look(jobs_.now(), jobs_.steady_now(), options_.lease_time)};
    }

    void refuse(operation_id id) {
        const std::scoped_lock lock{mutex_};
        refused_.push_back(id);
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& each : operations_.all()) all.emplace_back(each.name);
        return all;
    }

    [[nodiscard]] observer& observer_of(std::string_view name) {
        std::size_t at = 0;
        while (at + 1 < observers_.size() && !same_name(operations_.all()[at].name, name)) ++at;
        return observers_[at];
    }

    /// How many runs need a worker. Those that only wait do not: they may wait for days. Under the lock.
    [[nodiscard]] std::size_t busy() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            runs_, [](const auto& each) { return !each.second.run->is_resting(); }));
    }

    [[nodiscard]] bool is_stopping() const {
        const std::scoped_lock lock{mutex_};
        return is_stopping_;
    }

    [[nodiscard]] std::shared_ptr<active_run> find(operation_id id) const {
        const std::scoped_lock lock{mutex_};
        const auto found = runs_.find(id);
        return found == runs_.end() ? nullptr : found->second.run;
    }

    [[nodiscard]] std::shared_ptr<active_run> make_run(claimed_operation claimed) {
        const std::string name = claimed.operation.name;
        const auto known = operations_.operation(name);
        if (!known) return nullptr;  // only these are claimed
        const any_operation& operation = **known;
        return std::make_shared<operation_run>(
            run_environment{.owner = owner_(),
                            .storage = storage_,
                            .jobs = jobs_,
                            .row_turns = row_turns_,
                            .options = options_,
                            .reading = reading_,
                            .watch = observer_of(name),
                            .failures = failed_runs_,
                            .on_events = on_events_,
                            .on_change = on_change_,
                            .on_rest = [this] { look_again_soon(); },
                            .on_refuse = [this](operation_id id) { refuse(id); },
                            .on_end = [this](const auto& run) { forget(run); }},
            std::move(claimed), operation.description(),
            [&operation](auto&&... given) { return operation.make_work(given...); });
    }

    void forget(const std::shared_ptr<active_run>& run) {
        const std::scoped_lock lock{mutex_};
        if (const auto known = runs_.find(run->id());
            known != runs_.end() && known->second.run == run)
            runs_.erase(known);
        look_again_soon();    // not before: whoever looks must find the place free
        ended_.notify_all();  // under the lock: who waits may destroy this next
    }

    void look_again_soon() {
        jobs_.submit(job{[this, keep = owner_()] { look_for_work(); }});
    }
    void look_for_late_soon() {
        if (is_late_look_due_.exchange(true)) return;
        jobs_.submit_at(jobs_.now() + longest_wait,
                        job{[this, weak = std::weak_ptr<const void>{owner_()}] {
                            if (const auto keep = weak.lock()) look_for_late();
                        }});
    }

    /// Once more in a second, however many have found out meanwhile.
    void look_again_later(const error& why) {
        failed_claims_.failed(why.message, jobs_.steady_now());
        if (looks_again_.exchange(true)) return;
        jobs_.submit_at(jobs_.now() + std::chrono::seconds{1}, job{[this, keep = owner_()] {
                            looks_again_ = false;
                            look_for_work();
                        }});
    }

    const catalog& operations_;
    any_storage& storage_;
    executor& jobs_;
    const service_options& options_;
    turns row_turns_;
    const read_options& reading_;
    std::function<void()> on_events_;
    std::function<void()> on_change_;
    std::function<std::shared_ptr<const void>()> owner_;  ///< keeps all of this alive for a run
    std::deque<observer> observers_;                      ///< one for each operation, as listed
    mutable std::mutex mutex_;
    std::condition_variable ended_;
    std::map<operation_id, open_run> runs_;
    std::vector<operation_id> refused_;    ///< whose steps are not those of this program
    std::vector<operation_id> set_aside_;  ///< that others go before, the first first
    std::atomic<bool> is_late_look_due_{false};
    clock_doubt doubt_{jobs_.now(), jobs_.steady_now()};
    std::size_t claiming_ = 0;
    bool is_stopping_ = false;
    std::atomic<bool> looks_again_{false};  ///< a job is on its way
    failure_log failed_claims_;
    failure_log failed_runs_;
};

}  // namespace bulk
