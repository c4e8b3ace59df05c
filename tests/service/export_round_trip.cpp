// What the writers of an export write, the readers read as the same rows: from the file, from what the
// records have kept, in every format.
#include <bulk/rows/open.hpp>
#include <bulk/service/data_writer.hpp>
#include <bulk/service/report_writer.hpp>

#include <support/every_type.hpp>
#include <support/ut.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using bulk::export_format;
using support::every_type, support::row_maker;

namespace {

constexpr std::pair<export_format, std::string_view> formats[] = {
    {export_format::csv, "rows.csv"},
    {export_format::json, "rows.json"},
    {export_format::ndjson, "rows.ndjson"}};

/// What is different between the rows and those of the file, or nothing.
std::string difference(const std::vector<every_type>& rows, std::string_view text,
                       std::string_view name) {
    auto opened = bulk::open_rows<every_type>(bulk::bytes_of_text(text), name);
    if (!opened) return opened.error().message;
    every_type row;
    for (auto expected : rows) {
        if (opened->next(row) != bulk::read_status::row) return to_text(opened->problem());
        if (name == "rows.csv" && expected.maybe == "") expected.maybe.reset();
        if (support::members_of(row) != support::members_of(expected)) return row.id;
    }
    return opened->next(row) == bulk::read_status::end ? "" : "more than was written";
}

struct reported {
    std::uint64_t row = 0;
    std::string error_message;
    std::string id;
    std::string text;
};
BULK_ROW(reported, row, error_message, (id, .column = "data.id"), (text, .column = "data.text"));

struct reported_in_csv {
    std::uint64_t row = 0;
    std::string error_message;
    std::string id;
    std::string text;
};
BULK_ROW(reported_in_csv, row, error_message, id, text);

suite<"exports"> exports = [] {
    "rows from the file and from their records are read as they were"_test = [] {
        const bulk::row_standing standing{};
        for (std::uint64_t seed = 1; seed <= 150; ++seed) {
            row_maker random{seed};
            std::vector<every_type> rows(random.below(4));
            for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = random.row(i);
            for (const auto& [format, name] : formats)
                for (const bool from_records : {false, true}) {
                    bulk::converting_writer<every_type> writer{format, {}, true};
                    std::string out;
                    writer.begin(out);
                    for (const auto& row : rows) {
                        std::vector<bulk::row_record> records(1);
                        bulk::json::write_row(records[0].row_data, row, {.reveal_pii = true});
                        bulk::exported_row<every_type> each{.standing = standing};
                        if (from_records)
                            each.records = records;
                        else
                            each.row = &row;
                        expect(writer.put(out, each)) << "seed" << seed << records[0].row_data;
                    }
                    writer.end(out);
                    const auto wrong = difference(rows, out, name);
                    expect(wrong.empty()) << "seed" << seed << name << wrong;
                }
        }
    };

    "a row that is longer as JSON than a row may be is read from its record"_test = [] {
        row_maker random{3};
        auto row = random.row(1);
        row.text = std::string(900'000, '\x01');
        row.odd = row.city = row.text;
        row.secret = bulk::pii{row.text};
        std::vector<bulk::row_record> records(1);
        bulk::json::write_row(records[0].row_data, row, {.reveal_pii = true});
        expect(records[0].row_data.size() > bulk::row_limits{}.row_bytes);
        const bulk::row_standing standing{};
        bulk::converting_writer<every_type> writer{export_format::csv, {}, true};
        std::string out;
        writer.begin(out);
        expect(writer.put(out, {.standing = standing, .records = records}));
        expect(difference({row}, out, "rows.csv").empty());
    };

    "a report is text, whatever the error quotes"_test = [] {
        const bulk::operation_description about{};
        for (const auto& [format, name] : formats) {
            row_maker random{4};
            auto row = random.row(1);
            row.text = "plain";  // a spreadsheet's formulas are guarded
            bulk::row_record record;
            record.error_message = "line 2, column 'x', 'a\xff\x01\"': it is not valid UTF-8";
            const bulk::row_standing standing{.last = &record};
            bulk::report_writer<every_type> writer{format, about, {}, true};
            std::string out;
            writer.begin(out);
            expect(writer.put(out, {.standing = standing, .row = &row}));
            writer.end(out);
            const auto check = [&]<typename Row>(Row read) {
                auto opened = bulk::open_rows<Row>(bulk::bytes_of_text(out), name);
                expect(fatal(opened.has_value())) << name << opened.error().message;
                expect(opened->next(read) == bulk::read_status::row)
                    << name << to_text(opened->problem());
                expect(read.error_message ==
                       "line 2, column 'x', 'a\xef\xbf\xbd\x01\"': it is not valid UTF-8"s);
                expect(read.id == row.id and read.text == row.text);
            };
            if (format == export_format::csv)
                check(reported_in_csv{});
            else
                check(reported{});
        }
    };
};

}  // namespace

int main() {}
