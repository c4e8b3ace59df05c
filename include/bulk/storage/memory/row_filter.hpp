// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/storage/memory/row_table.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_filter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace bulk::memory {

/// What a query asks for, as the table can answer it: what its indexes know, and what only a look
/// at the record tells.
class row_filter {
public:
    row_filter(const row_table& rows, const row_query& query)
        : rows_{rows}, query_{query}, is_for_waits_{bulk::is_for_waits(query)} {
        for (const auto& [state, name] : enumerators_of<row_state>)
            kinds_.apart[std::to_underlying(state)] = allows_state(query, state);
        kinds_.packed = allows_first_try(query);
        if (query.step) {
            const int slot = to_number(*query.step) + 1;
            first_slot_ = static_cast<std::size_t>(std::max(slot, 0));
            end_slot_ = slot < 0 ? first_slot_ : first_slot_ + 1;
        }
        end_slot_ = std::min(end_slot_, rows.steps().size());
        first_slot_ = std::min(first_slot_, end_slot_);
    }

    [[nodiscard]] const record_kinds& kinds() const { return kinds_; }
    [[nodiscard]] std::size_t first_slot() const { return first_slot_; }
    [[nodiscard]] std::size_t end_slot() const { return end_slot_; }
    [[nodiscard]] row_number first_row() const { return query_.from_row.value_or(row_number{0}); }
    [[nodiscard]] row_number last_row() const { return query_.to_row.value_or(last_of_all); }
    [[nodiscard]] bool has_rows(row_number row) const {
        return row >= first_row() && row <= last_row();
    }
    [[nodiscard]] bool is_over_all_rows() const { return !query_.from_row && !query_.to_row; }

    /// Whether the indexes know everything that is asked for.
    [[nodiscard]] bool is_indexed() const {
        return query_.rows.empty() && query_.row_id_contains.empty() && !is_for_waits_ &&
               !query_.failure && query_.min_retry_attempt == 0;
    }

    /// Of a record that the indexes gave: whether the rest holds, too.
    [[nodiscard]] bool holds(record_place at) const {
        if (!query_.row_id_contains.empty() && !allows_row_id(query_, rows_.row_id(at.row())))
            return false;
        if (!is_for_waits_ && !query_.failure && query_.min_retry_attempt == 0) return true;
        const kept_record* record = rows_.find(at);
        return record != nullptr && (!is_for_waits_ || !record->signal_key().empty()) &&
               (query_.signal_key.empty() || record->signal_key() == query_.signal_key) &&
               (!query_.failure || record->failure() == query_.failure) &&
               record->retry_attempt() >= query_.min_retry_attempt;
    }

    /// Of any place: whether it has a record that is asked for.
    [[nodiscard]] bool matches(record_place at) const {
        if (!has_rows(at.row()) || at.slot() < first_slot_ || at.slot() >= end_slot_) return false;
        const kept_record* record = rows_.find(at);
        const bool is_kind =
            record != nullptr
                ? kinds_.has(record->state())
                : kinds_.packed && rows_.steps()[at.slot()].packed(at.row()) != nullptr;
        return is_kind && holds(at);
    }

private:
    static constexpr row_number last_of_all{std::numeric_limits<std::uint64_t>::max() >> 16};

    const row_table& rows_;
    const row_query& query_;
    bool is_for_waits_;
    record_kinds kinds_;
    std::size_t first_slot_ = 0;
    std::size_t end_slot_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace bulk::memory
