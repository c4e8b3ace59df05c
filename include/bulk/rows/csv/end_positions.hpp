// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/instruction_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bulk::csv {

/// Where fields and rows end in 64 bytes, a bit for a byte. A row's end is a field's too.
struct block_ends {
    std::uint64_t fields = 0;
    std::uint64_t rows = 0;
};

/// The ends of fields and rows as numbers, packed.
class end_positions {
public:
    void clear() { field_count_ = row_count_ = 0; }

    /// Forgets all fields but the first ones.
    void keep_fields(std::size_t count) { field_count_ = std::min(field_count_, count); }

    /// Memory is taken for what is found, not for what could be: a text of 16 MiB may be one field.
    void put(instruction_set set, std::span<const block_ends> ends, std::size_t base);

    /// Ends a row where no newline does.
    void put_row_end(std::size_t position);

    [[nodiscard]] std::size_t row_count() const { return row_count_; }
    [[nodiscard]] std::size_t field_count() const { return field_count_; }

    /// Where field number `field` of the text ends: at its delimiter or newline.
    [[nodiscard]] std::uint32_t& field(std::size_t field) { return fields_[field]; }

    /// How many fields there are up to the end of row number `row`.
    [[nodiscard]] std::uint32_t fields_up_to(std::size_t row) const { return rows_[row]; }

private:
    static constexpr std::size_t slack = 80;  ///< what is written behind those that count

    static void make_room(std::vector<std::uint32_t>& numbers, std::size_t count);

    std::vector<std::uint32_t> fields_;
    std::vector<std::uint32_t> rows_;
    std::size_t field_count_ = 0;
    std::size_t row_count_ = 0;
};

}  // namespace bulk::csv
