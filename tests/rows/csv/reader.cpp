#include <bulk/operation/declare.hpp>
#include <bulk/rows/csv/reader.hpp>
#ifdef BULK_TEST_LAZYCSV
#include <bulk/rows/csv/lazycsv.hpp>
#endif

#include <support/ut.hpp>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

enum class size { small, large };
BOOST_DESCRIBE_ENUM(size, small, large)

struct item {
    int id = 0;
    std::string name;
    std::string_view note;
    std::optional<double> price;
    size box = size::small;
    bool active = false;
    std::uint8_t stock = 7;
};
BULK_ROW(item, (id, .column = "Item No"), name, note, price, box, active,
         (stock, .required = false));

struct number {
    int id = 0;
};
BULK_ROW(number, id);

// The same tests run on lazycsv, where that is enabled; what it cannot do is left out below.
#ifdef BULK_TEST_LAZYCSV
using scanner = bulk::csv::lazycsv_scanner;
#else
using scanner = bulk::csv::scanner;
#endif
using reader = bulk::csv::reader<item, scanner>;

std::string read(std::string_view text, const bulk::csv::dialect& dialect = {},
                 const bulk::row_limits& limits = {}) {
    auto opened = reader::open(bulk::bytes_of_text(text), dialect, limits);
    if (!opened) return "refused: " + opened.error().message;
    std::string all;
    item row;
    while (true) {
        switch (opened->next(row)) {
            case bulk::read_status::row:
                all += std::to_string(to_number(opened->row())) + ':' + std::to_string(row.id) +
                       '|' + row.name + '|' + std::string{row.note} + '|' +
                       (row.price ? std::to_string(*row.price).substr(0, 4) : "-") + '|' +
                       std::string{bulk::name_of(row.box)} + '|' + (row.active ? "yes" : "no") +
                       '|' + std::to_string(row.stock) + '\n';
                break;
            case bulk::read_status::bad_row:
                all += std::to_string(to_number(opened->problem().row)) + "! " +
                       to_text(opened->problem()) + '\n';
                break;
            case bulk::read_status::end:
                return all;
            case bulk::read_status::failure:
                return all + "failed: " + opened->error().message;
        }
    }
}

// A function: suites run when the globals of this file are gone.
std::string header() { return "Item No,name,note,price,box,active,stock\n"; }

suite<"csv reader"> readers = [] {
    "a file becomes rows"_test = [] {
        expect(read(header() + "1,Nut,\"3\"\" wide, \"\"steel\"\"\",2.50,large,true,3\n"
                               "-2,,x,,SMALL,0,255\n") ==
               "1:1|Nut|3\" wide, \"steel\"|2.50|large|yes|3\n2:-2||x|-|small|no|255\n"s);
    };

    "columns are found by name, in any order, case and spacing, and others are ignored"_test = [] {
        const auto text = "ACTIVE,extra,itemno,Name,NOTE,box,price\ntrue,9,5,n,o,small,1\n"sv;
        expect(read(text) == "1:5|n|o|1.00|small|yes|7\n"s) << "stock keeps its default";
        auto opened = reader::open(bulk::bytes_of_text(text)).value();
        expect(opened.columns().ignored == std::vector{"extra"s});
    };

    "what is wrong with a header is said at once"_test = [] {
        expect(read("") == "refused: the file is empty; it needs a header"s);
        expect(read("Item No,nam,note,box\n") ==
               "refused: the file has no column 'name' (is it 'nam'?), 'active'"s);
        expect(read("Item No,name,NAME,note,price,box,active\n1,2,3,4,5,6,7\n").starts_with("1!"))
            << "the exact name wins";
        expect(read("Item No,Name,NAME,note,price,box,active\n") ==
               "refused: the header has the column 'name' 2 times (columns 2 and 3); rename or "
               "remove one"s);
    };

    "without a header the columns are the members, in order"_test = [] {
        const bulk::csv::dialect bare{.header = false};
        expect(read("1,a,b,2,small,1\n2,c,d,,large,0\n", bare) ==
               "1:1|a|b|2.00|small|yes|7\n2:2|c|d|-|large|no|7\n"s);
        expect(read("1,a\n", bare) ==
               "refused: the file has 2 columns and no header; column 3 would be 'note', which is "
               "required"s);
        expect(read("", bare).empty());
    };

    "a bad row says line, column, cell and reason, and the next one is read"_test = [] {
        const std::vector<std::pair<std::string, std::string>> cases{
            {"x,n,o,1,small,1,1", "line 3, column 'Item No', 'x': it is not a whole number"},
            {"1x,n,o,1,small,1,1", "line 3, column 'Item No', '1x': it is not a whole number"},
            {",n,o,1,small,1,1", "line 3, column 'Item No': the field is empty"},
            {"99999999999,n,o,1,small,1,1",
             "line 3, column 'Item No', '99999999999': it is out of range: it must be from "
             "-2147483648 to 2147483647"},
            {"1,n,o,1.2.3,small,1,1", "line 3, column 'price', '1.2.3': it is not a number"},
            {"1,n,o,1,medium,1,1", "line 3, column 'box', 'medium': it is none of small, large"},
            {"1,n,o,1,small,maybe,1",
             "line 3, column 'active', 'maybe': it is none of true, false, 1, 0"},
            {"1,n,o,1,small,1,256",
             "line 3, column 'stock', '256': it is out of range: it must be from 0 to 255"},
            {"1,n,o", "line 3: the row has 3 fields; 7 are expected"},
            {"1,n,o,1,small,1,1,8", "line 3: the row has 8 fields; 7 are expected"},
            {"1,\"n\"x,o,1,small,1,1",
             "line 3, column 'name', '\"n\"x': there is text behind the closing quote"},
            {"1,n\xff,o,1,small,1,1",
             "line 3, column 'name': byte 2 of the field is not valid UTF-8"},
        };
        const std::string good = "1,n,o,1,small,1,1\n";
        for (const auto& [row, message] : cases) {
            const auto got = read(header() + good + row + '\n' + good);
            expect(got ==
                   "1:1|n|o|1.00|small|yes|1\n2! " + message + "\n3:1|n|o|1.00|small|yes|1\n")
                << got;
        }
    };

    "limits"_test = [] {
        const std::string long_name(200, 'x');
        expect(read(header() + "1," + long_name + ",o,1,small,1,1\n2,n,o,1,small,1,1\n", {},
                    {.field_bytes = 100}) ==
               "1! line 2, column 'name', '" + std::string(57, 'x') +
                   "...': the field has 200 bytes; the limit is 100\n2:2|n|o|1.00|small|yes|1\n");
        expect(read(header(), {}, {.columns = 3}) ==
               "refused: the file has 7 columns; the limit is 3"s);
    };

    "views of fields with pairs of quotes do not overwrite each other"_test = [] {
        expect(read(header() + "1,\"a\"\"b\",\"c\"\"d\",1,small,1,1\n") ==
               "1:1|a\"b|c\"d|1.00|small|yes|1\n"s);
        const std::string longer(80, 'y');
        expect(read(header() + "1,\"" + longer + "\"\"" + longer + "\",\"c\"\"d\",1,small,1,1\n") ==
               "1:1|" + longer + '"' + longer + "|c\"d|1.00|small|yes|1\n");
    };

    "lines end as they like, and a blank one is no row"_test = [] {
        const std::string row = "1,n,o,1,small,1,1";
        const std::string expected = "1:1|n|o|1.00|small|yes|1\n2:1|n|o|1.00|small|yes|1\n";
        expect(read("\xef\xbb\xbf" + header() + row + "\n" + row) == expected);
        expect(read(header() + "\n" + row + "\r\n\r\n" + row + "\r\n") == expected);
    };

    "rows over the limit are passed over"_test = [] {
        expect(read(header() + "1," + std::string(300, 'x') + ",o,1,small,1,1\n" +
                        "2,n,o,1,small,1,1\n",
                    {}, {.row_bytes = 100})
                   .ends_with("2:2|n|o|1.00|small|yes|1\n"));
    };

    "rows that are skipped count, blank lines do not"_test = [] {
        const auto check = [](auto& reader, auto row, std::uint64_t rows) {
            std::mt19937 random{5};
            std::uint64_t at = 0;
            for (std::uint64_t skipped = 1; at + skipped < rows; skipped = 1 + random() % 400) {
                expect(reader.skip(skipped) == bulk::read_status::row);
                expect(fatal(reader.next(row) == bulk::read_status::row)) << at;
                at += skipped + 1;
                expect(to_number(reader.row()) == at and std::cmp_equal(row.id, at));
            }
            expect(reader.skip(rows) == bulk::read_status::end);
            expect(to_number(reader.row()) == rows);
        };
        std::string wide = header(), narrow = "id\n";
        for (int number = 1; number <= 10'000; ++number) {  // more than a window
            for (auto* text : {&wide, &narrow}) {
                if (number % 7 == 0) *text += "\n\r\n";
                *text += std::to_string(number);
            }
            wide += number % 11 == 0 ? ",n,o,1,small,1,1\r\n" : ",n,o,1,small,1,1\n";
            narrow += '\n';
        }
        auto items = reader::open(bulk::bytes_of_text(wide)).value();
        check(items, item{}, 10'000);
        auto numbers =
            bulk::csv::reader<number, scanner>::open(bulk::bytes_of_text(narrow)).value();
        check(numbers, number{}, 10'000);
    };

    // From here on: what lazycsv does not read.
    if constexpr (!scanner::is_rfc_4180) return;

    "newlines in quotes are text"_test = [] {
        expect(read(header() + "1,\"n\nm\",\"\r\n\",1,small,1,1\n") ==
               "1:1|n\nm|\r\n|1.00|small|yes|1\n"s);
    };

    "newlines in quotes are skipped with their row"_test = [] {
        const std::string text =
            header() + "1,\"n\n2,m\",o,1,small,1,1\n2,\"\n\n\",o,1,small,1,1\n3,n,o,1,small,1,1\n";
        auto opened = reader::open(bulk::bytes_of_text(text)).value();
        item row;
        expect(opened.skip(2) == bulk::read_status::row);
        expect(opened.next(row) == bulk::read_status::row and row.id == 3_i);
        expect(opened.line() == 7_u);
    };

    "a carriage return alone ends a line"_test = [] {
        expect(read("Item No,name,note,price,box,active\r1,n,o,1,small,1\r") ==
               "1:1|n|o|1.00|small|yes|7\n"s);
    };

    "other dialects"_test = [] {
        expect(read("Item No;name;note;price;box;active\n#c\n1;'n;m';o;1;small;1\n",
                    {.delimiter = ';', .quote = '\'', .comment = '#'}) ==
               "1:1|n;m|o|1.00|small|yes|7\n"s);
    };

    "a quote that is never closed is an error of its row, with its line and column"_test = [] {
        expect(read(header() + "1,n,o,1,small,1,1\n2,\"n,o,1,small,1,1\n3,n,o,1,small,1,1\n") ==
               "1:1|n|o|1.00|small|yes|1\n"
               "2! line 3, column 'name': unmatched quote, read as text; the row ends in line 3. "
               "Close the quote, or write it twice in a quoted field\n"
               "3:3|n|o|1.00|small|yes|1\n"s);
    };

    "a quote that is never closed in the header fails the file"_test = [] {
        expect(read("\"" + header() + "1,n,o,1,small,1,1\n") ==
               "refused: a quote is never closed; it opened in line 1"s);
    };

    "blanks in front of a comment are trimmed, whatever the comment holds"_test = [] {
        const bulk::csv::dialect format{.comment = '#', .trim = true};
        for (const auto* comment : {"#x", "  # xy", "  # x, y", "\t# \"x, y", " #,,,,,,", "   "})
            expect(read(header() + comment + "\n1,n,o,1,small,1,1\n", format) ==
                   "1:1|n|o|1.00|small|yes|1\n"s)
                << comment;
        expect(read(header() + "1,# n, #o,1,small,1,1\n", format) ==
               "1:1|# n|#o|1.00|small|yes|1\n"s);
        expect(read(header() + " #,n,o,1,small,1,1\n", {.comment = '#'}).starts_with("1! "))
            << "nothing is trimmed";
    };

    "a quote behind a blank opens a field wherever 64 bytes end"_test = [] {
        const bulk::csv::dialect format{.trim = true};
        for (std::size_t size = 0; size < 200; ++size) {
            const std::string name(size, 'x');
            expect(read(header() + "1," + name + ", \"one\n2, two\",1,small,1,1\n", format) ==
                   "1:1|" + name + "|one\n2, two|1.00|small|yes|1\n")
                << size;
        }
    };
};

}  // namespace

int main() {}
