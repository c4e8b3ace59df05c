// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace bulk {

/// Where threads sleep that have nothing to do. A sleeper looks once more for work before it sleeps,
/// and whoever brings work brings it before it looks for sleepers, both under one lock: so nobody
/// sleeps beside work. A sleeper that was woken is not counted any more, even before it runs, so that
/// two jobs wake two. Locks only where threads run out of work: a job is some hundred rows.
class parking {
public:
    /// Sleeps until woken, unless `look()` finds work or everybody was told to go; true when woken
    /// or work was found.
    template <typename Look>
    bool sleep(Look look) {
        return sleep(look, forever);
    }

    /// The same, but false as well when nobody woke it in that time.
    template <typename Look>
    bool sleep(Look look, std::chrono::milliseconds most) {
        std::unique_lock lock{mutex_};
        if (is_closed_) return false;
        if (look()) return true;
        ++sleepers_;
        const auto is_woken = [&] { return wakes_ > 0 || is_closed_; };
        if (most == forever) {
            woken_.wait(lock, is_woken);
        } else if (!woken_.wait_for(lock, most, is_woken)) {
            --sleepers_;
            return false;
        }
        if (is_closed_) return false;
        --wakes_;
        return true;
    }

    static constexpr std::chrono::milliseconds forever = std::chrono::milliseconds::max();

    /// To be called when work is there already; whether somebody slept.
    bool wake_one() {
        {
            const std::scoped_lock lock{mutex_};
            if (sleepers_ == 0) return false;
            --sleepers_;
            ++wakes_;
        }
        woken_.notify_one();
        return true;
    }

    /// Nobody sleeps any more.
    void close() {
        {
            const std::scoped_lock lock{mutex_};
            is_closed_ = true;
        }
        woken_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable woken_;
    std::size_t sleepers_ = 0;  ///< that nobody has woken yet
    std::size_t wakes_ = 0;     ///< that no sleeper has taken yet
    bool is_closed_ = false;
};

}  // namespace bulk
