// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/asio_types.hpp>
#include <bulk/http/server/connection.hpp>
#include <bulk/http/server/fair_slots.hpp>
#include <bulk/http/server_options.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace bulk::http {

/// Uploads and downloads, so many at once. When all are in use, the slowest makes room for the next if
/// it is slower than `min_stream_bytes_per_second`: a handful of bytes a second holds no place that
/// somebody else needs.
class stream_desk {
public:
    explicit stream_desk(const server_options& options)
        : options_{options}, slots_{options.max_streams, options.max_streams} {}
    stream_desk(const stream_desk&) = delete;
    stream_desk& operator=(const stream_desk&) = delete;

    /// Held for as long as the stream is open.
    class place {
    public:
        place() = default;
        place(stream_desk& desk, fair_slots::place slot, std::shared_ptr<connection> with)
            : desk_{&desk}, slot_{std::move(slot)}, with_{std::move(with)} {
            with_->begin_stream();
            const std::scoped_lock lock{desk.mutex_};
            desk.open_.insert(with_.get());
        }
        place(place&& other) noexcept
            : desk_{std::exchange(other.desk_, nullptr)},
              slot_{std::move(other.slot_)},
              with_{std::move(other.with_)} {}
        place& operator=(place&& other) noexcept {
            std::swap(desk_, other.desk_);
            std::swap(slot_, other.slot_);
            std::swap(with_, other.with_);
            return *this;
        }
        ~place() {
            if (desk_ == nullptr) return;
            const std::scoped_lock lock{desk_->mutex_};
            desk_->open_.erase(with_.get());
        }
        [[nodiscard]] explicit operator bool() const { return desk_ != nullptr; }

    private:
        stream_desk* desk_ = nullptr;
        fair_slots::place slot_;
        std::shared_ptr<connection> with_;
    };

    /// Empty when all are in use, and none is slow enough to make room.
    [[nodiscard]] awaitable<place> enter(std::shared_ptr<connection> with, std::string who) {
        auto slot = slots_.try_enter(who);
        if (!slot && end_slowest()) {
            auto waiting = std::make_shared<fair_slots::waiter>(with->get_executor());
            slot = co_await slots_.enter(std::move(who), std::move(waiting),
                                         connection::clock::now() + options_.slow_stream_time);
        }
        if (!slot) co_return place{};
        co_return place{*this, std::move(slot), std::move(with)};
    }

    [[nodiscard]] int open() const { return slots_.running(); }

private:
    /// Whether one was told to end.
    [[nodiscard]] bool end_slowest() {
        const auto now = connection::clock::now();
        const std::scoped_lock lock{mutex_};
        connection* slowest = nullptr;
        double least = options_.min_stream_bytes_per_second;
        for (auto* const each : open_) {
            const auto& pace = each->pace();
            if (each->is_evicted() || pace.waited(now) < options_.slow_stream_time) continue;
            if (const double rate = pace.rate(now); rate < least) {
                least = rate;
                slowest = each;
            }
        }
        if (slowest != nullptr) slowest->evict();
        return slowest != nullptr;
    }

    const server_options& options_;
    fair_slots slots_;
    std::mutex mutex_;
    std::set<connection*> open_;
};

}  // namespace bulk::http
