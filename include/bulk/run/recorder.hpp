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
    [[nodiscard]] result<written> add(row_batch& batch, std::uint64_t rows) {
        watch_.note(batch);
        const std::scoped_lock lock{mutex_};
        if (pending_.empty())
            std::swap(pending_, batch);
        else
            append(pending_, batch);
        batch.clear();
        pending_rows_ += rows;
        return pending_rows_ >= batch_size_ ? write() : result<written>{};
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
    [[nodiscard]] result<written> write() {
        if (pending_.empty()) return {};
        const bool began_waits = begins_waits(pending_);
        const timestamp begin = clock_.now();
        auto stored = storage_.record(held_, pending_);
        watch_.note_flush(clock_.now() - begin, stored.has_value());
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
};

}  // namespace bulk
