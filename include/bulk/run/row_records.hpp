// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/run/row_task.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace bulk {

/// How the records of an operation's rows are made.
class row_records {
public:
    /// `about` is what events say of the operation, at any time.
    explicit row_records(const operation_record& about) : about_{about} {}

    [[nodiscard]] row_record record_of(row_number row, step_index step, row_state state,
                                       std::uint32_t attempt,
                                       std::uint32_t retry_attempt = 0) const {
        return {.operation = about_.id,
                .row = row,
                .step = step,
                .state = state,
                .attempt = attempt,
                .retry_attempt = retry_attempt};
    }

    /// A row ends here, and there is nothing to show of it. `record` is running or waiting.
    void fail(row_task& at, row_record record, error_type type, std::string why,
              timestamp now) const {
        (void)fail_row(record, type, std::move(why), now);
        finish(at, std::move(record), now);
    }

protected:
    void finish(row_task& at, row_record record, timestamp now) const {
        at.writer.put(row_failed_event(about_, record, now));
        at.writer.put(std::move(record));
        at.writer.count(false);
    }

private:
    const operation_record& about_;
};

}  // namespace bulk
