// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/engine/thread_executor.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace bulk::http::api {

/// From a writer that pushes to a reader that pulls, piece by piece: the writer waits until its piece is
/// taken, so that no more than two are ever in memory. A reader that goes away ends the writer.
class export_pipe {
public:
    /// For the writer.
    [[nodiscard]] result<> push(std::string_view piece) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return text_.size() == taken_ || is_abandoned_; });
        if (is_abandoned_) return fail(errc::unavailable, "nobody reads it any more");
        text_ = piece;
        taken_ = 0;
        changed_.notify_all();
        return {};
    }
    void end(std::optional<error> why) {
        const std::scoped_lock lock{mutex_};
        failure_ = std::move(why);
        is_over_ = true;
        changed_.notify_all();
    }

    /// For the reader: waits for the first piece, or for the end of all. Fails when there is none, or
    /// nobody waits for it any more.
    [[nodiscard]] result<> wait() {
        const std::stop_token gone =
            read_scope::current() != nullptr ? read_scope::current()->cancelled : std::stop_token{};
        const std::stop_callback leave{gone, [this] { abandon(); }};
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return !text_.empty() || is_over_; });
        if (text_.empty() && failure_) return std::unexpected{*failure_};
        return {};
    }
    [[nodiscard]] result<std::size_t> pull(std::span<char> into) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return taken_ < text_.size() || is_over_; });
        if (taken_ == text_.size() && failure_) return std::unexpected{*failure_};
        const auto count = std::min(into.size(), text_.size() - taken_);
        std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(taken_), count, into.begin());
        taken_ += count;
        changed_.notify_all();
        return count;
    }
    void abandon() {
        abandoned_.request_stop();
        const std::scoped_lock lock{mutex_};
        is_abandoned_ = true;
        changed_.notify_all();
    }
    /// Whether the reader has gone, for reads of the writer.
    [[nodiscard]] std::stop_token abandoned() const { return abandoned_.get_token(); }

private:
    std::stop_source abandoned_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string text_;
    std::size_t taken_ = 0;
    bool is_over_ = false;
    bool is_abandoned_ = false;
    std::optional<error> failure_;
};

/// Threads that write exports, joined when they are done: by whoever starts the next, and at the end.
class export_writers {
public:
    export_writers() = default;
    export_writers(const export_writers&) = delete;
    export_writers& operator=(const export_writers&) = delete;
    ~export_writers() {
        const std::scoped_lock lock{mutex_};
        for (auto& each : all_) {
            each.pipe->abandon();
            each.thread.join();
        }
    }

    using work = std::function<result<>(export_pipe&)>;

    [[nodiscard]] std::shared_ptr<export_pipe> start(work write) {
        auto pipe = std::make_shared<export_pipe>();
        const std::scoped_lock lock{mutex_};
        std::erase_if(all_, [](writer& each) {
            if (!*each.is_done) return false;
            each.thread.join();
            return true;
        });
        // A thread that runs always has its node: making one can throw, moving one cannot.
        std::list<writer> started;
        auto& added = started.emplace_back(pipe, std::make_shared<std::atomic<bool>>(false));
        try {
            added.thread =
                std::thread{[pipe, is_done = added.is_done, write = std::move(write)]() noexcept {
                    pipe->end(failure_of(write, *pipe));
                    *is_done = true;
                }};
        } catch (const std::system_error& why) {
            pipe->end(thread_refused(why));
            return pipe;
        }
        all_.splice(all_.end(), started);
        return pipe;
    }

private:
    struct writer {
        std::shared_ptr<export_pipe> pipe;
        std::shared_ptr<std::atomic<bool>> is_done;
        std::thread thread{};
    };

    /// Writes an export; an exception is a failure of this export alone. The messages are so short
    /// that they need no memory, which may have run out.
    [[nodiscard]] static std::optional<error> failure_of(const work& write,
                                                         export_pipe& to) noexcept {
        try {
            const read_limit limit{.cancelled = to.abandoned()};
            const read_scope limited{limit};
            auto written = write(to);
            return written ? std::nullopt : std::optional{std::move(written).error()};
        } catch (const std::bad_alloc&) {
            return error{errc::unavailable, "out of memory"};
        } catch (...) {
            return error{errc::unavailable, "internal error"};
        }
    }

    std::mutex mutex_;
    std::list<writer> all_;
};

}  // namespace bulk::http::api
