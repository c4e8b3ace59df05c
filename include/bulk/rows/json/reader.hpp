// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/json/cells.hpp>
#include <bulk/rows/json/elements.hpp>
#include <bulk/rows/json/keys.hpp>
#include <bulk/rows/json/mishap.hpp>
#include <bulk/rows/json/missing_columns.hpp>
#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/slice.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bulk::json {

/// Typed rows from a JSON array or from NDJSON, one after the other, in memory of fixed size.
template <declared_row Row>
class reader {
public:
    [[nodiscard]] static reader open(byte_source source, layout layout,
                                     const row_limits& limits = {},
                                     std::size_t window = std::size_t{64} * 1024) {
        return reader{element_scanner{std::move(source), layout, limits, window}, limits};
    }

    /// One slice of a file, `source` being its bytes only.
    [[nodiscard]] static reader open_slice(byte_source source, const slice& slice, layout layout,
                                           const row_limits& limits = {}) {
        reader opened{
            element_scanner{
                std::move(source), layout, limits,
                scan_start{.line = slice.line, .offset = slice.offset, .too_long = slice.too_long}},
            limits};
        opened.row_ = row_number{to_number(slice.first_row) - 1};
        return opened;
    }

    /// Reads the next row into `row`; `std::string_view` members live until the next call. After
    /// `bad_row` its content is not specified.
    [[nodiscard]] read_status next(Row& row) {
        const auto found = scanner_.next();
        if (found == found::end) return read_status::end;
        if (found == found::failure) return read_status::failure;
        row_ = row_number{to_number(row_) + 1};
        if (found == found::too_long)
            return refuse({.reason = concat("the row has ", scanner_.passed_over(),
                                            " bytes; the limit is ", limits_.row_bytes)});
        const std::string_view element = scanner_.current();
        keys_.begin_element();
        cells_.begin_element(element.size());
        const char* at = element.data();
        const char* const end = at + element.size();
        if (element.empty() || *at != '{') [[unlikely]]
            return not_an_object(element);
        if (!read_object(at, end, 0, limits_.json_depth, row)) [[unlikely]]
            return explain();
        if (at != end) [[unlikely]] {
            (void)cells_.wrong(syntax::text_behind, at);
            return explain();
        }
        if (!cells_.has_all() && !cells_.complete(row)) [[unlikely]]
            return refuse(missing_columns<Row>(scanner_.current(), cells_.seen(), limits_));
        return read_status::row;
    }

    /// Goes past the next rows, at least one, without reading them.
    [[nodiscard]] read_status skip(std::uint64_t rows) {
        for (; rows > 0; --rows) {
            const auto found = scanner_.next();
            if (found == found::end) return read_status::end;
            if (found == found::failure) return read_status::failure;
            row_ = row_number{to_number(row_) + 1};
        }
        return read_status::row;
    }

    [[nodiscard]] row_number row() const { return row_; }                 ///< of the last row
    [[nodiscard]] std::uint64_t line() const { return scanner_.line(); }  ///< where it begins
    /// Whether there is a raw text of the last row: not when it was too long.
    [[nodiscard]] bool has_raw() const { return scanner_.passed_over() == 0; }
    /// The last row as it stands in the file; gone with the next one.
    [[nodiscard]] std::string_view raw() const { return scanner_.current(); }
    [[nodiscard]] const row_error& problem() const { return problem_; }
    [[nodiscard]] const bulk::error& error() const { return scanner_.error(); }

private:
    reader(element_scanner scanner, const row_limits& limits)
        : scanner_{std::move(scanner)}, limits_{limits}, cells_{limits} {}

    /// Reads an object from its brace on. Recurses only where a column's name asks for it.
    bool read_object(const char*& at, const char* end, std::size_t group, std::size_t depth,
                     Row& row) {
        if (depth == 0) return cells_.wrong(syntax::too_deep, at);
        ++at;
        skip_spaces(at, end);
        if (at < end && *at == '}') {
            ++at;
            return true;
        }
        while (true) {
            const known_key* key = keys_.guess(at, end, group);
            if (key != nullptr) [[likely]]
                at += key->text.size();
            else if (key = read_key(at, end, group); key == nullptr)
                return false;
            if (at == end || *at != ':') {
                skip_spaces(at, end);
                if (at == end || *at != ':') return cells_.wrong(syntax::expected_colon, at);
            }
            ++at;
            skip_spaces(at, end);
            if (!read_value(*key, at, end, depth - 1, row)) return false;
            skip_spaces(at, end);
            if (at == end) return cells_.wrong(syntax::expected_comma_or_brace, at);
            if (*at == '}') {
                ++at;
                return true;
            }
            if (*at != ',') return cells_.wrong(syntax::expected_comma_or_brace, at);
            ++at;
            skip_spaces(at, end);
        }
    }

    /// A key that does not stand where it stood the last time.
    const known_key* read_key(const char*& at, const char* end, std::size_t group) {
        const auto refuse = [&](syntax what) {
            (void)cells_.wrong(what, at);
            return nullptr;
        };
        if (at == end || *at != '"') return refuse(syntax::expected_key);
        const char* const begin = at;
        string_token key;
        if (const auto what = read_string(at, end, key); what != syntax::fine) return refuse(what);
        if (const auto what = check_string(key); what != syntax::fine) return refuse(what);
        return &keys_.find({begin, at}, cells_.content(key), group);
    }

    [[gnu::always_inline]] bool read_value(const known_key& key, const char*& at, const char* end,
                                           std::size_t depth, Row& row) {
        if (key.kind == key_kind::column && cells_.takes(key)) [[likely]]
            return cells_.read(key.index, at, end, depth, row);
        if (key.kind == key_kind::group && at < end && *at == '{')
            return read_object(at, end, key.index, depth, row);
        const auto what = skip_value(at, end, depth);
        return what == syntax::fine || cells_.wrong(what, at);
    }

    [[nodiscard]] read_status refuse(row_error problem) {
        problem.row = row_;
        problem.line = scanner_.line();
        problem_ = std::move(problem);
        return read_status::bad_row;
    }

    /// Why the element could not be read: reads it again, carefully.
    [[nodiscard, gnu::noinline]] read_status explain() {
        return refuse(mishap_error<Row>(cells_.mishap(), scanner_.current(), limits_));
    }

    [[nodiscard]] read_status not_an_object(std::string_view element) {
        if (element.empty())
            return refuse({.reason = "the element is missing: there is a comma too many"});
        const char* at = element.data();
        const char* const end = at + element.size();
        if (const auto what = skip_value(at, end, limits_.json_depth); what != syntax::fine)
            (void)cells_.wrong(what, at);
        else if (at != end)
            (void)cells_.wrong(syntax::text_behind, at);
        else
            return refuse(
                {.reason = concat("the element is ", kind_of(element), "; an object is expected")});
        return explain();
    }

    element_scanner scanner_;
    row_limits limits_;
    key_book<Row> keys_;
    cell_reader<Row> cells_;
    row_number row_{};
    row_error problem_;
};

}  // namespace bulk::json
