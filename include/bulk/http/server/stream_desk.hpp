// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/asio_types.hpp>
#include <bulk/http/server/connection.hpp>
#include <bulk/http/server/fair_slots.hpp>
#include <bulk/http/server_options.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace bulk::http {

/// Uploads and downloads, so many at once. When all are in use, a new one waits for `slow_stream_time`:
/// until another ends, or the slowest makes room because it is slower than
/// `min_stream_bytes_per_second`. A handful of bytes a second holds no place that somebody else needs,
/// and neither do clients that reconnect before they count as slow: whoever waits is in front of them.
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

    /// Empty when all are in use, and none has ended or was slow enough to make room in time.
    [[nodiscard]] awaitable<place> enter(std::shared_ptr<connection> with, std::string who) {
        auto deadline = connection::clock::now() + options_.slow_stream_time;
        const auto look = [&] {
            const auto now = connection::clock::now();
            // The one that was told to end has some time for it.
            if (end_slowest(now)) deadline = now + options_.slow_stream_time;
            return now < deadline && !with->is_ending();
        };
        auto slot = co_await slots_.enter_while(
            std::move(who), std::make_shared<fair_slots::waiter>(with->get_executor()),
            std::max(options_.slow_stream_time / 8, std::chrono::milliseconds{1}), look);
        if (!slot) co_return place{};
        co_return place{*this, std::move(slot), std::move(with)};
    }

    [[nodiscard]] int open() const { return slots_.running(); }
    [[nodiscard]] int waiting() const { return slots_.waiting(); }

private:
    /// Whether one was told to end: none when as many as wait were told already.
    [[nodiscard]] bool end_slowest(connection::clock::time_point now) {
        const std::scoped_lock lock{mutex_};
        if (std::ranges::count_if(open_, &connection::is_evicted) >= slots_.waiting()) return false;
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
