// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/slice.hpp>
#include <bulk/rows/text_source.hpp>
#include <bulk/run/owned_row.hpp>
#include <bulk/run/supply.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
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

/// Rows of a file of one format. With one task the file is read once, row by row, through a window;
/// with several it is cut into slices, whose text they share. A format that cannot be cut is read by
/// one task at a time.
template <declared_row Row, file_format Format, typename Visitor>
class file_supply final : public row_supply<Row, Visitor> {
public:
    using reader = reader_of<Row, Format>;

    file_supply(reader whole, const read_options& options)
        : whole_{std::move(whole)}, options_{options} {}

    /// For several tasks: the text of the file, and once more.
    void share(byte_source text_to_cut, byte_source text)
        requires sliceable_format<Format>
    {
        slicer_.emplace(Format::slices(std::move(text_to_cut), options_, 1));
        text_.emplace(std::move(text));
    }

    [[nodiscard]] bool is_exclusive() const override { return !slicer_.has_value(); }

    [[nodiscard]] result<std::optional<row_unit>> cut(std::uint64_t rows) override {
        if (is_exclusive())
            return is_at_end_ ? std::nullopt : std::optional{row_unit{.rows = rows}};
        if constexpr (sliceable_format<Format>) return cut_slice(rows);
        return std::nullopt;
    }

    [[nodiscard]] result<unit_end> read(const row_unit& unit, Visitor& visit) override {
        if constexpr (sliceable_format<Format>)
            if (!is_exclusive()) {
                reader part = Format::open_slice(byte_source{std::string_view{*unit.text}},
                                                 unit.place, whole_, options_);
                if (auto read = read_rows<Row>(part, unit.rows, visit); !read) return read;
                return unit_end::more;
            }
        const auto end = read_rows<Row>(whole_, unit.rows, visit);
        count_ = to_number(whole_.row());
        is_at_end_ = !end || *end == unit_end::end_of_file;
        return end;
    }

    [[nodiscard]] std::unique_ptr<owned_row<Row>> own(std::string_view raw, row_number row,
                                                      std::uint64_t line) override {
        if constexpr (sliceable_format<Format>) {
            auto own = std::make_unique<reread_row<Row, reader>>(raw, [&](byte_source bytes) {
                return Format::open_slice(
                    std::move(bytes),
                    slice{
                        .offset = 1, .size = raw.size(), .first_row = row, .rows = 1, .line = line},
                    whole_, options_);
            });
            if (!own->read()) return nullptr;
            return own;
        } else {
            return own_json_row<Row>(raw, row, line);
        }
    }

    [[nodiscard]] std::uint64_t row_count() const override { return count_; }

private:
    struct no_slicer {};
    template <typename Each>
    struct slicer_of {
        using type = no_slicer;
    };
    template <sliceable_format Each>
    struct slicer_of<Each> {
        using type = decltype(Each::slices(std::declval<byte_source>(),
                                           std::declval<const read_options&>(), 1));
    };

    [[nodiscard]] result<std::optional<row_unit>> cut_slice(std::uint64_t rows) {
        auto next = slicer_->next(rows);
        if (!next) return std::unexpected{std::move(next).error()};
        if (!*next) return std::nullopt;
        if (auto skipped = skip_to((*next)->offset); !skipped)
            return std::unexpected{std::move(skipped).error()};
        auto text = std::make_shared<std::string>((*next)->text_size(), '\0');
        const auto got = text_->read(*text);
        if (!got) return std::unexpected{got.error()};
        text->resize(*got);
        position_ += *got;
        count_ += (*next)->rows;
        return row_unit{.rows = (*next)->rows, .text = std::move(text), .place = **next};
    }

    [[nodiscard]] result<> skip_to(std::uint64_t offset) {
        std::string part;
        while (position_ < offset) {
            part.resize(static_cast<std::size_t>(
                std::min<std::uint64_t>(offset - position_, std::uint64_t{64} * 1024)));
            const auto got = text_->read(part);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) return fail(errc::conflict, "the file is shorter than it was");
            position_ += *got;
        }
        return {};
    }

    reader whole_;
    read_options options_;
    bool is_at_end_ = false;
    std::uint64_t count_ = 0;
    std::optional<typename slicer_of<Format>::type> slicer_;
    std::optional<byte_source> text_;
    std::uint64_t position_ = 0;  ///< in text_
};

/// Opens a file for one pass over its rows, by one task or by several.
template <declared_row Row, typename Visitor, file_format... Formats>
[[nodiscard]] result<std::unique_ptr<row_supply<Row, Visitor>>> open_supply(
    const file_opener& open, std::string_view name, const read_options& options, bool by_one,
    format_list<Formats...> known) {
    using supply = std::unique_ptr<row_supply<Row, Visitor>>;
    const auto open_text = [&]() -> result<byte_source> {
        auto bytes = open();
        if (!bytes) return std::unexpected{std::move(bytes).error()};
        return text_of(std::move(*bytes), options.unpacking);
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
        auto opened =
            std::make_unique<file_supply<Row, Format, Visitor>>(std::move(*reader), found);
        if constexpr (sliceable_format<Format>)
            if (!by_one) {
                auto first = open_text(), second = open_text();
                if (!first) return std::unexpected{std::move(first).error()};
                if (!second) return std::unexpected{std::move(second).error()};
                opened->share(std::move(*first), std::move(*second));
            }
        return supply{std::move(opened)};
    });
}

}  // namespace bulk
