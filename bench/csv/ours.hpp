// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <bulk/rows/csv/reader.hpp>

#include <cstdlib>
#include <string_view>

// bulk, streaming through its buffer, with all its checks.

namespace ours {

/// The best that the machine has, or the one that BULK_BENCH_SET names.
inline bulk::csv::instruction_set instruction_set() {
    if (const char* name = std::getenv("BULK_BENCH_SET"))
        if (const auto set = bulk::from_name<bulk::csv::instruction_set>(name)) return *set;
    return bulk::csv::best_instruction_set();
}

template <typename Row, typename Visit>
void read_rows(std::string_view text, std::type_identity<Row>, Visit visit) {
    auto reader =
        bulk::csv::reader<Row>::open(bulk::bytes_of_text(text), {}, {}, {.set = instruction_set()})
            .value();
    Row row;
    bulk::read_status status{};
    while ((status = reader.next(row)) == bulk::read_status::row) visit(row);
    if (status != bulk::read_status::end) std::abort();
}

}  // namespace ours
