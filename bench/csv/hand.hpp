// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

// What a careful engineer writes for one file: memchr for the structure, from_chars for the numbers.

namespace hand {

template <typename Number>
void number(std::string_view text, Number& into) {
    std::from_chars(text.data(), text.data() + text.size(), into);
}

inline void set(narrow& row, int column, std::string_view text) {
    switch (column) {
        case 0:
            number(text, row.id);
            break;
        case 1:
            row.name.assign(text);
            break;
        case 2:
            row.city.assign(text);
            break;
        case 3:
            number(text, row.amount);
            break;
        case 4:
            number(text, row.quantity);
            break;
        case 5:
            row.active = text == "true";
            break;
        default:
            break;
    }
}

inline void set(wide& row, int column, std::string_view text) {
    switch (column) {
        case 2:
            number(text, row.c02);
            break;
        case 5:
            row.c05.assign(text);
            break;
        case 11:
            number(text, row.c11);
            break;
        case 17:
            number(text, row.c17);
            break;
        case 18:
            row.c18.assign(text);
            break;
        case 23:
            number(text, row.c23);
            break;
        case 30:
            row.c30.assign(text);
            break;
        case 37:
            number(text, row.c37);
            break;
        default:
            break;
    }
}

inline void set(quoted& row, int column, std::string_view text) {
    switch (column) {
        case 0:
            number(text, row.id);
            break;
        case 1:
            row.title.assign(text);
            break;
        case 2:
            row.author.assign(text);
            break;
        case 3:
            row.note.assign(text);
            break;
        case 4:
            number(text, row.year);
            break;
        case 5:
            row.place.assign(text);
            break;
        default:
            break;
    }
}

/// Lines, then fields: right for files without quotes.
template <typename Row, typename Visit>
void read(std::string_view text, Visit visit) {
    Row row;
    const char* at = text.data();
    const char* const end = at + text.size();
    at = static_cast<const char*>(std::memchr(at, '\n', text.size())) + 1;
    while (at < end) {
        const auto* line_end =
            static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
        if (line_end == nullptr) line_end = end;
        for (int column = 0; at <= line_end; ++column) {
            const auto* field_end = static_cast<const char*>(
                std::memchr(at, ',', static_cast<std::size_t>(line_end - at)));
            if (field_end == nullptr) field_end = line_end;
            set(row, column, {at, field_end});
            at = field_end + 1;
        }
        visit(row);
    }
}

/// Field by field, with quotes.
template <typename Visit>
void read_quoted(std::string_view text, Visit visit) {
    quoted row;
    std::string unescaped;
    const char* at = static_cast<const char*>(std::memchr(text.data(), '\n', text.size())) + 1;
    const char* const end = text.data() + text.size();
    int column = 0;
    while (at < end) {
        std::string_view field;
        if (*at == '"') {
            ++at;
            unescaped.clear();
            while (true) {
                const auto* quote = static_cast<const char*>(
                    std::memchr(at, '"', static_cast<std::size_t>(end - at)));
                if (quote + 1 < end && quote[1] == '"') {
                    unescaped.append(at, quote + 1);
                    at = quote + 2;
                    continue;
                }
                if (unescaped.empty()) {
                    field = {at, quote};
                } else {
                    unescaped.append(at, quote);
                    field = unescaped;
                }
                at = quote + 1;
                break;
            }
        } else {
            const char* stop = at;
            while (stop < end && *stop != ',' && *stop != '\n') ++stop;
            field = {at, stop};
            at = stop;
        }
        set(row, column, field);
        if (at == end || *at == '\n') {
            visit(row);
            column = 0;
        } else {
            ++column;
        }
        ++at;
    }
}

template <typename Visit>
void read_rows(std::string_view text, std::type_identity<narrow>, Visit visit) {
    read<narrow>(text, visit);
}
template <typename Visit>
void read_rows(std::string_view text, std::type_identity<wide>, Visit visit) {
    read<wide>(text, visit);
}
template <typename Visit>
void read_rows(std::string_view text, std::type_identity<quoted>, Visit visit) {
    read_quoted(text, visit);
}

}  // namespace hand
