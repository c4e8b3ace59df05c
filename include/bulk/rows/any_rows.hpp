// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/slice.hpp>
#include <bulk/rows/text_source.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// Cuts a file into slices, whatever its format.
class slice_cutter {
public:
    slice_cutter() = default;
    slice_cutter(const slice_cutter&) = delete;
    slice_cutter& operator=(const slice_cutter&) = delete;
    virtual ~slice_cutter() = default;

    /// The next slice, of at most `rows` rows; none at the end.
    [[nodiscard]] virtual result<std::optional<slice>> next(std::uint64_t rows) = 0;
};

template <typename Slicer>
class typed_slice_cutter final : public slice_cutter {
public:
    explicit typed_slice_cutter(Slicer slicer) : slicer_{std::move(slicer)} {}

    [[nodiscard]] result<std::optional<slice>> next(std::uint64_t rows) override {
        return slicer_.next(rows);
    }

private:
    Slicer slicer_;
};

template <typename Format>
inline constexpr bool is_built_in =
    std::same_as<Format, csv_format> || std::same_as<Format, tsv_format> ||
    std::same_as<Format, json_format> || std::same_as<Format, ndjson_format>;

/// What formats with the same reader do differently, as values: what uses them is compiled for each reader, not
/// for each format.
template <typename Reader>
struct format_calls {
    std::string_view name{};
    bool is_built_in = false;  ///< and no format of a program's own with such a name
    /// Null if files of the format cannot be cut.
    std::unique_ptr<slice_cutter> (*cut)(byte_source text, const read_options& options) = nullptr;
    Reader (*open_slice)(byte_source text, const slice& slice, const Reader& whole,
                         const read_options& options) = nullptr;
};

template <typename Format, typename Reader>
[[nodiscard]] constexpr format_calls<Reader> calls_of() {
    format_calls<Reader> calls{.name = Format::name, .is_built_in = is_built_in<Format>};
    if constexpr (sliceable_format<Format>) {
        calls.cut = [](byte_source text,
                       const read_options& options) -> std::unique_ptr<slice_cutter> {
            using slicer = decltype(Format::slices(std::move(text), options, 1));
            return std::make_unique<typed_slice_cutter<slicer>>(
                Format::slices(std::move(text), options, 1));
        };
        calls.open_slice = [](byte_source text, const slice& slice, const Reader& whole,
                              const read_options& options) {
            return Format::open_slice(std::move(text), slice, whole, options);
        };
    }
    return calls;
}

/// Opens a text in the format that it is of, going by the file's name and content, and gives
/// `use(reader, format_calls)` the reader. `Use` returns a `result`.
template <declared_row Row, file_format... Formats, typename Use>
[[nodiscard]] auto with_reader(byte_source text, std::string_view name, const read_options& options,
                               format_list<Formats...> known, Use use) {
    using first = typename format_list<Formats...>::first;
    using opened =
        decltype(use(std::declval<reader_of<Row, first>>(), format_calls<reader_of<Row, first>>{}));
    const auto begin = peek(text, 4096);
    if (!begin) return opened{std::unexpected{begin.error()}};
    return known.visit(known.find(name, *begin), [&]<typename Format>() -> opened {
        using reader = reader_of<Row, Format>;
        auto made = Format::template open<Row>(std::move(text), options);
        if (!made) return std::unexpected{std::move(made).error()};
        return use(std::move(*made), calls_of<Format, reader>());
    });
}

/// The rows of a file of any format: one virtual call for each row. See `rows_of` for readers that are known.
template <declared_row Row>
class any_rows {
public:
    template <typename Reader>
    any_rows(Reader reader, const format_calls<Reader>& format)
        : rows_{std::make_unique<model<Reader>>(std::move(reader))},
          format_{format.name},
          is_built_in_{format.is_built_in} {}

    [[nodiscard]] read_status next(Row& row) { return rows_->next(row); }
    [[nodiscard]] row_number row() const { return rows_->row(); }
    [[nodiscard]] const row_error& problem() const { return rows_->problem(); }
    [[nodiscard]] const bulk::error& error() const { return rows_->error(); }
    /// The text of the row, where the format keeps it.
    [[nodiscard]] std::optional<std::string_view> raw() const { return rows_->raw(); }
    [[nodiscard]] std::string_view format() const { return format_; }
    [[nodiscard]] bool is_built_in() const { return is_built_in_; }
    /// Of CSV and TSV; null for other formats.
    [[nodiscard]] const csv::dialect* dialect() const { return rows_->dialect(); }
    /// Whether its cells are guarded against formulas.
    [[nodiscard]] bool is_guarded() const { return rows_->is_guarded(); }
    /// The line that names the columns, if the file has one; only before the first row is read.
    [[nodiscard]] std::string header() const {
        const auto* format = dialect();
        return format != nullptr && format->header ? std::string{raw().value_or("")}
                                                   : std::string{};
    }

private:
    struct interface {
        interface() = default;
        interface(const interface&) = delete;
        interface& operator=(const interface&) = delete;
        virtual ~interface() = default;
        virtual read_status next(Row& row) = 0;
        [[nodiscard]] virtual row_number row() const = 0;
        [[nodiscard]] virtual const row_error& problem() const = 0;
        [[nodiscard]] virtual const bulk::error& error() const = 0;
        [[nodiscard]] virtual std::optional<std::string_view> raw() const = 0;
        [[nodiscard]] virtual const csv::dialect* dialect() const = 0;
        [[nodiscard]] virtual bool is_guarded() const = 0;
    };
    template <typename Reader>
    struct model final : interface {
        explicit model(Reader reader) : reader{std::move(reader)} {}
        read_status next(Row& row) override { return reader.next(row); }
        [[nodiscard]] row_number row() const override { return reader.row(); }
        [[nodiscard]] const row_error& problem() const override { return reader.problem(); }
        [[nodiscard]] const bulk::error& error() const override { return reader.error(); }
        [[nodiscard]] std::optional<std::string_view> raw() const override {
            if constexpr (requires { reader.has_raw(); })
                if (reader.has_raw()) return reader.raw();
            return std::nullopt;
        }
        [[nodiscard]] const csv::dialect* dialect() const override {
            if constexpr (requires {
                              { reader.format() } -> std::same_as<const csv::dialect&>;
                          })
                return &reader.format();
            return nullptr;
        }
        [[nodiscard]] bool is_guarded() const override {
            if constexpr (requires { reader.columns().is_guarded; })
                return reader.columns().is_guarded;
            return false;
        }
        Reader reader;
    };

    std::unique_ptr<interface> rows_;
    std::string_view format_;
    bool is_built_in_;
};

/// Opens a file of any known format, packed or not; `name` is only looked at for its extension.
template <declared_row Row, file_format... Formats>
[[nodiscard]] result<any_rows<Row>> open_any_rows(byte_source bytes, std::string_view name,
                                                  const read_options& options,
                                                  format_list<Formats...> known) {
    auto text = text_of(std::move(bytes), options.unpacking);
    if (!text) return std::unexpected{std::move(text).error()};
    return with_reader<Row>(
        std::move(*text), name, options, known,
        []<typename Reader>(Reader reader, format_calls<Reader> calls) {
            return result<any_rows<Row>>{any_rows<Row>{std::move(reader), calls}};
        });
}

}  // namespace bulk
