// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/growing_histogram.hpp>
#include <bulk/core/histogram.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/storage/row_batch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// What is counted of one operation while it runs, and whom to tell what is worth a line.
class observer {
public:
    observer(std::size_t steps, const log_handler& log) : steps_(steps), log_{log} {}

    /// A task hands over what it has.
    void note(const row_batch& batch) {
        succeeded_.fetch_add(batch.counted.successful, std::memory_order_relaxed);
        for (const auto& each : batch.completed) {
            if (each.first_step == validation_step) continue;
            const auto steps = to_number(each.last_step) - to_number(each.first_step) + 1;
            const auto parts = static_cast<std::int64_t>(each.rows) * steps;
            const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
                (each.completed_at - each.started_at) / parts);
            for (auto step = to_number(each.first_step); step <= to_number(each.last_step); ++step)
                add(step, took, each.rows);
        }
        for (const auto& each : batch.records) note(each);
    }

    void note_flush(std::chrono::microseconds took, bool succeeded) {
        flushes_.add(took);
        if (!succeeded) failed_flushes_.fetch_add(1, std::memory_order_relaxed);
    }

    void note_waiting(int change) { waiting_.fetch_add(change, std::memory_order_relaxed); }

    void log(log_level level, std::string_view event,
             std::vector<std::pair<std::string_view, std::string>> fields) const {
        if (log_) log_({level, event, std::move(fields)});
    }

    [[nodiscard]] std::uint64_t succeeded() const { return succeeded_.load(); }
    [[nodiscard]] std::uint64_t failed() const { return failed_.load(); }
    [[nodiscard]] std::uint64_t refused() const { return refused_.load(); }
    [[nodiscard]] std::uint64_t timed_out() const { return timed_out_.load(); }
    [[nodiscard]] std::uint64_t retried() const { return retried_.load(); }
    [[nodiscard]] std::int64_t waiting() const { return waiting_.load(); }
    [[nodiscard]] std::uint64_t failed_flushes() const { return failed_flushes_.load(); }
    [[nodiscard]] histogram flushes() const { return flushes_.value(); }
    [[nodiscard]] histogram step(std::size_t step) const { return steps_[step].value(); }

private:
    void note(const row_record& record) {
        if (auto* const counter = counter_of(record))
            counter->fetch_add(1, std::memory_order_relaxed);
        if (record.step != validation_step && record.started_at && record.completed_at)
            add(to_number(record.step), *record.completed_at - *record.started_at, 1);
    }

    /// None for a record of a row that is on its way, or that succeeded.
    [[nodiscard]] std::atomic<std::uint64_t>* counter_of(const row_record& record) {
        switch (record.state) {
            case row_state::failed:
                return record.step == validation_step ? &refused_ : &failed_;
            case row_state::timed_out:
                return &timed_out_;
            case row_state::running:
                return &retried_;
            case row_state::pending:
            case row_state::waiting_for_completion:
            case row_state::completed:
                break;
        }
        return nullptr;
    }

    void add(int step, std::chrono::microseconds took, std::uint64_t times) {
        if (static_cast<std::size_t>(step) < steps_.size())
            steps_[static_cast<std::size_t>(step)].add(took, times);
    }

    std::deque<growing_histogram> steps_;  // they cannot be moved
    const log_handler& log_;
    growing_histogram flushes_;
    std::atomic<std::uint64_t> succeeded_{0}, failed_{0}, refused_{0}, timed_out_{0}, retried_{0};
    std::atomic<std::uint64_t> failed_flushes_{0};
    std::atomic<std::int64_t> waiting_{0};
};

}  // namespace bulk
