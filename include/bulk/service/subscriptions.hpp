// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
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

/// Tells handlers what happened: in the order of the store, each event at least once, in jobs of
/// their own, so that no row waits for a handler. What a handler throws is told to `on_error` and
/// stops nobody.
class subscriptions {
public:
    subscriptions(any_storage& storage, executor& jobs,
                  std::function<void(const event&, const std::string&)> on_error,
                  std::function<std::shared_ptr<const void>()> owner)
        : storage_{storage},
          jobs_{jobs},
          on_error_{std::move(on_error)},
          owner_{std::move(owner)} {}

    /// What is told of an event; failing means "not now": it is told again later, and what follows
    /// waits for it.
    using reader = std::function<result<>(const event&)>;

    /// From the next event on, until `remove`.
    [[nodiscard]] std::uint64_t add(event_handler handler) {
        return insert({.position = newest(), .tell = caught(std::move(handler))});
    }

    /// The same under a name by which the store remembers how far it has come: what was missed while
    /// no process was there is told when one is there again.
    std::uint64_t add(std::string name, event_handler handler) {
        return add_reader(std::move(name), caught(std::move(handler)));
    }
    std::uint64_t add_reader(std::string name, reader tell) {
        auto known = storage_.event_position(name);
        subscriber added{.tell = std::move(tell), .name = std::move(name)};
        if (known && *known) {
            added.position = **known;
        } else {
            added.position = newest();
            (void)storage_.set_event_position(added.name, added.position);
        }
        return insert(std::move(added));
    }

    void remove(std::uint64_t number) {
        const std::scoped_lock lock{mutex_};
        subscribers_.erase(number);
    }

    /// Something may have happened.
    void notify() {
        {
            const std::scoped_lock lock{mutex_};
            if (subscribers_.empty()) return;
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
    [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds time) const {
        std::unique_lock lock{mutex_};
        return is_told_.wait_for(lock, time, [&] { return !is_telling_; });
    }

private:
    struct subscriber {
        std::uint64_t position = 0;  ///< of the last event that it was told; of `tell` alone
        reader tell;
        std::string name{};  ///< empty: nobody remembers
    };
    using shared_subscriber = std::shared_ptr<subscriber>;

    [[nodiscard]] reader caught(event_handler handler) {
        return [this, handler = std::move(handler)](const event& what) -> result<> {
            if (const auto told = guarded([&] { handler(what); }); !told)
                on_error_(what, told.error().message);
            return {};
        };
    }

    std::uint64_t insert(subscriber added) {
        std::uint64_t number = 0;
        {
            const std::scoped_lock lock{mutex_};
            number = ++last_;
            subscribers_.emplace(number, std::make_shared<subscriber>(std::move(added)));
        }
        notify();  // something may have happened since
        return number;
    }

    [[nodiscard]] std::uint64_t newest() {
        const auto last = storage_.events(std::nullopt, std::nullopt, 1);
        return last && !last->empty() ? last->back().sequence : 0;
    }

    /// One batch; then others have their turn.
    void tell() {
        std::vector<shared_subscriber> all;
        {
            const std::scoped_lock lock{mutex_};
            is_due_ = false;
            is_telling_ = !subscribers_.empty();
            if (!is_telling_) return;
            for (const auto& [number, each] : subscribers_) all.push_back(each);
        }
        std::uint64_t after = std::numeric_limits<std::uint64_t>::max();
        for (const auto& each : all) after = std::min(after, position_of(*each));
        const auto found = asked([&] { return storage_.events(std::nullopt, after, 100); });
        const bool is_over = !found && found.error().code == errc::storage_lost;
        bool is_late = !found && !is_over;
        if (found)
            for (const auto& each : all) is_late |= !tell(*each, *found);
        const std::scoped_lock lock{mutex_};
        if (is_late) {
            jobs_.submit_at(jobs_.now() + std::chrono::seconds{1},
                            job{[this, keep = owner_()] { tell(); }});
        } else if (!is_over && (is_due_ || !found->empty())) {
            jobs_.submit(job{[this, keep = owner_()] { tell(); }});
        } else {
            is_telling_ = false;
            is_told_.notify_all();
        }
    }

    /// Another process may have told what is told under a name.
    [[nodiscard]] std::uint64_t position_of(subscriber& each) {
        if (!each.name.empty())
            if (const auto stored = storage_.event_position(each.name); stored && *stored)
                each.position = std::max(each.position, **stored);
        return each.position;
    }

    /// Whether it was told all of them.
    [[nodiscard]] bool tell(subscriber& to, const std::vector<event>& events) {
        const auto before = to.position;
        bool is_told = true;
        for (const auto& each : events) {
            if (each.sequence <= to.position) continue;
            is_told = to.tell(each).has_value();
            if (!is_told) break;
            to.position = each.sequence;
        }
        if (!to.name.empty() && to.position != before)
            (void)storage_.set_event_position(to.name, to.position);
        return is_told;
    }

    any_storage& storage_;
    executor& jobs_;
    std::function<void(const event&, const std::string&)> on_error_;
    std::function<std::shared_ptr<const void>()> owner_;  ///< keeps all of this alive for a job
    mutable std::mutex mutex_;
    mutable std::condition_variable is_told_;
    std::map<std::uint64_t, shared_subscriber> subscribers_;
    std::uint64_t last_ = 0;
    bool is_due_ = false;
    bool is_telling_ = false;
};

}  // namespace bulk
