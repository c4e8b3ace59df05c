// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/run/unit_pace.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace bulk {

/// The units of one pass over a file, as tasks take them. Its owner has the lock, but for reading,
/// which needs none.
class unit_queue {
public:
    /// Begins a pass.
    void open(std::unique_ptr<unit_source> rows) {
        supply_ = std::move(rows);
        is_done_ = false;
        pace_ = {};
    }
    [[nodiscard]] unit_source& rows() { return *supply_; }

    /// How many tasks would find something to do, if there were `most`.
    [[nodiscard]] std::size_t wanted(std::size_t most) const {
        if (supply_ == nullptr) return 0;
        if (is_done_) return put_back_.size();
        return put_back_.size() + (supply_->is_exclusive() ? (is_taken_ ? 0 : 1) : most);
    }

    /// The next unit, if there is one now.
    [[nodiscard]] result<std::optional<row_unit>> take() {
        std::optional<row_unit> unit;
        if (!put_back_.empty()) {
            unit = std::move(put_back_.front());
            put_back_.pop_front();
        } else if (!is_done_ && !(supply_->is_exclusive() && is_taken_)) {
            auto next = supply_->cut(pace_.rows());
            if (!next) return next;
            is_done_ = !*next;
            unit = std::move(*next);
        }
        is_taken_ |= unit.has_value() && supply_->is_exclusive();
        return unit;
    }

    /// A unit was read to its end.
    void finish(const row_unit& unit, unit_end end, std::chrono::microseconds took) {
        is_done_ |= end == unit_end::end_of_file && supply_->is_exclusive();
        pace_.learn(took, unit.rows);
        is_taken_ = false;
    }

    /// A unit could not be begun. One of a supply for one task alone was not taken from it yet.
    void put_back(const row_unit& unit) {
        if (!supply_->is_exclusive()) put_back_.push_back(unit);
        is_taken_ = false;
    }
    /// A unit could not be read, and nobody will.
    void drop() { is_taken_ = false; }

    [[nodiscard]] bool is_done() const { return is_done_ && put_back_.empty(); }
    void clear() { put_back_.clear(); }

private:
    std::unique_ptr<unit_source> supply_;
    std::deque<row_unit> put_back_;
    unit_pace pace_;
    bool is_done_ = false;
    bool is_taken_ = false;
};

}  // namespace bulk
