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
#include <bulk/engine/job.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/engine.hpp>
#include <bulk/feed/run_starter.hpp>
#include <bulk/feed/service_options.hpp>
#include <bulk/service/service_host.hpp>
#include <bulk/service/worker_report.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/feed_port.hpp>

#include <algorithm>
#include <chrono>
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
class feed_service_core : public std::enable_shared_from_this<feed_service_core>,
                          public service_host {
public:
    feed_service_core(any_storage storage, feed_service_options options, executor* jobs,
                      log_handler log)
        : service_host{{.what = "feed service",
                        .storage = storage,
                        .jobs = jobs,
                        .where = options.scheduler,
                        .threads = thread_count(options),
                        .valid = check(storage, named(options)),
                        .log = std::move(log),
                        .owner = [this] { return this->shared_from_this(); }}},
          options_{named(std::move(options))},
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
        engine_ = std::make_shared<feed_engine>(
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

    [[nodiscard]] feed_engine& engine() { return *engine_; }
    [[nodiscard]] feed_port& store() { return engine_->ledger(); }
    [[nodiscard]] const feed_service_options& options() const { return options_; }
    [[nodiscard]] run_starter starter() {
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

    /// Waits until nobody works on a run any more; fails when it is not in time.
    [[nodiscard]] result<feed_run> wait(run_id id, std::chrono::milliseconds time) {
        return wait_for(
            [&] { return store().run(id); }, [](const feed_run& run) { return !is_active(run); },
            [&](const feed_run& run) {
                return concat("run ", to_text(id), " is still ",
                              name_of(state_of(run, jobs_.now(), options_.stall_after)));
            },
            time);
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
        if (tell_until(deadline) && is_done) {
            worker_.end();  // else it is seen as one that is silent: it did not end in order
            own_jobs_->stop();
            return {};
        }
        own_jobs_->abandon();
        if (is_done) return not_told();
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

    [[nodiscard]] static result<> check(any_storage& storage, const feed_service_options& options) {
        if (auto valid = validate(options); !valid) return valid;
        return storage.feeds()->usable();
    }

    [[nodiscard]] static feed_service_options named(feed_service_options options) {
        if (options.worker_name.empty()) options.worker_name = program_name("worker");
        return options;
    }

    /// Pages may block every thread that they are allowed; the rest is for batches and for looking.
    [[nodiscard]] static std::size_t thread_count(const feed_service_options& options) {
        return static_cast<std::size_t>(std::max(options.workers, 1)) +
               static_cast<std::size_t>(std::max(options.consolidators, 1)) * 5 + 2;
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

    const feed_service_options options_;
    int following_ = 0;  ///< feeds that are about to be started since another has completed
    std::shared_ptr<feed_engine> engine_;
    worker_report worker_;
};

}  // namespace bulk
