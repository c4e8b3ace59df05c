// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_tables.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/record_columns.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/state_lists.hpp>
#include <bulk/storage/waits.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// The waits of one operation's rows, and the signals for them, within a transaction.
class wait_table {
public:
    wait_table(session& database, operation_id id, std::int64_t operation)
        : database_{database}, id_{id}, operation_{operation} {}

    /// What a record that waits for a signal says.
    class wait {
    public:
        explicit wait(const row_stream& row) {
            row.read(signal_key_, journal_, end_, retry_attempt_, is_intact_);
        }
        [[nodiscard]] const std::string& signal_key() const { return signal_key_; }
        [[nodiscard]] const std::string& journal() const { return journal_; }
        [[nodiscard]] wait_end end() const { return end_; }
        [[nodiscard]] std::uint32_t retry_attempt() const { return retry_attempt_; }
        [[nodiscard]] bool is_intact() const { return is_intact_; }

    private:
        std::string signal_key_{};
        std::string journal_{};
        wait_end end_{};
        std::uint32_t retry_attempt_ = 0;
        bool is_intact_ = false;
    };

    [[nodiscard]] std::optional<wait> find_wait(row_number row, step_index step) {
        static const auto sql =
            concat("SELECT signal_key, journal, spent, retry_attempt, seal IS ", seals::record,
                   " AND texts_seal IS ", seals::texts,
                   " FROM bulk_records WHERE operation = ?1 AND row = ?2 AND step = ?3 AND ",
                   record_columns::waiting);
        auto found = database_.rows(sql, operation_, row, step);
        if (!found.next()) return std::nullopt;
        wait each{found};
        if (!each.is_intact()) database_.note(damaged_row(id_, row, "record", step));
        return each;
    }

    template <typename Visit>
    void visit_row(row_number row, std::string_view key, Visit visit) {
        static const auto sql = concat(
            "SELECT step, state, spent, wait_until, seal IS ", seals::record, " AND texts_seal IS ",
            seals::texts, " FROM bulk_records WHERE operation = ?1 AND row = ?2 AND state IN (",
            numbers_of<row_state>([](row_state state) {
                return state == row_state::waiting_for_completion || state == row_state::completed;
            }),
            ") AND signal_key = ?3 ORDER BY step");
        auto each = database_.rows(sql, operation_, row, key);
        while (each.next()) {
            bool is_intact = false;
            row_wait wait;
            each.read(wait.step, wait.state, wait.end, wait.until, is_intact);
            if (!is_intact) database_.note(damaged_row(id_, row, "record", wait.step));
            if (!visit(wait)) return;
        }
    }

    template <typename Visit>
    void visit_waits(std::string_view key, Visit visit) {
        static const auto sql = concat(
            "SELECT row, step, wait_until FROM bulk_records INDEXED BY bulk_records_waiting "
            "WHERE operation = ?1 AND signal_key = ?2 AND spent = ",
            std::to_underlying(wait_end::none), " AND ", record_columns::waiting,
            " ORDER BY started_at, row, step");
        auto each = database_.rows(sql, operation_, key);
        while (each.next()) {
            row_number row{};
            step_index step{};
            std::optional<timestamp> until;
            each.read(row, step, until);
            if (!visit(record_place{row, step}, until)) return;
        }
    }

    void set_wait_end(record_place at, wait_end end) {
        static const auto sql =
            concat("UPDATE bulk_records SET spent = ?4, seal = ",
                   seal_of(record_columns::sealed_state, {{"spent", "?4"}}),
                   " WHERE operation = ?1 AND row = ?2 AND step = ?3 AND seal IS ", seals::record);
        if (database_.execute(sql, operation_, at.row(), at.step(), end) == 0)
            database_.note(damaged_row(id_, at.row(), "record", at.step()));
    }

    void give(record_place to, std::string_view key, const std::optional<std::string>& failure) {
        database_.execute(
            "INSERT INTO bulk_given_signals (operation, row, step, key, failure) VALUES (?1, ?2, "
            "?3, ?4, ?5)",
            operation_, to.row(), to.step(), key, failure);
        static const auto seal = concat(
            "UPDATE bulk_given_signals SET seal = ", seals::given_signal, " WHERE sequence = ?1");
        database_.execute(seal, database_.inserted());
    }

    [[nodiscard]] std::optional<given_signal> given_to(row_number row, step_index step) {
        static const auto sql = select_given("AND row = ?2 AND step = ?3");
        auto found = database_.rows(sql, operation_, row, step);
        if (!found.next()) return std::nullopt;
        return given_from(found);
    }

    void remove_given(row_number row, step_index step) {
        database_.execute(
            "DELETE FROM bulk_given_signals WHERE operation = ?1 AND row = ?2 AND step = ?3",
            operation_, row, step);
    }

    [[nodiscard]] std::vector<given_signal> given(std::uint64_t after, std::uint32_t limit) {
        std::vector<given_signal> found;
        static const auto sql = select_given("AND sequence > ?2 ORDER BY sequence LIMIT ?3");
        auto row = database_.rows(sql, operation_, after, limit);
        while (row.next()) found.push_back(given_from(row));
        return found;
    }

    void keep_early(const signal& sent, timestamp until) {
        database_.execute(
            "INSERT INTO bulk_early_signals (operation, row, kept_until, key, failure) "
            "VALUES (?1, ?2, ?3, ?4, ?5)",
            operation_, sent.row.value_or(any_row), until, sent.key, sent.failure);
        static const auto seal = concat(
            "UPDATE bulk_early_signals SET seal = ", seals::early_signal, " WHERE number = ?1");
        database_.execute(seal, database_.inserted());
    }

    /// The step is of no matter but for the error of a damaged signal.
    [[nodiscard]] std::optional<early_signal> find_early(row_number row, step_index step,
                                                         std::string_view key,
                                                         bool is_for_any_row) {
        static const auto sql =
            concat("SELECT number, failure, seal IS ", seals::early_signal,
                   " FROM bulk_early_signals WHERE operation = ?1 AND key = ?2 AND row = ?3 "
                   "ORDER BY number LIMIT 1");
        auto found = database_.rows(sql, operation_, key, is_for_any_row ? any_row : row);
        if (!found.next()) return std::nullopt;
        early_signal early;
        bool is_intact = false;
        found.read(early.number, early.failure, is_intact);
        if (!is_intact) database_.note(damaged_row(id_, row, "signal", step));
        return early;
    }

    void remove_early(std::uint64_t number) {
        database_.execute("DELETE FROM bulk_early_signals WHERE number = ?1", number);
    }

    void end_early(timestamp now) {
        database_.execute(
            "DELETE FROM bulk_early_signals WHERE operation = ?1 AND kept_until <= ?2", operation_,
            now);
    }

private:
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

    session& database_;
    operation_id id_;
    std::int64_t operation_;
};

}  // namespace bulk::sqlite
