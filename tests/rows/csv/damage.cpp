// One quote too many or too few, at every place of every row of a few files: what becomes of the other
// rows? Each must be read as in the file that is whole, with its line and number. Prints how many
// damaged files were contained, and which were not.
#include <bulk/operation/declare.hpp>
#include <bulk/rows/csv/reader.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

struct wide {
    std::string id, name, city, note;
};
BULK_ROW(wide, id, name, city, note);

/// The same, of which the last column may be absent: nothing but its quotes tells that a header is damaged.
struct loose {
    std::string id, name, city;
    std::optional<std::string> note;
};
BULK_ROW(loose, id, name, city, (note, .required = false));

/// A row: what it holds, and whether it could be read.
struct row {
    std::uint64_t number = 0;
    std::uint64_t line = 0;
    bool good = false;
    std::string what{};

    bool operator==(const row&) const = default;
};

std::vector<row> read(std::string_view text) {
    std::vector<row> all;
    auto rows = bulk::csv::reader<wide>::open(bulk::bytes_of_text(text));
    expect(fatal(rows.has_value()));
    wide here;
    while (true) {
        const auto status = rows->next(here);
        if (status == bulk::read_status::end) return all;
        expect(fatal(status != bulk::read_status::failure)) << rows->error().message;
        const bool good = status == bulk::read_status::row;
        all.push_back({to_number(rows->row()), rows->line(), good,
                       good ? here.id + '|' + here.name + '|' + here.city + '|' + here.note
                            : to_text(rows->problem())});
    }
}

/// Where the rows of a file begin, good or bad; none if the file is refused.
std::optional<std::vector<std::uint64_t>> begins_of(std::string_view text) {
    std::vector<std::uint64_t> lines;
    auto rows = bulk::csv::reader<loose>::open(bulk::bytes_of_text(text));
    if (!rows) return std::nullopt;
    loose here;
    while (rows->next(here) != bulk::read_status::end) lines.push_back(rows->line());
    return lines;
}

/// Rows on one line, some fields quoted as they must be, the last one often empty.
std::string plain_file() {
    std::string text = "id,name,city,note\n";
    for (int i = 1; i <= 14; ++i) {
        const std::string number = std::to_string(i);
        text += number + ',';
        text += i % 3 == 0 ? "\"Doe, Jane " + number + "\"," : "Ann " + number + ',';
        text += i % 4 == 0 ? "\"\"," : "Berlin,";
        text += i % 5 == 0 ? "\"said \"\"yes\"\", and went\"\n" : "\n";
    }
    return text;
}

/// Every field quoted.
std::string quoted_file() {
    std::string text = "\"id\",\"name\",\"city\",\"note\"\r\n";
    for (int i = 1; i <= 12; ++i) {
        const std::string number = std::to_string(i);
        text += '"' + number + "\",\"Doe, Jane\",\"" + (i % 2 == 0 ? "" : "Bonn") + "\",\"" +
                (i % 3 == 0 ? "5\"\" pipe" : "") + "\"\r\n";
    }
    return text;
}

/// Notes of several lines, as people write them.
std::string lines_file() {
    std::string text = "id,name,city,note\n";
    for (int i = 1; i <= 12; ++i) {
        const std::string number = std::to_string(i);
        text += number + ",Ann " + number + ",Köln,";
        switch (i % 4) {
            case 0:
                text += "\"Called twice.\nNobody answered, again.\"\n";
                break;
            case 1:
                text += "\n";
                break;
            case 2:
                text += "\"She said \"\"call later\"\".\n\nThen: nothing\"\n";
                break;
            default:
                text += "\"one line, quoted\"\n";
        }
    }
    return text;
}

/// Numbers, and no quote at all.
std::string bare_file() {
    std::string text = "id,name,city,note\n";
    for (int i = 1; i <= 15; ++i)
        text += std::to_string(i) + ",n,c," + (i % 2 == 0 ? "x" : "") + '\n';
    return text;
}

enum class outcome : std::uint8_t { contained, split, not_contained };

/// What became of the rows, one of which (`number`) was damaged.
outcome compare(const std::vector<row>& whole, const std::vector<row>& damaged,
                std::size_t number) {
    if (damaged.size() < whole.size()) return outcome::not_contained;
    const std::size_t more = damaged.size() - whole.size();
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (i == number) continue;
        row expected = whole[i];
        if (i > number) expected.number += more;
        if (expected != damaged[i + (i > number ? more : 0)]) return outcome::not_contained;
    }
    if (more == 0) return outcome::contained;
    // The row still has its width where a line of its text ends, so it was given out; what is left
    // of the text cannot be a row, and is none.
    if (!damaged[number].good) return outcome::not_contained;
    for (std::size_t i = number + 1; i <= number + more; ++i)
        if (damaged[i].good) return outcome::not_contained;
    return outcome::split;
}

struct tally {
    std::size_t total = 0, contained = 0, split = 0;
    std::vector<std::string> lost{};
};

/// Calls `check` with each damaged file, the number of its damaged row, and what was done.
template <typename Check>
void damage(const std::string& text, Check check) {
    const auto whole = read(text);
    // Where rows begin: the lines of the rows tell.
    std::vector<std::size_t> begins;
    std::size_t at = 0;
    std::uint64_t line = 1;
    for (const auto& each : whole) {
        for (; line < each.line; ++line) at = text.find('\n', at) + 1;
        begins.push_back(at);
    }
    begins.push_back(text.size());
    for (std::size_t number = 0; number + 1 < begins.size(); ++number)
        for (std::size_t i = begins[number]; i < begins[number + 1]; ++i) {
            const auto with = [&](std::size_t from, std::size_t size, std::string_view put) {
                std::string changed = text;
                return changed.replace(from, size, put);
            };
            // Between CR and LF it would be two line ends.
            if (i == 0 || text[i - 1] != '\r') check(with(i, 0, "\""), number, "added");
            if (text[i] != '"') continue;
            check(with(i, 1, ""), number, "removed");
            check(with(i, 1, "\"\"\""), number, "tripled");
            // Behind a line end it would be in the next row.
            if (i + 1 < begins[number + 1] && !"\"\r\n"s.contains(text[i + 1])) {
                std::string moved = text;
                std::swap(moved[i], moved[i + 1]);
                check(moved, number, "moved");
            }
        }
}

tally contained(const std::string& text) {
    const auto whole = read(text);
    tally counted;
    damage(text, [&](const std::string& changed, std::size_t number, std::string_view how) {
        ++counted.total;
        const auto what = compare(whole, read(changed), number);
        counted.contained += what == outcome::contained;
        counted.split += what == outcome::split;
        if (what == outcome::not_contained)
            counted.lost.push_back(std::string{how} + " in row " + std::to_string(number + 1) +
                                   ": " + changed);
    });
    return counted;
}

/// The line of each row, and its id or "bad".
std::string lines_of(std::string_view rows) {
    std::string all;
    for (const auto& each : read("id,name,city,note\n" + std::string{rows}))
        all += std::to_string(each.line) + ' ' +
               (each.good ? each.what.substr(0, each.what.find('|')) : "bad"s) + '\n';
    return all;
}

suite<"rules"> rules = [] {
    "a field that is closed as it should be keeps its lines, though they look like rows"_test = [] {
        const auto rows = lines_of(
            "1,a,\"x\n"
            "2,b,c,d\n"
            "3,b,c,d\n"
            "w\"\n"
            "4,b,c,d\n"
            "5,b,c,d\n");
        expect(rows == "2 bad\n6 4\n7 5\n"s) << rows;
    };

    "of lines behind which as many clean rows follow, the first ends the row"_test = [] {
        const auto rows = lines_of(
            "1,\"x\n"
            "2,b,c,d\n"
            "bad\n"
            "3,b,c,d\n"
            "bad\n"
            "\",q,r\",s,t,u\n"
            "bad\n");
        expect(rows == "2 bad\n3 2\n4 bad\n5 3\n6 bad\n7 ,q,r\n8 bad\n"s) << rows;
    };

    "a row is not joined with a line whose first quote opens a field"_test = [] {
        const auto rows = lines_of(
            "1,a\n"
            "\",q\"r,s\n"
            "2,b,c,d\n"
            "3,b,c,d\n");
        expect(rows == "2 bad\n3 bad\n4 2\n5 3\n"s) << rows;
    };
};

suite<"damage"> suites = [] {
    "one damaged row leaves the others as they are"_test = [] {
        const std::array<std::pair<const char*, std::string>, 4> files{
            {{"plain", plain_file()},
             {"quoted", quoted_file()},
             {"several lines", lines_file()},
             {"bare", bare_file()}}};
        std::size_t total = 0, all = 0, split = 0;
        for (const auto& [name, text] : files) {
            const auto counted = contained(text);
            std::printf("%s: %zu of %zu contained, %zu split at a line end\n", name,
                        counted.contained, counted.total, counted.split);
            for (const auto& each : counted.lost) std::printf("--- %s\n", each.c_str());
            total += counted.total;
            all += counted.contained;
            split += counted.split;
        }
        std::printf("all: %zu of %zu contained, %zu split at a line end\n", all, total, split);
        expect(all + split == total);
        expect(split * 20 < total) << "few rows end where a line of their last field does";
    };

    "a damaged header takes in no row"_test = [] {
        std::size_t refused = 0, total = 0;
        for (const auto& text : {plain_file(), quoted_file(), lines_file(), bare_file()}) {
            const auto whole = begins_of(text);
            expect(fatal(whole.has_value()));
            for (std::size_t i = 0; i < text.find_first_of("\r\n"); ++i) {
                std::string added = text, removed = text;
                added.insert(i, 1, '"');
                removed.erase(i, 1);
                for (const auto& damaged : {added, removed}) {
                    const auto got = begins_of(damaged);
                    ++total;
                    refused += !got;
                    expect(!got || *got == *whole) << damaged.substr(0, 80);
                }
            }
        }
        std::printf("headers: %zu of %zu refused, the others are read\n", refused, total);
        expect(refused > 0_ul);
    };

    "the error of a damaged header says where the quote is"_test = [] {
        for (const bool has_header : {true, false}) {
            const auto rows = bulk::csv::reader<loose>::open(
                bulk::bytes_of_text("id,name,city,\"note\n1,Ann,Bonn,\"x\"\n2,Bob,Ulm,\n"),
                {.header = has_header});
            expect(fatal(!rows.has_value()));
            expect(rows.error().code == bulk::errc::invalid_row);
            expect(rows.error().message ==
                   "line 1, column 4, '\"note\n1,Ann,Bonn,\"x\"': there is text behind the closing "
                   "quote of the "s +
                       (has_header ? "header" : "first row") +
                       ". Close the quote, or write it twice in a quoted field")
                << rows.error().message;
        }
    };
};

}  // namespace

int main() {}
