// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/sqlite/seal.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::sqlite {

/// Reads operations with everything of them.
struct operation_select {
    /// What is not of the record, in front of it.
    static constexpr std::array<std::string_view, 4> owned{"number", "fence", "lease_until",
                                                           "last_step"};

    /// Number of a column of the statement. One that it does not have does not compile.
    [[nodiscard]] static consteval int at(std::string_view column) {
        for (std::size_t i = 0; i < owned.size(); ++i)
            if (owned[i] == column) return static_cast<int>(i);
        for (std::size_t i = 0; i < operation_columns::written.size(); ++i)
            if (operation_columns::written[i] == column) return static_cast<int>(owned.size() + i);
        std::unreachable();
    }

    [[nodiscard]] static std::string sql(std::string_view rest) {
        return concat("SELECT ", list_of(owned), ", ", list_of(operation_columns::written),
                      ", seal IS ", seals::operation, " AND progress_seal IS ", seals::progress,
                      " FROM bulk_operations ", rest);
    }
    /// Whether a row of the statement is as it was written.
    [[nodiscard]] static bool is_intact(const row_stream& row) {
        bool is = false;
        row.read_at(static_cast<int>(owned.size() + operation_columns::written.size()), is);
        return is;
    }

    [[nodiscard]] static stored_operation from(const row_stream& row) {
        stored_operation stored;
        row.read(stored.key.number, stored.fence, stored.lease_until, stored.key.last_step);
        read_fields(row, operation_columns::all, stored.record, owned.size());
        stored.key.id = stored.record.id;
        if (!is_intact(row)) stored.damage = damaged_operation(stored.record.id);
        return stored;
    }
};

}  // namespace bulk::sqlite
