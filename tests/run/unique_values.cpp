#include <bulk/declare.hpp>
#include <bulk/run/unique_values.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;

namespace {

struct device {
    std::string imei;
    std::string note;
};
BULK_ROW(device, (imei, .column = "IMEI", .row_id = true, .unique = true), note);

struct person {
    std::optional<bulk::pii<std::string>> name;
};
BULK_ROW(person, (name, .row_id = true, .unique = true));

template <typename Row>
std::string repeated(bulk::unique_values<Row>& seen) {
    std::string all;
    for (const auto& each : seen.take_repeated())
        all +=
            std::to_string(to_number(each.row)) + '=' + std::to_string(to_number(each.first)) + ';';
    return all;
}

suite<"unique values"> unique = [] {
    "the later row is the one that repeats, whatever the order they come in"_test = [] {
        bulk::unique_values<device> seen;
        for (const auto& [row, imei] :
             {std::pair{9U, "b"}, {7U, "a"}, {2U, "a"}, {30U, "a"}, {31U, "aa"}, {32U, ""}})
            seen.add({imei, "same"}, bulk::row_number{row});
        expect(repeated(seen) == "7=2;30=2;");
        expect(repeated(seen).empty()) << "each is given once";
    };

    "its message names the column and the row, and never the value"_test = [] {
        bulk::unique_values<person> seen;
        seen.add({bulk::pii{std::string{"Ann"}}}, bulk::row_number{1});
        seen.add({}, bulk::row_number{2});
        seen.add({}, bulk::row_number{3});
        seen.add({bulk::pii{std::string{"Ann"}}}, bulk::row_number{4});
        const auto found = seen.take_repeated();
        expect(fatal(found.size() == 1_ul)) << "no value is not a value";
        expect(to_text(found[0]) == "column 'name' must be unique, and row 1 has the same value");
    };

    "a hundred thousand values, some twice"_test = [] {
        std::mt19937 random{3};
        std::vector<std::uint64_t> rows(100'000);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i + 1;
        std::ranges::shuffle(rows, random);
        bulk::unique_values<device> seen;
        for (const auto row : rows) {
            const auto text = std::to_string(row % 99'000);  // 1 000 of them twice
            seen.add({text, text}, bulk::row_number{row});
        }
        const auto found = seen.take_repeated();
        expect(found.size() == 1'000_ul);
        for (const auto& each : found)
            expect(to_number(each.row) == to_number(each.first) + 99'000);
    };
};

}  // namespace

int main() {}
