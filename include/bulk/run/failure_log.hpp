// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/log.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// Logs that the storage fails: immediately, immediately again when the message is another one, then at
/// growing intervals with the number of failures since the last line, and once when it works again. All
/// operations of a service share one: a full disk is one failure, however many of them meet it.
///
/// Times are those of `executor::steady_now`.
class failure_log {
public:
    using fields = std::vector<std::pair<std::string_view, std::string>>;

    static constexpr std::chrono::seconds first_interval{10}, longest_interval{640};
    /// A message with a time or a number in it would be another one each time.
    static constexpr std::size_t most_messages = 8;

    explicit failure_log(const log_handler& log) : log_{log} {}

    /// `where` is said before the message.
    void failed(const std::string& message, timestamp now, fields where = {}) {
        std::uint64_t times = 0;
        {
            const std::scoped_lock lock{mutex_};
            if (!is_failing_.exchange(true)) began_ = now;
            auto& known = find(message, now, lock);
            ++known.times;
            if (now < known.next_line) return;
            times = std::exchange(known.times, 0);
            known.next_line = now + known.interval;
            known.interval = std::min(known.interval * 2, longest_interval);
            is_told_ = true;
        }
        where.emplace_back("why", message);
        where.emplace_back("times", std::to_string(times));
        if (log_) log_({log_level::warning, "storage failed", std::move(where)});
    }

    /// Something was stored. Costs nothing unless something had failed before.
    void worked(timestamp now) {
        if (!is_failing_.load(std::memory_order_relaxed)) return;
        std::chrono::microseconds lasted{};
        {
            const std::scoped_lock lock{mutex_};
            if (!is_failing_.exchange(false)) return;
            // What fails again at once is not news each time: a disk may be full for large writes only.
            for (auto& each : messages_) {
                each.interval = first_interval;
                each.next_line = std::min(each.next_line, now + first_interval);
            }
            lasted = now - began_;
            if (!std::exchange(is_told_, false)) return;
        }
        // As loud as the failure: whoever reads of one wants to read of the other.
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lasted).count();
        if (log_)
            log_({log_level::warning, "storage recovered", {{"seconds", std::to_string(seconds)}}});
    }

private:
    struct known_message {
        std::string text;
        std::uint64_t times = 0;  ///< since the last line
        timestamp next_line{};
        std::chrono::seconds interval = first_interval;
    };

    /// The message, or the last one when there are too many.
    [[nodiscard]] known_message& find(const std::string& text, timestamp now,
                                      const std::scoped_lock<std::mutex>&) {
        if (!is_told_)  // what was said before the storage worked again, and is old
            std::erase_if(messages_, [&](const auto& each) { return each.next_line <= now; });
        const auto found = std::ranges::find(messages_, text, &known_message::text);
        if (found != messages_.end()) return *found;
        if (messages_.size() == most_messages) return messages_.back();
        return messages_.emplace_back(known_message{.text = text});
    }

    const log_handler& log_;
    std::atomic<bool> is_failing_{false};
    std::mutex mutex_;  ///< guards what follows
    timestamp began_{};
    bool is_told_ = false;  ///< the log knows of a failure, and not yet of its end
    std::vector<known_message> messages_;
};

}  // namespace bulk
