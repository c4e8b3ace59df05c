// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Whether it waits for a signal.
[[nodiscard]] inline bool is_waiting(const row_record& record) {
    return record.state == row_state::waiting_for_completion && !record.signal_key.empty();
}

/// Why no signal finds a wait any more.
enum class spent : std::uint8_t { no, given, closed, long_over };

/// The waits of one operation's rows, and the signals for them, within a transaction.
///
/// Who has waited longest is whose record says `started_at` first, then the lower row. What time it
/// is, only signals and records tell: an early signal is gone as soon as another one was sent, or a
/// wait has `started_at`, when it was to be kept no longer or later.
class wait_table {
public:
    wait_table(session& database, operation_id id, std::int64_t operation)
        : database_{database}, id_{id}, operation_{operation} {}

    /// A record is about to replace the one of its place: what becomes of its wait.
    [[nodiscard]] spent change(const row_record& record) {
        auto now = spent::no;
        if (const auto before = find(record.row, record.step)) {
            const bool is_same = is_waiting(record) && before->key == record.signal_key &&
                                 before->journal == record.journal &&
                                 before->retry_attempt == record.retry_attempt;
            if (!is_same)
                database_.execute(
                    "DELETE FROM bulk_given_signals WHERE operation = ?1 AND row = ?2 AND step = "
                    "?3",
                    operation_, record.row, record.step);
            else if (before->why != spent::long_over)
                now = before->why;
        }
        if (!is_waiting(record)) return spent::no;
        if (record.started_at) end_early(*record.started_at);
        if (now == spent::no && take_early(record)) now = spent::given;
        return now;
    }

    /// `last` is asked for how far the row is, if the signal is for one.
    template <typename Last>
    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until, Last last) {
        end_early(sent.sent_at);
        auto found = sent.row ? find_in_row(sent, *sent.row, last) : find_longest(sent);
        if (!found) return std::unexpected{found.error()};
        if (const std::optional<place> at = *found) {
            give(*at, sent.key, sent.failure);
            set_spent(*at, spent::given);
            return signal_receipt{.row = at->first, .step = at->second};
        }
        database_.execute(
            "INSERT INTO bulk_early_signals (operation, row, kept_until, key, failure) "
            "VALUES (?1, ?2, ?3, ?4, ?5)",
            operation_, sent.row.value_or(anybody), until, sent.key, sent.failure);
        static const auto seal = concat(
            "UPDATE bulk_early_signals SET seal = ", seals::early_signal, " WHERE number = ?1");
        database_.execute(seal, database_.inserted());
        return signal_receipt{.is_kept = true};
    }

    [[nodiscard]] std::vector<given_signal> given(std::uint64_t after, std::uint32_t limit) {
        std::vector<given_signal> found;
        static const auto sql = select_given("AND sequence > ?2 ORDER BY sequence LIMIT ?3");
        auto row = database_.rows(sql, operation_, after, limit);
        while (row.next()) found.push_back(given_from(row));
        return found;
    }

    [[nodiscard]] std::optional<given_signal> close(row_number row, step_index step) {
        if (!find(row, step)) return std::nullopt;
        set_spent({row, step}, spent::closed);
        return given_to({row, step});
    }

private:
    using place = std::pair<row_number, step_index>;

    struct wait {
        std::string key{};
        std::string journal{};
        spent why{};
        std::uint32_t retry_attempt = 0;
    };

    static constexpr row_number anybody{0};

    /// By no more than this, we hope, on the machines of those who send.
    static constexpr std::chrono::minutes clocks_differ{1};

    [[nodiscard]] std::optional<wait> find(row_number row, step_index step) {
        static const auto sql = concat(
            "SELECT signal_key, journal, spent, retry_attempt, seal IS ", seals::record,
            " AND texts_seal IS ", seals::texts,
            " FROM bulk_records WHERE operation = ?1 AND row = ?2 AND step = ?3 AND state = 2 AND "
            "signal_key <> ''");
        auto found = database_.rows(sql, operation_, row, step);
        if (!found.next()) return std::nullopt;
        wait each;
        bool is_intact = false;
        found.read(each.key, each.journal, each.why, each.retry_attempt, is_intact);
        if (!is_intact) database_.note(damaged_row(id_, row, "record", step));
        return each;
    }

    [[nodiscard]] static std::string select_given(std::string_view rest) {
        return concat("SELECT sequence, row, step, key, failure, seal IS ", seals::given_signal,
                      " FROM bulk_given_signals WHERE operation = ?1 ", rest);
    }

    [[nodiscard]] given_signal given_from(const row_stream& row) {
        given_signal each;
        bool is_intact = false;
        row.read(each.sequence, each.row, each.step, each.key, each.failure, is_intact);
        if (!is_intact) database_.note(damaged_row(id_, each.row, "signal", each.step));
        return each;
    }

    [[nodiscard]] std::optional<given_signal> given_to(place to) {
        static const auto sql = select_given("AND row = ?2 AND step = ?3");
        auto row = database_.rows(sql, operation_, to.first, to.second);
        if (!row.next()) return std::nullopt;
        return given_from(row);
    }

    void give(place to, const std::string& key, const std::optional<std::string>& failure) {
        database_.execute(
            "INSERT INTO bulk_given_signals (operation, row, step, key, failure) VALUES (?1, ?2, "
            "?3, ?4, ?5)",
            operation_, to.first, to.second, key, failure);
        static const auto seal = concat(
            "UPDATE bulk_given_signals SET seal = ", seals::given_signal, " WHERE sequence = ?1");
        database_.execute(seal, database_.inserted());
    }

    void set_spent(place at, spent why) {
        static const auto sql = concat(
            "UPDATE bulk_records SET spent = ?4, seal = bulk_seal(operation, row, step, state, "
            "attempt, retry_attempt, ?4, failure, started_at, completed_at, wait_until) WHERE "
            "operation = ?1 AND row = ?2 AND step = ?3 AND seal IS ",
            seals::record);
        if (database_.execute(sql, operation_, at.first, at.second, why) == 0)
            database_.note(damaged_row(id_, at.first, "record", at.second));
    }

    /// Nobody gets those any more that were kept until then.
    void end_early(timestamp now) {
        database_.execute(
            "DELETE FROM bulk_early_signals WHERE operation = ?1 AND kept_until <= ?2", operation_,
            now);
    }

    /// The one for the row, else the oldest for the key alone.
    [[nodiscard]] bool take_early(const row_record& record) {
        std::int64_t number = 0;
        std::optional<std::string> failure;
        const auto find = [&](row_number row) {
            static const auto sql =
                concat("SELECT number, failure, seal IS ", seals::early_signal,
                       " FROM bulk_early_signals WHERE operation = ?1 AND key = ?2 AND row = ?3 "
                       "ORDER BY number LIMIT 1");
            auto found = database_.rows(sql, operation_, record.signal_key, row);
            if (!found.next()) return false;
            bool is_intact = false;
            found.read(number, failure, is_intact);
            if (!is_intact) database_.note(damaged_row(id_, record.row, "signal", record.step));
            return true;
        };
        if (!find(record.row) && !find(anybody)) return false;
        database_.execute("DELETE FROM bulk_early_signals WHERE number = ?1", number);
        give({record.row, record.step}, record.signal_key, failure);
        return true;
    }

    template <typename Last>
    [[nodiscard]] result<std::optional<place>> find_in_row(const signal& sent, row_number row,
                                                           Last last) {
        std::optional<place> found;
        bool is_given = false;
        std::optional<step_index> completed;  // unless a later step waits for the same
        {
            static const auto sql = concat(
                "SELECT step, state, spent, wait_until, seal IS ", seals::record,
                " AND texts_seal IS ", seals::texts,
                " FROM bulk_records WHERE operation = ?1 AND row = ?2 AND state IN (2, 3) AND "
                "signal_key = ?3 ORDER BY step");
            auto each = database_.rows(sql, operation_, row, sent.key);
            while (each.next()) {
                bool is_intact = false;
                step_index step{};
                row_state state{};
                spent why{};
                std::optional<timestamp> until;
                each.read(step, state, why, until, is_intact);
                if (!is_intact) database_.note(damaged_row(id_, row, "record", step));
                if (state == row_state::completed) {
                    completed = step;
                    continue;
                }
                completed.reset();
                is_given = is_given || given_to({row, step});
                if (why != spent::closed && !(until && *until <= sent.sent_at))
                    found = place{row, step};
            }
        }
        if (is_given)
            return fail(errc::illegal_transition,
                        concat("row ", to_number(row), " was given a signal already"));
        if (found) return found;
        const std::optional<row_progress> at = last(row);
        if (at && (at->state == row_state::failed || at->state == row_state::timed_out))
            return fail(errc::illegal_transition,
                        concat("row ", to_number(row), " waits for nothing: it is ",
                               name_of(at->state), " at step ", to_number(at->step)));
        if (completed)
            return fail(errc::illegal_transition,
                        concat("row ", to_number(row),
                               " was given a signal already, and has gone on: it waits no more at "
                               "step ",
                               to_number(*completed)));
        auto early = database_.rows(
            "SELECT 1 FROM bulk_early_signals WHERE operation = ?1 AND key = ?2 AND row = ?3",
            operation_, sent.key, row);
        if (early.next())
            return fail(errc::illegal_transition, concat("row ", to_number(row),
                                                         " was sent a signal already, which is "
                                                         "kept until the row waits for it"));
        return std::nullopt;
    }

    /// Waits that are over for long are put out of the way, so that each is passed by once and not
    /// by every signal that comes.
    [[nodiscard]] result<std::optional<place>> find_longest(const signal& sent) {
        std::optional<place> found;
        std::vector<place> long_over;
        {
            auto each = database_.rows(
                "SELECT row, step, wait_until FROM bulk_records INDEXED BY bulk_records_waiting "
                "WHERE operation = ?1 AND signal_key = ?2 AND spent = 0 AND state = 2 AND "
                "signal_key <> '' ORDER BY started_at, row, step",
                operation_, sent.key);
            while (!found && each.next()) {
                place at{};
                std::optional<timestamp> until;
                each.read(at.first, at.second, until);
                if (!until || *until > sent.sent_at)
                    found = at;
                else if (*until <= sent.sent_at - clocks_differ)
                    long_over.push_back(at);
            }
        }
        for (const auto& each : long_over) set_spent(each, spent::long_over);
        return found;
    }

    session& database_;
    operation_id id_;
    std::int64_t operation_;
};

}  // namespace bulk::sqlite
