// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/dispatcher.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/service/notifier.hpp>
#include <bulk/service/reading_limits.hpp>
#include <bulk/service/service_host.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/service/turnstile.hpp>
#include <bulk/service/unused_uploads.hpp>
#include <bulk/service/waiting_operations.hpp>
#include <bulk/service/worker_report.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// What a service consists of, shared with the runs and jobs that it has begun.
class service_core : public std::enable_shared_from_this<service_core>, public service_host {
public:
    service_core(catalog operations, any_storage storage, service_options options,
                 const read_options& reading, executor* jobs, log_handler log)
        : service_host{{.what = "service",
                        .storage = std::move(storage),
                        .jobs = jobs,
                        .where = options.scheduler,
                        .threads = thread_count(options),
                        .valid = validate(named(options)),
                        .log = std::move(log),
                        .owner = [this] { return this->shared_from_this(); }}},
          options_{named(std::move(options))},
          reading_{limited_reading(reading, options_)},
          operations_{std::move(operations)},
          notifier_{storage_, subscriptions_, log_},
          dispatcher_{operations_,
                      storage_,
                      jobs_,
                      options_,
                      reading_,
                      [this] { subscriptions_.notify(); },
                      [this] { changed(); },
                      [this] { return this->shared_from_this(); },
                      log_},
          worker_{storage_,
                  jobs_,
                  worker_kind::operations,
                  options_.service_name,
                  options_.lease_time,
                  [this](worker_record& now) {
                      now.running_operations = static_cast<std::uint32_t>(dispatcher_.running());
                  }} {}
    service_core(const service_core&) = delete;
    service_core& operator=(const service_core&) = delete;

    void start() {
        if (!valid_) return;
        // Before the first claim: a worker has not begun after what it works on.
        if (options_.scheduler == scheduling::channels) worker_.begin(this->weak_from_this());
        for (const any_operation* each : operations_.operations())
            each->subscribe_handlers(subscriptions_);
        subscriptions_.notify();
        begin_jobs();
        schedule_poll();
        run_inline([this] { return dispatcher_.is_idle(); });
    }

    [[nodiscard]] const catalog& operations() const { return operations_; }
    [[nodiscard]] const service_options& options() const { return options_; }
    [[nodiscard]] const read_options& reading() const { return reading_; }
    [[nodiscard]] turnstile& dry_runs() { return dry_runs_; }
    [[nodiscard]] notifier& notifications() { return notifier_; }

    [[nodiscard]] service_metrics metrics() const {
        return {.operations = dispatcher_.metrics(),
                .running_operations = dispatcher_.running(),
                .queue_depth = own_jobs_ ? own_jobs_->queue_depth() : 0};
    }

    // --- work ------------------------------------------------------------------------------------

    /// Waits while as many operations as the queue holds have not begun yet, then counts one more.
    /// None is ever dropped.
    [[nodiscard]] result<> wait_for_room() {
        const auto capacity = static_cast<std::uint64_t>(options_.queue_capacity);
        std::unique_lock lock{mutex_};
        while (waiting_operations_ >= capacity) {
            if (is_closed_) return closed();
            const auto seen = changes_;
            lock.unlock();
            const auto waiting = count_waiting_operations(storage_, capacity);
            lock.lock();
            if (waiting) waiting_operations_ = *waiting;
            if (waiting_operations_ < capacity) break;
            changed_.wait_for(lock, std::chrono::milliseconds{100},
                              [&] { return changes_ != seen || is_closed_; });
        }
        ++waiting_operations_;
        return {};
    }

    void look_for_work() {
        if (options_.scheduler == scheduling::none) return;
        jobs_.submit(job{[weak = this->weak_from_this()] {
            if (const auto self = weak.lock()) self->dispatcher_.look_for_work();
        }});
    }

    /// There is something to do for an operation. With `scheduling::immediate` it is done now.
    void begin_work(operation_id id) {
        changed();
        look_for_work();
        run_inline([&] {
            const auto now = storage_.get(id);
            return !now || is_final(now->state) || now->paused;
        });
        tell_inline();
    }

    void cancel(operation_id id) {
        dispatcher_.ask_to_stop(id, stop_reason::cancelled);
        dispatcher_.end_cancelled(id);
    }
    void pause(operation_id id) { dispatcher_.ask_to_stop(id, stop_reason::paused); }
    bool check_signals(operation_id id) { return dispatcher_.check_signals(id); }

    // --- changes ---------------------------------------------------------------------------------

    /// Changes what is stored of an operation, and says who asked for it if that is known. Whoever was
    /// faster makes us reload.
    template <typename Change>
    [[nodiscard]] result<> change(operation_id id, std::string_view what, std::string_view who,
                                  Change apply) {
        return store_change(id, apply, [&](const operation_record& record) {
            std::vector<event> events;
            if (!who.empty()) events.push_back(requested_event(record, what, who, jobs_.now()));
            return events;
        });
    }

    /// Says in the events of an operation who asked for what.
    [[nodiscard]] result<> note(operation_id id, std::string_view what, std::string_view who) {
        return store_change(
            id, [](operation_record&) { return result<>{}; },
            [&](const operation_record& record) {
                return std::vector{requested_event(record, what, who, jobs_.now())};
            });
    }

    /// Waits until an operation is at rest, whoever runs it; fails when it is not in time.
    [[nodiscard]] result<operation_record> wait(operation_id id, std::chrono::milliseconds time) {
        return wait_for([&] { return storage_.get(id); },
                        [](const operation_record& record) { return is_final(record.state); },
                        [&](const operation_record& record) {
                            return concat("operation ", to_text(id), " is still ",
                                          name_of(record.state));
                        },
                        time);
    }

    // --- the end ---------------------------------------------------------------------------------

    [[nodiscard]] result<> shutdown() {
        {
            const std::scoped_lock lock{mutex_};
            is_closed_ = true;
        }
        changed_.notify_all();
        dispatcher_.stop();
        run_inline([this] { return dispatcher_.is_idle(); });
        tell_inline();
        if (own_jobs_ == nullptr) {  // whoever runs the jobs runs them to their end
            worker_.end();
            return {};
        }
        if (std::exchange(is_shut_down_, true)) return {};
        const auto deadline = std::chrono::steady_clock::now() + options_.shutdown_timeout;
        const bool is_done = dispatcher_.wait_until_idle(options_.shutdown_timeout);
        if (tell_until(deadline) && is_done) {
            worker_.end();  // else it is seen as one that is silent: it did not end in order
            own_jobs_->stop();
            return {};
        }
        const std::string busy = dispatcher_.abandon();
        own_jobs_->abandon();
        if (is_done) return not_told();
        return fail(errc::timed_out,
                    concat("the service is shut down, but not all rows came to an end: ", busy));
    }

    /// The service goes: with an executor of somebody else, what is left to do is theirs.
    void let_go() {
        (void)shutdown();
        if (own_jobs_ != nullptr) return;
        dispatcher_.let_go();
        if (inline_jobs_ != nullptr) inline_jobs_->drop_all();
    }

private:
    [[nodiscard]] static service_options named(service_options options) {
        if (options.service_name.empty()) options.service_name = program_name("default");
        return options;
    }

    /// Rows may block every thread that they are allowed. One more keeps the leases, and one tells
    /// handlers, which may block as well.
    [[nodiscard]] static std::size_t thread_count(const service_options& options) {
        return dispatcher::row_threads(options) + 2;
    }

    template <typename Change, typename Events>
    [[nodiscard]] result<> store_change(operation_id id, Change apply, Events events_of) {
        while (true) {
            auto record = storage_.get(id);
            if (!record) return std::unexpected{std::move(record).error()};
            if (auto applied = apply(*record); !applied) return applied;
            const auto events = events_of(*record);
            auto stored = storage_.update(*record, events);
            if (!stored && stored.error().code == errc::conflict) continue;
            if (!stored) return std::unexpected{std::move(stored).error()};
            if (!events.empty()) subscriptions_.notify();
            return {};
        }
    }

    /// With `scheduling::immediate`: handlers are told, for as long as a shutdown would wait.
    void tell_inline() {
        const auto deadline = std::chrono::steady_clock::now() + options_.shutdown_timeout;
        run_inline([&] {
            return subscriptions_.is_idle() || std::chrono::steady_clock::now() > deadline;
        });
    }

    /// Looks now and then for what no one tells us: operations that other processes took in or left
    /// behind when they died, and events that they wrote.
    void schedule_poll() {
        if (options_.scheduler == scheduling::immediate) return;
        const bool runs = options_.scheduler == scheduling::channels;
        const auto interval =
            std::min(options_.pending_poll_interval.value_or(
                         runs ? options_.lease_time : std::chrono::milliseconds{1'000}),
                     options_.lease_time);
        jobs_.submit_at(jobs_.now() + interval, job{[weak = this->weak_from_this()] {
                            const auto self = weak.lock();
                            if (self == nullptr || !self->usable()) return;
                            self->look_for_work();
                            self->subscriptions_.notify();
                            self->schedule_poll();
                        }});
    }

    /// The first job: work that is there, and then what processes that died while they took a file in
    /// have left. A process that only takes files in leaves both to those that run them.
    void begin_jobs() {
        if (options_.scheduler == scheduling::none) return;
        jobs_.submit(job{[weak = this->weak_from_this()] {
            const auto self = weak.lock();
            if (self == nullptr) return;
            self->dispatcher_.look_for_work();
            if (self->options_.unused_upload_age.count() > 0)
                remove_unused_uploads(
                    {self->storage_, self->jobs_.now() - self->options_.unused_upload_age},
                    self->jobs_, self->log_, [weak]() -> std::shared_ptr<const void> {
                        auto owner = weak.lock();
                        return owner != nullptr && owner->usable() ? std::move(owner) : nullptr;
                    });
        }});
    }

    const service_options options_;
    read_options reading_;
    const catalog operations_;
    bool is_shut_down_ = false;
    std::uint64_t waiting_operations_ = 0;  ///< at most; the store knows better
    notifier notifier_;
    dispatcher dispatcher_;
    worker_report worker_;
    turnstile dry_runs_{static_cast<std::size_t>(std::max(options_.max_dry_runs, 1))};
};

}  // namespace bulk
