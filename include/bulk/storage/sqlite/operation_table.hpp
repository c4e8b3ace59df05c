// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/operation_changes.hpp>
#include <bulk/storage/operation_claims.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/stored_operation.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::sqlite {

/// Operations and who works on them, within a transaction.
class operation_table {
public:
    explicit operation_table(session& database) : database_{database} {}

    [[nodiscard]] result<stored_operation> find(operation_id id) {
        static const auto sql = stored_operation::select("WHERE id = ?1");
        auto row = database_.rows(sql, id);
        if (!row.next()) return operation_not_found(id);
        auto found = stored_operation::from(row);
        if (!found.is_intact) return std::unexpected{damaged_operation(id)};
        return found;
    }

    /// The number alone; none: there is no such operation.
    [[nodiscard]] std::optional<std::int64_t> number_of(operation_id id) {
        auto row = database_.rows("SELECT number FROM bulk_operations WHERE id = ?1", id);
        std::int64_t number = 0;
        if (!row.next()) return std::nullopt;
        row.read(number);
        return number;
    }

    [[nodiscard]] result<operation_record> insert(operation_record record) {
        if (!record.idempotency_key.empty()) {
            auto row = database_.rows(
                stored_operation::select(
                    "WHERE folded_name = ?1 AND idempotency_key = ?2 AND idempotency_key <> ''"),
                folded(record.name), record.idempotency_key);
            if (row.next()) {
                auto found = stored_operation::from(row);
                if (found.is_intact) return std::move(found.record);
                return std::unexpected{damaged_operation(found.record.id)};
            }
        }
        if (number_of(record.id)) return operation_exists(record.id);
        record.version = 1;
        stored_operation::with_values(record, [&](const auto&... values) {
            return database_.execute(
                "INSERT INTO bulk_operations (id, version, total, processed, successful, failed, "
                "state, paused, cancel_requested, validated, retry_count, created_at, started_at, "
                "run_started_at, completed_at, file_size, name, folded_name, idempotency_key, "
                "created_by, source, file_id, file_name, error_message, metadata, recipients, "
                "steps) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
                "?16, "
                "?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)",
                values...);
        });
        seal(database_.inserted());
        return record;
    }

    /// By anybody: with the version that they have read.
    [[nodiscard]] result<operation_record> update(const operation_record& record) {
        auto stored = check_version(record);
        if (!stored) return std::unexpected{stored.error()};
        return replace(*stored, record);
    }

    [[nodiscard]] result<stored_operation> check_version(const operation_record& record) {
        auto stored = find(record.id);
        if (!stored) return stored;
        if (auto same = bulk::check_version(stored->record, record); !same)
            return std::unexpected{same.error()};
        return stored;
    }

    /// By its owner: what others ask for and what was counted stays.
    [[nodiscard]] result<operation_record> update(const lease& held,
                                                  const operation_record& record) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        return replace(*owned, owner_update(owned->record, record));
    }

    /// Begins an operation once more, without so many rows that had failed.
    void retry(const stored_operation& stored, const operation_record& record, std::uint64_t rows) {
        (void)replace(stored, retry_update(stored.record, record, rows));
        set_lease(stored.number, std::nullopt);
    }

    /// A damaged one can be removed in any state: nobody runs it.
    [[nodiscard]] result<> remove(operation_id id) {
        const auto stored = find(id);
        if (!stored && stored.error().code != errc::damaged) return std::unexpected{stored.error()};
        const auto number = number_of(id);
        if (!number) return operation_not_found(id);
        if (stored)
            if (auto can = check_removable(stored->record); !can) return can;
        for (const std::string_view table : std::array<std::string_view, 7>{
                 "bulk_pages", "bulk_records", "bulk_row_ids", "bulk_given_signals",
                 "bulk_early_signals", "bulk_retry_history", "bulk_crashes"})
            database_.execute(concat("DELETE FROM ", table, " WHERE operation = ?1"), *number);
        database_.execute("DELETE FROM bulk_events WHERE operation = ?1", id);
        database_.execute("DELETE FROM bulk_operations WHERE number = ?1", *number);
        return {};
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

    /// `holder` is the process that claims it.
    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request,
                                                                 std::string_view holder) {
        std::optional<stored_operation> oldest;
        {
            auto row = database_.rows(
                stored_operation::select(
                    "INDEXED BY bulk_operations_open WHERE state IN (0, 1, 2, 7) AND (paused = "
                    "0 OR cancel_requested = 1) AND "
                    "(lease_until IS NULL OR lease_until <= ?1) ORDER BY created_at, id"),
                request.lapsed_by());
            while (!oldest && row.next()) {
                operation_id id{};
                row.read_at(4, id);
                if (!wants(request, id, row.view(20))) continue;
                auto found = stored_operation::from(row);
                if (found.is_intact) oldest = std::move(found);  // others are reported, but not run
            }
        }
        if (!oldest) return std::nullopt;
        return take(*oldest, request, holder);
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request,
                                                                 std::string_view holder) {
        const auto stored = find(id);
        if (!stored && stored.error().code == errc::damaged) return std::unexpected{stored.error()};
        if (!stored) return std::nullopt;
        const auto& record = stored->record;
        if (is_leased(stored->lease_until, request) || !is_claimable(record)) return std::nullopt;
        return take(*stored, request, holder);
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp until) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        set_lease(owned->number, until);
        return std::move(owned->record);
    }

    [[nodiscard]] result<> release(const lease& held) {
        const auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        set_lease(owned->number, std::nullopt);
        return {};
    }

    /// The operation, if the lease is still good.
    [[nodiscard]] result<stored_operation> find_owned(const lease& held) {
        auto stored = find(held.operation);
        if (stored && !is_owner(held, stored->fence, stored->lease_until))
            return not_owner(held.operation);
        return stored;
    }

private:
    /// What was changed has been read before, and was intact.
    void seal(std::int64_t number) {
        static const auto sql = concat("UPDATE bulk_operations SET seal = ", seals::operation,
                                       ", progress_seal = ", seals::progress, " WHERE number = ?1");
        database_.execute(sql, number);
    }

    [[nodiscard]] operation_record replace(const stored_operation& stored,
                                           operation_record record) {
        record.version = stored.record.version + 1;
        stored_operation::with_values(record, [&](const auto&... values) {
            return database_.execute(
                "UPDATE bulk_operations SET version = ?2, total = ?3, processed = ?4, successful = "
                "?5, failed = ?6, state = ?7, paused = ?8, cancel_requested = ?9, validated = ?10, "
                "retry_count = ?11, created_at = ?12, started_at = ?13, run_started_at = ?14, "
                "completed_at = ?15, file_size = ?16, name = ?17, folded_name = ?18, "
                "idempotency_key = ?19, created_by = ?20, source = ?21, file_id = ?22, file_name = "
                "?23, error_message = ?24, metadata = ?25, recipients = ?26, steps = ?27 WHERE "
                "id = ?1",
                values...);
        });
        if (is_final(record.state)) set_lease(stored.number, std::nullopt);  // it has no owner
        seal(stored.number);
        return record;
    }

    void set_lease(std::int64_t number, std::optional<timestamp> until) {
        database_.execute(
            "UPDATE bulk_operations SET lease_until = ?2, progress_seal = bulk_seal(number, "
            "version, total, processed, successful, failed, last_step, fence, ?2, owner, holder) "
            "WHERE number = ?1",
            number, until);
    }

    claimed_operation take(const stored_operation& stored, const claim_request& request,
                           std::string_view holder) {
        const auto fence = stored.fence + 1;
        database_.execute(
            "UPDATE bulk_operations SET fence = ?2, lease_until = ?3, owner = ?4, holder = ?5, "
            "progress_seal = bulk_seal(number, version, total, processed, successful, failed, "
            "last_step, ?2, ?3, ?4, ?5) WHERE number = ?1",
            stored.number, fence, request.now + request.lease_time, request.owner, holder);
        return {.held = {.operation = stored.record.id, .fence = fence},
                .operation = stored.record,
                .was_lapsed = stored.lease_until.has_value()};  // given back, it would have none
    }

    session& database_;
};

}  // namespace bulk::sqlite
