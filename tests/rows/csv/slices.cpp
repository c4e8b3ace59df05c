#include <bulk/operation/declare.hpp>
#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/csv/slices.hpp>

#include <support/ut.hpp>

#include <random>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

struct entry {
    std::string key;
    int value = 0;
};
BULK_ROW(entry, key, value);

std::string show(bulk::csv::reader<entry>& reader) {
    std::string all;
    entry row;
    while (true) {
        const auto status = reader.next(row);
        if (status == bulk::read_status::end) return all;
        if (status == bulk::read_status::failure) return all + reader.error().message;
        all += std::to_string(to_number(reader.row())) + '@' + std::to_string(reader.line()) + ' ';
        all += status == bulk::read_status::row ? row.key + '=' + std::to_string(row.value)
                                                : to_text(reader.problem());
        all += '\n';
    }
}

suite<"slices"> slices = [] {
    "any number of slices gives the same rows, numbers, lines and errors as one pass"_test = [] {
        std::mt19937 random{11};
        const bulk::row_limits limits{.row_bytes = 300};
        for (int seed = 0; seed < 200; ++seed) {
            std::string text = "key,value\n";
            for (auto rows = random() % 40; rows > 0; --rows) {
                switch (random() % 8) {
                    case 0:
                        text += "\"a\nb\"\"c\"," + std::to_string(random() % 1000);
                        break;
                    case 1:
                        text += "bad,x";
                        break;
                    case 2:
                        text += "too,many,fields";
                        break;
                    case 3:
                        break;  // a blank line
                    case 4:
                        text += '"' + std::string(400, 'x') + "\n\",1";
                        break;
                    default:
                        text += "key" + std::to_string(random() % 100) + ",7";
                        break;
                }
                text += random() % 2 == 0 ? "\n" : "\r\n";
            }
            if (random() % 2 == 0) text += "last,1";

            auto whole = bulk::csv::reader<entry>::open(bulk::bytes_of_text(text), {}, limits);
            expect(fatal(whole.has_value()));
            const std::string expected = show(*whole);
            for (const std::uint64_t size : {1U, 2U, 7U, 1000U}) {
                bulk::csv::slicer slicer{bulk::bytes_of_text(text), {}, size, limits};
                std::string all;
                std::uint64_t end = 0;
                while (true) {
                    const auto slice = slicer.next();
                    expect(fatal(slice.has_value()));
                    if (!*slice) break;
                    expect(end == 0 or (*slice)->offset == end) << "nothing lies between slices";
                    end = (*slice)->offset + (*slice)->size;
                    auto part = bulk::csv::reader<entry>::open_slice(
                        bulk::bytes_of_text(
                            std::string_view{text}.substr((*slice)->offset, (*slice)->text_size())),
                        **slice, whole->columns(), {}, limits);
                    all += show(part);
                }
                expect(all == expected) << "seed" << seed << "slices of" << size << "\n" << text;
                expect(end == 0 or end == text.size());
            }
        }
    };

    "a row whose quotes do not match is the last of its slice, which says so"_test = [] {
        bulk::csv::slicer slicer{bulk::bytes_of_text("key,value\na,1\n\"b,2\nc,3\n"), {}, 100};
        const auto first = slicer.next().value().value();
        expect(first.rows == 2_u and first.size == 9_u);
        expect(first.misquoted == bulk::misquoted_row{.offset = 14, .size = 4, .field = 0});
        const auto second = slicer.next().value().value();
        expect(second.rows == 1_u and second.line == 4_u and second.misquoted.size == 0_u);
    };

    "a row over the limit is the last of its slice, whose text ends before it"_test = [] {
        const std::string text = "key,value\na,1\n\n" + std::string(100, 'x') + ",2\nc,3\n";
        bulk::csv::slicer slicer{bulk::bytes_of_text(text), {}, 100, {.row_bytes = 64}};
        const auto first = slicer.next().value().value();
        expect(first.rows == 2_u and first.size == 108_u and first.text_size() == 5_u);
        expect(first.too_long == bulk::too_long_row{.offset = 15, .size = 103, .line = 4});
        const auto second = slicer.next().value().value();
        expect(second.rows == 1_u and second.line == 5_u and second.too_long.size == 0_u);
        expect(second.text_size() == second.size);
    };

    "a slice of long rows has fewer of them"_test = [] {
        std::string text = "key,value\n";
        for (int row = 0; row < 10; ++row) text += std::string(400'000, 'x') + ",1\n";
        bulk::csv::slicer slicer{bulk::bytes_of_text(text), {}, 4096};
        std::vector<std::uint64_t> rows;
        while (const auto slice = slicer.next().value()) rows.push_back(slice->rows);
        expect(rows == std::vector<std::uint64_t>{3, 3, 3, 1});
    };

    "a quote in the header that is never closed is found before any row runs"_test = [] {
        bulk::csv::slicer slicer{bulk::bytes_of_text("\"key,value\na,1\n"), {}, 100};
        const auto slice = slicer.next();
        expect(fatal(!slice.has_value()));
        expect(slice.error().message == "a quote is never closed; it opened in line 1"s);
    };

    "no rows are no slices"_test = [] {
        for (const auto* text : {"", "key,value", "key,value\n", "key,value\n\n\n"}) {
            bulk::csv::slicer slicer{bulk::bytes_of_text(text)};
            expect(!slicer.next().value().has_value()) << text;
        }
    };
};

}  // namespace

int main() {}
