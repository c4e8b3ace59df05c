// Whatever is written, every reader reads as the same: all types of columns, all formats and dialects,
// packed or not, in pieces of any size. `rows_round_trip SEED` shows the file of one seed.
#include <bulk/rows/csv/writer.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/open.hpp>

#include <support/every_type.hpp>
#include <support/in_pieces.hpp>
#include <support/packing.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using namespace std::string_view_literals;
using support::every_type, support::in_pieces, support::row_maker;

namespace {

/// A file as some program might write it.
struct file_kind {
    std::string name;
    bulk::csv::dialect dialect{};
    bool is_csv = false;
};

file_kind any_kind(row_maker& random) {
    switch (random.below(4)) {
        case 0:
            return {.name = "rows.json"};
        case 1:
            return {.name = "rows.ndjson"};
        default:
            break;
    }
    file_kind kind{.name = "rows.csv", .is_csv = true};
    kind.dialect.delimiter = ",;\t|:x"[random.below(6)];
    kind.dialect.quote = random.one_in(3) ? '\'' : '"';
    kind.dialect.header = !random.one_in(3);
    kind.dialect.comment = random.one_in(3) ? '#' : '\0';
    kind.dialect.trim = kind.dialect.delimiter != '\t' && random.one_in(3);
    if (kind.dialect.delimiter == '\t' && random.one_in(2)) kind.name = "rows.tsv";
    return kind;
}

template <typename Row>
std::string write(const std::vector<Row>& rows, const file_kind& kind, row_maker& random) {
    std::string out;
    if (kind.is_csv) {
        const bulk::csv::write_options options{.format = kind.dialect, .reveal_pii = true};
        if (kind.dialect.header) bulk::csv::write_header<Row>(out, options);
        for (const auto& row : rows) bulk::csv::write_row(out, row, options);
        return out;
    }
    const bool is_array = kind.name == "rows.json";
    const std::string_view end = random.one_in(2) ? "\n" : "\r\n";
    if (is_array) out += '[';
    for (const auto& row : rows) {
        if (is_array) out += &row == rows.data() ? "" : ",";
        if (is_array && random.one_in(2)) out += end;
        bulk::json::write_row(out, row, {.reveal_pii = true});
        if (!is_array) out += end;
    }
    if (is_array) out += ']';
    return out;
}

std::string packed(std::string text, row_maker& random) {
    switch (random.below(3)) {
        case 0:
            return support::gzip(text);
        case 1:
            return support::zstd(text);
        default:
            return text;
    }
}

/// What a CSV file cannot tell from no value: an empty text that is there.
every_type as_read(every_type row, const file_kind& kind) {
    if (kind.is_csv && row.maybe == "") row.maybe.reset();
    return row;
}

/// What is different, or nothing.
std::string difference(const every_type& wanted, const every_type& got) {
    const auto expected = support::members_of(wanted), found = support::members_of(got);
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (expected[i] != found[i])
            return std::string{bulk::column_descriptions<every_type>[i].name} + ": '" +
                   expected[i] + "' became '" + found[i] + "'";
    return "";
}

std::string describe(const file_kind& kind) {
    return kind.name + " delimiter '" + kind.dialect.delimiter + "' quote " + kind.dialect.quote +
           (kind.dialect.header ? " header" : "") + (kind.dialect.trim ? " trim" : "") +
           (kind.dialect.comment != '\0' ? " comment" : "");
}

/// Writes and reads the rows of a seed; what went wrong, or nothing.
std::string round_trip(std::uint64_t seed) {
    row_maker random{seed};
    const auto kind = any_kind(random);
    std::vector<every_type> rows(random.below(4));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = random.row(i);
    const auto text = write(rows, kind, random);
    const auto about = describe(kind) + "\n" + text + "\n";
    auto opened =
        bulk::open_rows<every_type>(in_pieces(packed(text, random), 1 + random.below(3000)),
                                    kind.name, {.dialect = kind.dialect});
    if (!opened) {
        if (rows.empty() && kind.is_csv && !kind.dialect.header) return "";  // an empty file
        return about + opened.error().message;
    }
    every_type row;
    for (const auto& expected : rows) {
        const auto status = opened->next(row);
        if (status == bulk::read_status::bad_row) return about + to_text(opened->problem());
        if (status != bulk::read_status::row) return about + std::string{bulk::name_of(status)};
        if (const auto what = difference(as_read(expected, kind), row); !what.empty())
            return about + what;
    }
    const auto status = opened->next(row);
    return status == bulk::read_status::end ? "" : about + "more than was written";
}

/// One column, so that every byte of a file matters.
struct lone_text {
    std::string text;
};
BULK_ROW(lone_text, text);

struct lone_optional {
    std::optional<std::string> text;
};
BULK_ROW(lone_optional, text);

/// The one exception that the guide has for CSV text by its first 32 bytes: such a file is refused.
bool begins_like_binary(std::string_view text) {
    const auto begin = text.substr(0, 32);
    const auto nuls = std::ranges::count(begin, '\0');
    const bool has_other_control = std::ranges::any_of(
        begin, [](char c) { return c > '\0' && c < ' ' && !"\t\n\r"sv.contains(c); });
    return nuls > 0 && (begin.substr(0, 2).contains('\0') || has_other_control ||
                        2 * static_cast<std::size_t>(nuls) >= begin.size());
}

template <typename Row>
std::string lone_round_trip(std::uint64_t seed) {
    row_maker random{seed};
    const auto kind = any_kind(random);
    std::vector<Row> rows(1 + random.below(3));
    for (auto& each : rows)
        if (std::same_as<Row, lone_text> || random.one_in(2)) each.text = random.text();
    // Few random texts begin with U+FEFF, which is no byte order mark in a cell.
    if (seed % 10 == 0) rows.front().text = "\xef\xbb\xbf" + std::string(seed % 3, 'a');
    const auto text = write(rows, kind, random);
    const auto about = describe(kind) + "\n" + text + "\n";
    auto opened = bulk::open_rows<Row>(in_pieces(packed(text, random), 1 + random.below(100)),
                                       kind.name, {.dialect = kind.dialect});
    const bool is_taken_for_binary = kind.is_csv && begins_like_binary(text);
    if (!opened) {
        const bool is_named = opened.error().message.starts_with("the file is binary");
        return is_taken_for_binary && is_named ? "" : about + opened.error().message;
    }
    if (is_taken_for_binary) return about + "begins like a binary file, and is read";
    Row row;
    for (auto expected : rows) {
        const auto status = opened->next(row);
        if (status == bulk::read_status::bad_row) return about + to_text(opened->problem());
        if (status != bulk::read_status::row) return about + std::string{bulk::name_of(status)};
        if constexpr (std::same_as<Row, lone_optional>)
            if (kind.is_csv && expected.text == "") expected.text.reset();
        if (row.text != expected.text) return about + "another text";
    }
    return opened->next(row) == bulk::read_status::end ? "" : about + "more than was written";
}

struct every_field {
    std::string text;
    std::optional<std::string> maybe;
    std::int64_t number = 0;
    std::optional<std::uint64_t> large;
    double real = 0;
    std::optional<float> single;
    bool flag = false;
    std::optional<support::colour> paint;
    bulk::decimal<2> price;
    std::chrono::sys_days day{};
    std::optional<std::chrono::sys_time<std::chrono::milliseconds>> moment;
    bulk::pii<std::string> secret;
    std::optional<bulk::pii<std::string>> other_secret;
    support::path file;
    bulk::json::value<support::place> home;
    std::optional<bulk::json::value<std::string>> label;
    bulk::json::value<glz::raw_json> raw;
};
BULK_METADATA(every_field, text, maybe, number, large, real, single, flag, paint, price, day,
              moment, secret, other_secret, file, home, label, raw);

suite<"round trip"> round_trips = [] {
    "whatever is written is read as the same row"_test = [] {
        for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
            const auto wrong = round_trip(seed);
            expect(wrong.empty()) << "seed" << seed << wrong;
            if (!wrong.empty()) break;
        }
    };

    "also when a row has one column"_test = [] {
        for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
            for (const auto& wrong :
                 {lone_round_trip<lone_text>(seed), lone_round_trip<lone_optional>(seed)}) {
                expect(wrong.empty()) << "seed" << seed << wrong;
                if (!wrong.empty()) return;
            }
        }
    };

    "metadata too"_test = [] {
        for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
            row_maker random{seed};
            const auto row = random.row(seed);
            every_field wanted{.text = row.text,
                               .maybe = row.maybe,
                               .number = row.i64,
                               .large = random.maybe([&] { return row.u64; }),
                               .real = row.real,
                               .single = random.maybe([&] { return row.single; }),
                               .flag = row.flag,
                               .paint = row.second,
                               .price = row.price,
                               .day = row.other_day,
                               .moment = random.maybe([&] { return row.milli; }),
                               .secret = row.secret,
                               .other_secret = random.maybe([&] { return row.secret; }),
                               .file = row.file,
                               .home = row.home,
                               .label = row.label,
                               .raw = row.raw};
            const auto text = bulk::json::metadata_text(wanted);
            const auto read = bulk::json::read_metadata<every_field>(text);
            expect(read.has_value()) << "seed" << seed << text;
            if (!read.has_value()) {
                expect(false) << read.error().message;
                return;
            }
            expect(bulk::json::metadata_text(*read) == text) << "seed" << seed;
            expect(read->text == wanted.text and read->maybe == wanted.maybe and
                   read->other_secret == wanted.other_secret and read->label == wanted.label)
                << "seed" << seed << text;
        }
    };
};

/// Reads the one row of a file again: "row", or the column that is wrong.
std::string read_again(const every_type& row, std::string_view name) {
    row_maker random{1};
    const file_kind kind{.name = std::string{name}, .is_csv = name == "rows.csv"};
    const auto text = write(std::vector{row}, kind, random);
    auto opened = bulk::open_rows<every_type>(bulk::bytes_of_text(text), name);
    if (!opened) return opened.error().message;
    every_type read;
    const auto status = opened->next(read);
    if (status == bulk::read_status::row) return "row";
    return status == bulk::read_status::bad_row ? opened->problem().column
                                                : opened->error().message;
}

suite<"what no file can hold"> impossible = [] {
    "a bad row says so when it is read, and no value becomes another"_test = [] {
        using namespace std::chrono;
        struct change {
            std::string_view column;
            void (*make)(every_type&);
        };
        static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        static constexpr double infinity = std::numeric_limits<double>::infinity();
        const change changes[] = {
            {"real", [](every_type& row) { row.real = nan; }},
            {"real", [](every_type& row) { row.real = -infinity; }},
            {"single", [](every_type& row) { row.single = static_cast<float>(infinity); }},
            {"ratio", [](every_type& row) { row.ratio = nan; }},
            {"ratio", [](every_type& row) { row.ratio = infinity; }},
            {"paint", [](every_type& row) { row.paint = static_cast<support::colour>(77); }},
            {"second", [](every_type& row) { row.second = static_cast<support::colour>(0x63); }},
            {"day", [](every_type& row) { row.day = year_month_day{}; }},
            {"day", [](every_type& row) { row.day = year{2023} / February / 30; }},
            {"day", [](every_type& row) { row.day = year{-1} / January / 1; }},
            {"day", [](every_type& row) { row.day = year{10'000} / January / 1; }},
            {"day", [](every_type& row) { row.day = year::max() / January / 1; }},
            {"other_day", [](every_type& row) { row.other_day = year{-44} / March / 15; }},
            {"other_day", [](every_type& row) { row.other_day = sys_days{days{60'000'000}}; }},
            {"other_day", [](every_type& row) { row.other_day = sys_days::max(); }},
            {"other_day", [](every_type& row) { row.other_day = sys_days::min(); }},
            {"written_day", [](every_type& row) { row.written_day = year{12'345} / May / 6; }},
            {"second_of_day",
             [](every_type& row) {
                 row.second_of_day = sys_days{year{10'000} / January / 1} + seconds{0};
             }},
            {"second_of_day",
             [](every_type& row) {
                 row.second_of_day = sys_days{year{0} / January / 1} - seconds{1};
             }},
            {"milli", [](every_type& row) { row.milli = decltype(row.milli)::max(); }},
            {"milli", [](every_type& row) { row.milli = decltype(row.milli)::min(); }},
            {"minute", [](every_type& row) { row.minute = sys_days{year{-5} / May / 6}; }},
            {"text", [](every_type& row) { row.text = "a\xff"; }},
            {"maybe", [](every_type& row) { row.maybe = "\xed\xa0\x80"; }},
            {"secret", [](every_type& row) { row.secret = bulk::pii{"\xc0\x80"s}; }},
            {"home", [](every_type& row) { row.home->city = "a\xff"; }},
            {"tags", [](every_type& row) { row.tags = std::vector{"a\xff"s}; }},
        };
        for (const auto name : {"rows.csv", "rows.json", "rows.ndjson"}) {
            row_maker random{7};
            const auto good = random.row(1);
            expect(read_again(good, name) == "row"s);
            for (const auto& [column, make] : changes) {
                auto row = good;
                make(row);
                expect(read_again(row, name) == column) << name << column << read_again(row, name);
            }
        }
    };
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 0;
    const std::uint64_t seed = std::stoull(argv[1]);
    for (const auto& wrong :
         {round_trip(seed), lone_round_trip<lone_text>(seed), lone_round_trip<lone_optional>(seed)})
        std::puts(wrong.empty() ? "as it was" : wrong.c_str());
}
