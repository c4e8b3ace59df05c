// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/run/stopwatch.hpp>
#include <bulk/storage/completed_run.hpp>
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
    timestamp close_window();

    /// A row went through steps in that time. What took too long for a page is a record apart.
    void done(const rows_completed& completed, const row_record& record);

    void put(row_record record);
    void put(event event);
    void put_id(row_number row, std::string id);

    void count(bool succeeded) {
        count_row(batch_.counted, succeeded);
        ++rows_;
    }

    /// A row was looked at, and is not counted.
    void pass() { ++rows_; }

    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    [[nodiscard]] const row_counters& counted() const { return batch_.counted; }

    /// Everything so far, but for how many rows were looked at.
    [[nodiscard]] row_batch take();
    /// What was taken, and before what has come since.
    void put_back(row_batch earlier);

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

    void open_window();

    void end_stretch();

    /// One part behind the other. The clock is looked at as soon as a row is not quick, so that only
    /// the last part can have taken long.
    void share_out(timestamp now);

    const stopwatch& watch_;
    row_batch batch_;
    rows_completed stretch_{};  ///< that goes on
    std::vector<part> parts_;   ///< of the window, but for the stretch
    timestamp window_began_{};
    std::optional<timestamp> last_close_;  ///< where the next window begins
    std::uint64_t rows_ = 0;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/run/implementation.hpp>
#endif
