// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/binding.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/bind_columns.hpp>
#include <bulk/rows/csv/detect.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/field_problem.hpp>
#include <bulk/rows/csv/first_row.hpp>
#include <bulk/rows/csv/formulas.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/record_scanner.hpp>
#include <bulk/rows/csv/scanner.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/scratch.hpp>
#include <bulk/rows/slice.hpp>
#include <bulk/rows/utf8.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::csv {

/// Typed rows from a CSV file, one after the other, in memory of fixed size.
template <declared_row Row, record_scanner Scanner = scanner>
class reader {
public:
    /// Reads the header, if there is one, and binds the columns to it.
    [[nodiscard]] static result<reader> open(byte_source source, const dialect& dialect = {},
                                             const row_limits& limits = {},
                                             const scan_tuning& tuning = {}) {
        if (auto valid = validate(dialect); !valid) return std::unexpected{valid.error()};
        const auto format = detected(source, dialect);
        if (!format) return std::unexpected{format.error()};
        reader opened{Scanner{std::move(source), *format, limits, {}, tuning}, limits};
        auto bound = bind_columns<Row>(opened.scanner_, limits, opened.scratch_, opened.pending_);
        if (!bound) return std::unexpected{std::move(bound).error()};
        opened.binding_ = std::move(*bound);
        return opened;
    }

    /// One slice of a file, `source` being its text only; the columns are those of the whole file.
    [[nodiscard]] static reader open_slice(byte_source source, const slice& slice,
                                           const binding<Row>& columns, const dialect& dialect = {},
                                           const row_limits& limits = {},
                                           const scan_tuning& tuning = {}) {
        reader opened{Scanner{std::move(source),
                              dialect,
                              limits,
                              {.line = slice.line,
                               .offset = slice.offset,
                               .fields = columns.width,
                               .misquoted = slice.misquoted,
                               .too_long = slice.too_long},
                              tuning},
                      limits};
        opened.binding_ = columns;
        opened.row_ = row_number{to_number(slice.first_row) - 1};
        return opened;
    }

    /// Reads the next row into `row`; `std::string_view` members live until the next call. After
    /// `bad_row` its content is not specified.
    [[nodiscard]] read_status next(Row& row) {
        const auto found = std::exchange(pending_, false) ? found::record : scanner_.next();
        if (found != found::record) [[unlikely]]
            return no_record(found);
        row_ = row_number{to_number(row_) + 1};
        const record& record = scanner_.current();
        if (record.size != binding_.width) [[unlikely]]
            return refuse({.reason = concat("the row has ", field_count(scanner_), " fields; ",
                                            binding_.width, " are expected")});
        if (record.quotes != nullptr) scratch_.clear(record.whole().size());
        const bool read = read_members(columns_of<Row>, record, row);
        return read ? read_status::row : explain(record);
    }

    /// Goes past the next rows, at least one, without reading them.
    [[nodiscard]] read_status skip(std::uint64_t rows) {
        while (rows > 0) {
            std::uint64_t passed = 0;
            if constexpr (requires { scanner_.pass(rows); })
                if (!pending_) passed = scanner_.pass(rows);
            if (passed == 0) {
                const auto found = std::exchange(pending_, false) ? found::record : scanner_.next();
                if (found == found::end) return read_status::end;
                if (found == found::failure) return read_status::failure;
                passed = 1;
            }
            row_ = row_number{to_number(row_) + passed};
            rows -= passed;
        }
        return read_status::row;
    }

    [[nodiscard]] row_number row() const { return row_; }                 ///< of the last row
    [[nodiscard]] std::uint64_t line() const { return scanner_.line(); }  ///< where it begins
    /// Whether there is a raw text of the last row: not when it was too long.
    [[nodiscard]] bool has_raw() const { return scanner_.passed_over() == 0; }
    /// The last row as it stands in the file, before the first one its header; gone with the next.
    [[nodiscard]] std::string_view raw() const { return scanner_.current().whole(); }
    [[nodiscard]] const row_error& problem() const { return problem_; }
    [[nodiscard]] const bulk::error& error() const { return scanner_.error(); }
    [[nodiscard]] const binding<Row>& columns() const { return binding_; }
    /// With the delimiter that was found, if that was asked for.
    [[nodiscard]] const dialect& format() const { return scanner_.format(); }

private:
    reader(Scanner scanner, const row_limits& limits)
        : scanner_{std::move(scanner)}, limits_{limits} {}

    template <auto... Pointers>
    [[gnu::always_inline]] bool read_members(const member_list<column_options, Pointers...>&,
                                             const record& record, Row& row) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (true && ... && read_member<Pointers, I>(record, row));
        }(std::make_index_sequence<sizeof...(Pointers)>{});
    }

    template <auto Pointer, std::size_t Member>
    [[gnu::always_inline]] bool read_member(const record& record, Row& row) {
        using type = member_type_of<Pointer>;
        const std::size_t field = binding_.fields[Member];
        if (field == not_in_file) [[unlikely]] {
            row.*Pointer = defaults_.*Pointer;
            return true;
        }
        std::string_view text = record.raw(field);
        const auto& dialect = scanner_.format();
        if constexpr (reads_fast<type>)  // hardly any number is in quotes
            if (read_fast(text.data(), text.data() + text.size(), row.*Pointer)) [[likely]]
                return true;
        if (record.quotes != nullptr || dialect.trim) {
            bool valid = true;
            text = unquoted(text, record, valid);
            if (!valid) return false;
        }
        if (binding_.is_guarded) [[unlikely]]
            text = unguarded(text);
        if (text.size() > limits_.field_bytes) [[unlikely]]
            return false;
        if constexpr (holds_text<type>)
            if (!scanner_.is_valid_text() && !is_valid_utf8(text)) return false;
        return read_cell(text, column_descriptions<Row>[Member].format, row.*Pointer);
    }

    /// Whether a long field is over its limit: then it is not copied, since it may be as long as a row
    /// may be.
    [[nodiscard]] bool is_over_limit(std::string_view raw) const {
        if (raw.size() / 2 <= limits_.field_bytes) return false;
        bool valid = true;
        return content_size(raw, scanner_.format(), valid) > limits_.field_bytes;
    }

    /// Most quoted fields hold no quote: taking off their quotes is no branch then, since whether a
    /// field is quoted is hard to predict.
    [[gnu::always_inline]] std::string_view unquoted(std::string_view text, const record& record,
                                                     bool& valid) {
        const auto& dialect = scanner_.format();
        const bool is_quoted = text.data()[0] == dialect.quote;  // an empty one begins with its end
        std::string_view inner{text.data() + is_quoted, text.size() - 2 * is_quoted};
        if (!dialect.trim && inner.size() < 64) {
            const std::uint64_t among = (std::uint64_t{is_quoted} << inner.size()) - is_quoted;
            const std::uint64_t quotes = record.quotes_at(inner.data()) & among;
            if (quotes == 0) return inner;
            if (copy_without_pairs(inner, quotes)) return inner;
        }
        return unusual_content(text, valid);
    }

    /// The content of a field that is long, or trimmed, or quoted as it should not be.
    [[nodiscard, gnu::noinline]] std::string_view unusual_content(std::string_view raw,
                                                                  bool& valid) {
        valid = !is_over_limit(raw);
        return valid ? content(raw, scanner_.format(), scratch_, valid) : std::string_view{};
    }

    /// Copies a field of less than 64 bytes without the second quote of each pair, 64 bytes at a
    /// time whatever the size. False where a quote has no second one.
    [[nodiscard]] bool copy_without_pairs(std::string_view& inner, std::uint64_t quotes) {
        char* const begin = scratch_.take(inner.size());
        char* to = begin;
        const char* from = inner.data();
        const char* const end = from + inner.size();
        while (quotes != 0) {
            const char* quote = inner.data() + std::countr_zero(quotes);
            quotes &= quotes - 1;
            if (quote[1] != *quote || quotes == 0) return false;
            std::memcpy(to, from, 64);
            to += quote + 1 - from;
            from = quote + 2;
            quotes &= quotes - 1;
        }
        std::memcpy(to, from, 64);
        inner = {begin, static_cast<std::size_t>(to + (end - from) - begin)};
        return true;
    }

    /// The end, or a row that cannot be read as one.
    [[nodiscard]] read_status no_record(found found);

    /// Which member could not be read, and why.
    [[nodiscard, gnu::noinline]] read_status explain(const record& record) {
        return refuse(first_problem<Row>(record, binding_, scanner_.format(), limits_, scratch_));
    }

    [[nodiscard]] read_status refuse(row_error problem) {
        problem.row = row_;
        problem.line = scanner_.line();
        problem_ = std::move(problem);
        return read_status::bad_row;
    }

    Scanner scanner_;
    row_limits limits_;
    binding<Row> binding_;
    Row defaults_{};
    scratch scratch_;
    row_number row_{};
    row_error problem_;
    bool pending_ = false;
};

template <declared_row Row, record_scanner Scanner>
read_status reader<Row, Scanner>::no_record(found found) {
    if (found == found::end) return read_status::end;
    if (found == found::failure) return read_status::failure;
    row_ = row_number{to_number(row_) + 1};
    if constexpr (requires { scanner_.misquoted(); })
        if (found == found::misquoted) {
            const std::size_t field = scanner_.misquoted().field;
            std::string column = concat(field + 1);
            for (std::size_t member = 0; member < binding_.fields.size(); ++member)
                if (binding_.fields[member] == field)
                    column = column_descriptions<Row>[member].name;
            return refuse(
                {.column = std::move(column),
                 .reason = concat("unmatched quote, read as text; the row ends in line ",
                                  scanner_.line() + count_line_ends(raw()),
                                  ". Close the quote, or write it twice in a quoted field")});
        }
    return refuse({.reason = concat("the row has ", scanner_.passed_over(), " bytes; the limit is ",
                                    limits_.row_bytes)});
}

}  // namespace bulk::csv
