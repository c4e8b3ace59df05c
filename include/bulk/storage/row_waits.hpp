// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/row_tables.hpp>
#include <bulk/storage/waits.hpp>

#include <optional>
#include <vector>

namespace bulk {

/// The waits of one operation's rows and the signals for them, within one transaction.
///
/// The row that has waited longest is the one whose record has the earliest `started_at`, then the lower
/// row. Only signals and records tell the time: an early signal is gone as soon as another one was sent,
/// or a wait has `started_at`, when it was to be kept no longer or later.
template <row_tables Rows>
class row_waits {
public:
    explicit row_waits(Rows& rows) : rows_{rows} {}

    /// Stores a record in the place of the one before, and decides what becomes of its wait.
    void put(const row_record& record) {
        auto end = wait_end::none;
        if (const auto before = rows_.find_wait(record.row, record.step)) {
            if (!continues(*before, record))
                rows_.remove_given(record.row, record.step);
            else if (before->end() != wait_end::long_over)
                end = before->end();
        }
        if (awaits_signal(record)) {
            if (record.started_at) rows_.end_early(*record.started_at);
            if (end == wait_end::none && take_early(record)) end = wait_end::given;
        }
        rows_.put_record(record, end);
    }

    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until) {
        rows_.end_early(sent.sent_at);
        auto found = sent.row ? find_in_row(sent, *sent.row) : find_longest(sent);
        if (!found) return std::unexpected{found.error()};
        if (const std::optional<record_place> at = *found) {
            rows_.give(*at, sent.key, sent.failure);
            rows_.set_wait_end(*at, wait_end::given);
            return signal_receipt{.row = at->row(), .step = at->step()};
        }
        rows_.keep_early(sent, until);
        return signal_receipt{.is_kept = true};
    }

    [[nodiscard]] std::optional<given_signal> close(row_number row, step_index step) {
        if (!rows_.find_wait(row, step)) return std::nullopt;
        rows_.set_wait_end({row, step}, wait_end::closed);
        return rows_.given_to(row, step);
    }

private:
    /// The signal for the row, else the oldest for the key alone.
    [[nodiscard]] bool take_early(const row_record& record) {
        auto early = rows_.find_early(record.row, record.step, record.signal_key, false);
        if (!early) early = rows_.find_early(record.row, record.step, record.signal_key, true);
        if (!early) return false;
        rows_.remove_early(early->number);
        rows_.give({record.row, record.step}, record.signal_key, early->failure);
        return true;
    }

    [[nodiscard]] result<std::optional<record_place>> find_in_row(const signal& sent,
                                                                  row_number row) {
        std::optional<record_place> found;
        std::optional<step_index> completed;  // unless a later step waits for the same
        bool is_given = false;
        rows_.visit_row(row, sent.key, [&](const row_wait& each) {
            if (each.state == row_state::completed) {
                completed = each.step;
                return true;
            }
            completed.reset();
            is_given = rows_.given_to(row, each.step).has_value();
            if (each.end != wait_end::closed && !is_over(each.until, sent.sent_at))
                found = record_place{row, each.step};
            return !is_given;
        });
        if (is_given) return refuse("row ", to_number(row), " was given a signal already");
        if (found) return found;
        std::optional<row_progress> last;
        rows_.progress(row, {&last, 1});
        if (last && is_resettable(last->state))  // failed or timed out
            return refuse("row ", to_number(row), " waits for nothing: it is ",
                          name_of(last->state), " at step ", to_number(last->step));
        if (completed)
            return refuse("row ", to_number(row),
                          " was given a signal already, and has gone on: it waits no more at step ",
                          to_number(*completed));
        if (rows_.find_early(row, validation_step, sent.key, false))
            return refuse("row ", to_number(row),
                          " was sent a signal already, which is kept until the row waits for it");
        return std::nullopt;
    }

    /// Waits that are long over are put out of the way, so that each is passed by once and not by every
    /// signal that comes.
    [[nodiscard]] result<std::optional<record_place>> find_longest(const signal& sent) {
        std::optional<record_place> found;
        std::vector<record_place> long_over;
        rows_.visit_waits(sent.key, [&](record_place at, std::optional<timestamp> until) {
            if (!is_over(until, sent.sent_at)) found = at;
            if (is_long_over(until, sent.sent_at)) long_over.push_back(at);
            return !found;
        });
        for (const auto at : long_over) rows_.set_wait_end(at, wait_end::long_over);
        return found;
    }

    template <typename... Parts>
    [[nodiscard]] static std::unexpected<error> refuse(const Parts&... parts) {
        return fail(errc::illegal_transition, concat(parts...));
    }

    Rows& rows_;
};

}  // namespace bulk
