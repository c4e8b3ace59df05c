// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/binding.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/detect.hpp>
#include <bulk/rows/csv/dialect.hpp>
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

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
        if (auto bound = opened.bind(); !bound) return std::unexpected{bound.error()};
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
            return refuse({}, {},
                          concat("the row has ", field_count(), " fields; ", binding_.width,
                                 " are expected"));
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

    [[nodiscard]] result<> bind() {
        const auto found = scanner_.next();
        if (found == found::failure) return std::unexpected{scanner_.error()};
        if (found == found::too_long)
            return fail(errc::invalid_row,
                        concat("the first row is over the limit of ", limits_.row_bytes, " bytes"));
        const bool named = scanner_.format().header;
        if (found == found::end) {
            if (named) return fail(errc::invalid_row, "the file is empty; it needs a header");
            return {};
        }
        const record& record = scanner_.current();
        if (field_count() > limits_.columns)
            return fail(errc::invalid_row, concat("the file has ", field_count(),
                                                  " columns; the limit is ", limits_.columns));
        for (std::size_t i = 0; i < record.size; ++i) {
            bool valid = true;
            (void)content_size(record.raw(i), scanner_.format(), valid);
            if (!valid) return misquoted_first_row(i + 1, record.raw(i));
        }
        if (!named) {
            pending_ = true;
            auto bound = bind_positions<Row>(record.size);
            if (!bound) return std::unexpected{bound.error()};
            binding_ = std::move(*bound);
            return {};
        }
        std::vector<std::string_view> header;
        scratch_.clear(record.whole().size());
        bool valid = true;  // they all are
        for (std::size_t i = 0; i < record.size; ++i)
            header.push_back(trimmed(content(record.raw(i), scanner_.format(), scratch_, valid)));
        const bool is_guarded = std::ranges::find(header, guard_column) != header.end();
        if (is_guarded)
            for (auto& name : header) name = unguarded(name);
        auto bound = bind_header<Row>(header);
        if (!bound) return std::unexpected{bound.error()};
        binding_ = std::move(*bound);
        binding_.is_guarded = is_guarded && std::ranges::find(binding_.ignored, guard_column) !=
                                                binding_.ignored.end();
        return {};
    }

    /// The first row says how many fields the others have. With an unmatched quote it says something else,
    /// and may have taken in the rows behind it.
    [[nodiscard]] std::unexpected<bulk::error> misquoted_first_row(std::size_t column,
                                                                   std::string_view raw) const {
        return fail(errc::invalid_row,
                    concat("line ", scanner_.line(), ", column ", column, ", '", shortened(raw),
                           "': there is text behind the closing quote of the ",
                           scanner_.format().header ? "header" : "first row",
                           ". Close the quote, or write it twice in a quoted field"));
    }

    /// Of the current record; a scanner may not know where all of them end.
    [[nodiscard]] std::size_t field_count() const {
        std::size_t count = scanner_.current().size;
        if constexpr (requires { scanner_.left_out(); }) count += scanner_.left_out();
        return count;
    }

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

    /// Which member could not be read, and why: reads the row again, carefully.
    [[nodiscard]] read_status explain(const record& record);

    [[nodiscard]] read_status refuse(std::string_view column, std::string cell,
                                     std::string reason) {
        problem_ = {.row = row_,
                    .line = scanner_.line(),
                    .column = std::string{column},
                    .cell = std::move(cell),
                    .reason = std::move(reason)};
        return read_status::bad_row;
    }

    static constexpr std::size_t shown_size = 1024;  ///< more than messages show of a field

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
read_status reader<Row, Scanner>::explain(const record& record) {
    read_status status = read_status::bad_row;
    bool found = false;
    scratch_.clear(record.whole().size());
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t member) {
        using type = member_type_of<Pointer>;
        const std::size_t field = binding_.fields[member];
        if (found || field == not_in_file) return;
        const auto& column = column_descriptions<Row>[member];
        const auto because = [&](std::string_view cell, std::string reason) {
            found = true;
            // A reason of the user's own may quote the cell.
            if (column.hidden && !cell.empty() && reason.contains(cell))
                reason = "it cannot be read";
            status = refuse(column.name, column.hidden ? std::string{hidden_text} : shortened(cell),
                            std::move(reason));
        };
        bool valid = true;
        const std::string_view raw = record.raw(field);
        const std::size_t size = content_size(raw, scanner_.format(), valid);
        if (!valid) return because(raw, "there is text behind the closing quote");
        const bool is_over = size > limits_.field_bytes;
        std::string_view text =
            content(is_over ? raw.substr(0, shown_size) : raw, scanner_.format(), scratch_, valid);
        if (binding_.is_guarded) text = unguarded(text);
        if (is_over)
            return because(
                text, concat("the field has ", size, " bytes; the limit is ", limits_.field_bytes));
        if (const auto at = find_invalid_utf8(text); at != text.size())
            return because({}, concat("byte ", at + 1, " of the field is not valid UTF-8"));
        using bare = typename bare_type<type>::type;
        if (is_optional<type> && text.empty()) return;
        if (auto read = text_to<bare>(text, column.format); !read)
            because(text, text.empty() ? "the field is empty" : std::move(read).error().message);
    });
    return status;
}

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
            return refuse(column, {},
                          concat("unmatched quote, read as text; the row ends in line ",
                                 scanner_.line() + count_line_ends(raw()),
                                 ". Close the quote, or write it twice in a quoted field"));
        }
    return refuse(
        {}, {},
        concat("the row has ", scanner_.passed_over(), " bytes; the limit is ", limits_.row_bytes));
}

}  // namespace bulk::csv
