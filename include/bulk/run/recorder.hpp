// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/run/stopwatch.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/row_batch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace bulk {

/// Gathers what the tasks of one operation found out, and writes it in batches. What could not be
/// written is kept and written when somebody flushes: nothing is ever dropped.
///
/// What is done and not written is never more than a batch, and the row that each task has in hand: each
/// task is told how many rows it may do before it hands them over: its share of the room that is left. Among
/// several tasks a batch is written before it is full, so that the others have rows left to do meanwhile.
class recorder {
public:
    recorder(any_storage& storage, const executor& clock, observer& watch, lease held,
             std::uint64_t batch_size, std::size_t most_tasks)
        : storage_{storage},
          clock_{clock},
          watch_{watch},
          held_{held},
          batch_size_{batch_size},
          write_from_{most_tasks == 1 ? batch_size : batch_size - batch_size / 8},
          tasks_{most_tasks} {}

    /// What a call has written.
    struct written {
        bool began_waits = false;  ///< for signals, some of which may have come already
    };

    /// How many rows a task that begins may do before it hands them over: one at least.
    [[nodiscard]] std::uint64_t lend() {
        const std::scoped_lock lock{mutex_};
        return lend_part(lock);
    }
    /// A task ends, with nothing that is not handed over.
    void give_back(std::uint64_t lent) {
        const std::scoped_lock lock{mutex_};
        lent_ -= lent - 1;
    }

    /// Takes over what a task has, of so many rows, and writes if that makes a batch. `lent` is what
    /// the task may have done, and then what it may do next.
    [[nodiscard]] result<written> add(row_batch& batch, std::uint64_t rows, std::uint64_t& lent) {
        watch_.note(batch);
        const std::scoped_lock lock{mutex_};
        if (!batch.empty()) pending_rows_ += rows;
        if (pending_.empty())
            std::swap(pending_, batch);
        else
            append(pending_, batch);
        batch.clear();
        lent_ -= lent - 1;
        const bool is_full = pending_rows_ >= write_from_ || pending_rows_ + lent_ >= batch_size_;
        auto done = is_full && !has_failed_ ? write() : result<written>{};
        lent = lend_part(lock);
        return done;
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
    /// The last of the rows is the one in hand, and is not counted.
    [[nodiscard]] std::uint64_t lend_part(const std::scoped_lock<std::mutex>&) {
        const auto taken = pending_rows_ + lent_ + 1;
        const auto room = taken < batch_size_ ? batch_size_ - taken : 0;
        const auto extra = room / tasks_;
        lent_ += extra;
        return extra + 1;
    }

    /// Rows that were quick and handed over a few at a time are as good as done together: a storage keeps
    /// each group of rows, and reads and writes all of a page.
    static void join_neighbours(std::vector<rows_completed>& all) {
        if (all.size() < 2) return;
        std::ranges::sort(all, {}, [](const rows_completed& each) {
            return std::tuple{each.first_step, each.last_step, each.first_row};
        });
        std::size_t last = 0;
        for (std::size_t i = 1; i < all.size(); ++i)
            if (!join(all[last], all[i])) all[++last] = all[i];
        all.resize(last + 1);
    }
    [[nodiscard]] static bool join(rows_completed& one, const rows_completed& next) {
        if (one.first_step != next.first_step || one.last_step != next.last_step ||
            to_number(one.first_row) + one.rows != to_number(next.first_row))
            return false;
        const auto begin = std::min(one.started_at, next.started_at);
        const auto end = std::max(one.completed_at, next.completed_at);
        const auto rows = one.rows + next.rows;
        if (end - begin > static_cast<std::int64_t>(rows) * stopwatch::precision) return false;
        one.rows = rows;
        one.started_at = begin;
        one.completed_at = end;
        return true;
    }

    [[nodiscard]] result<written> write() {
        if (pending_.empty()) return {};
        join_neighbours(pending_.completed);
        const bool began_waits = begins_waits(pending_);
        const timestamp begin = clock_.steady_now();
        auto stored = storage_.record(held_, pending_);
        watch_.note_flush(clock_.steady_now() - begin, stored.has_value());
        has_failed_ = !stored;
        if (!stored) return std::unexpected{std::move(stored).error()};
        pending_.clear();
        pending_rows_ = 0;
        return written{began_waits};
    }

    any_storage& storage_;
    const executor& clock_;
    observer& watch_;
    lease held_;
    std::uint64_t batch_size_;
    std::uint64_t write_from_;  ///< so many rows are a batch
    std::uint64_t tasks_;       ///< at most, that share the room
    mutable std::mutex mutex_;
    row_batch pending_;
    std::uint64_t pending_rows_ = 0;
    std::uint64_t lent_ = 0;   ///< rows that tasks may do beyond the one in hand
    bool has_failed_ = false;  ///< the last write: then only a flush tries again
};

}  // namespace bulk
