// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/storage/concepts.hpp>

#include <algorithm>
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

    /// From the next event on, until `remove`.
    [[nodiscard]] std::uint64_t add(event_handler handler) {
        return insert({.position = newest(), .handle = std::move(handler)});
    }

    /// The same under a name by which the store remembers how far it has come: what was missed while
    /// no process was there is told when one is there again.
    std::uint64_t add(event_handler handler, std::string name) {
        auto known = storage_.event_position(name);
        subscriber added{.handle = std::move(handler), .name = std::move(name)};
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

private:
    struct subscriber {
        std::uint64_t position = 0;  ///< of the last event that it was told; of `tell` alone
        event_handler handle;
        std::string name{};  ///< empty: nobody remembers
    };
    using shared_subscriber = std::shared_ptr<subscriber>;

    [[nodiscard]] std::uint64_t insert(subscriber added) {
        const std::scoped_lock lock{mutex_};
        subscribers_.emplace(++last_, std::make_shared<subscriber>(std::move(added)));
        return last_;
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
            for (const auto& [number, each] : subscribers_) all.push_back(each);
        }
        std::uint64_t after = UINT64_MAX;
        for (const auto& each : all) after = std::min(after, position_of(*each));
        const auto found = storage_.events(std::nullopt, after, 100);
        if (found) {
            for (const auto& each : *found)
                for (const auto& subscriber : all) tell(*subscriber, each);
            if (!found->empty())
                for (const auto& each : all)
                    if (!each->name.empty())
                        (void)storage_.set_event_position(each->name, each->position);
        }
        const std::scoped_lock lock{mutex_};
        if (!found) {
            jobs_.submit_at(jobs_.now() + std::chrono::seconds{1},
                            job{[this, keep = owner_()] { tell(); }});
        } else if (is_due_ || !found->empty()) {
            jobs_.submit(job{[this, keep = owner_()] { tell(); }});
        } else {
            is_telling_ = false;
        }
    }

    /// Another process may have told what is told under a name.
    [[nodiscard]] std::uint64_t position_of(subscriber& each) {
        if (!each.name.empty())
            if (const auto stored = storage_.event_position(each.name); stored && *stored)
                each.position = std::max(each.position, **stored);
        return each.position;
    }

    void tell(subscriber& to, const event& what) {
        if (what.sequence <= to.position) return;
        if (const auto told = guarded([&] { to.handle(what); }); !told)
            on_error_(what, told.error().message);
        to.position = what.sequence;
    }

    Storage& storage_;
    executor& jobs_;
    std::function<void(const event&, const std::string&)> on_error_;
    std::function<std::shared_ptr<const void>()> owner_;  ///< keeps all of this alive for a job
    mutable std::mutex mutex_;
    std::map<std::uint64_t, shared_subscriber> subscribers_;
    std::uint64_t last_ = 0;
    bool is_due_ = false;
    bool is_telling_ = false;
};

}  // namespace bulk
