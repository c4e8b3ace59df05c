// SPDX-License-Identifier: MIT
#pragma once

// How handlers are told of events: see core/linkage.hpp for who includes this.

#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE std::uint64_t subscriptions::add(event_handler handler) {
    return insert({.position = newest(), .tell = caught(std::move(handler))});
}

BULK_INLINE std::uint64_t subscriptions::add(std::string name, event_handler handler) {
    return add_reader(std::move(name), caught(std::move(handler)));
}

BULK_INLINE std::uint64_t subscriptions::add_reader(std::string name, reader tell) {
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

BULK_INLINE void subscriptions::remove(std::uint64_t number) {
    const std::scoped_lock lock{mutex_};
    subscribers_.erase(number);
}

BULK_INLINE void subscriptions::notify() {
    {
        const std::scoped_lock lock{mutex_};
        if (subscribers_.empty()) return;
        is_due_ = true;
        if (std::exchange(is_telling_, true)) return;
    }
    jobs_.submit(job{[this, keep = owner_()] { tell(); }});
}

BULK_INLINE bool subscriptions::is_idle() const {
    const std::scoped_lock lock{mutex_};
    return !is_telling_;
}

BULK_INLINE bool subscriptions::wait_until_idle(std::chrono::milliseconds time) const {
    std::unique_lock lock{mutex_};
    return is_told_.wait_for(lock, time, [&] { return !is_telling_; });
}

BULK_INLINE subscriptions::reader subscriptions::caught(event_handler handler) {
    return [this, handler = std::move(handler)](const event& what) -> result<> {
        if (const auto told = guarded([&] { handler(what); }); !told)
            on_error_(what, told.error().message);
        return {};
    };
}

BULK_INLINE std::uint64_t subscriptions::insert(subscriber added) {
    std::uint64_t number = 0;
    {
        const std::scoped_lock lock{mutex_};
        number = ++last_;
        subscribers_.emplace(number, std::make_shared<subscriber>(std::move(added)));
    }
    notify();  // something may have happened since
    return number;
}

BULK_INLINE std::uint64_t subscriptions::newest() {
    const auto last = storage_.events(std::nullopt, std::nullopt, 1);
    return last && !last->empty() ? last->back().sequence : 0;
}

BULK_INLINE void subscriptions::tell() {
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

BULK_INLINE std::uint64_t subscriptions::position_of(subscriber& each) {
    if (!each.name.empty())
        if (const auto stored = storage_.event_position(each.name); stored && *stored)
            each.position = std::max(each.position, **stored);
    return each.position;
}

BULK_INLINE bool subscriptions::tell(subscriber& to, const std::vector<event>& events) {
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

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
