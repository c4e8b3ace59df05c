// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/message.hpp>
#include <bulk/service/subscriptions.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// Where events come from: a service's own functions.
struct event_origin {
    std::function<result<std::vector<event>>(std::optional<operation_id>,
                                             std::optional<std::uint64_t>, std::uint32_t)>
        read{};
    std::vector<std::function<std::function<void()>(event_handler)>>
        subscribe{};  ///< gives the end
};

/// What happens, for any number of listeners: the newest events are written once and kept in a ring that
/// all of them read, each at its own place. Whoever is behind the ring is served from the storage; whoever
/// is too far behind is told to begin anew. Listeners are woken a few times a second at most, and the more
/// rarely the more they are, so that a thousand of them do not slow down what they watch.
class event_hub {
public:
    struct limits {
        std::size_t ring = 2'048;
        std::uint64_t most_behind = 20'000;            ///< events
        std::chrono::milliseconds wake_interval{100};  ///< at least
        std::chrono::microseconds wake_each{1'000};    ///< so long for each that was woken
    };

    explicit event_hub(event_origin from) : event_hub{std::move(from), limits{}} {}
    event_hub(event_origin from, limits most) : from_{std::move(from)}, limits_{most} {
        if (const auto last = from_.read(std::nullopt, std::nullopt, 1); last && !last->empty())
            newest_ = last->back().sequence;
        bell_ = std::jthread{[this](const std::stop_token& stop) { ring_bell(stop); }};
        door_->hub = this;
        for (const auto& subscribe : from_.subscribe)
            ends_.push_back(subscribe([door = door_](const event& each) {
                const std::scoped_lock lock{door->mutex};
                if (door->hub != nullptr) door->hub->add(each);
            }));
    }
    event_hub(const event_hub&) = delete;
    event_hub& operator=(const event_hub&) = delete;
    ~event_hub() {
        for (const auto& end : ends_) end();
        {
            const std::scoped_lock lock{door_->mutex};
            door_->hub = nullptr;
        }
        bell_.request_stop();
        changed_.notify_all();
    }

    /// As the storage has them.
    [[nodiscard]] result<std::vector<event>> read(std::optional<operation_id> of,
                                                  std::optional<std::uint64_t> after,
                                                  std::uint32_t limit) const {
        return from_.read(of, after, limit);
    }

    [[nodiscard]] std::uint64_t newest() const {
        const std::scoped_lock lock{mutex_};
        return newest_;
    }

    /// The events behind `position` as text, which moves on; empty: none, and `wake` is called when
    /// there may be. None: it is too far behind.
    [[nodiscard]] std::optional<std::string> next(const void* who, std::uint64_t& position,
                                                  std::optional<operation_id> only,
                                                  std::function<void()> wake) {
        {
            std::unique_lock lock{mutex_};
            if (newest_ <= position) {
                waiting_.insert_or_assign(who, std::move(wake));
                return std::string{};
            }
            if (newest_ - position > limits_.most_behind) return std::nullopt;
            if (!ring_.empty() && ring_.front().before <= position) {
                auto text = from_ring(position, only);
                if (text.empty())
                    waiting_.insert_or_assign(who, std::move(wake));  // none of them was for us
                return text;
            }
        }
        auto text = from_storage(position, only);
        if (text && !text->empty()) return text;
        std::unique_lock lock{mutex_};
        waiting_.insert_or_assign(who, std::move(wake));
        // What came while the storage was read has rung for others already.
        if (text && newest_ > position) is_due_ = true;
        lock.unlock();
        changed_.notify_all();
        return std::string{};
    }

    /// Nobody is there any more.
    void forget(const void* who) {
        const std::scoped_lock lock{mutex_};
        waiting_.erase(who);
    }

    /// `id`, `event` and `data`, as text/event-stream has it.
    [[nodiscard]] static std::string text_of(const event& each) {
        return concat("id: ", each.sequence, "\nevent: ", name_of(each.kind),
                      "\ndata: ", json_of(event_body(each)), "\n\n");
    }

private:
    /// What a service may still knock at when the hub is gone: it ends a subscription, but not a call
    /// that is under way.
    struct door {
        std::mutex mutex{};
        event_hub* hub = nullptr;
    };
    struct kept {
        std::uint64_t before = 0;  ///< the event in front of it, or a number behind that one
        std::uint64_t sequence = 0;
        operation_id operation{};
        std::string text{};
    };
    static constexpr std::size_t most_text = std::size_t{64} * 1024;

    void add(const event& each) {
        {
            const std::scoped_lock lock{mutex_};
            if (each.sequence <= newest_) return;  // told twice, or by both services
            // The first one that we are told need not be the one behind the newest that we read.
            const auto before = ring_.empty() ? each.sequence - 1 : ring_.back().sequence;
            ring_.push_back({before, each.sequence, each.operation, text_of(each)});
            if (ring_.size() > limits_.ring) ring_.pop_front();
            newest_ = each.sequence;
            is_due_ = true;
        }
        changed_.notify_all();
    }

    [[nodiscard]] std::string from_ring(std::uint64_t& position,
                                        std::optional<operation_id> only) const {
        std::string text;
        auto each = std::ranges::upper_bound(ring_, position, {}, &kept::sequence);
        for (; each != ring_.end() && text.size() <= most_text; ++each) {
            position = each->sequence;
            if (!only || each->operation == *only) text += each->text;
        }
        return text;
    }

    /// None: not now; whoever waits is woken by the next event.
    [[nodiscard]] std::optional<std::string> from_storage(std::uint64_t& position,
                                                          std::optional<operation_id> only) const {
        std::string text;
        const auto known = newest();  // before it is read: what comes meanwhile is not passed over
        const auto found = from_.read(only, position, 200);
        if (!found) return std::nullopt;
        for (const auto& each : *found) {
            text += text_of(each);
            position = each.sequence;
        }
        if (found->size() < 200) position = std::max(position, known);
        return text;
    }

    void ring_bell(const std::stop_token& stop) {
        std::unique_lock lock{mutex_};
        while (!stop.stop_requested()) {
            if (!changed_.wait(lock, stop, [this] { return is_due_; })) return;
            is_due_ = false;
            auto woken = std::move(waiting_);
            waiting_.clear();
            lock.unlock();
            for (const auto& [who, wake] : woken) wake();
            lock.lock();
            const auto rest = std::max<std::chrono::microseconds>(
                limits_.wake_interval, limits_.wake_each * std::ssize(woken));
            changed_.wait_for(lock, stop, rest, [] { return false; });
        }
    }

    const event_origin from_;
    const limits limits_;
    const std::shared_ptr<door> door_ = std::make_shared<door>();
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<kept> ring_;
    std::map<const void*, std::function<void()>> waiting_;  ///< by listener
    std::uint64_t newest_ = 0;
    bool is_due_ = false;
    std::vector<std::function<void()>> ends_;
    std::jthread bell_;
};

/// One who listens.
class event_listener final : public event_source {
public:
    /// `is_lost`: what it knows is of another storage, and it must begin anew.
    event_listener(std::shared_ptr<event_hub> hub, std::uint64_t position,
                   std::optional<operation_id> only, bool is_lost = false)
        : hub_{std::move(hub)}, position_{position}, only_{only}, is_lost_{is_lost} {}
    ~event_listener() override { hub_->forget(this); }

    [[nodiscard]] std::optional<std::string> next(std::function<void()> wake) override {
        if (is_over_) return std::nullopt;
        if (!is_greeted_) {
            is_greeted_ = true;
            return "retry: 2000\n\n";  // the answer begins, and so does the reader's trust in it
        }
        if (!is_lost_)
            if (auto text = hub_->next(this, position_, only_, std::move(wake))) return text;
        is_over_ = true;
        return concat("id: ", hub_->newest(), "\nevent: reset\ndata: {}\n\n");
    }

private:
    std::shared_ptr<event_hub> hub_;
    std::uint64_t position_;
    std::optional<operation_id> only_;
    bool is_lost_;
    bool is_over_ = false;
    bool is_greeted_ = false;
};

}  // namespace bulk::http::api
