// A file format of the user's own: "key=value" lines, read as a whole, so that it cannot be sliced.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/declare.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace support {

struct property {
    std::string key;
    int value = 0;
};
BULK_ROW(property, key, value);

template <bulk::declared_row Row>
class property_reader {
public:
    explicit property_reader(std::string text) : text_{std::move(text)} {}

    bulk::read_status next(Row& row) {
        if (at_ >= text_.size()) return bulk::read_status::end;
        const auto end = std::min(text_.find('\n', at_), text_.size());
        const auto line = std::string_view{text_}.substr(at_, end - at_);
        at_ = end + 1;
        ++row_;
        const auto equals = line.find('=');
        if (equals == std::string_view::npos) {
            problem_ = {.row = this->row(), .line = row_, .reason = "there is no '='"};
            return bulk::read_status::bad_row;
        }
        row.key = line.substr(0, equals);
        row.value = std::stoi(std::string{line.substr(equals + 1)});
        return bulk::read_status::row;
    }
    [[nodiscard]] bulk::row_number row() const { return bulk::row_number{row_}; }
    [[nodiscard]] std::uint64_t line() const { return row_; }
    [[nodiscard]] const bulk::row_error& problem() const { return problem_; }
    [[nodiscard]] const bulk::error& error() const { return error_; }

private:
    std::string text_;
    std::size_t at_ = 0;
    std::uint64_t row_ = 0;
    bulk::row_error problem_;
    bulk::error error_;
};

struct property_format {
    static constexpr std::string_view name = "properties";
    static constexpr std::array<std::string_view, 1> extensions{"properties"};
    static bool fits(std::string_view begin) {
        return begin.substr(0, begin.find('\n')).contains('=');
    }
    template <bulk::declared_row Row>
    static bulk::result<property_reader<Row>> open(bulk::byte_source text,
                                                   const bulk::read_options&) {
        std::string all(1000, '\0');
        const auto size = text.read(all);
        if (!size) return std::unexpected{size.error()};
        all.resize(*size);
        return property_reader<Row>{std::move(all)};
    }
};

}  // namespace support
