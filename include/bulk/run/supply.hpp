// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/slice.hpp>
#include <bulk/rows/text_source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace bulk {

/// Some rows of a file for one task: with their text, if several tasks read one file.
struct row_unit {
    std::uint64_t rows = 0;  ///< at most
    std::shared_ptr<const std::string> text{};
    slice place{};
};

/// How a unit ended.
enum class unit_end : std::uint8_t { more, end_of_file, failure };

/// Opens the bytes of the operation's file anew, as often as it is read.
using file_opener = std::function<result<byte_source>()>;

/// Where the rows of one pass over a file come from. `Visitor` is called as
/// `visit(Row&, read_status, reader)` and returns whether to go on.
template <declared_row Row, typename Visitor>
class row_supply {
public:
    row_supply() = default;
    row_supply(const row_supply&) = delete;
    row_supply& operator=(const row_supply&) = delete;
    virtual ~row_supply() = default;

    /// Whether only one task at a time may take rows.
    [[nodiscard]] virtual bool is_exclusive() const = 0;

    /// The next rows; none at the end of the file. One caller at a time.
    [[nodiscard]] virtual result<std::optional<row_unit>> cut(std::uint64_t rows) = 0;

    /// Reads the rows of a unit. Several at once, unless exclusive.
    [[nodiscard]] virtual result<unit_end> read(const row_unit& unit, Visitor& visit) = 0;

    /// Reads a single row again, from its bytes.
    [[nodiscard]] virtual bool read_again(const std::string& raw, row_number row,
                                          std::uint64_t line, Visitor& visit) = 0;

    /// How many rows were given out so far.
    [[nodiscard]] virtual std::uint64_t row_count() const = 0;
};

/// Rows of a file of one format. With one task the file is read once, row by row, through a window;
/// with several it is cut into slices, whose text they share.
template <declared_row Row, sliceable_format Format, typename Visitor>
class format_supply final : public row_supply<Row, Visitor> {
public:
    using reader = reader_of<Row, Format>;

    format_supply(reader whole, const read_options& options, bool is_exclusive)
        : whole_{std::move(whole)}, options_{options}, is_exclusive_{is_exclusive} {}

    /// For several tasks: `text` is the text of the file once more.
    void share(byte_source text_to_cut, byte_source text) {
        slicer_.emplace(Format::slices(std::move(text_to_cut), options_, 1));
        text_.emplace(std::move(text));
    }

    [[nodiscard]] bool is_exclusive() const override { return is_exclusive_; }

    [[nodiscard]] result<std::optional<row_unit>> cut(std::uint64_t rows) override {
        if (is_exclusive_) return is_at_end_ ? std::nullopt : std::optional{row_unit{.rows = rows}};
        auto next = slicer_->next(rows);
        if (!next) return std::unexpected{std::move(next).error()};
        if (!*next) return std::nullopt;
        if (auto skipped = skip_to((*next)->offset); !skipped)
            return std::unexpected{std::move(skipped).error()};
        auto text = std::make_shared<std::string>((*next)->size, '\0');
        const auto got = text_->read(*text);
        if (!got) return std::unexpected{got.error()};
        text->resize(*got);
        position_ += *got;
        count_ += (*next)->rows;
        return row_unit{.rows = (*next)->rows, .text = std::move(text), .place = **next};
    }

    [[nodiscard]] result<unit_end> read(const row_unit& unit, Visitor& visit) override {
        if (is_exclusive_) {
            const auto end = read_rows(whole_, unit.rows, visit);
            count_ = to_number(whole_.row());
            if (end != unit_end::more) is_at_end_ = true;
            if (end == unit_end::failure) return std::unexpected{whole_.error()};
            return end;
        }
        reader part = Format::open_slice(byte_source{std::string_view{*unit.text}}, unit.place,
                                         whole_, options_);
        const auto end = read_rows(part, unit.rows, visit);
        if (end == unit_end::failure) return std::unexpected{part.error()};
        return unit_end::more;
    }

    [[nodiscard]] bool read_again(const std::string& raw, row_number row, std::uint64_t line,
                                  Visitor& visit) override {
        reader part = Format::open_slice(
            byte_source{std::string_view{raw}},
            slice{.offset = 1, .size = raw.size(), .first_row = row, .rows = 1, .line = line},
            whole_, options_);
        return read_rows(part, 1, visit) == unit_end::more;
    }

    [[nodiscard]] std::uint64_t row_count() const override { return count_; }

private:
    template <typename Reader>
    [[nodiscard]] static unit_end read_rows(Reader& from, std::uint64_t rows, Visitor& visit) {
        Row row{};
        for (std::uint64_t i = 0; i < rows; ++i) {
            const auto status = from.next(row);
            if (status == read_status::end) return unit_end::end_of_file;
            if (status == read_status::failure) return unit_end::failure;
            if (!visit(row, status, from)) return unit_end::more;
        }
        return unit_end::more;
    }

    [[nodiscard]] result<> skip_to(std::uint64_t offset) {
        std::string part;
        while (position_ < offset) {
            part.resize(static_cast<std::size_t>(
                std::min<std::uint64_t>(offset - position_, std::uint64_t{64} * 1024)));
            const auto got = text_->read(part);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) return fail(errc::unavailable, "the file is shorter than it was");
            position_ += *got;
        }
        return {};
    }

    reader whole_;
    read_options options_;
    bool is_exclusive_;
    bool is_at_end_ = false;
    std::uint64_t count_ = 0;
    std::optional<decltype(Format::slices(std::declval<byte_source>(),
                                          std::declval<const read_options&>(), 1))>
        slicer_;
    std::optional<byte_source> text_;
    std::uint64_t position_ = 0;  ///< in text_
};

/// Opens a file for one pass over its rows.
template <declared_row Row, typename Visitor, file_format... Formats>
[[nodiscard]] result<std::unique_ptr<row_supply<Row, Visitor>>> open_supply(
    const file_opener& open, std::string_view name, const read_options& options, bool is_exclusive,
    format_list<Formats...> known) {
    using supply = std::unique_ptr<row_supply<Row, Visitor>>;
    const auto open_text = [&]() -> result<byte_source> {
        auto bytes = open();
        if (!bytes) return std::unexpected{std::move(bytes).error()};
        return text_of(std::move(*bytes));
    };
    auto text = open_text();
    if (!text) return std::unexpected{std::move(text).error()};
    const auto begin = peek(*text, 4096);
    if (!begin) return std::unexpected{begin.error()};
    return known.visit(known.find(name, *begin), [&]<typename Format>() -> result<supply> {
        auto reader = Format::template open<Row>(std::move(*text), options);
        if (!reader) return std::unexpected{std::move(reader).error()};
        read_options found = options;
        if constexpr (requires { found.dialect = reader->format(); })
            found.dialect = reader->format();
        auto opened = std::make_unique<format_supply<Row, Format, Visitor>>(std::move(*reader),
                                                                            found, is_exclusive);
        if (!is_exclusive) {
            auto first = open_text(), second = open_text();
            if (!first) return std::unexpected{std::move(first).error()};
            if (!second) return std::unexpected{std::move(second).error()};
            opened->share(std::move(*first), std::move(*second));
        }
        return supply{std::move(opened)};
    });
}

}  // namespace bulk
