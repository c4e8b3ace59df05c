// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/text_source.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace bulk {

namespace detail {

/// A list of types without those that stand in it before.
template <typename Variant, typename... Types>
struct distinct {
    using type = Variant;
};
template <typename... Have, typename First, typename... Rest>
struct distinct<std::variant<Have...>, First, Rest...>
    : distinct<std::conditional_t<(std::same_as<First, Have> || ...), std::variant<Have...>,
                                  std::variant<Have..., First>>,
               Rest...> {};

}  // namespace detail

/// The rows of a file of any of the formats.
template <declared_row Row, file_format... Formats>
class rows_of {
public:
    [[nodiscard]] read_status next(Row& row) {
        return std::visit([&](auto& reader) { return reader.next(row); }, reader_);
    }
    [[nodiscard]] row_number row() const {
        return std::visit([](const auto& reader) { return reader.row(); }, reader_);
    }
    [[nodiscard]] std::uint64_t line() const {
        return std::visit([](const auto& reader) { return reader.line(); }, reader_);
    }
    [[nodiscard]] const row_error& problem() const {
        return std::visit([](const auto& reader) -> const row_error& { return reader.problem(); },
                          reader_);
    }
    [[nodiscard]] const bulk::error& error() const {
        return std::visit([](const auto& reader) -> const bulk::error& { return reader.error(); },
                          reader_);
    }
    /// The text of the row, where the format keeps it.
    [[nodiscard]] std::optional<std::string_view> raw() const {
        return std::visit(
            [](const auto& reader) -> std::optional<std::string_view> {
                if constexpr (requires { reader.has_raw(); })
                    if (reader.has_raw()) return reader.raw();
                return std::nullopt;
            },
            reader_);
    }
    [[nodiscard]] std::string_view format() const { return format_; }

    template <typename Reader>
    rows_of(Reader reader, std::string_view format) : reader_{std::move(reader)}, format_{format} {}

private:
    typename detail::distinct<std::variant<>, reader_of<Row, Formats>...>::type reader_;
    std::string_view format_;
};

namespace detail {

template <typename Row, typename Formats>
struct rows_in;
template <typename Row, typename... Formats>
struct rows_in<Row, format_list<Formats...>> {
    using type = rows_of<Row, Formats...>;
};

}  // namespace detail

/// The rows of a file of any format in a list.
template <declared_row Row, typename Formats>
using rows_in = typename detail::rows_in<Row, Formats>::type;

/// Opens a file of any known format, packed or not; `name` is only looked at for its extension.
template <declared_row Row, file_format... Formats>
[[nodiscard]] result<rows_of<Row, Formats...>> open_rows(byte_source bytes, std::string_view name,
                                                         const read_options& options,
                                                         format_list<Formats...> known) {
    auto text = text_of(std::move(bytes), options.unpacking);
    if (!text) return std::unexpected{std::move(text).error()};
    const auto begin = peek(*text, 4096);
    if (!begin) return std::unexpected{begin.error()};
    return known.visit(known.find(name, *begin),
                       [&]<typename Format>() -> result<rows_of<Row, Formats...>> {
                           auto reader = Format::template open<Row>(std::move(*text), options);
                           if (!reader) return std::unexpected{std::move(reader).error()};
                           return rows_of<Row, Formats...>{std::move(*reader), Format::name};
                       });
}

template <declared_row Row>
[[nodiscard]] auto open_rows(byte_source bytes, std::string_view name,
                             const read_options& options = {}) {
    return open_rows<Row>(std::move(bytes), name, options, formats<>);
}

/// Opens a file by its path. Errors name it.
template <declared_row Row, typename Formats = std::remove_const_t<decltype(formats<>)>>
[[nodiscard]] auto open_rows(const std::string& path, const read_options& options = {},
                             Formats known = {}) {
    auto bytes = bytes_of_file(path);
    using opened = decltype(open_rows<Row>(std::move(*bytes), path, options, known));
    if (!bytes) return opened{std::unexpected{std::move(bytes).error()}};
    auto rows = open_rows<Row>(std::move(*bytes), path, options, known);
    if (!rows) rows.error().message = concat(path, ": ", rows.error().message);
    return rows;
}

}  // namespace bulk
