// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/storage/concepts.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

using event_handler = std::function<void(const event&)>;

/// Tells handlers what happened: in the order of the store, each event at least once, in jobs of
/// their own, so that no row waits for a handler. What a handler throws is told to `on_error` and
/// stops nobody.
template <event_store Storage>
class subscriptions {
public:
    subscriptions(Storage& storage, executor& jobs,
                  std::function<void(const event&, const std::string&)> on_error,
                  std::function<std::shared_ptr<const void>()> owner)
        : storage_{storage},
          jobs_{jobs},
          on_error_{std::move(on_error)},
          owner_{std::move(owner)} {}

    /// From the next event on. The handler is called until `remove`.
    [[nodiscard]] std::uint64_t add(event_handler handler) {
        const std::uint64_t from = newest();
        const std::scoped_lock lock{mutex_};
        if (!last_) last_ = from;
        handlers_.emplace(++next_, std::make_shared<subscriber>(from, std::move(handler)));
        return next_;
    }

    void remove(std::uint64_t number) {
        const std::scoped_lock lock{mutex_};
        handlers_.erase(number);
    }

    /// Something may have happened.
    void notify() {
        {
            const std::scoped_lock lock{mutex_};
            if (handlers_.empty()) return;
            is_due_ = true;
            if (std::exchange(is_telling_, true)) return;
        }
        jobs_.submit(job{[this, keep = owner_()] { tell(); }});
    }

    /// Whether everything that was notified has been told.
    [[nodiscard]] bool is_idle() const {
        const std::scoped_lock lock{mutex_};
        return !is_telling_;
    }

private:
    [[nodiscard]] std::uint64_t newest() {
        const auto last = storage_.events(std::nullopt, std::nullopt, 1);
        return last && !last->empty() ? last->back().sequence : 0;
    }

    struct subscriber {
        std::uint64_t from;  ///< the newest event when it came
        event_handler handle;
    };

    /// One batch; then others have their turn.
    void tell() {
        std::uint64_t after = 0;
        {
            const std::scoped_lock lock{mutex_};
            is_due_ = false;
            after = last_.value_or(0);
        }
        const auto found = storage_.events(std::nullopt, after, 100);
        // Behind the events: whoever subscribed before one of them happened is among these.
        std::vector<std::shared_ptr<subscriber>> subscribers;
        {
            const std::scoped_lock lock{mutex_};
            for (const auto& [number, each] : handlers_) subscribers.push_back(each);
        }
        if (found)
            for (const auto& each : *found)
                for (const auto& subscriber : subscribers) {
                    if (each.sequence <= subscriber->from) continue;
                    if (const auto told = guarded([&] { subscriber->handle(each); }); !told)
                        on_error_(each, told.error().message);
                }
        const std::scoped_lock lock{mutex_};
        if (found && !found->empty()) last_ = found->back().sequence;
        if (!found) {
            jobs_.submit_at(jobs_.now() + std::chrono::seconds{1},
                            job{[this, keep = owner_()] { tell(); }});
        } else if (is_due_ || !found->empty()) {
            jobs_.submit(job{[this, keep = owner_()] { tell(); }});
        } else {
            is_telling_ = false;
        }
    }

    Storage& storage_;
    executor& jobs_;
    std::function<void(const event&, const std::string&)> on_error_;
    std::function<std::shared_ptr<const void>()> owner_;  ///< keeps all of this alive for a job
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<subscriber>> handlers_;
    std::uint64_t next_ = 0;
    std::optional<std::uint64_t> last_;  ///< the sequence that was told last
    bool is_due_ = false;
    bool is_telling_ = false;
};

}  // namespace bulk
