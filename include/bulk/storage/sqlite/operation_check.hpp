// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/core/store_health.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/sqlite/damage_list.hpp>
#include <bulk/storage/sqlite/operation_select.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Whether what an operation says of itself is there: a record of every row, as many that succeeded
/// and failed as it counts, and its upload. A page of the file that an older one has replaced whole
/// matches its checksums, and is found here.
class operation_check {
public:
    operation_check(damage_list& into, bulk::files::directory& uploads)
        : into_{into}, uploads_{uploads} {}

    void check_all() {
        std::vector<stored_operation> all;
        into_.read("checking operations", [&](session& look) {
            auto row = look.rows(operation_select::sql("ORDER BY number"));
            while (row.next()) {
                auto each = operation_select::from(row);
                if (!each.damage) all.push_back(std::move(each));
            }
        });
        for (const auto& each : all) {
            if (into_.is_full()) return;
            check_rows(each);
            check_upload(each.record);
        }
    }

private:
    /// Once its rows are counted: until then a part of them has records.
    void check_rows(const stored_operation& each) {
        const auto& record = each.record;
        if (!record.validated || record.rows.total == 0) return;
        into_.read(concat("checking operation ", to_text(record.id)), [&](session& look) {
            const auto found = count(look, each);
            if (look.failure()) return;  // a damaged page, which is listed
            const auto differ = [&](std::string_view what, std::uint64_t said, std::uint64_t is) {
                if (said != is)
                    into_.add(
                        {.operation = to_text(record.id),
                         .what = concat("counts ", said, ' ', what, " rows, its records ", is)});
            };
            if (!record.steps.empty())
                differ("successful", record.rows.successful, found.successful);
            differ("failed", record.rows.failed, found.failed);
        });
    }

    [[nodiscard]] row_counters count(session& look, const stored_operation& each) {
        const auto& record = each.record;
        const auto last_step = static_cast<std::int64_t>(record.steps.size()) - 1;
        row_table rows{look, record.id, each.key.number};
        row_counters counted;
        std::uint64_t missing_from = 0;  // 0: the row before is there
        const auto end_gap = [&](std::uint64_t before) {
            if (const auto from = std::exchange(missing_from, 0); from > 0)
                into_.add({.operation = to_text(record.id),
                           .first_row = from,
                           .last_row = before,
                           .what = "no record, although the rows were validated"});
        };
        std::vector<std::optional<row_progress>> part;
        for (std::uint64_t first = 1; first <= record.rows.total; first += rows_per_page) {
            part.assign(std::min(rows_per_page, record.rows.total - first + 1), std::nullopt);
            rows.progress(row_number{first}, part);
            if (look.failure()) return counted;
            for (std::uint64_t i = 0; i < part.size(); ++i) {
                const auto& at = part[i];
                if (!at && missing_from == 0) missing_from = first + i;
                if (!at) continue;
                end_gap(first + i - 1);
                if (is_failed(at->state))
                    count_row(counted, false);
                else if (at->state == row_state::completed && to_number(at->step) == last_step)
                    count_row(counted, true);
            }
        }
        end_gap(record.rows.total);
        return counted;
    }

    void check_upload(const operation_record& record) {
        if (record.file_id.empty()) return;
        const auto stored = uploads_.file(record.file_id);
        auto whole = stored ? uploads_.verify(record.file_id) : result<>{};
        if (!stored) whole = std::unexpected{stored.error()};
        if (!whole)
            into_.add({.operation = to_text(record.id),
                       .what = concat("upload: ", whole.error().message)});
        else if (stored->size != record.file_size)
            into_.add({.operation = to_text(record.id),
                       .what = concat("upload: it has ", stored->size,
                                      " bytes, the operation says ", record.file_size)});
    }

    damage_list& into_;
    bulk::files::directory& uploads_;
};

}  // namespace bulk::sqlite
