#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/rows/json/value.hpp>

#include <support/ut.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

struct request {
    std::string requested_by;
    std::optional<int> limit;
    bool dry = false;
    bulk::pii<std::string> token;
    bool operator==(const request&) const = default;
};
BULK_METADATA(request, (requested_by, .name = "requestedBy"), limit, (dry, .required = false),
              (token, .required = false));

struct nested {
    std::optional<std::string> note;
    std::optional<int> limit = 5;
    bulk::json::value<std::string> label;
    std::optional<bulk::pii<int>> pin;
};
BULK_METADATA(nested, note, limit, label, pin);

std::string problem(std::string_view text) {
    const auto read = bulk::json::read_metadata<request>(text);
    return read ? "none" : read.error().message;
}

suite<"metadata"> metadata = [] {
    "a JSON object becomes metadata and back"_test = [] {
        const auto read = bulk::json::read_metadata<request>(
            R"( {"requestedBy":"Zo\u00eb \"Z\"","limit":7,"more":[1,{}],"dry":true,"token":"t"} )");
        expect(fatal(read.has_value())) << read.error().message;
        const request wanted{"Zo\xc3\xab \"Z\"", 7, true, bulk::pii{"t"s}};
        expect(*read == wanted);
        expect(bulk::json::read_metadata<request>(bulk::json::metadata_text(wanted)).value() ==
               wanted);
        expect(bulk::json::read_metadata<request>(R"({"REQUESTED BY":"x","limit":null})").value() ==
               request{"x", std::nullopt, false, {}});
        expect(bulk::json::read_metadata<bulk::no_metadata>("").has_value());
        expect(bulk::json::read_metadata<bulk::no_metadata>("{}").has_value());
    };

    "an empty string is not null, and JSON keeps its quotes"_test = [] {
        const auto read =
            bulk::json::read_metadata<nested>(R"({"note":"","limit":null,"label":"\"a\""})");
        expect(fatal(read.has_value())) << read.error().message;
        expect(read->note == "" and !read->limit and *read->label == "\"a\""s);
        expect(bulk::json::read_metadata<nested>(R"({"label":"a"})")->limit == 5);
    };

    "personal values are not shown"_test = [] {
        expect(bulk::json::read_metadata<nested>(R"({"label":"a","pin":"geheim"})")
                   .error()
                   .message.contains("'pin': '***': it is not a whole number"));
    };

    "all that is wrong is said"_test = [] {
        expect(problem("") == "the metadata cannot be used: 'requestedBy': it is required"s);
        expect(problem(R"({"limit":"x","dry":3})") ==
               "the metadata cannot be used: 'requestedBy': it is required; 'limit': 'x': it is "
               "not a whole number; 'dry': '3': it is none of true, false, 1, 0"s);
        expect(problem(R"({"requestedBy":{}})") ==
               "the metadata cannot be used: 'requestedBy': it takes one value, not an object or "
               "array"s);
        expect(problem("[1]") ==
               "the metadata is not a JSON object: it does not begin with '{', at byte 1"s);
        expect(problem(R"({"a":})").contains("a value is expected, at byte 6"));
        expect(problem("{} x").contains("text behind"));
    };

    "32 levels of objects and arrays are accepted, 33 are refused"_test = [] {
        const auto nested = [](std::size_t levels, const std::string& open,
                               const std::string& close) {
            std::string text = R"({"requestedBy":"x","limit":1,"other":)";  // the first level
            for (std::size_t i = 1; i < levels; ++i) text += open;
            text += '0';
            for (std::size_t i = 1; i < levels; ++i) text += close;
            return text + '}';
        };
        for (const auto& [open, close] : {std::pair{"["s, "]"s}, std::pair{R"({"a":)"s, "}"s}}) {
            expect(problem(nested(32, open, close)) == "none"s) << open;
            expect(problem(nested(33, open, close)).contains("it is nested too deep")) << open;
            expect(problem(nested(100'000, open, close)).contains("it is nested too deep")) << open;
        }
    };
};

}  // namespace

int main() {}
