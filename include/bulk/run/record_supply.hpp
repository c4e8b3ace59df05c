// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/run/file_supply.hpp>
#include <bulk/run/owned_row.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace bulk {

/// Rows of an operation whose file is gone, from what their records have kept of them.
template <declared_row Row, typename Visitor>
class record_supply final : public row_supply<Row, Visitor> {
public:
    record_supply(any_storage& storage, operation_id operation, std::uint64_t rows)
        : storage_{storage}, operation_{operation}, total_{rows} {}

    [[nodiscard]] bool is_exclusive() const override { return true; }

    [[nodiscard]] result<std::optional<row_unit>> cut(std::uint64_t rows) override {
        if (count_ >= total_) return std::nullopt;
        return row_unit{.rows = std::min<std::uint64_t>(rows, largest_page)};
    }

    [[nodiscard]] result<unit_end> read(const row_unit& unit, Visitor& visit) override {
        const auto last = std::min(count_ + unit.rows, total_);
        const auto kept = storage_.query(row_query{.operation = operation_,
                                                   .from_row = row_number{count_ + 1},
                                                   .to_row = row_number{last},
                                                   .step = validation_step,
                                                   .page_size = largest_page,
                                                   .with_total = false});
        if (!kept) return std::unexpected{kept.error()};
        for (const auto& record : kept->items) {
            if (record.state != row_state::completed || !visit.wants(record.row)) continue;
            count_ = to_number(record.row);
            if (!show(record, visit)) return unit_end::more;
        }
        count_ = last;
        return count_ >= total_ ? unit_end::end_of_file : unit_end::more;
    }

    [[nodiscard]] std::unique_ptr<owned_row<Row>> own(std::string_view raw, row_number row,
                                                      std::uint64_t line) override {
        return own_json_row<Row>(raw, row, line);
    }

    [[nodiscard]] std::uint64_t row_count() const override { return count_; }

private:
    /// What a reader of a file would say of the row.
    class record_reader {
    public:
        explicit record_reader(const row_record& record) : record_{record} {
            problem_.row = record.row;
            problem_.reason = "what was kept of the row cannot be read as it is declared now";
        }
        [[nodiscard]] row_number row() const { return record_.row; }
        [[nodiscard]] std::uint64_t line() const { return to_number(record_.row); }
        [[nodiscard]] std::string_view raw() const { return record_.row_data; }
        [[nodiscard]] const row_error& problem() const { return problem_; }

    private:
        const row_record& record_;
        row_error problem_;
    };

    [[nodiscard]] bool show(const row_record& record, Visitor& visit) {
        record_reader reader{record};
        if (const auto own = own_json_row<Row>(record.row_data, record.row, reader.line()))
            return visit(own->value(), read_status::row, reader);
        const Row none{};
        return visit(none, read_status::bad_row, reader);
    }

    any_storage& storage_;
    operation_id operation_;
    std::uint64_t total_;
    std::uint64_t count_ = 0;
};

}  // namespace bulk
