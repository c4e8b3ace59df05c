// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/run/row_records.hpp>
#include <bulk/run/task_board.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/row_batch.hpp>

#include <string>
#include <utility>

namespace bulk {

/// Records the rows that user code still has when a run ends without waiting for it, since their steps did not
/// return before the shutdown time-out. Returns which rows and steps they are, as a sentence.
[[nodiscard]] inline std::string record_abandoned_rows(task_board& board,
                                                       const owned_operation& operation,
                                                       const operation_description& description,
                                                       any_storage& storage, timestamp now) {
    const row_records records{operation.record()};
    std::string sentence;
    row_batch batch;
    const auto id = operation.held().operation;
    for (const auto& [row, step] : board.rows()) {
        const auto name = description.step_name(step);
        sentence += concat(sentence.empty() ? "" : "; ", "operation ", to_text(id), ", row ",
                           to_number(row), ": step '", name, "' did not return");
        if (step == validation_step) continue;
        auto stored = storage.get(id, row, step);
        if (!stored) continue;
        // Attempt 0: when the operation goes on, the same attempt is made again.
        auto record =
            std::move(*stored).value_or(records.record_of(row, step, row_state::pending, 0));
        // A wait goes on as it was stored, and so do the tries that a step has had.
        if (record.state == row_state::pending)
            (void)move_to(record, row_state::running, now);
        else if (record.state != row_state::running)
            continue;
        record.error_message =
            concat("step '", name, "' did not return before the shutdown time-out");
        batch.records.push_back(std::move(record));
    }
    if (!batch.empty()) (void)storage.record(operation.held(), batch);
    return sentence;
}

}  // namespace bulk
