#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/json/object_writer.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;

namespace object_writer_test {

struct browser {
    static constexpr bool quotes_wide_numbers = true;
    static constexpr int decimals = 3;
    static std::string moment(bulk::timestamp value) {
        return std::to_string(value.time_since_epoch().count());
    }
};
struct shell {
    static constexpr bool quotes_wide_numbers = false;
    static constexpr int decimals = 1;
    static std::string moment(bulk::timestamp) { return "then"; }
};

/// Spells names in its own way, and knows no null.
struct spelled : shell {
    static constexpr bool omits_none = true;
    static std::string member_name(std::string_view name) { return "my_" + std::string{name}; }
    static std::string choice(bulk::row_state) { return "some state"; }
};

struct step {
    std::string name{};
    std::optional<int> index{};
};
BOOST_DESCRIBE_STRUCT(step, (), (name, index))

struct nothing {};
BOOST_DESCRIBE_STRUCT(nothing, (), ())

struct row {
    bulk::uuid id{};
    std::uint64_t number = 0;
    bulk::row_state state{};
    double rate = 0;
    bool is_last = false;
    std::vector<step> steps{};
    nothing rest{};
};
BOOST_DESCRIBE_STRUCT(row, (), (id, number, state, rate, is_last, steps, rest))

}  // namespace object_writer_test

namespace {

using namespace object_writer_test;
template <typename Style>
using object = bulk::json::object_writer<Style>;

template <typename Style, typename T>
std::string written(const T& value) {
    std::string text;
    bulk::json::write_styled<Style>(text, value);
    return text;
}

suite<"object writer"> writer = [] {
    "a described struct is an object of its members, in their order"_test = [] {
        const row value{.number = 7,
                        .state = bulk::row_state::failed,
                        .rate = 2.25,
                        .steps = {{"Book", 1}, {"Advise \"now\"", std::nullopt}}};
        expect(written<browser>(value) ==
               R"({"id":"00000000-0000-0000-0000-000000000000","number":"7","state":"failed",)"
               R"("rate":2.250,"is_last":false,"steps":[{"name":"Book","index":1},)"
               R"({"name":"Advise \"now\"","index":null}],"rest":{}})")
            << written<browser>(value);
        expect(written<shell>(value).contains(R"("number":7,"state":"failed","rate":2.2,)"))
            << written<shell>(value);
    };

    "a style may spell names in its own way, and leave out what has no value"_test = [] {
        const row value{.number = 7, .steps = {{"Book", 1}, {"Advise", std::nullopt}}};
        expect(written<spelled>(value) ==
               R"({"my_id":"00000000-0000-0000-0000-000000000000","my_number":7,)"
               R"("my_state":"some state","my_rate":0.0,"my_is_last":false,)"
               R"("my_steps":[{"my_name":"Book","my_index":1},{"my_name":"Advise"}],"my_rest":{}})")
            << written<spelled>(value);
        expect(bulk::json::member_name<shell>("rate") == "rate");
        expect(bulk::json::choice_name<shell>(bulk::row_state::failed) == "failed");
        expect(bulk::json::omits_none<spelled> and !bulk::json::omits_none<shell>);
    };

    "numbers of 64 bits are quoted where the reader would round them"_test = [] {
        expect(written<browser>(std::uint64_t{1} << 63) == R"("9223372036854775808")");
        expect(written<shell>(std::uint64_t{1} << 63) == "9223372036854775808");
        expect(written<browser>(-5) == "-5");
        expect(written<browser>(std::int64_t{-5}) == R"("-5")");
    };

    "a number that JSON does not have is null"_test = [] {
        for (const double value :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            expect(written<browser>(value) == "null");
            expect(object<shell>{}.add("rate", value).json() == R"({"rate":null})");
        }
    };

    "texts, moments, lists and objects are values of an object"_test = [] {
        const auto made = object<shell>{}
                              .add("text", "a\nb\xff")
                              .add("view", std::string_view{"v"})
                              .add("moment", bulk::timestamp{})
                              .add("none", std::optional<bulk::timestamp>{})
                              .add("list", std::vector<std::string>{"x", "y"})
                              .add("objects", std::vector{object<shell>{}.add("n", 1)})
                              .add_raw("raw", "[1]")
                              .add_raw("no", "")
                              .json();
        expect(made ==
               "{\"text\":\"a\\nb\xef\xbf\xbd\",\"view\":\"v\",\"moment\":\"then\","
               "\"none\":null,\"list\":[\"x\",\"y\"],\"objects\":[{\"n\":1}],"
               "\"raw\":[1],\"no\":null}")
            << made;
        expect(object<browser>{}.json() == "{}");
        expect(bulk::json::array_writer<browser>{}.json() == "[]");
        expect(bulk::json::array_writer<browser>{}.add(1).add("b").json() == R"([1,"b"])");
    };
};

}  // namespace

int main() {}
