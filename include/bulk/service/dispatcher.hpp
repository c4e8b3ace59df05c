// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/options.hpp>
#include <bulk/engine/clock_steps.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/turns.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/failure_log.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/operation_run.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/run/run_environment.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/service/open_runs.hpp>
#include <bulk/service/operation_observers.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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
          observers_{operations, log},
          failed_claims_{log},
          failed_runs_{log} {}

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
        if (const auto run = runs_.find(id)) run->ask_to_stop(reason);
    }

    /// Somebody has sent a signal to an operation. Whether this process runs it.
    bool check_signals(operation_id id) {
        const auto run = runs_.find(id);
        if (run) run->check_signals();
        return run != nullptr;
    }

    /// Takes nothing new and gives back what it has, rows in flight apart.
    void stop() {
        for (const auto& run : runs_.stop()) run->ask_to_stop(stop_reason::shutdown);
    }

    /// Ends what did not end; says what was still being done.
    [[nodiscard]] std::string abandon() {
        std::string sentence;
        for (const auto& run : runs_.take_all()) {
            const std::string said = run->abandon();
            if (!said.empty()) sentence += (sentence.empty() ? "" : "; ") + said;
        }
        return sentence;
    }

    /// From now on only the jobs of a run keep it: whoever drops them ends it.
    void let_go() { (void)runs_.take_all(); }

    [[nodiscard]] bool is_idle() const { return runs_.is_idle(); }

    /// Waits until nothing runs any more; whether that happened in time.
    [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds time) {
        return runs_.wait_until_idle(time);
    }

    [[nodiscard]] std::vector<service_metrics::operation> metrics() const {
        return observers_.metrics();
    }

    [[nodiscard]] std::size_t running() const { return runs_.size(); }

private:
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
            const auto place = runs_.take_place(places);
            if (place != open_runs::place::taken) return place == open_runs::place::stopping;
            if (start(claim())) continue;
            if (!runs_.clear_set_aside()) return true;
        }
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim() {
        return asked([&] { return storage_.claim(request()); });
    }

    /// Begins what was claimed; whether something was.
    bool start(result<std::optional<claimed_operation>> claimed) {
        runs_.end_claim();
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
            const auto started = make_run(std::move(claimed));
            runs_.insert(started, jobs_.steady_now());
            started->start();
            if (runs_.is_stopping()) started->ask_to_stop(stop_reason::shutdown);
        });
        if (begun) return {};
        (void)asked([&] { return storage_.release(held); });
        runs_.erase(held.operation);
        return begun;
    }

    /// Those that still wait begin beside the others. With no place left, one at a time takes that of
    /// the operation that has been open longest.
    void look_for_late() {
        is_late_look_due_ = false;
        if (claim_while_fewer_than(most_open())) return;
        if (runs_.take_place(std::numeric_limits<std::size_t>::max()) != open_runs::place::taken)
            return;
        bool has_begun = start(claim());
        if (!has_begun)
            if (const auto next = runs_.take_set_aside(jobs_.steady_now(), shortest_stay))
                has_begun = start(asked([&] { return storage_.claim(*next, request()); }));
        if (has_begun)
            if (const auto leaving = runs_.set_one_aside())
                leaving->ask_to_stop(stop_reason::set_aside);
        look_for_late_soon();
    }

    [[nodiscard]] claim_request request() {
        return {.owner = options_.service_name,
                .names = names(),
                .except = runs_.excluded(),
                .now = jobs_.now(),
                .lease_time = options_.lease_time,
                .clock_doubt = set_forward_by()};
    }

    [[nodiscard]] std::chrono::microseconds set_forward_by() {
        const std::scoped_lock lock{doubt_mutex_};
        return doubt_.look(jobs_.now(), jobs_.steady_now(), options_.lease_time);
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& each : operations_.all()) all.emplace_back(each.name);
        return all;
    }

    [[nodiscard]] std::shared_ptr<active_run> make_run(claimed_operation claimed) {
        const std::string name = claimed.operation.name;
        const auto known = operations_.operation(name);
        if (!known) return nullptr;  // only these are claimed
        const any_operation& operation = **known;
        return operation_run::make(
            run_environment{
                .owner = owner_(),
                .storage = storage_,
                .jobs = jobs_,
                .row_turns = row_turns_,
                .options = options_,
                .reading = reading_,
                .watch = observers_.of(name),
                .failures = failed_runs_,
                .on_events = on_events_,
                .on_change = on_change_,
                .on_rest = [this] { look_again_soon(); },
                .on_refuse = [this](operation_id id) { runs_.refuse(id); },
                .on_end =
                    [this](const auto& run) { runs_.forget(run, [this] { look_again_soon(); }); }},
            std::move(claimed), operation.description(),
            [&operation](auto&&... given) { return operation.make_work(given...); });
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
    operation_observers observers_;
    open_runs runs_;
    std::mutex doubt_mutex_;
    clock_doubt doubt_{jobs_.now(), jobs_.steady_now()};
    std::atomic<bool> is_late_look_due_{false};
    std::atomic<bool> looks_again_{false};  ///< a job is on its way
    failure_log failed_claims_;
    failure_log failed_runs_;
};

}  // namespace bulk
