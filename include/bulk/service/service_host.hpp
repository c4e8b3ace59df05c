// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/options.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/inline_executor.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// What the service of operations and that of feeds have in common: threads, the storage, the lock, who waits for a
/// change, and who is told of events.
class service_host {
public:
    struct setup {
        std::string_view what;  ///< "service", for messages
        any_storage storage;
        executor* jobs =
            nullptr;  ///< the caller's; null: threads of its own, or the calling thread
        scheduling where{};
        std::size_t threads = 1;
        result<> valid{};  ///< whether its options are right
        log_handler log{};
        std::function<std::shared_ptr<const void>()> owner{};  ///< keeps the service for a job
    };
    explicit service_host(setup with)
        : what_{with.what},
          log_{quiet(std::move(with.log))},
          valid_{std::move(with.valid)},
          storage_{std::move(with.storage)},
          own_jobs_{with.jobs == nullptr && with.where != scheduling::immediate
                        ? start_threads(with.threads)
                        : nullptr},
          inline_jobs_{with.jobs == nullptr && own_jobs_ == nullptr
                           ? std::make_unique<inline_executor>()
                           : nullptr},
          jobs_{with.jobs != nullptr ? *with.jobs
                : own_jobs_          ? static_cast<executor&>(*own_jobs_)
                                     : *inline_jobs_},
          subscriptions_{storage_, jobs_,
                         [this](const event& told, const std::string& why) {
                             if (log_)
                                 log_({log_level::error,
                                       "event handler failed",
                                       {{"event", std::to_string(told.sequence)}, {"why", why}}});
                         },
                         std::move(with.owner)} {}
    service_host(const service_host&) = delete;
    service_host& operator=(const service_host&) = delete;

    [[nodiscard]] any_storage& storage() { return storage_; }
    [[nodiscard]] executor& jobs() { return jobs_; }
    [[nodiscard]] subscriptions& events() { return subscriptions_; }

    /// Whether it can be used at all: options that are wrong make everything else fail.
    [[nodiscard]] result<> usable() const {
        if (!valid_) return valid_;
        const std::scoped_lock lock{mutex_};
        if (is_closed_) return closed();
        return {};
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

protected:
    ~service_host() = default;

    /// The name of a service that was given none: that of the program.
    [[nodiscard]] static std::string program_name(std::string_view otherwise) {
#if defined(__GLIBC__)
        if (program_invocation_short_name != nullptr && *program_invocation_short_name != '\0')
            return program_invocation_short_name;
#endif
        return std::string{otherwise};
    }

    [[nodiscard]] std::unexpected<error> closed() const {
        return fail(errc::unavailable, concat("the ", what_, " is shut down"));
    }

    /// With `scheduling::immediate` the calling thread does the work, until `done()`.
    template <typename Done>
    void run_inline(Done done) {
        if (inline_jobs_ == nullptr) return;
        const std::scoped_lock lock{inline_mutex_};
        (void)inline_jobs_->run_until([&] { return done(); });
    }

    /// Waits until what `find` gives `has_ended`, whoever works on it; fails, with what `still` says, when it has not
    /// in time.
    template <typename Find, typename HasEnded, typename Still>
    [[nodiscard]] auto wait_for(Find find, HasEnded has_ended, Still still,
                                std::chrono::milliseconds time) -> decltype(find()) {
        const auto deadline = std::chrono::steady_clock::now() + time;
        while (true) {
            std::uint64_t seen = 0;
            {
                const std::scoped_lock lock{mutex_};
                seen = changes_;
            }
            auto found = find();
            if (!found || has_ended(*found)) return found;
            const auto now = std::chrono::steady_clock::now();
            if (now >= deadline) return fail(errc::timed_out, still(*found));
            std::unique_lock lock{mutex_};  // another process tells us nothing: look now and then
            changed_.wait_until(lock, std::min(deadline, now + std::chrono::milliseconds{200}),
                                [&] { return changes_ != seen; });
        }
    }

    /// Tells handlers what is left to tell; whether that was done in time.
    [[nodiscard]] bool tell_until(std::chrono::steady_clock::time_point deadline) {
        subscriptions_.notify();
        return subscriptions_.wait_until_idle(std::chrono::ceil<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now()));
    }

    /// What is told when handlers were not told in time.
    [[nodiscard]] std::unexpected<error> not_told() const {
        return fail(errc::timed_out,
                    concat("the ", what_,
                           " is shut down, but not every event was told in time: a handler did "
                           "not return, or the storage did not answer"));
    }

private:
    /// A log handler that throws must not take anything with it.
    [[nodiscard]] static log_handler quiet(log_handler log) {
        if (!log) return log;
        return
            [log = std::move(log)](const log_entry& entry) { (void)guarded([&] { log(entry); }); };
    }

    /// None where the system gives no thread: then the service cannot be used, and says why.
    [[nodiscard]] std::unique_ptr<thread_executor> start_threads(std::size_t count) {
        auto started = thread_executor::start(count);
        if (started) return std::move(*started);
        if (valid_) valid_ = std::unexpected{std::move(started).error()};
        return nullptr;
    }

    const std::string_view what_;

protected:
    const log_handler log_;
    result<> valid_;
    any_storage storage_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t changes_ = 0;
    bool is_closed_ = false;
    std::unique_ptr<thread_executor> own_jobs_;
    std::unique_ptr<inline_executor> inline_jobs_;
    std::recursive_mutex inline_mutex_;  ///< a step may create an operation itself
    executor& jobs_;
    subscriptions subscriptions_;
};

}  // namespace bulk
