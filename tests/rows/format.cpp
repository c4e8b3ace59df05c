#include <bulk/operation/declare.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/mapped_file.hpp>
#include <bulk/rows/open.hpp>

#include <support/property_format.hpp>
#include <support/ut.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

using entry = support::property;
using properties = support::property_format;

std::string temporary_path() {
    return std::filesystem::temp_directory_path() / ("bulk-format-" + std::to_string(::getpid()));
}

static_assert(bulk::row_reader<support::property_reader<entry>, entry>);
static_assert(bulk::row_reader<bulk::csv::reader<entry>, entry>);
static_assert(bulk::row_reader<bulk::json::reader<entry>, entry>);
static_assert(bulk::sliceable_format<bulk::csv_format>);
static_assert(bulk::sliceable_format<bulk::ndjson_format>);
static_assert(!bulk::sliceable_format<properties>);

template <typename Rows>
std::string show(Rows rows) {
    if (!rows) return rows.error().message;
    std::string all{rows->format()};
    entry row;
    while (true) {
        switch (rows->next(row)) {
            case bulk::read_status::row:
                all += ' ' + row.key + '=' + std::to_string(row.value);
                break;
            case bulk::read_status::bad_row:
                all += " (" + to_text(rows->problem()) + ')';
                break;
            case bulk::read_status::end:
                return all;
            case bulk::read_status::failure:
                return all + " failure: " + rows->error().message;
        }
    }
}

std::string read(std::string_view name, std::string_view text) {
    return show(bulk::open_rows<entry>(bulk::bytes_of_text(text), name));
}

suite<"formats"> formats_suite = [] {
    "by extension, then by content"_test = [] {
        constexpr auto csv = "key,value\na,1\n", tsv = "key\tvalue\na\t1\n";
        constexpr auto json = R"([{"key":"a","value":1}])", ndjson = R"({"key":"a","value":1})";
        for (const auto* name : {"x.csv", "x.CSV", "x.csv.gz", "x.csv.zst", "x", "x.txt", "x.gz"})
            expect(read(name, csv) == "csv a=1"s) << name;
        for (const auto* name : {"x.tsv", "x.tab", "x", "dir.csv/x.dat"})
            expect(read(name, tsv) == "tsv a=1"s) << name;
        for (const auto* name : {"x.json", "x.JSON.gz", "x", "x.data", "x.jsonl"})
            expect(read(name, json) == "json a=1"s) << name;
        for (const auto* name : {"x.ndjson", "x.jsonl", "x", "x.json"})
            expect(read(name, ndjson) == "ndjson a=1"s) << name;
        expect(read("x.ndjson", "").starts_with("ndjson"));
        expect(read("x.json", " ") ==
               "json failure: the file is empty; a JSON array of objects is expected"s);
        expect(read("x.ndjson", "null\n{\"key\":\"a\",\"value\":1}\n") ==
               "ndjson (line 1: the element is null; an object is expected) a=1"s)
            << "a bad first row is a bad row";
        expect(read("x.jsonl", "x,\n\n{\"key\":\"a\",\"value\":1}\n").ends_with(") a=1"));
        expect(read("x.json", "key,value\n").contains("begins with '['; line 1 begins with 'k'"));
        expect(read("x.csv", "[x],y\n").contains("no column"))
            << "a header may begin with anything";
    };

    "a format of the program's own comes first"_test = [] {
        const auto open = [](std::string_view name, std::string_view text) {
            return show(bulk::open_rows<entry>(bulk::bytes_of_text(text), name, {},
                                               bulk::formats<properties>));
        };
        expect(open("x.properties", "a=1\nb\nc=3\n") ==
               "properties a=1 (line 2: there is no '=') c=3"s);
        expect(open("x", "a=1\n") == "properties a=1"s);
        expect(open("x.csv", "key,value\na,1\n") == "csv a=1"s);
    };

    "errors name the file"_test = [] {
        expect(show(bulk::open_rows<entry>("/nowhere/x.csv"s)) ==
               "cannot open /nowhere/x.csv: No such file or directory"s);
        const std::string path = temporary_path() + ".csv";
        std::ofstream{path} << "kee,value\n";
        expect(show(bulk::open_rows<entry>(path)) ==
               path + ": the file has no column 'key' (is it 'kee'?)");
        std::remove(path.c_str());
    };
};

suite<"delimiters"> delimiters = [] {
    "the delimiter is found when asked for"_test = [] {
        const auto read = [](std::string_view text, bulk::csv::dialect dialect = {}) {
            dialect.detect_delimiter = true;
            return show(
                bulk::open_rows<entry>(bulk::bytes_of_text(text), "x.csv", {.dialect = dialect}));
        };
        for (const char c : {',', ';', '\t', '|'}) {
            const std::string d{c};
            expect(read("key" + d + "value\na" + d + "1\nb" + d + "2\n") == "csv a=1 b=2"s) << d;
            expect(read("\xef\xbb\xbfkey" + d + "value\r\na" + d + "1") == "csv a=1"s) << d;
        }
        expect(read("key;value\n\"a,b,c\";1\n\"x,y\n,z\";2\n") == "csv a,b,c=1 x,y\n,z=2"s);
        expect(read("key;value\na,b;1\nc,d;2\n") == "csv a,b=1 c,d=2"s);
        expect(read("# a,b,c,d\nkey|value\na|1\n", {.comment = '#'}) == "csv a=1"s);
        expect(read("key\na\n").contains("no column 'value'"));
        expect(read("").contains("empty"));
    };
};

suite<"mapped files"> mapped = [] {
    "a mapped file is read where it is"_test = [] {
        const std::string path = temporary_path();
        std::string text = "key,value\n";
        for (int i = 0; i < 20000; ++i) text += "k,1\n";
        std::ofstream{path} << text;
        auto bytes = bulk::bytes_of_mapped_file(path);
        expect(fatal(bytes.has_value()));
        auto rows = bulk::open_rows<entry>(std::move(*bytes), path);
        expect(fatal(rows.has_value()));
        std::remove(path.c_str());
        entry row;
        int count = 0;
        while (rows->next(row) == bulk::read_status::row) count += row.value;
        expect(count == 20000_i);
        expect(bulk::bytes_of_mapped_file("/nowhere/x").error().code == bulk::errc::not_found);
        std::ofstream{path} << "";
        expect(bulk::bytes_of_mapped_file(path).value().memory()->empty());
        std::remove(path.c_str());
    };
};

}  // namespace

int main() {}
