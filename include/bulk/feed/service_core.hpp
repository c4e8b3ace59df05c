// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/inline_executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/engine.hpp>
#include <bulk/feed/run_starter.hpp>
#include <bulk/feed/service_options.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/service/worker_report.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// What a feed service consists of, shared with the jobs that it has begun.
template <typename Storage>
class feed_service_core : public std::enable_shared_from_this<feed_service_core<Storage>> {
public:
    using ledger = decltype(std::declval<Storage&>().feeds());

    feed_service_core(Storage storage, feed_service_options options, executor* jobs,
                      log_handler log)
        : log_{quiet(std::move(log))},
          options_{named(std::move(options))},
          valid_{validate(options_)},
          storage_{std::move(storage)},
          own_jobs_{jobs == nullptr && options_.scheduler != scheduling::immediate ? start_threads()
                                                                                   : nullptr},
          inline_jobs_{jobs == nullptr && own_jobs_ == nullptr ? std::make_unique<inline_executor>()
                                                               : nullptr},
          jobs_{jobs != nullptr ? *jobs
                : own_jobs_     ? static_cast<executor&>(*own_jobs_)
                                : *inline_jobs_},
          subscriptions_{storage_, jobs_,
                         [this](const event& told, const std::string& why) {
                             if (log_)
                                 log_({log_level::error,
                                       "event handler failed",
                                       {{"event", std::to_string(told.sequence)}, {"why", why}}});
                         },
                         [this] { return this->shared_from_this(); }},
          worker_{storage_,
                  jobs_,
                  worker_kind::feeds,
                  options_.worker_name,
                  std::min(options_.lease_time, longest_silence),
                  [this](worker_record& now) {
                      now.running_pages = static_cast<std::uint32_t>(engine_->in_work());
                  }} {}
    feed_service_core(const feed_service_core&) = delete;
    feed_service_core& operator=(const feed_service_core&) = delete;

    void start(std::vector<std::unique_ptr<any_feed>> feeds) {
        engine_ = std::make_shared<feed_engine<ledger>>(
            storage_.feeds(), std::move(feeds), jobs_, options_, log_,
            [weak = this->weak_from_this()] {
                if (const auto self = weak.lock()) self->changed();
            },
            [weak = this->weak_from_this()](const feed_run& run) {
                if (const auto self = weak.lock()) self->follow(run);
            });
        if (!valid_) return;
        if (options_.scheduler == scheduling::channels) worker_.begin(this->weak_from_this());
        begin_work({});
    }

    [[nodiscard]] Storage& storage() { return storage_; }
    [[nodiscard]] feed_engine<ledger>& engine() { return *engine_; }
    [[nodiscard]] ledger& store() { return engine_->ledger(); }
    [[nodiscard]] executor& jobs() { return jobs_; }
    [[nodiscard]] const feed_service_options& options() const { return options_; }
    [[nodiscard]] subscriptions<Storage>& events() { return subscriptions_; }

    /// Whether it can be used at all: options that are wrong make everything else fail.
    [[nodiscard]] result<> usable() const {
        if (!valid_) return valid_;
        const std::scoped_lock lock{mutex_};
        if (is_closed_) return fail(errc::unavailable, "the feed service is shut down");
        return {};
    }

    [[nodiscard]] run_starter<ledger> starter() {
        return {store(), jobs_, own_jobs_ != nullptr,
                [self = this->shared_from_this()](std::chrono::milliseconds time) {
                    self->pause(time);
                }};
    }

    /// There is something to do. With `scheduling::immediate` it is done now, until that run rests.
    void begin_work(std::optional<run_id> run) {
        changed();
        engine_->look_for_work();
        run_inline([&] {
            if (!run) return engine_->is_idle();
            const auto now = store().run(*run);
            return !now || !is_active(*now);
        });
        run_inline([&] { return subscriptions_.is_idle(); });
    }

    /// Somebody may wait for this.
    void changed() {
        {
            const std::scoped_lock lock{mutex_};
            ++changes_;
        }
        changed_.notify_all();
        subscriptions_.notify();
    }

    /// Waits until nobody works on a run any more; fails when it is not in time.
    [[nodiscard]] result<feed_run> wait(run_id id, std::chrono::milliseconds time) {
        const auto deadline = std::chrono::steady_clock::now() + time;
        while (true) {
            std::uint64_t seen = 0;
            {
                const std::scoped_lock lock{mutex_};
                seen = changes_;
            }
            auto run = store().run(id);
            if (!run || !is_active(*run)) return run;
            const auto now = std::chrono::steady_clock::now();
            if (now >= deadline)
                return fail(errc::timed_out,
                            concat("run ", to_text(id), " is still ",
                                   name_of(state_of(*run, jobs_.now(), options_.stall_after))));
            std::unique_lock lock{mutex_};  // another process tells us nothing: look now and then
            changed_.wait_until(lock, std::min(deadline, now + std::chrono::milliseconds{200}),
                                [&] { return changes_ != seen; });
        }
    }

    /// Whether it does nothing at the moment, and no feed is about to follow another.
    [[nodiscard]] bool is_idle() const { return engine_->is_idle() && has_followed(); }

    /// A feed that follows another is still started: nobody else would do it.
    [[nodiscard]] result<> shutdown() {
        {
            const std::scoped_lock lock{mutex_};
            if (std::exchange(is_closed_, true)) return {};
        }
        changed_.notify_all();
        engine_->stop();
        run_inline([this] { return is_idle(); });
        if (own_jobs_ == nullptr) {  // whoever runs the jobs runs them to their end
            worker_.end();
            return {};
        }
        const auto deadline = std::chrono::steady_clock::now() + options_.shutdown_timeout;
        const bool is_done =
            engine_->wait_until_idle(options_.shutdown_timeout) && wait_for_followers(deadline);
        subscriptions_.notify();
        const bool is_told =
            subscriptions_.wait_until_idle(std::chrono::ceil<std::chrono::milliseconds>(
                deadline - std::chrono::steady_clock::now()));
        if (is_done && is_told) {
            worker_.end();  // else it is seen as one that is silent: it did not end in order
            own_jobs_->stop();
            return {};
        }
        own_jobs_->abandon();
        if (is_done)
            return fail(errc::timed_out,
                        "the feed service is shut down, but not every event was told in time: a "
                        "handler did not return, or the storage did not answer");
        return fail(errc::timed_out,
                    "the feed service is shut down, but not all pages came to an end: fetch(), "
                    "map() or count() did not return; others take them over when their leases end");
    }

    void let_go() {
        (void)shutdown();
        if (inline_jobs_ != nullptr) inline_jobs_->drop_all();
    }

private:
    /// Leases are long, as pages are slow to come; whether somebody works is said more often.
    static constexpr std::chrono::milliseconds longest_silence{30'000};

    /// A log handler that throws must not take anything with it.
    [[nodiscard]] static log_handler quiet(log_handler log) {
        if (!log) return log;
        return
            [log = std::move(log)](const log_entry& entry) { (void)guarded([&] { log(entry); }); };
    }

    [[nodiscard]] static feed_service_options named(feed_service_options options) {
#if defined(__GLIBC__)
        if (options.worker_name.empty()) options.worker_name = program_invocation_short_name;
#endif
        if (options.worker_name.empty()) options.worker_name = "worker";
        return options;
    }

    /// Pages may block every thread that they are allowed; the rest is for batches and for looking.
    [[nodiscard]] std::size_t thread_count() const {
        return static_cast<std::size_t>(std::max(options_.workers, 1)) +
               static_cast<std::size_t>(std::max(options_.consolidators, 1)) * 5 + 2;
    }

    /// A run has completed: another feed may be next. When that fails, it is not the run's fault.
    void follow(const feed_run& run) {
        if (!run.completed_at) return;
        const auto feed = find_feed(engine_->feeds(), run.feed);
        if (!feed || (*feed)->options().then.empty()) return;
        {
            const std::scoped_lock lock{mutex_};
            ++following_;
        }
        jobs_.submit(job{[self = this->shared_from_this(),
                          next = std::string{(*feed)->options().then}, trace = run.trace] {
            self->start_following(next, trace);
            {
                const std::scoped_lock lock{self->mutex_};
                --self->following_;
            }
            self->changed();
        }});
    }

    void start_following(const std::string& next, const std::string& trace) {
        const auto feed = find_feed(engine_->feeds(), next);
        if (!feed) return;
        const auto started = starter().start(**feed, {.trace = trace, .started_by = "feed"});
        if (started) return engine_->look_for_work();
        if (log_)
            log_({log_level::error,
                  "following feed not started",
                  {{"feed", next}, {"trace", trace}, {"why", started.error().message}}});
    }

    [[nodiscard]] bool has_followed() const {
        const std::scoped_lock lock{mutex_};
        return following_ == 0;
    }
    [[nodiscard]] bool wait_for_followers(std::chrono::steady_clock::time_point deadline) {
        std::unique_lock lock{mutex_};
        return changed_.wait_until(lock, deadline, [&] { return following_ == 0; });
    }

    void pause(std::chrono::milliseconds time) {
        if (own_jobs_ == nullptr && inline_jobs_ == nullptr)
            return;  // the clock is somebody else's
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, time, [&] { return is_closed_; });
    }

    /// None where the system gives no thread: then the service cannot be used, and says why.
    [[nodiscard]] std::unique_ptr<thread_executor> start_threads() {
        auto started = thread_executor::start(thread_count());
        if (started) return std::move(*started);
        if (valid_) valid_ = std::unexpected{std::move(started).error()};
        return nullptr;
    }

    template <typename Done>
    void run_inline(Done done) {
        if (inline_jobs_ == nullptr) return;
        const std::scoped_lock lock{inline_mutex_};
        (void)inline_jobs_->run_until([&] { return done(); });
    }

    const log_handler log_;
    const feed_service_options options_;
    result<> valid_;
    Storage storage_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t changes_ = 0;
    bool is_closed_ = false;
    int following_ = 0;  ///< feeds that are about to be started since another has completed
    std::unique_ptr<thread_executor> own_jobs_;
    std::unique_ptr<inline_executor> inline_jobs_;
    std::recursive_mutex inline_mutex_;
    executor& jobs_;
    subscriptions<Storage> subscriptions_;
    std::shared_ptr<feed_engine<ledger>> engine_;
    worker_report<Storage> worker_;
};

}  // namespace bulk
