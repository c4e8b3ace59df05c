#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/reader.hpp>
#include <bulk/rows/json/value.hpp>
#include <bulk/rows/json/writer.hpp>

#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/csv/writer.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;

// Glaze reflects what has a name outside this file.
namespace writing_test {
struct place {
    std::string city;
    std::optional<int> floor;
    bool operator==(const place&) const = default;
};
}  // namespace writing_test

namespace {

using writing_test::place;

enum class colour : std::uint8_t { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)

struct everything {
    std::string text;
    std::optional<std::string> maybe;
    std::int64_t number = 0;
    std::optional<std::uint8_t> small;
    double real = 0;
    bool flag = false;
    std::optional<colour> paint;
    std::chrono::sys_days day{};
    bulk::decimal<2> price;
    bulk::uuid id{};
    std::optional<bulk::pii<std::string>> secret;
    std::string city;

    bool operator==(const everything&) const = default;
};
BULK_ROW(everything, text, maybe, number, small, real, flag, paint, (day, .format = "%d.%m.%Y"),
         price, id, secret, (city, .column = "address.city"));

struct delivery {
    std::string name;
    bulk::json::value<place> to;
    std::optional<bulk::json::value<std::vector<int>>> items;
    bool operator==(const delivery&) const = default;
};
BULK_ROW(delivery, name, to, items);

std::string random_text(std::mt19937& random) {
    constexpr std::string_view pieces[] = {"a",  "\"",   "\\", "\n",           "\r",
                                           "\t", "\x01", "/",  "{}",           ",",
                                           ":",  " ",    "é",  "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    std::string text;
    for (auto left = random() % 40; left > 0; --left) text += pieces[random() % std::size(pieces)];
    return text;
}

everything random_row(std::mt19937& random) {
    everything row;
    row.text = random_text(random);
    if (random() % 2 == 0) row.maybe = random_text(random);
    row.number = static_cast<std::int64_t>(random()) << (random() % 32) << (random() % 4) ^
                 -static_cast<std::int64_t>(random() % 2);
    if (random() % 2 == 0) row.small = static_cast<std::uint8_t>(random() % 256);
    row.real =
        static_cast<double>(random()) / (1 + random() % 100000) * (random() % 2 == 0 ? -1 : 1);
    row.flag = random() % 2 == 0;
    if (random() % 2 == 0) row.paint = random() % 2 == 0 ? colour::red : colour::green;
    row.day = std::chrono::sys_days{std::chrono::days{random() % 30000}};
    row.price = bulk::from_text(std::type_identity<bulk::decimal<2>>{},
                                std::to_string(random() % 100000) + ".25")
                    .value();
    row.id = {.high = random(), .low = random()};
    if (random() % 2 == 0) row.secret = bulk::pii{random_text(random)};
    row.city = random_text(random);
    return row;
}

suite<"writing"> writing = [] {
    "what is written is read as the same row"_test = [] {
        std::mt19937 random{3};
        for (int seed = 0; seed < 3000; ++seed) {
            std::vector<everything> rows(random() % 4);
            std::string lines, array = "[";
            for (auto& row : rows) {
                row = random_row(random);
                bulk::json::write_row(lines, row, {.reveal_pii = true});
                lines += '\n';
                if (array.size() > 1) array += ',';
                bulk::json::write_row(array, row, {.reveal_pii = true});
            }
            array += ']';
            for (const auto layout : {bulk::json::layout::lines, bulk::json::layout::array}) {
                const std::string& text = layout == bulk::json::layout::lines ? lines : array;
                auto reader =
                    bulk::json::reader<everything>::open(bulk::bytes_of_text(text), layout);
                everything read;
                for (const auto& row : rows) {
                    expect(fatal(reader.next(read) == bulk::read_status::row))
                        << text << to_text(reader.problem());
                    expect(fatal(read == row)) << text;
                }
                expect(reader.next(read) == bulk::read_status::end);
            }
        }
    };

    "every control character is escaped, and nothing beyond them"_test = [] {
        for (int c = 0; c < 256; ++c) {
            std::string text;
            bulk::json::write_string(text, std::string(1, static_cast<char>(c)));
            const bool is_bare = c >= 0x20 && c != '"' && c != '\\';
            expect((text.size() == 3) == is_bare) << c << text;
        }
    };

    "numbers are bare, no value is null, personal values are hidden"_test = [] {
        everything row;
        row.text = "a\"\x02";
        row.number = 5;
        row.real = std::numeric_limits<double>::infinity();
        row.secret = bulk::pii{"me"s};
        std::string text;
        bulk::json::write_row(text, row);
        expect(text ==
               R"({"text":"a\"\u0002","maybe":null,"number":5,"small":null,"real":null,)"
               R"("flag":false,"paint":null,"day":"01.01.1970","price":"0.00",)"
               R"("id":"00000000-0000-0000-0000-000000000000","secret":"***","address.city":""})"s)
            << text;
    };
};

suite<"nested values"> nested = [] {
    "a column takes an object or an array, in JSON and in the cells of a CSV file"_test = [] {
        const delivery wanted{"Ann", {{"Bonn", 3}}, {{{1, 2}}}};
        auto reader = bulk::json::reader<delivery>::open(
            bulk::bytes_of_text(
                R"({"name":"Ann","to":{"city":"Bonn","zip":[1,{}],"floor":3},"items":[1, 2]})"),
            bulk::json::layout::lines);
        delivery row;
        expect(fatal(reader.next(row) == bulk::read_status::row)) << to_text(reader.problem());
        expect(row == wanted);
        std::string json, csv;
        bulk::json::write_row(json, row);
        expect(json == R"({"name":"Ann","to":{"city":"Bonn","floor":3},"items":[1,2]})"s) << json;
        bulk::csv::write_header<delivery>(csv);
        bulk::csv::write_row(csv, row);
        auto cells = bulk::csv::reader<delivery>::open(bulk::bytes_of_text(csv)).value();
        delivery again;
        expect(fatal(cells.next(again) == bulk::read_status::row)) << to_text(cells.problem());
        expect(again == wanted);
    };

    "what does not fit is an error of that row"_test = [] {
        auto reader = bulk::json::reader<delivery>::open(
            bulk::bytes_of_text("{\"name\":\"Ann\",\"to\":{\"city\":1}}\n"
                                "{\"name\":\"Bob\",\"to\":{\"city\":\"Ulm\"},\"items\":null}"),
            bulk::json::layout::lines);
        delivery row;
        expect(reader.next(row) == bulk::read_status::bad_row);
        expect(to_text(reader.problem())
                   .starts_with("line 1, column 'to', '{\"city\":1}': it is not the JSON that the "
                                "column takes: "))
            << to_text(reader.problem());
        expect(reader.next(row) == bulk::read_status::row);
        expect(row.to->city == "Ulm" and !row.items.has_value());
    };
};

}  // namespace

int main() {}
