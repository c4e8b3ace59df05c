// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/row_state.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/step_moves.hpp>

#include <vector>

namespace bulk {

/// How often each row was in user code when its owner died, within one transaction.
template <typename Tables>
class row_crashes {
public:
    explicit row_crashes(Tables& in) : in_{in} {}

    /// Before something is claimed: what dead processes of this machine own is free.
    void count_dead() { count(in_.release_dead()); }

    /// A row that has completed the step of its last crash is counted from one again.
    void count(const std::vector<row_in_flight>& rows) {
        for (const auto& each : rows) {
            const auto key = key_in(in_, each.operation);
            if (!key) continue;
            crashed_row crash{.row = each.row, .step = each.step, .count = 1};
            if (const auto before = in_.find_crash(*key, each.row)) {
                const auto record = in_.rows_of(*key).get(each.row, before->step);
                if (!record || record->state != row_state::completed) crash.count += before->count;
            }
            in_.put_crash(*key, crash);
        }
    }

    /// The operation has another step table.
    void move_steps(const operation_key& key, const step_moves& to) {
        for (crashed_row each : in_.crashes(key)) {
            each.step = moved(each.step, to);
            in_.put_crash(key, each);
        }
    }

private:
    Tables& in_;
};

}  // namespace bulk
