// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

class any_storage;

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
    [[nodiscard]] std::uint64_t add(event_handler handler);

    /// The same under a name by which the store remembers how far it has come: what was missed while
    /// no process was there is told when one is there again.
    std::uint64_t add(std::string name, event_handler handler);
    std::uint64_t add_reader(std::string name, reader tell);

    void remove(std::uint64_t number);

    /// Something may have happened.
    void notify();

    /// Whether everything that was notified has been told.
    [[nodiscard]] bool is_idle() const;
    [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds time) const;

private:
    struct subscriber {
        std::uint64_t position = 0;  ///< of the last event that it was told; of `tell` alone
        reader tell;
        std::string name{};  ///< empty: nobody remembers
    };
    using shared_subscriber = std::shared_ptr<subscriber>;

    [[nodiscard]] reader caught(event_handler handler);

    std::uint64_t insert(subscriber added);

    [[nodiscard]] std::uint64_t newest();

    /// One batch; then others have their turn.
    void tell();

    /// Another process may have told what is told under a name.
    [[nodiscard]] std::uint64_t position_of(subscriber& each);

    /// Whether it was told all of them.
    [[nodiscard]] bool tell(subscriber& to, const std::vector<event>& events);

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

#ifndef BULK_COMPILED
#include <bulk/service/subscriptions_implementation.hpp>
#endif
