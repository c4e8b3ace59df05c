// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/row_batch.hpp>

#include <cstdint>
#include <mutex>
#include <utility>

namespace bulk {

/// Gathers what the tasks of one operation found out, and writes it in batches. What could not be
/// written is kept and written with the next batch: nothing is ever dropped.
///
/// A batch that is full waits while less time has passed since the last write than twice what that
/// took: so writing never takes more than a third of the time, however quick the rows and however slow
/// the disk. Rows that take as long as a write do not notice.
template <storage Storage>
class recorder {
public:
    recorder(Storage& storage, const executor& clock, observer& watch, lease held,
             std::uint64_t batch_size)
        : storage_{storage}, clock_{clock}, watch_{watch}, held_{held}, batch_size_{batch_size} {}

    /// What a call has written.
    struct written {
        bool began_waits = false;  ///< for signals, some of which may have come already
    };

    /// Takes over what a task has, of so many rows, and writes if that makes a batch.
    [[nodiscard]] result<written> add(row_batch& batch, std::uint64_t rows, timestamp now) {
        watch_.note(batch);
        const std::scoped_lock lock{mutex_};
        if (pending_.empty())
            std::swap(pending_, batch);
        else
            append(pending_, batch);
        batch.clear();
        pending_rows_ += rows;
        return pending_rows_ >= batch_size_ && has_paused(now) ? write() : result<written>{};
    }

    /// Writes what there is.
    [[nodiscard]] result<written> flush() {
        const std::scoped_lock lock{mutex_};
        return write();
    }

    [[nodiscard]] bool has_pending() const {
        const std::scoped_lock lock{mutex_};
        return !pending_.empty();
    }

private:
    /// A time before the last write is one of a clock that was set back.
    [[nodiscard]] bool has_paused(timestamp now) const {
        return now >= last_write_ + pause_ || now < last_write_;
    }

    [[nodiscard]] result<written> write() {
        if (pending_.empty()) return {};
        const bool began_waits = begins_waits(pending_);
        const timestamp begin = clock_.now();
        auto stored = storage_.record(held_, pending_);
        const timestamp end = clock_.now();
        watch_.note_flush(end - begin, stored.has_value());
        last_write_ = end;
        pause_ = 2 * (end - begin);
        if (!stored) return std::unexpected{std::move(stored).error()};
        pending_.clear();
        pending_rows_ = 0;
        return written{began_waits};
    }

    Storage& storage_;
    const executor& clock_;
    observer& watch_;
    lease held_;
    std::uint64_t batch_size_;
    mutable std::mutex mutex_;
    row_batch pending_;
    std::uint64_t pending_rows_ = 0;
    timestamp last_write_{};
    std::chrono::microseconds pause_{};  ///< after it, until a full batch is written
};

}  // namespace bulk
