// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/csv/slices.hpp>
#include <bulk/rows/json/elements.hpp>
#include <bulk/rows/json/reader.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/slice.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace bulk {

/// What a file may look like, and what it may hold.
struct read_options {
    csv::dialect dialect{};  ///< of CSV files; TSV files differ from it in the delimiter
    row_limits limits{};
    unpack_limits unpacking{};
};

/// Reads rows, one after the other: what every format's reader can do.
template <typename Reader, typename Row>
concept row_reader =
    std::movable<Reader> && requires(Reader& reader, const Reader& same, Row& row) {
        { reader.next(row) } -> std::same_as<read_status>;
        { same.row() } -> std::same_as<row_number>;
        { same.line() } -> std::same_as<std::uint64_t>;
        { same.problem() } -> std::convertible_to<const row_error&>;
        { same.error() } -> std::convertible_to<const error&>;
    };

/// A kind of file, as a type: its name, the extensions that files of it have (in lower case), whether
/// a text can be one, going by how it begins, and how it is opened:
///
///     static constexpr std::string_view name = "fixed";
///     static constexpr std::array<std::string_view, 1> extensions{"fix"};
///     static bool fits(std::string_view begin);
///     template <declared_row Row>
///     static result<my_reader<Row>> open(byte_source text, const read_options& options);
template <typename Format>
concept file_format = requires(std::string_view begin) {
    { Format::name } -> std::convertible_to<std::string_view>;
    { Format::extensions.front() } -> std::convertible_to<std::string_view>;
    { Format::fits(begin) } -> std::same_as<bool>;
};

/// A format whose files can be cut between rows, so that several workers read one file.
template <typename Format>
concept sliceable_format = file_format<Format> && requires(byte_source text) {
    Format::slices(std::move(text), read_options{}, std::uint64_t{1});
};

struct csv_format {
    static constexpr std::string_view name = "csv";
    static constexpr std::array<std::string_view, 1> extensions{"csv"};
    static bool fits(std::string_view) { return true; }

    template <declared_row Row>
    [[nodiscard]] static result<csv::reader<Row>> open(byte_source text,
                                                       const read_options& options) {
        return csv::reader<Row>::open(std::move(text), options.dialect, options.limits);
    }

    [[nodiscard]] static csv::slicer slices(byte_source text, const read_options& options,
                                            std::uint64_t rows) {
        return csv::slicer{std::move(text), options.dialect, rows, options.limits};
    }

    /// `whole` is the reader of the whole file, which knows the columns.
    template <declared_row Row>
    [[nodiscard]] static csv::reader<Row> open_slice(byte_source text, const slice& slice,
                                                     const csv::reader<Row>& whole,
                                                     const read_options& options) {
        return csv::reader<Row>::open_slice(std::move(text), slice, whole.columns(), whole.format(),
                                            options.limits);
    }
};

struct tsv_format {
    static constexpr std::string_view name = "tsv";
    static constexpr std::array<std::string_view, 2> extensions{"tsv", "tab"};
    /// The first line has tabs and no commas.
    static bool fits(std::string_view begin) {
        const auto line = begin.substr(0, begin.find_first_of("\r\n"));
        return line.contains('\t') && !line.contains(',');
    }

    template <declared_row Row>
    [[nodiscard]] static result<csv::reader<Row>> open(byte_source text,
                                                       const read_options& options) {
        return csv_format::open<Row>(std::move(text), with_tabs(options));
    }
    [[nodiscard]] static csv::slicer slices(byte_source text, const read_options& options,
                                            std::uint64_t rows) {
        return csv_format::slices(std::move(text), with_tabs(options), rows);
    }
    template <declared_row Row>
    [[nodiscard]] static csv::reader<Row> open_slice(byte_source text, const slice& slice,
                                                     const csv::reader<Row>& whole,
                                                     const read_options& options) {
        return csv_format::open_slice(std::move(text), slice, whole, options);
    }

private:
    [[nodiscard]] static read_options with_tabs(read_options options) {
        options.dialect.delimiter = '\t';
        options.dialect.detect_delimiter = false;
        return options;
    }
};

namespace detail {

[[nodiscard]] inline char first_character(std::string_view begin) {
    if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
    const auto at = begin.find_first_not_of(" \t\r\n");
    return at == std::string_view::npos ? '\0' : begin[at];
}

template <json::layout Layout>
struct json_layout_format {
    template <declared_row Row>
    [[nodiscard]] static result<json::reader<Row>> open(byte_source text,
                                                        const read_options& options) {
        return json::reader<Row>::open(std::move(text), Layout, options.limits);
    }
    [[nodiscard]] static json::slicer slices(byte_source text, const read_options& options,
                                             std::uint64_t rows) {
        return json::slicer{std::move(text), Layout, rows, options.limits};
    }
    template <declared_row Row>
    [[nodiscard]] static json::reader<Row> open_slice(byte_source text, const slice& slice,
                                                      const json::reader<Row>&,
                                                      const read_options& options) {
        return json::reader<Row>::open_slice(std::move(text), slice, Layout, options.limits);
    }
};

}  // namespace detail

struct json_format : detail::json_layout_format<json::layout::array> {
    static constexpr std::string_view name = "json";
    static constexpr std::array<std::string_view, 1> extensions{"json"};
    static bool fits(std::string_view begin) { return detail::first_character(begin) == '['; }
};

struct ndjson_format : detail::json_layout_format<json::layout::lines> {
    static constexpr std::string_view name = "ndjson";
    static constexpr std::array<std::string_view, 2> extensions{"ndjson", "jsonl"};
    static bool fits(std::string_view begin) { return detail::first_character(begin) == '{'; }
};

/// What reads rows of a type from files of a format.
template <typename Row, typename Format>
using reader_of = typename decltype(Format::template open<Row>(
    std::declval<byte_source>(), std::declval<const read_options&>()))::value_type;

/// The end of a file's name that says what it is, without that of a packer: "csv" of "a.csv.gz".
[[nodiscard]] inline std::string_view format_extension(std::string_view name) {
    const auto take = [&] {
        const auto dot = name.find_last_of("./");
        if (dot == std::string_view::npos || name[dot] == '/') return std::string_view{};
        const auto extension = name.substr(dot + 1);
        name = name.substr(0, dot);
        return extension;
    };
    auto extension = take();
    while (same_name(extension, "gz") || same_name(extension, "zst") ||
           same_name(extension, "zstd"))
        extension = take();
    return extension;
}

/// The formats that a program reads, in the order in which they are asked.
template <file_format... Formats>
struct format_list {
    static constexpr std::size_t size = sizeof...(Formats);
    using first = std::tuple_element_t<0, std::tuple<Formats...>>;
    static constexpr std::array<std::string_view, size> names{Formats::name...};

    /// Which format a file is of: by its name's extension unless the content says otherwise, then by
    /// content. `begin` is how its text begins.
    [[nodiscard]] static std::size_t find(std::string_view file_name, std::string_view begin) {
        const auto extension = format_extension(file_name);
        const auto first = [&](auto matches) {
            std::size_t at = 0, found = size;
            ((found == size && matches.template operator()<Formats>() ? (found = at, ++at) : ++at),
             ...);
            return found;
        };
        const auto by_name = first([&]<typename Format>() {
            if (is_other_json<Format>(begin)) return false;
            return std::ranges::any_of(Format::extensions, [&](std::string_view known) {
                return same_name(known, extension);
            });
        });
        if (by_name < size) return by_name;
        return first([&]<typename Format>() {
            return Format::fits(begin) && !std::same_as<Format, csv_format>;
        });
    }

    /// Calls `visit.template operator()<Format>()` with the format of that number; the last one of
    /// the list, which is CSV, when there is none.
    template <typename Visit>
    static decltype(auto) visit(std::size_t format, Visit&& visit) {
        return visit_from<Visit, Formats...>(format, visit);
    }

private:
    /// Only a JSON array and NDJSON are mistaken for each other by their names. What fits neither keeps
    /// its name: the first line of NDJSON may be a bad row.
    template <typename Format>
    [[nodiscard]] static bool is_other_json(std::string_view begin) {
        if constexpr (std::same_as<Format, json_format>) return ndjson_format::fits(begin);
        if constexpr (std::same_as<Format, ndjson_format>) return json_format::fits(begin);
        return false;
    }

    template <typename Visit, typename First, typename... Rest>
    static decltype(auto) visit_from(std::size_t format, Visit& visit) {
        if constexpr (sizeof...(Rest) == 0) {
            return visit.template operator()<First>();
        } else {
            if (format == 0) return visit.template operator()<First>();
            return visit_from<Visit, Rest...>(format - 1, visit);
        }
    }
};

/// The formats that every program reads, after its own, if it has any.
template <file_format... Own>
inline constexpr format_list<Own..., json_format, ndjson_format, tsv_format, csv_format> formats{};

}  // namespace bulk
