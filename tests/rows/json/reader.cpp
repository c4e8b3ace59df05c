#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/reader.hpp>

#include <support/in_pieces.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

using bulk::json::layout;
using support::in_pieces;

enum class plan : std::uint8_t { basic, pro };
BOOST_DESCRIBE_ENUM(plan, basic, pro)

struct user {
    std::string name;
    int age = 0;
    std::optional<double> score;
    std::optional<plan> tariff;
    std::string city = "nowhere";
    bool active = true;
    std::optional<bulk::pii<std::string>> phone;
};
BULK_ROW(user, name, age, score, tariff, (city, .column = "address.city", .required = false),
         (active, .required = false), phone);

struct entry {
    std::string key;
    int value = 0;
};
BULK_ROW(entry, key, value);

struct views {
    std::string_view first, second;
};
BULK_ROW(views, first, second);

std::string show(const user& row) {
    std::string text = row.name + '|' + std::to_string(row.age) + '|';
    text += row.score ? std::to_string(*row.score) : "-";
    text += '|';
    text += row.tariff ? std::string{bulk::name_of(*row.tariff)} : "-";
    return text + '|' + row.city + '|' + (row.active ? "yes" : "no");
}

std::string show(const entry& row) { return row.key + '=' + std::to_string(row.value); }

template <typename Row>
std::string read_all(bulk::json::reader<Row> reader) {
    std::string all;
    Row row;
    while (true) {
        switch (reader.next(row)) {
            case bulk::read_status::row:
                all += show(row) + '\n';
                break;
            case bulk::read_status::bad_row:
                all += std::to_string(to_number(reader.row())) + ": " + to_text(reader.problem()) +
                       '\n';
                break;
            case bulk::read_status::end:
                return all;
            case bulk::read_status::failure:
                return all + "failure: " + reader.error().message + '\n';
        }
    }
}

template <typename Row>
std::string read_text(std::string_view text, layout layout, const bulk::row_limits& limits = {}) {
    return read_all(bulk::json::reader<Row>::open(bulk::bytes_of_text(text), layout, limits));
}

/// What is wrong with one element, on its own in a line.
std::string problem_of(std::string_view element, const bulk::row_limits& limits = {}) {
    auto reader =
        bulk::json::reader<entry>::open(bulk::bytes_of_text(element), layout::lines, limits);
    entry row;
    const auto status = reader.next(row);
    return status == bulk::read_status::bad_row ? to_text(reader.problem())
                                                : std::string{bulk::name_of(status)};
}

suite<"reading"> reading = [] {
    "arrays and lines give the same rows"_test = [] {
        const std::string one = R"({"name":"Ann","age":31,"score":1.5,"tariff":"pro",)"
                                R"("address":{"city":"Bonn"},"active":false})";
        const std::string two = R"({ "age" : 7 , "name" : "Zo\u00eb \"Z\" \ud83d\ude00\n" })";
        const std::string expected =
            "Ann|31|1.500000|pro|Bonn|no\nZo\xc3\xab \"Z\" \xf0\x9f\x98\x80\n|7|-|-|nowhere|yes\n";
        expect(read_text<user>(one + '\n' + two + '\n', layout::lines) == expected);
        expect(read_text<user>("\n" + one + "\r\n\r\n  \n" + two, layout::lines) == expected);
        expect(read_text<user>('[' + one + ',' + two + ']', layout::array) == expected);
        expect(read_text<user>("\xef\xbb\xbf [\n " + one + "\n , \n" + two + "\n]\n\n",
                               layout::array) == expected);
    };

    "names match in any case and with any spaces, and the exact one wins"_test = [] {
        expect(read_text<entry>(R"({"KEY":"a","Val ue":1})", layout::lines) == "a=1\n");
        expect(read_text<entry>(R"({"KEY":"a","key":"b","Key":"c","value":1})", layout::lines) ==
               "b=1\n");
        expect(read_text<entry>(R"({"\u006bey":"a","value":1})", layout::lines) == "a=1\n");
        expect(read_text<user>(R"({"name":"a","age":1,"address.city":"Ulm"})", layout::lines) ==
               "a|1|-|-|Ulm|yes\n");
        expect(read_text<user>(R"({"name":"a","age":1,"Address":{"zip":1,"City":"Ulm"}})",
                               layout::lines) == "a|1|-|-|Ulm|yes\n");
    };

    "of keys that are there twice, the last one counts"_test = [] {
        const auto read = [](std::string_view text) {
            return read_text<entry>(text, layout::lines);
        };
        expect(read(R"({"key":"a","value":1,"key":"b","value":2})") == "b=2\n");
        expect(read(R"({"KEY":"a","KEY":"b","Value":1,"VALUE":2})") == "b=2\n");
        expect(read(R"({"key":"a","KEY":"b","value":1,"Key":"c"})") == "a=1\n");
        expect(read(R"({"Key":"a","key":"b","kEY":"c","value":1,"VALUE":2})") == "b=1\n");
        expect(read(R"({"k\u0065y":"a","key":"b","\u006bey":"c","value":1})") == "c=1\n");
        expect(read(R"({"key":"a","value":1,"value":null})").contains("no 'value' (it is null)"));
        expect(read_text<user>(R"({"name":"a","age":1,"score":1,"score":null})", layout::lines) ==
               "a|1|-|-|nowhere|yes\n");
        expect(read_text<user>(R"({"name":"a","age":1,"address.city":"x","address.city":null})",
                               layout::lines) == "a|1|-|-|nowhere|yes\n");
    };

    "unknown keys are ignored, whatever they hold and wherever they stand"_test = [] {
        expect(read_text<entry>(
                   R"({"x":{"y":[1,{"z":null}],"w":"\n"},"key":"a","q":[],"value":1,"e":{}}
{"value":2,"key":"b"}
{"q":1e9,"value":3,"x":true,"key":"c"}
{"key":"d","value":4})",
                   layout::lines) == "a=1\nb=2\nc=3\nd=4\n");
    };

    "null, a missing key and an empty string are no value where none is needed"_test = [] {
        const auto rest = [](std::string_view more) {
            return read_text<user>(R"({"name":"a","age":1)" + std::string{more} + '}',
                                   layout::lines);
        };
        expect(rest("") == "a|1|-|-|nowhere|yes\n");
        expect(rest(R"(,"score":null,"tariff":null,"active":null,"address":null)") ==
               "a|1|-|-|nowhere|yes\n");
        expect(rest(R"(,"score":"","tariff":"","phone":"")") == "a|1|-|-|nowhere|yes\n");
        // What an earlier row had does not stay.
        expect(
            read_text<user>(R"({"name":"a","age":1,"score":2,"address":{"city":"x"},"active":false}
{"name":"b","age":2})",
                            layout::lines) == "a|1|2.000000|-|x|no\nb|2|-|-|nowhere|yes\n");
    };

    "a cell may be a string or a bare value"_test = [] {
        expect(read_text<entry>(R"({"key":12345678901234567890,"value":"42"})", layout::lines) ==
               "12345678901234567890=42\n");
        expect(read_text<entry>(R"({"key":true,"value":-2147483648})", layout::lines) ==
               "true=-2147483648\n");
        expect(read_text<user>(R"({"name":"a","age":0,"score":-1.5e3,"active":0})",
                               layout::lines) == "a|0|-1500.000000|-|nowhere|no\n");
    };

    "views stay until the next row, escaped or not"_test = [] {
        auto reader = bulk::json::reader<views>::open(
            bulk::bytes_of_text(R"({"first":"a\tb","second":"\u00e4\u00f6"})"), layout::lines);
        views row;
        expect(reader.next(row) == bulk::read_status::row);
        expect(row.first == "a\tb" and row.second == "\xc3\xa4\xc3\xb6");
    };

    "no elements are no rows"_test = [] {
        expect(read_text<entry>("", layout::lines).empty());
        expect(read_text<entry>("\n \n", layout::lines).empty());
        expect(read_text<entry>("[]", layout::array).empty());
        expect(read_text<entry>(" [ \n ] ", layout::array).empty());
    };
};

suite<"bad input"> bad_input = [] {
    "one bad element never hurts the next"_test = [] {
        expect(read_text<entry>(R"([
{"key":"a","value":1},
{"key":"b","value":x},
null,
{"key":"unclosed,"value":1},
{"key":"c","value":2}},
{"key":"d","value":3},
,
{"key":"e","value":4},])",
                                layout::array) ==
               "a=1\n"
               "2: line 3, column 'value': a value is expected, at byte 20 of the element\n"
               "3: line 4: the element is null; an object is expected\n"
               "4: line 5: a ',' or the closing '}' is expected, at byte 19 of the element\n"
               "5: line 6: there is text behind the element, at byte 22 of the element\n"
               "d=3\n"
               "7: line 8: the element is missing: there is a comma too many\n"
               "e=4\n"
               "9: line 9: the element is missing: there is a comma too many\n");
    };

    "every error says what and where"_test = [] {
        expect(problem_of(R"({"key":"a","value":"x"})") ==
               "line 1, column 'value', 'x': it is not a whole number"s);
        expect(problem_of(R"({"key":"a","value":1.5})") ==
               "line 1, column 'value', '1.5': it is not a whole number"s);
        expect(problem_of(R"({"key":"a","value":3000000000})").contains("out of range"));
        expect(problem_of(R"({"key":"a","value":""})") ==
               "line 1, column 'value': the field is empty"s);
        expect(problem_of(R"({"key":"a","value":null})") ==
               "line 1, column 'value': the element has no 'value' (it is null)"s);
        expect(problem_of(R"({"kex":"a"})") ==
               "line 1, column 'key': the element has no 'key' (is it 'kex'?), 'value'"s);
        expect(problem_of(R"({})") == "line 1, column 'key': the element has no 'key', 'value'"s);
        expect(problem_of(R"({"key":{"a":1},"value":1})") ==
               "line 1, column 'key': it is an object; the column takes one value"s);
        expect(problem_of(R"({"key":[1],"value":1})") ==
               "line 1, column 'key': it is an array; the column takes one value"s);
        expect(problem_of("[1]") == "line 1: the element is an array; an object is expected"s);
        expect(problem_of("{\"key\":\"a\tb\",\"value\":1}") ==
               "line 1, column 'key': the string holds a control character; JSON writes it as an "
               "escape, at byte "
               "10 of the element"s);
        expect(problem_of("{\"key\":\"a\xff\",\"value\":1}") ==
               "line 1, column 'key': the string is not valid UTF-8, at byte 8 of the element"s);
        expect(problem_of(R"({"key":"a\x","value":1})").contains("escape that JSON does not know"));
        expect(problem_of(R"({"key":"\ud800","value":1})").contains("escape"));
        expect(problem_of(R"({"key":"a)").contains("never closed"));
        expect(problem_of(R"({"key":"abc","value":1})", {.field_bytes = 2}) ==
               "line 1, column 'key', 'abc': the field has 3 bytes; the limit is 2"s);
        expect(problem_of(R"({"key":"abc","value":1})", {.row_bytes = 20}) ==
               "line 1: the row has 23 bytes; the limit is 20"s);
    };

    "personal cells are not shown"_test = [] {
        auto reader = bulk::json::reader<user>::open(
            bulk::bytes_of_text(R"({"name":"a","age":1,"phone":["0170"]}
{"name":"a","age":1,"phone":"01701234"})"),
            layout::lines, {.field_bytes = 6});
        user row;
        expect(reader.next(row) == bulk::read_status::bad_row);
        expect(!to_text(reader.problem()).contains("0170"));
        expect(reader.next(row) == bulk::read_status::bad_row);
        expect(to_text(reader.problem()) ==
               "line 2, column 'phone', '***': the field has 8 bytes; the limit is 6"s);
    };

    "depth is limited"_test = [] {
        const auto nested = [](std::size_t depth) {
            return R"({"key":"a","value":1,"x":)" + std::string(depth, '[') +
                   std::string(depth, ']') + '}';
        };
        expect(problem_of(nested(31)) == "row"s);
        expect(problem_of(nested(32)) ==
               "line 1: it is nested too deep; the limit is 32, at byte 57 of the element"s);
        expect(problem_of(nested(1'000'000)).contains("too deep"));
        expect(problem_of(nested(300), {.json_depth = 301}) == "row"s);
    };

    "what is no array fails the file"_test = [] {
        const auto failure = [](std::string_view text) {
            return read_text<entry>(text, layout::array);
        };
        expect(failure("").contains("the file is empty"));
        expect(failure(" \n").contains("the file is empty"));
        expect(failure("\n{\"key\":1}").contains("line 2 begins with '{'"));
        expect(failure(R"([{"key":"a","value":1})").contains("never closed"));
        expect(failure("[{\"key\":\"a\",\"value\":1},\n{\"key\":").contains("line 2"));
        expect(failure(R"([{"key":"a","value":1}] x)") ==
               "a=1\nfailure: there is text behind the array, in line 1\n");
        expect(failure("[]]").contains("text behind the array"));
    };
};

/// Elements that are JSON and elements that are not, by RFC 8259.
suite<"the standard"> standard = [] {
    "JSON is taken"_test = [] {
        for (const std::string_view value : {"0",
                                             "-0",
                                             "1",
                                             "-1",
                                             "123456789012345678901234567890",
                                             "0.5",
                                             "-0.0",
                                             "1e5",
                                             "1E+5",
                                             "1e-5",
                                             "1.5e300",
                                             "0e0",
                                             "true",
                                             "false",
                                             "null",
                                             "\"\"",
                                             "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                             "\"\\u0000\\uD834\\uDD1E\"",
                                             "\"\x7f\"",
                                             "\"\xc3\xa9\"",
                                             "[]",
                                             "[ ]",
                                             "[1 ,2]",
                                             "{}",
                                             "{ }",
                                             "{\"\":0}",
                                             "{\"a\":1,\"a\":2}",
                                             "[[[]]]"}) {
            const auto element = R"({"key":"a","value":1,"x": )" + std::string{value} + " }";
            expect(problem_of(element) == "row"s) << value;
        }
    };

    "what is not JSON is refused"_test = [] {
        for (const std::string_view value : {"",
                                             "+1",
                                             "01",
                                             "-01",
                                             "1.",
                                             ".5",
                                             "-",
                                             "1e",
                                             "1e+",
                                             "0x1",
                                             "1_0",
                                             "NaN",
                                             "Infinity",
                                             "-Infinity",
                                             "tru",
                                             "True",
                                             "nul",
                                             "'a'",
                                             "\"\\x\"",
                                             "\"\\",
                                             "\"\\u12\"",
                                             "\"\\u12g4\"",
                                             "\"a",
                                             "\"\n\"",
                                             "[1,]",
                                             "[,1]",
                                             "[1 2]",
                                             "[1",
                                             "[1}",
                                             "{\"a\"}",
                                             "{\"a\":}",
                                             "{a:1}",
                                             "{1:1}",
                                             "{\"a\":1,}",
                                             "{\"a\" 1}",
                                             "{\"a\":1",
                                             "{\"a\":1]",
                                             "1 2",
                                             "[\"a\"b]",
                                             "\"\xed\xa0\x80\"",
                                             "\"\xc0\x80\"",
                                             "[\xff]",
                                             "{\"a\":1 \"b\":2}",
                                             "\"\\uDC00\"",
                                             "\f1",
                                             "1a",
                                             "// c\n1",
                                             "/**/1",
                                             "[1]]",
                                             "\"\x01\""}) {
            const auto element = R"({"key":"a","value":1,"x": )" + std::string{value} + " }";
            expect(problem_of(element) != "row"s) << value;
        }
        for (const std::string_view value : {"01", "-01", "1.", ".5", "+1", "0x1", "1e", "--1"}) {
            const auto element = R"({"key":"a","value":)" + std::string{value} + "}";
            expect(problem_of(element).contains("JSON") or problem_of(element).contains("value is"))
                << value << problem_of(element);
        }
    };
};

std::string random_file(std::mt19937& random, layout layout) {
    std::string text;
    const auto space = [&] {
        if (random() % 4 == 0) text += layout == layout::array && random() % 2 == 0 ? " \n " : " ";
    };
    if (layout == layout::array) text += '[';
    const auto rows = random() % 30;
    for (std::size_t i = 0; i < rows; ++i) {
        if (layout == layout::array && i > 0) text += ',';
        space();
        switch (random() % 9) {
            case 0:
                text += R"({"key":"with \"quotes\", [brackets] and \\","value":7})";
                break;
            case 1:
                text += R"({"key":1,"value":"bad"})";
                break;
            case 2:
                text += "null";
                break;
            case 3:
                text += R"({"key": "x", "more": {"a": [1, 2, {"b": "]}"}]}, "value": 3 })";
                break;
            case 4:
                text += R"({"key":")" + std::string(400, 'x') + R"(","value":1})";
                break;
            case 5:
                text += R"({"key":"open,"value":1})";
                break;
            default:
                text += R"({"key":"k)" + std::to_string(random() % 100) + R"(","value":)" +
                        std::to_string(random() % 10000) + '}';
                break;
        }
        space();
        if (layout == layout::lines || random() % 3 == 0) text += random() % 2 == 0 ? "\n" : "\r\n";
    }
    if (layout == layout::array) text += ']';
    return text;
}

suite<"any way of reading"> ways = [] {
    "windows, pieces and slices change nothing"_test = [] {
        std::mt19937 random{5};
        const bulk::row_limits limits{.row_bytes = 300};
        for (int seed = 0; seed < 400; ++seed) {
            const auto layout = seed % 2 == 0 ? layout::array : layout::lines;
            const std::string text = random_file(random, layout);
            const std::string expected = read_text<entry>(text, layout, limits);
            for (const std::size_t window : {64U, 100U, 301U, 5000U})
                for (const std::size_t piece : {1U, 13U, 1000U})
                    if (const auto all = read_all(bulk::json::reader<entry>::open(
                            in_pieces(text, piece), layout, limits, window));
                        all != expected)
                        expect(false) << seed << window << text << "\n" << expected << "\n" << all;
            if (expected.contains("failure")) continue;
            for (const std::uint64_t size : {1U, 2U, 7U, 1000U}) {
                bulk::json::slicer slicer{in_pieces(text, 50), layout, size, limits};
                std::string all;
                while (true) {
                    const auto slice = slicer.next();
                    expect(fatal(slice.has_value()));
                    if (!*slice) break;
                    all += read_all(bulk::json::reader<entry>::open_slice(
                        bulk::bytes_of_text(
                            std::string_view{text}.substr((*slice)->offset, (*slice)->text_size())),
                        **slice, layout, limits));
                }
                expect(all == expected) << "seed" << seed << "slices of" << size << "\n" << text;
            }
        }
    };

    "rows that are skipped count"_test = [] {
        std::string text;
        for (int number = 1; number <= 5; ++number)
            text += R"({"key": "k", "value": )" + std::to_string(number) + "}\n";
        auto opened = bulk::json::reader<entry>::open(bulk::bytes_of_text(text), layout::lines);
        entry row;
        expect(opened.skip(3) == bulk::read_status::row);
        expect(opened.next(row) == bulk::read_status::row and row.value == 4_i);
        expect(opened.skip(2) == bulk::read_status::end and to_number(opened.row()) == 5_u);
    };

    "a source that fails, fails the file"_test = [] {
        auto reader = bulk::json::reader<entry>::open(
            bulk::byte_source{[](std::span<char>) -> bulk::result<std::size_t> {
                return bulk::fail(bulk::errc::unavailable, "the network is down");
            }},
            layout::lines);
        entry row;
        expect(reader.next(row) == bulk::read_status::failure);
        expect(reader.error().message == "the network is down"s);
        expect(reader.next(row) == bulk::read_status::failure);
    };
};

}  // namespace

int main() {}
