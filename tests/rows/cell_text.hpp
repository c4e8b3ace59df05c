// The text of a cell read as a value.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/from_text.hpp>

#include <support/ut.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace cell_text {

template <typename T>
auto read(std::string_view text) {
    return bulk::from_text(std::type_identity<T>{}, text);
}

template <typename T>
void refuses(std::string_view text, const std::string& sentence) {
    using namespace boost::ut;
    const auto value = read<T>(text);
    expect(fatal(!value.has_value())) << text;
    expect(value.error() == bulk::error{bulk::errc::invalid_row, sentence})
        << text << value.error().message;
}

}  // namespace cell_text
