// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/options.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/run/operation_run.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/storage/concepts.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk {

/// Takes operations from the store and runs them, `worker_count` at a time, until told to stop.
template <typename Operations, storage Storage, typename Formats>
class dispatcher {
public:
    dispatcher(Storage& storage, executor& jobs, const service_options& options,
               const read_options& reading, std::function<void()> on_events,
               std::function<void()> on_change, std::function<std::shared_ptr<const void>()> owner,
               const log_handler& log)
        : storage_{storage},
          jobs_{jobs},
          options_{options},
          reading_{reading},
          on_events_{std::move(on_events)},
          on_change_{std::move(on_change)},
          owner_{std::move(owner)},
          log_{log} {
        for (const auto& each : Operations::descriptions)
            observers_.emplace_back(each.steps.size(), log);
    }

    /// Claims as long as there is something to claim and a worker for it.
    void look_for_work() {
        while (true) {
            {
                const std::scoped_lock lock{mutex_};
                if (is_stopping_ ||
                    busy() + claiming_ >= static_cast<std::size_t>(options_.worker_count))
                    return;
                ++claiming_;
            }
            auto claimed = storage_.claim(request());
            std::shared_ptr<active_run> started;
            {
                const std::scoped_lock lock{mutex_};
                --claiming_;
                ended_.notify_all();
                if (claimed && *claimed) {
                    started = make_run(std::move(**claimed));
                    // The last run of the operation may not have been forgotten yet.
                    runs_.insert_or_assign(started->id(), started);
                }
            }
            if (!started) {
                if (!claimed) look_again_later(claimed.error());
                return;
            }
            started->start();
            if (is_stopping()) started->ask_to_stop(stop_reason::shutdown);
        }
    }

    /// Ends an operation that is to be cancelled and that nobody has. Whoever has it ends it itself.
    void end_cancelled(operation_id id) {
        auto claimed = storage_.claim(id, request());
        if (!claimed || !*claimed) return;
        owned_operation<Storage> mine{storage_, std::move(**claimed)};
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
            for (const auto& [id, run] : runs_) all.push_back(run);
        }
        for (const auto& run : all) run->ask_to_stop(stop_reason::shutdown);
    }

    /// Ends what did not end; says what was still being done.
    [[nodiscard]] std::string abandon() {
        std::map<operation_id, std::shared_ptr<active_run>> all;
        {
            const std::scoped_lock lock{mutex_};
            all.swap(runs_);
        }
        std::string sentence;
        for (const auto& [id, run] : all) {
            const std::string said = run->abandon();
            if (!said.empty()) sentence += (sentence.empty() ? "" : "; ") + said;
        }
        return sentence;
    }

    /// From now on only the jobs of a run keep it: whoever drops them ends it.
    void let_go() {
        std::map<operation_id, std::shared_ptr<active_run>> all;
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
        for (std::size_t i = 0; i < observers_.size(); ++i) {
            const observer& seen = observers_[i];
            auto& each = all.emplace_back(
                service_metrics::operation{.name = Operations::descriptions[i].name,
                                           .succeeded_rows = seen.succeeded(),
                                           .failed_rows = seen.failed(),
                                           .refused_rows = seen.refused(),
                                           .timed_out_rows = seen.timed_out(),
                                           .retried_steps = seen.retried(),
                                           .waiting_rows = seen.waiting(),
                                           .flushes = seen.flushes(),
                                           .failed_flushes = seen.failed_flushes()});
            for (std::size_t step = 0; step < Operations::descriptions[i].steps.size(); ++step)
                each.steps.push_back(
                    {Operations::descriptions[i].steps[step].name, seen.step(step)});
        }
        return all;
    }

    [[nodiscard]] std::size_t running() const {
        const std::scoped_lock lock{mutex_};
        return runs_.size();
    }

private:
    [[nodiscard]] claim_request request() const {
        const std::scoped_lock lock{mutex_};
        return {.owner = options_.service_name,
                .names = names(),
                .except = refused_,
                .now = jobs_.now(),
                .lease_time = options_.lease_time};
    }

    void refuse(operation_id id) {
        const std::scoped_lock lock{mutex_};
        refused_.push_back(id);
    }

    static std::vector<std::string> names() {
        std::vector<std::string> all;
        for (const auto& each : Operations::descriptions) all.emplace_back(each.name);
        return all;
    }

    [[nodiscard]] observer& observer_of(std::string_view name) {
        std::size_t at = 0;
        while (at + 1 < observers_.size() && !same_name(Operations::descriptions[at].name, name))
            ++at;
        return observers_[at];
    }

    /// How many runs need a worker. Those that only wait do not: they may wait for days. Under the lock.
    [[nodiscard]] std::size_t busy() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            runs_, [](const auto& each) { return !each.second->is_resting(); }));
    }

    [[nodiscard]] bool is_stopping() const {
        const std::scoped_lock lock{mutex_};
        return is_stopping_;
    }

    [[nodiscard]] std::shared_ptr<active_run> find(operation_id id) const {
        const std::scoped_lock lock{mutex_};
        const auto found = runs_.find(id);
        return found == runs_.end() ? nullptr : found->second;
    }

    [[nodiscard]] std::shared_ptr<active_run> make_run(claimed_operation claimed) {
        std::shared_ptr<active_run> made;
        const std::string name = claimed.operation.name;
        (void)Operations::visit(name, [&]<typename Op>(std::type_identity<Op>) {
            made = std::make_shared<operation_run<Op, Storage, Formats>>(
                run_environment<Storage>{.owner = owner_(),
                                         .storage = storage_,
                                         .jobs = jobs_,
                                         .options = options_,
                                         .reading = reading_,
                                         .watch = observer_of(name),
                                         .on_events = on_events_,
                                         .on_change = on_change_,
                                         .on_rest = [this] { look_again_soon(); },
                                         .on_refuse = [this](operation_id id) { refuse(id); },
                                         .on_end = [this](const auto& run) { forget(run); }},
                std::move(claimed));
        });
        return made;
    }

    void forget(const std::shared_ptr<active_run>& run) {
        const std::scoped_lock lock{mutex_};
        if (const auto known = runs_.find(run->id()); known != runs_.end() && known->second == run)
            runs_.erase(known);
        look_again_soon();    // not before: whoever looks must find the place free
        ended_.notify_all();  // under the lock: who waits may destroy this next
    }

    void look_again_soon() {
        jobs_.submit(job{[this, keep = owner_()] { look_for_work(); }});
    }
    void look_again_later(const error& why) {
        if (log_) log_({log_level::warning, "storage failed", {{"why", why.message}}});
        jobs_.submit_at(jobs_.now() + std::chrono::seconds{1},
                        job{[this, keep = owner_()] { look_for_work(); }});
    }

    Storage& storage_;
    executor& jobs_;
    const service_options& options_;
    const read_options& reading_;
    std::function<void()> on_events_;
    std::function<void()> on_change_;
    std::function<std::shared_ptr<const void>()> owner_;  ///< keeps all of this alive for a run
    const log_handler& log_;
    std::deque<observer> observers_;  ///< one for each operation, as listed
    mutable std::mutex mutex_;
    std::condition_variable ended_;
    std::map<operation_id, std::shared_ptr<active_run>> runs_;
    std::vector<operation_id> refused_;  ///< whose steps are not those of this program
    std::size_t claiming_ = 0;
    bool is_stopping_ = false;
};

}  // namespace bulk
