// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/run/stopwatch.hpp>
#include <bulk/storage/record_page.hpp>
#include <bulk/storage/row_batch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace bulk {

/// What one task found out since it last handed it over. Rows that went well, quickly and one behind
/// the other cost a comparison and an increment each.
class batch_writer {
public:
    explicit batch_writer(const stopwatch& watch) : watch_{watch} {}

    /// A row went through these steps, and nobody looked at the clock.
    void quickly_done(row_number row, step_index first, step_index last) {
        if (window_.rows > 0 && to_number(row) == to_number(window_.first_row) + window_.rows &&
            window_.first_step == first && window_.last_step == last) [[likely]] {
            ++window_.rows;
            return;
        }
        const timestamp now = close_window();
        window_ = {
            .first_row = row, .rows = 1, .first_step = first, .last_step = last, .started_at = now};
    }

    /// What was counted so far ends now.
    timestamp close_window() {
        const timestamp now = watch_.now();
        if (window_.rows > 0) {
            window_.completed_at = now;
            batch_.completed.push_back(window_);
            window_.rows = 0;
        }
        last_close_ = now;
        return now;
    }

    /// A row went through steps in that time. What took too long for a page is a record apart.
    void done(const rows_completed& completed, const row_record& record) {
        last_close_.reset();
        if (fits_in_run(completed.completed_at - completed.started_at))
            batch_.completed.push_back(completed);
        else
            put(record);
    }

    void put(row_record record) {
        last_close_.reset();
        batch_.records.push_back(std::move(record));
    }
    void put(event event) { batch_.events.push_back(std::move(event)); }
    void put_id(row_number row, std::string id) { batch_.row_ids.emplace_back(row, std::move(id)); }

    void count(bool succeeded) {
        count_row(batch_.counted, succeeded);
        ++rows_;
    }

    /// A row was looked at, and is not counted.
    void pass() { ++rows_; }

    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    [[nodiscard]] const row_counters& counted() const { return batch_.counted; }

    /// Everything so far, but for how many rows were looked at.
    [[nodiscard]] row_batch take() {
        close_window();
        return std::exchange(batch_, row_batch{});
    }
    /// What was taken, and before what has come since.
    void put_back(row_batch earlier) {
        close_window();
        row_batch later = std::exchange(batch_, std::move(earlier));
        append(batch_, later);
    }

    /// Everything, to be handed over with the time; what is left in it when that returns is dropped.
    template <typename HandOver>
    auto hand_over(HandOver take) {
        const timestamp now = close_window();
        const auto rows = std::exchange(rows_, 0);
        auto answer = take(batch_, rows, now);
        batch_.clear();
        return answer;
    }

private:
    const stopwatch& watch_;
    row_batch batch_;
    rows_completed window_{};
    std::optional<timestamp> last_close_;  ///< where the next window begins
    std::uint64_t rows_ = 0;
};

}  // namespace bulk
