// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/retry_answer.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// Begins operations that have ended once more, for the rows that failed or were never tried.
class retry_desk {
public:
    retry_desk(const catalog& operations, any_storage& storage, int most_retries)
        : operations_{operations},
          storage_{storage},
          most_retries_{static_cast<std::uint32_t>(most_retries)} {}

    [[nodiscard]] result<retry_eligibility> can_retry(operation_id id) {
        const auto record = storage_.get(id);
        if (!record) {
            if (record.error().code == errc::not_found)
                return refused(retry_obstacle::not_found, "Operation not found");
            return std::unexpected{record.error()};
        }
        return eligibility(*record);
    }

    [[nodiscard]] result<retry_answer> retry(operation_id id, const retry_filter& filter,
                                             timestamp now, std::string_view who = {}) {
        if (filter.rows && filter.rows->empty())
            return fail(errc::invalid_argument,
                        "no rows are named; leave `rows` unset to retry all that failed");
        if (filter.rows && std::ranges::find(*filter.rows, row_number{}) != filter.rows->end())
            return fail(errc::invalid_argument, "there is no row 0: rows are counted from 1");
        auto record = storage_.get(id);
        if (!record) return std::unexpected{std::move(record).error()};
        const auto can = eligibility(*record);
        if (!can) return std::unexpected{can.error()};
        if (!can->is_eligible)
            return fail(errc::illegal_transition,
                        concat("operation ", to_text(id), " cannot be retried: ", can->reason));
        const auto previous = record->state;
        if (auto moved = move_to(*record, operation_state::retrying, now); !moved)
            return std::unexpected{std::move(moved).error()};
        const auto& about = **operations_.find(record->name);
        std::vector<event> events;
        if (!who.empty()) events.push_back(requested_event(*record, "Retry", who, now));
        events.push_back(status_changed_event(*record, previous, now));
        auto submitted = storage_.retry(*record, filter, steps_without_retry(about), events);
        if (!submitted) return std::unexpected{std::move(submitted).error()};
        return answer(about, filter, *submitted, unprocessed(record->rows));
    }

private:
    [[nodiscard]] static std::vector<step_index> steps_without_retry(
        const operation_description& about) {
        std::vector<step_index> steps;
        for (const auto& step : about.steps)
            if (!step.allow_operation_retry) steps.push_back(static_cast<step_index>(step.index));
        return steps;
    }

    [[nodiscard]] static retry_eligibility refused(retry_obstacle obstacle, std::string reason) {
        return {false, std::move(reason), obstacle};
    }

    [[nodiscard]] result<retry_eligibility> eligibility(const operation_record& record) {
        if (!allows(record.state, operation_state::retrying))
            return refused(retry_obstacle::wrong_state,
                           concat("Operation is in ", name_of(record.state),
                                  " state, must be completed_with_errors, failed or cancelled"));
        const auto about = operations_.find(record.name);
        if (!about)
            return refused(retry_obstacle::unknown_type,
                           concat("Operation type '", record.name, "' not registered"));
        if (!(*about)->retryable)
            return refused(retry_obstacle::not_retryable,
                           "Operation is not retryable (.retryable = false)");
        if (most_retries_ > 0 && record.retry_count >= most_retries_)
            return refused(retry_obstacle::too_many_retries,
                           concat("Maximum retry attempts (", most_retries_, ") reached"));
        if (!record.validated)
            return refused(retry_obstacle::not_validated,
                           "Its rows were not all validated: create the operation again");
        if (!keeps_rows(**about))
            if (const auto file = storage_.file(record.file_id); !file) {
                if (file.error().code != errc::not_found) return std::unexpected{file.error()};
                return refused(retry_obstacle::rows_deleted,
                               "The rows are gone: its file was removed, and their records do not "
                               "keep them (.track_row_data, and no pii)");
            }
        if (unprocessed(record.rows) > 0) return retry_eligibility{.is_eligible = true};
        for (const auto& step : (*about)->steps) {
            if (!step.allow_operation_retry) continue;
            const auto failed =
                storage_.query(row_query{.operation = record.id,
                                         .step = static_cast<step_index>(step.index),
                                         .errors_only = true,
                                         .page_size = 1,
                                         .with_total = false});
            if (!failed) return std::unexpected{failed.error()};
            if (!failed->items.empty()) return retry_eligibility{.is_eligible = true};
        }
        return refused(retry_obstacle::no_failed_rows,
                       "No retryable failed rows found (validation failures cannot be retried)");
    }

    [[nodiscard]] static retry_answer answer(const operation_description& about,
                                             const retry_filter& filter,
                                             const retry_submission& submission,
                                             std::uint64_t left) {
        retry_answer said{
            .submitted = submission.submitted, .resumed = left, .skipped = submission.skipped};
        for (const auto& [row, step] : submission.refused)
            said.reasons.push_back(concat("Row ", to_number(row), ": step '", about.step_name(step),
                                          "' does not allow operation retry"));
        if (!filter.rows) return said;
        auto rows = *filter.rows;
        std::ranges::sort(rows);
        const auto twice = std::ranges::unique(rows);
        const auto named = static_cast<std::uint64_t>(twice.begin() - rows.begin());
        said.skipped = named - submission.submitted;
        const std::uint64_t others = said.skipped - submission.refused.size();
        if (others > 0)
            said.reasons.push_back(concat(others, " of the ", named,
                                          " rows named have not failed, or cannot be retried"));
        return said;
    }

    const catalog& operations_;
    any_storage& storage_;
    std::uint32_t most_retries_;
};

}  // namespace bulk
