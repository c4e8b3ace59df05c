#include <bulk/operation/declare.hpp>
#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/csv/writer.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/text_source.hpp>

#include <support/ut.hpp>

#include <bit>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono;
using namespace std::string_literals;

namespace {

enum class colour { red, green, blue };
BOOST_DESCRIBE_ENUM(colour, red, green, blue)

struct thing {
    std::string text;
    std::string other;
    std::int64_t number = 0;
    std::optional<double> real;
    bool flag = false;
    colour paint = colour::red;
    year_month_day day = 1970y / 1 / 1;
    sys_time<microseconds> moment{};
    bulk::decimal<3> amount;
    bulk::uuid id;
    std::optional<bulk::pii<std::string>> name;

    bool operator==(const thing&) const = default;
};
BULK_ROW(thing, (text, .column = "The, Text"), other, number, real, flag, paint,
         (day, .format = "%d.%m.%Y"), moment, amount, id, name);

struct one {
    std::string only;
};
BULK_ROW(one, only);

class maker {
public:
    explicit maker(std::uint32_t seed) : random_{seed} {}

    std::uint64_t below(std::uint64_t end) { return random_() % end; }
    std::string text() {
        static const std::vector<std::string> parts{"a",
                                                    "b",
                                                    ",",
                                                    ";",
                                                    "|",
                                                    "\"",
                                                    "\"",
                                                    "'",
                                                    "\n",
                                                    "\r",
                                                    "\t",
                                                    " ",
                                                    "  ",
                                                    "#",
                                                    "=",
                                                    "[",
                                                    "{",
                                                    "%PDF",
                                                    "PAR1",
                                                    "\xc3\xa4",
                                                    "\xef\xbb\xbf",
                                                    std::string(1, '\0')};
        std::string made;
        for (auto size = below(below(10) == 0 ? 90 : 8); size > 0; --size)
            made += parts[below(parts.size())];
        return made;
    }
    double real() {
        const auto bits = random_() >> below(40);
        const double value = std::bit_cast<double>(bits);
        return std::isfinite(value) ? value : static_cast<double>(bits % 100'000) / 100;
    }
    thing make() {
        thing made;
        made.text = text();
        made.other = text();
        made.number = static_cast<std::int64_t>(random_() >> below(64));
        if (below(3) > 0) made.real = real();
        made.flag = below(2) == 0;
        made.paint = static_cast<colour>(below(3));
        made.day = sys_days{days{static_cast<int>(below(40'000)) - 20'000}};
        made.moment = sys_time<microseconds>{microseconds{
            static_cast<std::int64_t>(below(4'000'000'000'000'000)) - 1'000'000'000'000'000}};
        made.amount.units = static_cast<std::int64_t>(random_() >> (1 + below(60)));
        made.id = {random_(), random_()};
        if (auto name = text(); !name.empty()) made.name = bulk::pii{std::move(name)};
        return made;
    }

private:
    std::mt19937_64 random_;
};

suite<"csv writer"> writers = [] {
    "fields are quoted where they must be"_test = [] {
        const auto line = [](std::vector<std::string> fields,
                             const bulk::csv::write_options& options = {}) {
            std::string out;
            bulk::csv::write_line(out, fields, options);
            return out;
        };
        expect(line({"a", "", "b c"}) == "a,,b c\n"s);
        expect(line({"a,b", "say \"hi\"", "two\nlines", "c\rr"}) ==
               "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"c\rr\"\n"s);
        expect(line({""}) == "\"\"\n"s) << "a blank line is no row";
        expect(line({"#x", "#"}, {.format = {.comment = '#'}}) == "\"#x\",\"#\"\n"s);
        expect(line({" a"}, {.format = {.trim = true}}) == "\" a\"\n"s);
        expect(line({"=1+1", "-2", "@x", "a=b"}, {.guard_formulas = true}) ==
               "'=1+1,'-2,'@x,a=b\n"s);
        expect(line({"=1+1"}) == "=1+1\n"s) << "data is not changed";
    };

    "a guard comes off again, whatever the field is, and leaves no formula"_test = [] {
        std::mt19937 random{5};
        const std::vector<std::string> parts{"'", "=", "+", "-",      "@",      "\t",  "\n",
                                             "1", ".", "a", "\uff1d", "\uff20", "\xef"};
        for (int seed = 0; seed < 20'000; ++seed) {
            std::string field;
            for (auto size = random() % 6; size > 0; --size)
                field += parts[random() % parts.size()];
            const std::string safe = bulk::csv::guarded(field);
            expect(bulk::csv::unguarded(safe) == field) << field;
            const bool is_number = safe.size() > 1 and safe.find_first_not_of("+-.1") == safe.npos;
            expect(!bulk::csv::looks_like_formula(safe) or is_number) << field << safe;
        }
        expect(bulk::csv::guarded("-1.5") == "-1.5"s and bulk::csv::guarded("-1-1") == "'-1-1"s);
        expect(bulk::csv::guarded("+") == "'+"s and bulk::csv::guarded("1=") == "1="s);
    };

    "a template is the header line"_test = [] {
        std::string out;
        bulk::csv::write_header<thing>(out);
        expect(out == "\"The, Text\",other,number,real,flag,paint,day,moment,amount,id,name\n"s);
    };

    "personal data is written only when asked for"_test = [] {
        thing row;
        row.name = bulk::pii{"Ada"s};
        std::string shown, hidden;
        bulk::csv::write_row(hidden, row);
        bulk::csv::write_row(shown, row, {.reveal_pii = true});
        expect(hidden.contains(",***\n") and !hidden.contains("Ada"));
        expect(shown.contains(",Ada\n"));
    };

    "what is written is read as it was, on every machine and through every window"_test = [] {
        std::vector<bulk::csv::instruction_set> machines;
        for (const auto& each : bulk::enumerators_of<bulk::csv::instruction_set>)
            if (bulk::csv::is_supported(each.value)) machines.push_back(each.value);
        constexpr std::uint32_t seeds = 100'000;
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
            maker random{seed};
            const bulk::csv::write_options options{
                .format = {.delimiter = ",;\t|"[random.below(4)],
                           .quote = random.below(4) == 0 ? '\'' : '"',
                           .header = random.below(3) > 0,
                           .comment = random.below(4) == 0 ? '#' : '\0',
                           .trim = random.below(3) == 0},
                .reveal_pii = true};
            std::vector<thing> rows;
            std::string text;
            if (options.format.header) bulk::csv::write_header<thing>(text, options);
            for (auto count = random.below(6); count > 0; --count) {
                rows.push_back(random.make());
                bulk::csv::write_row(text, rows.back(), options);
            }
            for (const auto set : machines) {
                auto reader =
                    bulk::csv::reader<thing>::open(bulk::bytes_of_text(text), options.format, {},
                                                   {.window = 64 + random.below(300), .set = set});
                expect(fatal(reader.has_value())) << "seed" << seed;
                thing row;
                for (const auto& expected : rows) {
                    const auto status = reader->next(row);
                    expect(fatal(status == bulk::read_status::row))
                        << "seed" << seed << to_text(reader->problem()) << "\n"
                        << text;
                    expect(fatal(row == expected)) << "seed" << seed << "\n" << text;
                }
                expect(reader->next(row) == bulk::read_status::end) << "seed" << seed;
            }
        }
    };

    "one column is read as it was in every dialect, also by who must find out what it is"_test =
        [] {
            for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
                maker random{seed};
                const bulk::csv::write_options options{
                    .format = {.delimiter = ",;\t|"[random.below(4)],
                               .quote = random.below(4) == 0 ? '\'' : '"',
                               .header = random.below(2) == 0,
                               .comment = random.below(3) == 0 ? '#' : '\0',
                               .trim = random.below(3) == 0,
                               .detect_delimiter = random.below(3) == 0}};
                std::vector<std::string> rows;
                std::string text;
                if (options.format.header) bulk::csv::write_header<one>(text, options);
                for (auto count = 1 + random.below(4); count > 0; --count) {
                    rows.push_back(random.text());
                    bulk::csv::write_row(text, one{rows.back()}, options);
                }
                const auto known = bulk::formats<>;
                const auto format = known.find("upload", text);
                expect(format == known.size or known.names[format] == "tsv")
                    << "seed" << seed << "is taken for JSON\n"
                    << text;
                if (!text.substr(0, 32).contains('\0'))
                    expect(bulk::text_of(bulk::bytes_of_text(text)).has_value()) << seed << text;
                auto reader =
                    bulk::csv::reader<one>::open(bulk::bytes_of_text(text), options.format);
                expect(fatal(reader.has_value())) << "seed" << seed << text;
                one row;
                for (const auto& expected : rows) {
                    expect(
                        fatal(reader->next(row) == bulk::read_status::row and row.only == expected))
                        << "seed" << seed << "\n"
                        << text;
                }
                expect(reader->next(row) == bulk::read_status::end) << "seed" << seed;
            }
        };

    "a first cell that begins with U+FEFF keeps it without a header"_test = [] {
        const bulk::csv::write_options options{.format = {.header = false}};
        std::string text;
        bulk::csv::write_row(text, one{"\xef\xbb\xbfx"}, options);
        bulk::csv::write_row(text, one{"\xef\xbb\xbfy"}, options);
        expect(text == "\"\xef\xbb\xbfx\"\n\"\xef\xbb\xbfy\"\n"s);
        auto reader =
            bulk::csv::reader<one>::open(bulk::bytes_of_text(text), options.format).value();
        one row;
        expect(reader.next(row) == bulk::read_status::row and row.only == "\xef\xbb\xbfx"s);
    };

    "one empty field is a row"_test = [] {
        std::string text;
        bulk::csv::write_header<one>(text);
        bulk::csv::write_row(text, one{});
        auto reader = bulk::csv::reader<one>::open(bulk::bytes_of_text(text)).value();
        one row;
        expect(reader.next(row) == bulk::read_status::row and row.only.empty());
        expect(reader.next(row) == bulk::read_status::end);
    };
};

}  // namespace

int main() {}
