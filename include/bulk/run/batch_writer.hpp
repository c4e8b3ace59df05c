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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// What one task found out since it last handed it over. Rows that went well, quickly and one behind
/// the other cost a comparison and an increment each. Between two looks at the clock lies a window:
/// each part of what was done in it gets its share of the time.
class batch_writer {
public:
    explicit batch_writer(const stopwatch& watch) : watch_{watch} {}

    /// A row went through these steps, and nobody looked at the clock.
    void quickly_done(row_number row, step_index first, step_index last) {
        if (stretch_.rows > 0 && to_number(row) == to_number(stretch_.first_row) + stretch_.rows &&
            stretch_.first_step == first && stretch_.last_step == last) [[likely]] {
            ++stretch_.rows;
            return;
        }
        end_stretch();
        open_window();
        stretch_ = {.first_row = row, .rows = 1, .first_step = first, .last_step = last};
    }

    /// The same, of one step that has a record of its own: its times are filled in.
    void quickly_done(row_record record) {
        end_stretch();
        open_window();
        parts_.push_back({.is_record = true, .index = batch_.records.size(), .steps = 1});
        batch_.records.push_back(std::move(record));
    }

    /// What was counted so far ends now.
    timestamp close_window() {
        const timestamp now = watch_.now();
        end_stretch();
        share_out(now);
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
        last_close_.reset();  // what is done with it may take long
        return std::exchange(batch_, row_batch{});
    }
    /// What was taken, and before what has come since.
    void put_back(row_batch earlier) {
        close_window();
        row_batch later = std::exchange(batch_, std::move(earlier));
        append(batch_, later);
    }

    /// Everything, to be handed over; what is left in it when that returns is dropped.
    template <typename HandOver>
    auto hand_over(HandOver take) {
        close_window();
        auto answer = take(batch_, std::exchange(rows_, 0));
        batch_.clear();
        last_close_.reset();  // that may have taken long
        return answer;
    }

private:
    /// What was done in a window: rows one behind the other, or a record.
    struct part {
        bool is_record = false;
        std::size_t index = 0;    ///< in the batch
        std::uint64_t steps = 0;  ///< so many, each of its rows counted
    };

    void open_window() {
        if (parts_.empty()) window_began_ = last_close_ ? *last_close_ : watch_.now();
    }

    void end_stretch() {
        if (stretch_.rows == 0) return;
        const auto steps = to_number(stretch_.last_step) - to_number(stretch_.first_step) + 1;
        parts_.push_back({.index = batch_.completed.size(),
                          .steps = stretch_.rows * static_cast<std::uint64_t>(steps)});
        batch_.completed.push_back(stretch_);
        stretch_.rows = 0;
    }

    /// One part behind the other. The clock is looked at as soon as a row is not quick, so that only
    /// the last part can have taken long.
    void share_out(timestamp now) {
        const auto time = now - window_began_;
        std::uint64_t all = 0, before = 0;
        for (const auto& each : parts_) all += each.steps;
        timestamp begin = window_began_;
        for (const auto& each : parts_) {
            before += each.steps;
            const auto steps = static_cast<std::int64_t>(before);
            const timestamp end =
                before == all
                    ? now
                    : window_began_ + std::min(time * steps / static_cast<std::int64_t>(all),
                                               steps * stopwatch::precision);
            if (each.is_record) {
                batch_.records[each.index].started_at = begin;
                batch_.records[each.index].completed_at = end;
            } else {
                batch_.completed[each.index].started_at = begin;
                batch_.completed[each.index].completed_at = end;
            }
            begin = end;
        }
        parts_.clear();
    }

    const stopwatch& watch_;
    row_batch batch_;
    rows_completed stretch_{};  ///< that goes on
    std::vector<part> parts_;   ///< of the window, but for the stretch
    timestamp window_began_{};
    std::optional<timestamp> last_close_;  ///< where the next window begins
    std::uint64_t rows_ = 0;
};

}  // namespace bulk
