// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <bulk/rows/csv/reader.hpp>

#include <cstdlib>
#include <string_view>

// bulk, streaming through its buffer, with all its checks.

namespace ours {

template <typename Row, typename Visit>
void read_rows(std::string_view text, std::type_identity<Row>, Visit visit) {
    auto reader = bulk::csv::reader<Row>::open(bulk::bytes_of_text(text)).value();
    Row row;
    bulk::read_status status{};
    while ((status = reader.next(row)) == bulk::read_status::row) visit(row);
    if (status != bulk::read_status::end) std::abort();
}

}  // namespace ours
