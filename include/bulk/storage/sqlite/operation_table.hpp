// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/operation_search.hpp>
#include <bulk/storage/sqlite/operation_select.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/state_lists.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace bulk::sqlite {

/// Operations and their owners, within a transaction.
class operation_table {
public:
    /// `holder` is the process that claims operations.
    operation_table(session& database, std::string_view holder)
        : database_{database}, holder_{holder} {}

    [[nodiscard]] std::optional<stored_operation> find_operation(operation_id id) {
        static const auto sql = operation_select::sql("WHERE id = ?1");
        auto found = first(database_.rows(sql, id));
        if (found) found->key.id = id;  // of a damaged row another one may have been read
        if (found && found->damage) found->damage = damaged_operation(id);
        return found;
    }

    [[nodiscard]] std::optional<stored_operation> find_first(const std::string& name,
                                                             const std::string& key) {
        static const auto sql = operation_select::sql(
            "WHERE folded_name = ?1 AND idempotency_key = ?2 AND idempotency_key <> ''");
        return first(database_.rows(sql, folded(name), key));
    }

    [[nodiscard]] std::optional<operation_key> find_key(operation_id id) {
        auto row =
            database_.rows("SELECT number, last_step FROM bulk_operations WHERE id = ?1", id);
        if (!row.next()) return std::nullopt;
        operation_key key{.id = id};
        row.read(key.number, key.last_step);
        return key;
    }

    [[nodiscard]] std::optional<stored_lease> find_lease(operation_id id) {
        static const auto sql =
            concat("SELECT number, last_step, fence, lease_until, progress_seal IS ",
                   seals::progress, " FROM bulk_operations WHERE id = ?1");
        auto row = database_.rows(sql, id);
        if (!row.next()) return std::nullopt;
        stored_lease found{.key = {.id = id}};
        bool is_intact = false;
        row.read(found.key.number, found.key.last_step, found.fence, found.until, is_intact);
        if (!is_intact) found.damage = damaged_operation(id);
        return found;
    }

    template <typename Wants>
    [[nodiscard]] std::optional<stored_operation> find_open(timestamp leased_until, Wants wants) {
        static const auto sql = operation_select::sql(
            concat("INDEXED BY bulk_operations_open WHERE ", open_operation(),
                   " AND (paused = 0 OR cancel_requested = 1) AND (lease_until IS NULL OR "
                   "lease_until <= ?1) ORDER BY created_at, id"));
        auto row = database_.rows(sql, leased_until);
        while (row.next()) {
            using columns = operation_select;
            claim_candidate each{.name = row.view(columns::at("name")),
                                 .is_intact = columns::is_intact(row)};
            row.read_at(columns::at("id"), each.id);
            row.read_at(columns::at("state"), each.state);
            row.read_at(columns::at("paused"), each.paused);
            row.read_at(columns::at("cancel_requested"), each.cancel_requested);
            row.read_at(columns::at("lease_until"), each.lease_until);
            if (wants(each)) return columns::from(row);
        }
        return std::nullopt;
    }

    [[nodiscard]] page<operation_record> find_operations(
        const operation_query& query, const std::optional<operation_order>& after) {
        return operation_search{database_, query}.records(after);
    }

    void insert_operation(operation_record record) {
        static const auto sql = insert_into("bulk_operations", operation_columns::written);
        write(sql, record);
        seal(database_.inserted());
    }

    void save_operation(const operation_key& key, operation_record record) {
        static const auto sql = update_of("bulk_operations", operation_columns::written, 1);
        write(sql, record);
        seal(key.number);
    }

    void remove_operation(const operation_key& key) {
        for (const std::string_view table : std::array<std::string_view, 7>{
                 "bulk_pages", "bulk_records", "bulk_row_ids", "bulk_given_signals",
                 "bulk_early_signals", "bulk_retry_history", "bulk_crashes"})
            database_.execute(concat("DELETE FROM ", table, " WHERE operation = ?1"), key.number);
        database_.execute("DELETE FROM bulk_events WHERE operation = ?1", key.id);
        database_.execute("DELETE FROM bulk_operations WHERE number = ?1", key.number);
    }

    void set_lease(const operation_key& key, std::optional<timestamp> until) {
        static const auto sql = concat(
            "UPDATE bulk_operations SET lease_until = ?2, progress_seal = ",
            seal_of(operation_columns::progress, {{"lease_until", "?2"}}), " WHERE number = ?1");
        database_.execute(sql, key.number, until);
    }

    void set_owner(const operation_key& key, std::uint64_t fence, timestamp until,
                   const std::string& owner) {
        static constexpr std::array<changed_column, 4> changes{
            {{"fence", "?2"}, {"lease_until", "?3"}, {"owner", "?4"}, {"holder", "?5"}}};
        static const auto sql = update_progress(changes);
        database_.execute(sql, key.number, fence, until, owner, holder_);
    }

    /// Not written if nothing of it changes.
    void add_counts(const operation_key& key, const row_counters& counted, step_index step) {
        const auto last = std::max(key.last_step, step);
        if (counted == row_counters{} && last == key.last_step) return;
        static constexpr std::array<changed_column, 6> changes{{{"version", "version + ?2"},
                                                                {"total", "total + ?3"},
                                                                {"processed", "processed + ?4"},
                                                                {"successful", "successful + ?5"},
                                                                {"failed", "failed + ?6"},
                                                                {"last_step", "?7"}}};
        static const auto sql = update_progress(changes);
        database_.execute(sql, key.number, counted != row_counters{}, counted.total,
                          counted.processed, counted.successful, counted.failed, last);
    }

    /// Whether an operation has this upload, or is damaged and may have it. By no index, which may be
    /// damaged itself: whoever asks is about to delete the upload.
    [[nodiscard]] bool may_use(const std::string& file) {
        static const auto sql = concat(
            "SELECT EXISTS (SELECT * FROM bulk_operations NOT INDEXED WHERE file_id = ?1 OR "
            "seal IS NOT ",
            seals::operation, ')');
        bool is_used = true;
        auto row = database_.rows(sql, file);
        if (row.next()) row.read(is_used);
        return is_used;
    }

private:
    /// Changes columns of `progress`, and their checksum.
    [[nodiscard]] static std::string update_progress(std::span<const changed_column> changes) {
        return concat("UPDATE bulk_operations SET ", assigned(changes),
                      ", progress_seal = ", seal_of(operation_columns::progress, changes),
                      " WHERE number = ?1");
    }

    [[nodiscard]] static std::optional<stored_operation> first(row_stream row) {
        if (!row.next()) return std::nullopt;
        return operation_select::from(row);
    }

    void write(const std::string& sql, const operation_record& record) {
        database_.execute(sql, fields{operation_columns::all, record});
    }

    /// What was changed has been read before, and was intact.
    void seal(std::int64_t number) {
        static const auto sql = concat("UPDATE bulk_operations SET seal = ", seals::operation,
                                       ", progress_seal = ", seals::progress, " WHERE number = ?1");
        database_.execute(sql, number);
    }

    session& database_;
    std::string_view holder_;
};

}  // namespace bulk::sqlite
