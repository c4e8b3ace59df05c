// SPDX-License-Identifier: MIT
#pragma once

#include "../csv/workload.hpp"

#include <cstddef>
#include <string>

// The narrow rows as NDJSON, alone and among keys that nobody takes.

namespace workload {

inline std::string json_member(const char* key, const std::string& value, bool quoted) {
    const char* quote = quoted ? "\"" : "";
    return std::string{"\""} + key + "\":" + quote + value + quote;
}

/// A key more per row, if `more`: some of another type, some nested.
inline std::string json_lines(std::size_t bytes, bool more) {
    writer w{4};
    std::string text;
    while (text.size() < bytes) {
        text += '{' + json_member("id", w.number(8), false) + ',' +
                json_member("name", w.word(8, 20), true) + ',';
        if (more)
            text +=
                json_member("created", "2026-01-02T03:04:05Z", true) + ',' +
                json_member("tags", "[\"" + w.word(3, 9) + "\",\"" + w.word(3, 9) + "\"]", false) +
                ',' + json_member("comment", w.word(10, 60), true) + ',';
        text += json_member("city", w.word(6, 14), true) + ',' +
                json_member("amount", w.amount(), false) + ',' +
                json_member("quantity", w.number(1 + w.upto(3)), false) + ',';
        if (more)
            text += json_member("address", "{\"zip\":\"" + w.number(5) + "\",\"floor\":3}", false) +
                    ',';
        text += json_member("active", w.upto(1) != 0 ? "true" : "false", false) + "}\n";
    }
    return text;
}

}  // namespace workload
