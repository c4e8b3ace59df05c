// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/standings.hpp>
#include <bulk/storage/any_storage.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace bulk {

/// Where the rows of an operation that an earlier run has begun go on.
class row_resume {
public:
    row_resume(any_storage& storage, const owned_operation& operation)
        : storage_{storage}, operation_{operation} {}

    /// What is stored of `rows` rows from `at.first_standing` on.
    [[nodiscard]] result<> load(row_task& at, std::uint64_t rows) {
        const auto id = operation_.held().operation;
        auto known = before_.of(storage_, id, row_number{at.first_standing}, rows);
        if (!known) return std::unexpected{std::move(known).error()};
        for (std::size_t i = 0; i < known->size(); ++i) {
            auto& each = (*known)[i];
            if (!each || (each->state != row_state::running &&
                          each->state != row_state::waiting_for_completion))
                continue;
            const row_number row{at.first_standing + i};
            auto record = storage_.get(id, row, each->step);
            if (!record) return std::unexpected{std::move(record).error()};
            if (!*record) continue;
            const auto is_new = begins_anew(**record);
            if (!is_new) return std::unexpected{is_new.error()};
            if (*is_new)
                each = {each->step, row_state::pending, 0, each->retry_attempt + 1};
            else
                at.interrupted.emplace(row, std::move(**record));
        }
        at.standings = std::move(*known);
        return {};
    }

    /// Rows are read again from now on, and may have come further.
    void forget() { before_.forget(); }

private:
    /// Whether the step of a row that was interrupted begins anew, with all its time, since its wait
    /// ran out between the run that was ended and this one. A signal that came in time counts all
    /// the same: its sender was told that it was given.
    [[nodiscard]] result<bool> begins_anew(row_record& before) {
        if (!ran_out_between_runs(before)) return false;
        const bool is_for_signal = !before.signal_key.empty();
        if (is_for_signal) {
            const auto told = storage_.close_wait(operation_.held(), before.row, before.step);
            if (!told) return std::unexpected{told.error()};
            if (*told) return false;
        }
        if (before.journal.empty()) return true;
        // A coroutine that was told something before is told it again: no signal is used in vain.
        // Only the wait at which it stood begins anew; a sleep is over when its time is.
        if (is_for_signal) {
            before.wait_until.reset();
            ++before.retry_attempt;
        }
        return false;
    }

    /// Not so when the time ran out in this run, whichever process had it then: its rows keep their
    /// deadlines.
    [[nodiscard]] bool ran_out_between_runs(const row_record& before) const {
        const auto& operation = operation_.record();
        return operation.retry_count > 0 && before.started_at && operation.run_started_at &&
               *before.started_at < *operation.run_started_at && before.wait_until &&
               *before.wait_until <= *operation.run_started_at;
    }

    any_storage& storage_;
    const owned_operation& operation_;
    standings before_;
};

}  // namespace bulk
