// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
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
#include <limits>
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
        return add_reader([this, handler = std::move(handler)](const event& each) -> result<> {
            if (const auto told = guarded([&] { handler(each); }); !told)
                on_error_(each, told.error().message);
            return {};
        });
    }

    /// The same for one that may fail: then it is told again later, and what follows waits for it.
    [[nodiscard]] std::uint64_t add_reader(std::function<result<>(const event&)> reader) {
        const std::uint64_t from = newest();
        std::uint64_t number = 0;
        {
            const std::scoped_lock lock{mutex_};
            number = ++next_;
            handlers_.emplace(number, std::make_shared<subscriber>(from, std::move(reader)));
        }
        notify();  // something may have happened since
        return number;
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
        std::uint64_t told;  ///< the sequence up to which it knows
        std::function<result<>(const event&)> tell;
    };

    /// One batch; then others have their turn.
    void tell() {
        std::vector<std::shared_ptr<subscriber>> subscribers;
        std::uint64_t after = std::numeric_limits<std::uint64_t>::max();
        {
            const std::scoped_lock lock{mutex_};
            is_due_ = false;
            is_telling_ = !handlers_.empty();
            if (!is_telling_) return;
            for (const auto& [number, each] : handlers_) {
                subscribers.push_back(each);
                after = std::min(after, each->told);
            }
        }
        const auto found = storage_.events(std::nullopt, after, 100);
        bool is_late = !found.has_value();
        if (found)
            for (const auto& subscriber : subscribers) is_late |= !tell(*subscriber, *found);
        const std::scoped_lock lock{mutex_};
        if (is_late) {
            jobs_.submit_at(jobs_.now() + std::chrono::seconds{1},
                            job{[this, keep = owner_()] { tell(); }});
        } else if (is_due_ || !found->empty()) {
            jobs_.submit(job{[this, keep = owner_()] { tell(); }});
        } else {
            is_telling_ = false;
        }
    }

    /// Whether it was told all of them.
    static bool tell(subscriber& to, const std::vector<event>& events) {
        for (const auto& each : events) {
            if (each.sequence <= to.told) continue;
            if (!to.tell(each)) return false;
            to.told = each.sequence;
        }
        return true;
    }

    Storage& storage_;
    executor& jobs_;
    std::function<void(const event&, const std::string&)> on_error_;
    std::function<std::shared_ptr<const void>()> owner_;  ///< keeps all of this alive for a job
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<subscriber>> handlers_;
    std::uint64_t next_ = 0;
    bool is_due_ = false;
    bool is_telling_ = false;
};

}  // namespace bulk
