// SPDX-License-Identifier: MIT
#pragma once

#include "../csv/hand.hpp"
#include "../csv/workload.hpp"

#include <atomic>
#include <cstdint>
#include <fstream>
#include <ios>
#include <string>

// A million rows of six columns, a check, and three steps that do next to nothing.

namespace workload {

inline std::string million_rows(std::uint64_t rows = 1'000'000) {
    writer w{11};
    std::string text = "id,name,city,amount,quantity,active\n";
    for (std::uint64_t i = 0; i < rows; ++i)
        text += w.number(8) + ',' + w.word(8, 20) + ',' + w.word(6, 14) + ',' + w.amount() + ',' +
                w.number(1 + w.upto(3)) + ',' + (w.upto(1) != 0 ? "true" : "false") + '\n';
    return text;
}

/// A file of so many of them, in lots of 100 000.
inline void write_rows(const std::string& path, std::uint64_t rows) {
    const std::string part = million_rows(100'000);
    const auto header = part.find('\n') + 1;
    std::ofstream file{path, std::ios::binary};
    file << part.substr(0, header);
    for (std::uint64_t written = 0; written < rows; written += 100'000)
        file.write(part.data() + header, static_cast<std::streamsize>(part.size() - header));
}

/// What the steps do: something that the compiler cannot leave out.
struct effect {
    std::uint64_t checked = 0, first = 0, second = 0, third = 0;
};
inline thread_local effect seen;

[[nodiscard]] inline bool is_valid(const narrow& row) {
    ++seen.checked;
    return row.quantity >= 0;
}
inline void first_step(const narrow& row) { seen.first += row.id; }
inline void second_step(const narrow& row) { seen.second += row.name.size(); }
inline void third_step(const narrow& row) {
    seen.third += static_cast<std::uint64_t>(row.quantity);
}

/// Some ten microseconds of work.
inline void compute(std::uint64_t value) {
    for (int i = 0; i < 8'000; ++i) value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    seen.first += value;
}

}  // namespace workload
