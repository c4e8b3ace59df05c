// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/storage/flight_recorder.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace bulk::memory {

/// The rows that user code has, and how often an operation was claimed from somebody who never gave
/// it back while they had it.
class crash_log {
public:
    [[nodiscard]] flight_recorder& flights() { return flights_; }

    /// An operation was claimed from somebody who did not give it back. A row that has done the step at
    /// which it was counted before, as `is_done(row, step)` says, is counted anew.
    template <typename IsDone>
    void count(operation_id id, IsDone is_done) {
        for (const auto& seat : *seats_)
            if (const auto seen = seen_in(seat); seen && seen->operation == id) {
                auto& row = counts_[id][seen->row];
                const auto before = is_done(seen->row, row.step) ? 0 : row.count;
                row = {.row = seen->row, .step = seen->step, .count = before + 1};
            }
    }

    [[nodiscard]] std::vector<crashed_row> of(operation_id id) const {
        std::vector<crashed_row> all;
        if (const auto found = counts_.find(id); found != counts_.end())
            for (const auto& [row, each] : found->second) all.push_back(each);
        return all;
    }

    /// Its rows begin anew.
    void forget(operation_id id) { counts_.erase(id); }

private:
    using seats = std::array<flight_seat, 1024>;

    std::shared_ptr<seats> seats_ = std::make_shared<seats>();
    flight_recorder flights_{*seats_, seats_};
    std::map<operation_id, std::map<row_number, crashed_row>> counts_;
};

}  // namespace bulk::memory
