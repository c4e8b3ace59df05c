// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <libfccp/csv.h>

#include <cstring>
#include <string>
#include <string_view>

// fast-cpp-csv-parser. It ends a row at every newline, quoted or not, so it cannot read the quoted
// file.

namespace fccp {

/// Its line reader takes a FILE or a stream; this one reads from memory.
class memory : public io::ByteSourceBase {
public:
    explicit memory(std::string_view text) : text_{text} {}
    int read(char* buffer, int size) override {
        const std::size_t count = std::min(text_.size(), static_cast<std::size_t>(size));
        std::memcpy(buffer, text_.data(), count);
        text_.remove_prefix(count);
        return static_cast<int>(count);
    }

private:
    std::string_view text_;
};

template <unsigned Columns, typename Quote = io::no_quote_escape<','>>
using reader = io::CSVReader<Columns, io::trim_chars<>, Quote>;

template <typename Visit>
void read_rows(std::string_view text, std::type_identity<narrow>, Visit visit) {
    reader<6> in{"narrow", std::unique_ptr<io::ByteSourceBase>{new memory{text}}};
    in.read_header(io::ignore_extra_column, "id", "name", "city", "amount", "quantity", "active");
    narrow row;
    const char* active = nullptr;
    const char* amount = nullptr;  // its own parser of doubles rounds twice
    while (in.read_row(row.id, row.name, row.city, amount, row.quantity, active)) {
        std::from_chars(amount, amount + std::strlen(amount), row.amount);
        row.active = std::strcmp(active, "true") == 0;
        visit(row);
    }
}

template <typename Visit>
void read_rows(std::string_view text, std::type_identity<wide>, Visit visit) {
    reader<8> in{"wide", std::unique_ptr<io::ByteSourceBase>{new memory{text}}};
    in.read_header(io::ignore_extra_column, "c02", "c05", "c11", "c17", "c18", "c23", "c30", "c37");
    wide row;
    const char* c11 = nullptr;
    const char* c37 = nullptr;
    while (in.read_row(row.c02, row.c05, c11, row.c17, row.c18, row.c23, row.c30, c37)) {
        std::from_chars(c11, c11 + std::strlen(c11), row.c11);
        std::from_chars(c37, c37 + std::strlen(c37), row.c37);
        visit(row);
    }
}

}  // namespace fccp
