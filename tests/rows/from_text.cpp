#include "cell_text.hpp"

#include <bulk/rows/column.hpp>
#include <bulk/rows/from_text.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

using namespace boost::ut;
using namespace std::string_literals;
using cell_text::read, cell_text::refuses;

namespace {

enum class colour { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)

suite<"from_text"> from_text = [] {
    "whole numbers, to their limits"_test = [] {
        expect(read<int>("-42").value() == -42_i);
        expect(read<std::uint8_t>("255").value() == 255_u8);
        expect(read<std::int64_t>("-9223372036854775808").value() == INT64_MIN);
        refuses<std::uint8_t>("256", "it is out of range: it must be from 0 to 255");
        refuses<int>("12x", "it is not a whole number");
        refuses<int>("", "it is not a whole number");
        refuses<int>(" 1", "it is not a whole number");
        refuses<int>("1.5", "it is not a whole number");
        refuses<unsigned>("-1", "it is out of range: it must be from 0 to 4294967295");
        refuses<unsigned>("-", "it is not a whole number");
        expect(read<unsigned>("-0").value() == 0_u);
        refuses<int>("99999999999x", "it is not a whole number");
    };

    "numbers with a fraction"_test = [] {
        expect(read<double>("1.5").value() == 1.5_d);
        expect(read<double>("-2e3").value() == -2000.0_d);
        expect(read<float>("0.25").value() == 0.25_f);
        refuses<double>("1,5", "it is not a number");
        refuses<double>("nan", "it is not a number");
        refuses<double>("inf", "it is not a number");
        refuses<double>("1e999", "it is out of range");
        refuses<double>("", "it is not a number");
        refuses<double>("+1", "it is not a number");
    };

    "yes and no"_test = [] {
        for (const auto* text : {"true", "TRUE", "1"}) expect(read<bool>(text).value()) << text;
        for (const auto* text : {"false", "False", "0"}) expect(!read<bool>(text).value()) << text;
        refuses<bool>("yes", "it is none of true, false, 1, 0");
    };

    "text, with and without a copy"_test = [] {
        const std::string cell = "Zoë";
        expect(read<std::string>(cell).value() == cell);
        expect(read<std::string_view>(cell).value().data() == cell.data());
    };

    "enumerators by name, in any case"_test = [] {
        expect(read<colour>("GREEN").value() == colour::green);
        for (const auto* const text : {"blue", "0", "1", ""})  // not by number
            refuses<colour>(text, "it is none of red, green");
    };

    "an empty cell is no value, a bad one is an error"_test = [] {
        expect(!read<std::optional<int>>("").value().has_value());
        expect(read<std::optional<int>>("7").value() == 7);
        refuses<std::optional<int>>("x", "it is not a whole number");
    };

    "what is no column is known before"_test = [] {
        static_assert(bulk::readable_from_text<int> && bulk::readable_from_text<std::string>);
        static_assert(bulk::readable_from_text<std::optional<colour>>);
        static_assert(!bulk::readable_from_text<char> && !bulk::readable_from_text<void*>);
        static_assert(!bulk::readable_from_text<std::optional<char>>);
        static_assert(!bulk::readable_from_text<std::optional<std::optional<char>>>);
    };
};

suite<"column"> columns = [] {
    "types have names for people"_test = [] {
        static_assert(bulk::type_name<std::int8_t>() == "int8");
        static_assert(bulk::type_name<std::uint16_t>() == "uint16");
        static_assert(bulk::type_name<int>() == "int32");
        static_assert(bulk::type_name<unsigned long long>() == "uint64");
        static_assert(bulk::type_name<float>() == "float" && bulk::type_name<double>() == "double");
        static_assert(bulk::type_name<bool>() == "bool");
        static_assert(bulk::type_name<std::optional<std::string>>() == "text");
        static_assert(bulk::type_name<colour>() == "enum");
    };

    "columns match in any case and with any spaces"_test = [] {
        static_assert(bulk::same_column("First Name", "firstname"));
        static_assert(bulk::same_column("first name ", " FIRST NAME"));
        static_assert(!bulk::same_column("first", "first name"));
        static_assert(!bulk::same_column("first_name", "first name"));
        static_assert(bulk::same_column("", "  "));
    };
};

}  // namespace

int main() {}
