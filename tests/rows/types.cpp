// Dates, times, decimals, UUIDs and personal data as columns.
#include "cell_text.hpp"

#include <bulk/operation/declare.hpp>
#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/to_text.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <string>

using namespace boost::ut;
using namespace std::chrono;
using namespace std::string_literals;
using cell_text::read, cell_text::refuses;

namespace {

suite<"dates"> dates = [] {
    "a day in ISO 8601 or in a form of one's own"_test = [] {
        expect(read<year_month_day>("2024-02-29").value() == 2024y / February / 29);
        expect(read<sys_days>("1969-12-31").value() == sys_days{1969y / December / 31});
        expect(bulk::from_text(std::type_identity<year_month_day>{}, "3.11.2026", "%d.%m.%Y")
                   .value() == 2026y / November / 3);
        refuses<year_month_day>("2023-02-29", "there is no such day");
        refuses<year_month_day>("2023-13-01", "there is no such day");
        refuses<year_month_day>("2023-1", "it is not a date in the form %Y-%m-%d");
        refuses<year_month_day>("2023-01-01x", "it is not a date in the form %Y-%m-%d");
        refuses<year_month_day>("", "it is not a date in the form %Y-%m-%d");
    };

    "a moment, with or without fraction and offset"_test = [] {
        const auto noon = sys_days{2026y / January / 2} + 12h;
        using ms = sys_time<milliseconds>;
        expect(read<ms>("2026-01-02T12:00:00Z").value() == noon);
        expect(read<ms>("2026-01-02 12:00:00").value() == noon) << "no offset is UTC";
        expect(read<ms>("2026-01-02T12:00:00.250+02:00").value() == noon - 2h + 250ms);
        expect(read<ms>("2026-01-02T12:00:00-0530").value() == noon + 5h + 30min);
        expect(read<ms>("2026-01-02T12:00:00+01").value() == noon - 1h);
        expect(read<sys_seconds>("2026-01-02T12:00:00.999Z").value() == noon) << "cut, not rounded";
        expect(read<sys_seconds>("9999-12-31T23:59:59Z").value() ==
               sys_days{9999y / December / 31} + 23h + 59min + 59s);
        expect(read<ms>("0000-01-01T00:00:00Z").value() == sys_days{0y / January / 1});
        using ns = sys_time<nanoseconds>;
        expect(read<ns>("2262-04-11T23:47:16.854775807Z").value() == ns::max());
        expect(read<ns>("1677-09-21T00:12:43.145224192Z").value() == ns::min());
        refuses<ns>("2262-04-11T23:47:16.854775808Z", "it is out of range");
        refuses<ns>("1677-09-21T00:12:43.145224191Z", "it is out of range");
        refuses<ns>("9999-12-31T00:00:00Z", "it is out of range");
        expect(read<ms>("2016-12-31T23:59:60Z").value() == sys_days{2017y / January / 1})
            << "a leap second is the first second of the next minute";
        refuses<ms>("2016-12-31T23:59:61Z", "there is no such time of day");
        refuses<ms>("2026-01-02T25:00:00Z", "there is no such time of day");
        refuses<ms>("2026-01-02", "it is not a time in the form %Y-%m-%dT%H:%M:%S%z");
        refuses<ms>("2026-01-02T12:00:00+99:00",
                    "it is not a time in the form %Y-%m-%dT%H:%M:%S%z");
        refuses<ms>("2026-01-02T12:00:00.", "it is not a time in the form %Y-%m-%dT%H:%M:%S%z");
    };
};

suite<"decimal"> decimals = [] {
    "exact, to the last unit"_test = [] {
        expect(read<bulk::decimal<2>>("12.34").value().units == 1234_ll);
        expect(read<bulk::decimal<2>>("-0.5").value().units == -50_ll);
        expect(read<bulk::decimal<2>>("7").value().units == 700_ll);
        expect(read<bulk::decimal<0>>("7").value().units == 7_ll);
        expect(read<bulk::decimal<2>>("92233720368547758.07").value().units == INT64_MAX);
        expect(read<bulk::decimal<2>>("-92233720368547758.08").value().units == INT64_MIN);
        refuses<bulk::decimal<2>>("92233720368547758.08", "it is out of range");
        refuses<bulk::decimal<2>>("-92233720368547758.09", "it is out of range");
        refuses<bulk::decimal<2>>("1.234", "it has 3 decimals; at most 2 are kept");
        for (const auto* text : {"", "-", ".5", "1.", "1,5", "1.2.3", "+1", " 1", "1e3"})
            refuses<bulk::decimal<2>>(text, "it is not a number");
    };

    "what is written is read again"_test = [] {
        for (const std::int64_t units :
             {0L, 5L, -5L, 1234L, -1234L, INT64_MAX, INT64_MIN + 1, INT64_MIN}) {
            const bulk::decimal<2> value{units};
            expect(read<bulk::decimal<2>>(to_text(value)).value() == value) << to_text(value);
        }
        expect(to_text(bulk::decimal<3>{-7}) == "-0.007"s);
        expect(to_text(bulk::decimal<0>{42}) == "42"s);
    };
};

enum class letter : std::uint8_t { a, A, b };
BOOST_DESCRIBE_ENUM(letter, a, A, b)

suite<"enums"> enums = [] {
    "the exact name counts before one in another case"_test = [] {
        expect(read<letter>("A").value() == letter::A and read<letter>("a").value() == letter::a);
        expect(read<letter>("B").value() == letter::b);
        refuses<letter>(bulk::to_text(static_cast<letter>(9)), "it is none of a, A, b");
    };
};

struct person {
    bulk::uuid id;
    bulk::pii<std::string> name;
    std::optional<bulk::pii<int>> age;
    year_month_day born;
    std::optional<sys_seconds> seen;
    bulk::decimal<2> balance;
};
BULK_ROW(person, id, name, age, (born, .format = "%d.%m.%Y"), seen, balance);

static_assert(bulk::column_descriptions<person>[0].type == "uuid");
static_assert(bulk::column_descriptions<person>[1].type == "text");
static_assert(bulk::column_descriptions<person>[1].hidden &&
              !bulk::column_descriptions<person>[0].hidden);
static_assert(bulk::column_descriptions<person>[3].type == "date");
static_assert(bulk::column_descriptions<person>[4].type == "datetime");
static_assert(bulk::column_descriptions<person>[5].type == "decimal");

suite<"columns of these types"> columns = [] {
    const auto first = [](const std::string& row, person& into) {
        auto reader = bulk::csv::reader<person>::open(
                          bulk::bytes_of_text("id,name,age,born,seen,balance\n" + row + "\n"))
                          .value();
        const auto status = reader.next(into);
        return status == bulk::read_status::row ? "row"s : to_text(reader.problem());
    };
    const std::string id = "01923456-789a-7bcd-8123-456789abcdef";

    "a row of them"_test = [&] {
        person row;
        const std::string text = id + ",Ada,36,10.12.1815,1843-01-01T00:00:00Z,12.50";
        expect(first(text, row) == "row"s) << first(text, row);
        expect(row.name.reveal() == "Ada"s and row.age->reveal() == 36_i);
        expect(row.born == 1815y / December / 10 and row.balance.units == 1250_ll);
        expect(to_text(row.id) == id and to_text(row.name) == "***"s);
    };

    "no message shows what is personal"_test = [&] {
        person row;
        expect(first(id + ",Ada,secret,10.12.1815,,1", row) ==
               "line 2, column 'age', '***': it is not a whole number"s)
            << first(id + ",Ada,secret,10.12.1815,,1", row);
        expect(first("x,Ada,1,10.12.1815,,1", row) ==
               "line 2, column 'id', 'x': it is not a UUID of the form "
               "01234567-89ab-cdef-0123-456789abcdef"s);
        expect(first(id + ",Ada,1,1815-12-10,,1", row) ==
               "line 2, column 'born', '1815-12-10': it is not a date in the form %d.%m.%Y"s);
    };
};

}  // namespace

int main() {}
