// SPDX-License-Identifier: MIT
#pragma once

#include "hand.hpp"
#include "workload.hpp"

#include <lazycsv.hpp>

#include <string_view>

// lazycsv. It ends a row at every newline, quoted or not, so it cannot read the quoted file.

namespace lazy {

template <typename Row, typename Visit>
void read_rows(std::string_view text, std::type_identity<Row>, Visit visit) {
    Row row;
    const lazycsv::parser<std::string_view> parser{text};
    for (const auto line : parser) {
        int column = 0;
        for (const auto cell : line) hand::set(row, column++, cell.raw());
        visit(row);
    }
}

}  // namespace lazy
