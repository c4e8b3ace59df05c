#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/reader.hpp>
#include <bulk/rows/json/value.hpp>
#include <bulk/rows/json/writer.hpp>

#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/csv/writer.hpp>

#include <support/ut.hpp>

#include <glaze/json/generic.hpp>

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
struct envelope {
    glz::raw_json content;
    std::string from;
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

struct payload {
    bulk::json::value<glz::generic> any;
    std::optional<bulk::json::value<glz::generic_u64>> precise;
    std::optional<bulk::json::value<glz::raw_json>> raw;
    std::optional<bulk::json::value<std::string>> label;
    std::optional<bulk::json::value<writing_test::envelope>> letter;
};
BULK_ROW(payload, any, precise, raw, label, letter);

/// One row from a JSON file; `problem` is why there is none.
std::optional<payload> payload_of(std::string_view text, std::string& problem) {
    const auto layout =
        text.starts_with('[') ? bulk::json::layout::array : bulk::json::layout::lines;
    auto reader = bulk::json::reader<payload>::open(bulk::bytes_of_text(text), layout);
    payload row;
    if (reader.next(row) == bulk::read_status::row) return row;
    problem = to_text(reader.problem());
    return std::nullopt;
}

std::string written(const payload& row) {
    std::string text;
    bulk::json::write_row(text, row);
    return text;
}

template <typename T>
std::string refusal(std::string_view cell) {
    const auto read = from_text(std::type_identity<bulk::json::value<T>>{}, cell);
    return read ? "none" : read.error().message;
}

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
               R"({"text":"a\"\u0002","maybe":null,"number":5,"small":null,"real":"inf",)"
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

suite<"any JSON"> any_json = [] {
    "control characters are escaped"_test = [] {
        using bulk::json::value;
        for (int c = 0; c < 0x20; ++c) {
            const value<std::vector<std::string>> it{{std::string(3, static_cast<char>(c))}};
            const auto text = to_text(it);
            for (const char each : text) expect(each >= 0x20) << c << text;
            const auto read =
                from_text(std::type_identity<value<std::vector<std::string>>>{}, text);
            expect(read.has_value() and *read == it) << c << text;
        }
    };

    "numbers keep their digits, whatever a double holds of them"_test = [] {
        for (const auto* number :
             {"9007199254740993", "18446744073709551615", "-9223372036854775809", "-0", "1.10",
              "0.1000000000000000055511151231257827", "123456789012345678901234567890", "1E+2"}) {
            std::string problem;
            const auto json = R"({"any":{"a":[)" + std::string{number} + R"(]},"precise":null,)" +
                              R"("raw":[)" + number + R"(],"label":null,"letter":null})";
            const auto row = payload_of(json, problem);
            expect(fatal(row.has_value())) << problem;
            expect(written(*row) == json) << written(*row);
            std::string csv;
            bulk::csv::write_header<payload>(csv);
            bulk::csv::write_row(csv, *row);
            auto cells = bulk::csv::reader<payload>::open(bulk::bytes_of_text(csv)).value();
            payload again;
            expect(fatal(cells.next(again) == bulk::read_status::row)) << to_text(cells.problem());
            expect(written(again) == json) << written(again);
        }
        std::string problem;
        const auto row = payload_of(R"({"any":0,"precise":[18446744073709551615]})", problem);
        expect(fatal(row.has_value())) << problem;
        expect((**row->precise)[0].get<std::uint64_t>() == 18446744073709551615ULL);
    };

    "a value that was changed is written as it is now"_test = [] {
        std::string problem;
        auto row = payload_of(R"({"any":{"a":9007199254740993}})", problem).value();
        const auto same = row;
        (*row.any)["b"] = true;
        expect(written(row).contains(R"("any":{"a":9007199254740992,"b":true})")) << written(row);
        expect(written(same).contains(R"("any":{"a":9007199254740993})")) << written(same);
        row = same;
        expect(written(row).contains("9007199254740993"));
    };

    "a number beyond a double is taken as it stands, or refused by name"_test = [] {
        std::string problem;
        expect(!payload_of(R"({"any":[1e400]})", problem));
        expect(problem.contains("it holds a number that does not fit a double")) << problem;
        const auto row = payload_of(R"({"any":0,"raw":[1e400,-1e-400]})", problem);
        expect(fatal(row.has_value())) << problem;
        expect(written(*row).contains(R"("raw":[1e400,-1e-400])")) << written(*row);
    };

    "a value is one line, however it was written"_test = [] {
        std::string problem;
        const auto row = payload_of(
            "[{\"any\": {\n \"a\" :\r\n[ 1,\n2 ]},\"raw\":{\n\"x\\ny\": \"\\\" \\n\"\n},"
            "\"letter\":{\"content\":[\n1 ,\n2],\"from\":\"me\"}}]",
            problem);
        expect(fatal(row.has_value())) << problem;
        const auto text = written(*row);
        expect(text == R"({"any":{"a":[1,2]},"precise":null,"raw":{"x\ny":"\" \n"},"label":null,)"
                       R"("letter":{"content":[1,2],"from":"me"}})"s)
            << text;
    };

    "raw JSON that is none is null"_test = [] {
        payload row;
        row.raw = glz::raw_json{};
        row.letter = writing_test::envelope{};
        expect(written(row).contains(R"("raw":null)")) << written(row);
        expect(written(row).contains(R"("letter":null)")) << written(row);
        for (const auto* text : {"]", "{", "\"", "1 2", "{}\n{}", "\"\n\"", "nul"}) {
            row.raw = glz::raw_json{text};
            expect(written(row).contains(R"("raw":null)")) << written(row);
        }
    };

    "an empty string is a value, and null is none"_test = [] {
        std::string problem;
        expect(payload_of(R"({"any":1,"label":""})", problem)->label.has_value()) << problem;
        expect(!payload_of(R"({"any":1,"label":null})", problem)->label.has_value());
    };

    "a cell holds one value by the rules of JSON, and nothing else"_test = [] {
        expect(refusal<glz::generic>(" [1] ") == "none"s);
        for (const auto* cell : {"[1] x", "{} {}", "1 2", "01", "[1,]", "{\"a\":1,}", "// c\n1",
                                 "\"\t\"", "\"\xff\"", "\"\\ud800\"", "", "NaN"}) {
            expect(refusal<glz::generic>(cell).starts_with("it is not JSON: ")) << cell;
            expect(refusal<glz::raw_json>(cell).starts_with("it is not JSON: ")) << cell;
            expect(refusal<std::vector<int>>(cell).starts_with("it is not JSON: ")) << cell;
        }
        expect(refusal<glz::raw_json>(std::string(255, '[') + std::string(255, ']')) == "none"s);
        expect(refusal<glz::raw_json>(std::string(256, '[') + std::string(256, ']'))
                   .contains("too deep"));
    };
};

}  // namespace

int main() {}
