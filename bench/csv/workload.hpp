// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/operation/declare.hpp>
#include <bulk/rows/column.hpp>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

// Three files, the structs that they are read into, and a sum over all that was read.

struct narrow {
    std::uint64_t id = 0;
    std::string name;
    std::string city;
    double amount = 0;
    int quantity = 0;
    bool active = false;
};
BULK_ROW(narrow, id, name, city, amount, quantity, active);

struct quoted {
    std::uint64_t id = 0;
    std::string title;
    std::string author;
    std::string note;
    int year = 0;
    std::string place;
};
BULK_ROW(quoted, id, title, author, note, year, place);

struct wide {
    std::uint64_t c02 = 0;
    std::string c05;
    double c11 = 0;
    int c17 = 0;
    std::string c18;
    int c23 = 0;
    std::string c30;
    double c37 = 0;
};
BULK_ROW(wide, c02, c05, c11, c17, c18, c23, c30, c37);

/// Every value counts, in its place.
class checksum {
public:
    void add(std::uint64_t value) { sum_ = (sum_ ^ value) * 0x9e37'79b9'7f4a'7c15 + (sum_ >> 29); }
    void add(double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, 8);
        add(bits);
    }
    void add(int value) { add(static_cast<std::uint64_t>(value)); }
    void add(bool value) { add(std::uint64_t{value}); }
    void add(std::string_view text) {
        add(std::uint64_t{text.size()});
        for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
    [[nodiscard]] std::uint64_t value() const { return sum_; }

private:
    std::uint64_t sum_ = 0;
};

template <bulk::declared_row Row>
void add_all(checksum& sum, const Row& row) {
    bulk::for_each_pointer(bulk::columns_of<Row>,
                           [&]<auto Pointer>(std::size_t) { sum.add(row.*Pointer); });
}

namespace workload {

class writer {
public:
    explicit writer(std::uint32_t seed) : random_{seed} {}

    std::uint32_t upto(std::uint32_t most) {
        return static_cast<std::uint32_t>(random_() % (most + 1));
    }
    std::string word(std::uint32_t least, std::uint32_t most) {
        std::string text(least + upto(most - least), ' ');
        for (char& c : text) c = static_cast<char>('a' + upto(25));
        return text;
    }
    std::string number(std::uint32_t digits) {
        std::string text{static_cast<char>('1' + upto(8))};
        while (text.size() < digits) text += static_cast<char>('0' + upto(9));
        return text;
    }
    std::string amount() { return number(1 + upto(4)) + '.' + number(2); }

    /// Quoted, with what only quoted fields can hold.
    std::string difficult() {
        std::string text = "\"" + word(4, 12);
        switch (upto(2)) {
            case 0:
                text += ", ";
                break;
            case 1:
                text += "\"\"";
                break;
            default:
                text += '\n';
                break;
        }
        return text + word(4, 12) + "\"";
    }

private:
    std::mt19937 random_;
};

inline std::string narrow_file(std::size_t bytes) {
    writer w{1};
    std::string text = "id,name,city,amount,quantity,active\n";
    while (text.size() < bytes)
        text += w.number(8) + ',' + w.word(8, 20) + ',' + w.word(6, 14) + ',' + w.amount() + ',' +
                w.number(1 + w.upto(3)) + ',' + (w.upto(1) != 0 ? "true" : "false") + '\n';
    return text;
}

inline std::string quoted_file(std::size_t bytes) {
    writer w{2};
    std::string text = "id,title,author,note,year,place\n";
    const auto field = [&] { return w.upto(9) < 4 ? w.difficult() : w.word(6, 18); };
    while (text.size() < bytes) {  // four of six fields can be quoted, two in five of these are
        text +=
            w.number(8) + ',' + field() + ',' + field() + ',' + field() + ',' + w.number(4) + ',';
        text += field() + '\n';
    }
    return text;
}

inline std::string wide_file(std::size_t bytes) {
    writer w{3};
    std::string text;
    for (int c = 0; c < 40; ++c)
        text += std::string{c == 0 ? "" : ","} + 'c' + static_cast<char>('0' + c / 10) +
                static_cast<char>('0' + c % 10);
    text += '\n';
    while (text.size() < bytes)
        for (int c = 0; c < 40; ++c) {
            switch (c) {
                case 2:
                    text += w.number(9);
                    break;
                case 11:
                case 37:
                    text += w.amount();
                    break;
                case 17:
                case 23:
                    text += w.number(4);
                    break;
                default:
                    text += w.word(4, 12);
            }
            text += c == 39 ? '\n' : ',';
        }
    return text;
}

}  // namespace workload
