// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/any_rows.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/slice.hpp>
#include <bulk/run/owned_row.hpp>
#include <bulk/run/supply.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// Opens the bytes of the operation's file anew, as often as it is read.
using file_opener = std::function<result<byte_source>()>;

/// A row that is read from its own copy of its bytes.
template <declared_row Row, typename Reader>
class reread_row final : public owned_row<Row> {
public:
    template <typename Open>
    reread_row(std::string_view raw, Open open)
        : raw_{raw}, reader_{open(byte_source{std::string_view{raw_}})} {}

    [[nodiscard]] bool read() { return reader_.next(row_) == read_status::row; }
    [[nodiscard]] const Row& value() const override { return row_; }

private:
    std::string raw_;
    Reader reader_;
    Row row_{};
};

/// A row that was kept as JSON. It was within the limits when it was read.
template <declared_row Row>
[[nodiscard]] std::unique_ptr<owned_row<Row>> own_json_row(std::string_view json, row_number row,
                                                           std::uint64_t line) {
    auto own = std::make_unique<reread_row<Row, json::reader<Row>>>(json, [&](byte_source bytes) {
        return json::reader<Row>::open_slice(
            std::move(bytes),
            slice{.offset = 1, .size = json.size(), .first_row = row, .rows = 1, .line = line},
            json::layout::lines, no_limits);
    });
    if (!own->read()) return nullptr;
    return own;
}

/// Cuts the text of a file into units for several tasks, and gives each the text of its rows.
class file_cutter {
public:
    /// `text` is the same text as the cutter's, from its beginning.
    file_cutter(std::unique_ptr<slice_cutter> cutter, byte_source text)
        : cutter_{std::move(cutter)}, text_{std::move(text)} {}

    [[nodiscard]] result<std::optional<row_unit>> next(std::uint64_t rows);
    /// How many rows were given out.
    [[nodiscard]] std::uint64_t row_count() const { return count_; }

private:
    [[nodiscard]] result<> skip_to(std::uint64_t offset);

    std::unique_ptr<slice_cutter> cutter_;
    byte_source text_;
    std::uint64_t position_ = 0;  ///< in text_
    std::uint64_t count_ = 0;
};

/// Rows of a file. With one task the file is read once, row by row, through a window;
/// with several it is cut into slices, whose text they share. A format that cannot be cut is read by
/// one task at a time.
template <declared_row Row, typename Reader, typename Visitor>
class file_supply final : public row_supply<Row, Visitor> {
public:
    file_supply(Reader whole, const read_options& options, const format_calls<Reader>& calls)
        : whole_{std::move(whole)}, options_{options}, calls_{calls} {}

    /// For several tasks.
    void share(file_cutter cutter) { cutter_.emplace(std::move(cutter)); }

    [[nodiscard]] bool is_exclusive() const override { return !cutter_.has_value(); }

    [[nodiscard]] result<std::optional<row_unit>> cut(std::uint64_t rows) override {
        if (cutter_) return cutter_->next(rows);
        return is_at_end_ ? std::nullopt : std::optional{row_unit{.rows = rows}};
    }

    [[nodiscard]] result<unit_end> read(const row_unit& unit, Visitor& visit) override {
        if (cutter_) {
            Reader part = calls_.open_slice(byte_source{std::string_view{*unit.text}}, unit.place,
                                            whole_, options_);
            return read_rows<Row>(part, unit.rows, visit);
        }
        const auto end = read_rows<Row>(whole_, unit.rows, visit);
        count_ = to_number(whole_.row());
        is_at_end_ = !end || *end == unit_end::end_of_file;
        return end;
    }

    [[nodiscard]] std::unique_ptr<owned_row<Row>> own(std::string_view raw, row_number row,
                                                      std::uint64_t line) override {
        if (calls_.open_slice == nullptr) return own_json_row<Row>(raw, row, line);
        auto own = std::make_unique<reread_row<Row, Reader>>(raw, [&](byte_source bytes) {
            return calls_.open_slice(
                std::move(bytes),
                slice{.offset = 1, .size = raw.size(), .first_row = row, .rows = 1, .line = line},
                whole_, options_);
        });
        if (!own->read()) return nullptr;
        return own;
    }

    [[nodiscard]] std::uint64_t row_count() const override {
        return cutter_ ? cutter_->row_count() : count_;
    }

private:
    Reader whole_;
    read_options options_;
    format_calls<Reader> calls_;
    bool is_at_end_ = false;
    std::uint64_t count_ = 0;
    std::optional<file_cutter> cutter_;
};

/// Opens the text of a file anew.
[[nodiscard]] result<byte_source> open_text(const file_opener& open, const read_options& options);

/// What several tasks need to share a file.
[[nodiscard]] result<file_cutter> cut_file(
    std::unique_ptr<slice_cutter> (*cut)(byte_source text, const read_options& options),
    const file_opener& open, const read_options& options);

/// Opens a file for one pass over its rows, by one task or by several.
template <declared_row Row, typename Visitor, file_format... Formats>
[[nodiscard]] result<std::unique_ptr<row_supply<Row, Visitor>>> open_supply(
    const file_opener& open, std::string_view name, const read_options& options, bool by_one,
    format_list<Formats...> known) {
    using opened = result<std::unique_ptr<row_supply<Row, Visitor>>>;
    auto text = open_text(open, options);
    if (!text) return std::unexpected{std::move(text).error()};
    return with_reader<Row>(
        std::move(*text), name, options, known,
        [&]<typename Reader>(Reader reader, const format_calls<Reader>& calls) -> opened {
            read_options found = options;
            if constexpr (requires { found.dialect = reader.format(); })
                found.dialect = reader.format();
            auto supply = std::make_unique<file_supply<Row, Reader, Visitor>>(std::move(reader),
                                                                              found, calls);
            if (!by_one && calls.cut != nullptr) {
                auto cutter = cut_file(calls.cut, open, found);
                if (!cutter) return std::unexpected{std::move(cutter).error()};
                supply->share(std::move(*cutter));
            }
            return supply;
        });
}

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/run/implementation.hpp>
#endif
