#include <bulk/rows/csv/scanner.hpp>

#include <support/ut.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using bulk::csv::dialect;
using bulk::csv::instruction_set;
using bulk::csv::scanner;

namespace {

std::vector<instruction_set> machines() {
    std::vector<instruction_set> all;
    for (const auto& each : bulk::enumerators_of<instruction_set>)
        if (bulk::csv::is_supported(each.value)) all.push_back(each.value);
    return all;
}

struct setting {
    instruction_set set = bulk::csv::best_instruction_set();
    std::size_t window = 64 * 1024;
    bool in_memory = true;
};

/// Hands over a few bytes at a time.
bulk::byte_source dripping(std::string_view text) {
    return bulk::byte_source{[text](std::span<char> into) mutable -> bulk::result<std::size_t> {
        const std::size_t count = std::min({text.size(), into.size(), std::size_t{7}});
        std::copy_n(text.data(), count, into.data());
        text.remove_prefix(count);
        return count;
    }};
}

/// All records as text: fields in brackets, '!' behind one with text after its closing quote, and
/// how it ended.
std::string scan(std::string_view text, const dialect& format = {}, setting with = {},
                 const bulk::row_limits& limits = {}) {
    scanner scanner{with.in_memory ? bulk::bytes_of_text(text) : dripping(text),
                    format,
                    limits,
                    {},
                    {.window = with.window, .set = with.set}};
    std::string all;
    while (true) {
        switch (scanner.next()) {
            case bulk::found::record: {
                all += std::to_string(scanner.line()) + '@' + std::to_string(scanner.offset());
                bulk::scratch scratch;
                const auto& record = scanner.current();
                scratch.clear(record.whole().size());
                for (std::size_t i = 0; i < record.size; ++i) {
                    bool valid = true;
                    all += '[';
                    all += content(record.raw(i), format, scratch, valid);
                    all += valid ? "]" : "]!";
                }
                all += ' ';
                break;
            }
            case bulk::found::too_long:
                all += std::to_string(scanner.line()) + " too long " +
                       std::to_string(scanner.passed_over()) + ' ';
                break;
            case bulk::found::end:
                return all + "end";
            case bulk::found::failure:
                return all + scanner.error().message;
        }
    }
}

/// The same, by the rules byte by byte.
std::string scan_slowly(std::string_view text, const dialect& format) {
    std::string all;
    bulk::csv::scan_state state;
    std::vector<std::string_view> fields;
    std::size_t begin = 0, row = 0;
    std::uint64_t line = 1, row_line = 1, opened = 1;
    const auto end_row = [&](std::size_t at) {
        std::string_view last = text.substr(begin, at - begin);
        if (at < text.size() && text[at] == '\n' && last.ends_with('\r')) last.remove_suffix(1);
        fields.push_back(last);
        const auto bare = format.trim ? bulk::csv::trimmed(fields[0]) : fields[0];
        if (fields.size() > 1 ||
            !(bare.empty() || (format.comment != '\0' && bare.front() == format.comment))) {
            all += std::to_string(row_line) + '@' + std::to_string(row);
            bulk::scratch scratch;
            scratch.clear(at - row);
            for (const auto field : fields) {
                bool valid = true;
                all += '[';
                all += content(field, format, scratch, valid);
                all += valid ? "]" : "]!";
            }
            all += ' ';
        }
        fields.clear();
        row = begin = at + 1;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool was_inside = state.inside || state.after_quote;
        switch (role_of(text[i], text.substr(i + 1).starts_with('\n'), format, state)) {
            case bulk::csv::byte_role::row_end:
                end_row(i);
                row_line = ++line;
                break;
            case bulk::csv::byte_role::field_end:
                fields.push_back(text.substr(begin, i - begin));
                begin = i + 1;
                break;
            case bulk::csv::byte_role::quoted_newline:
                ++line;
                break;
            case bulk::csv::byte_role::text:
                break;
        }
        if (state.inside && !was_inside) opened = line;
    }
    if (state.inside)
        return all + "a quote is never closed; it opened in line " + std::to_string(opened);
    if (row < text.size()) end_row(text.size());
    return all + "end";
}

suite<"csv scanner"> scanners = [] {
    "fields as RFC 4180 has them"_test = [] {
        const std::vector<std::pair<std::string, std::string>> cases{
            {"", "end"},
            {"a", "1@0[a] end"},
            {"a,b\n", "1@0[a][b] end"},
            {"a,b\r\nc,d\r\n", "1@0[a][b] 2@5[c][d] end"},
            {"a\rb\r", "1@0[a] 2@2[b] end"},
            {"a,b\nc,d", "1@0[a][b] 2@4[c][d] end"},
            {",\n", "1@0[][] end"},
            {"a,,c\n,,\n", "1@0[a][][c] 2@5[][][] end"},
            {"\"a,b\",c\n", "1@0[a,b][c] end"},
            {"\"a\"\"b\"\n", "1@0[a\"b] end"},
            {"\"\"\n", "1@0[] end"},
            {"\"\"\"\"\n", "1@0[\"] end"},
            {"\"a\nb\",c\nd,e\n", "1@0[a\nb][c] 3@8[d][e] end"},
            {"\"a\r\nb\"\r\nc\r\n", "1@0[a\r\nb] 3@8[c] end"},
            {"\"a\rb\"\rc", "1@0[a\rb] 3@6[c] end"},
            {"a\n\n\r\n\nb\n", "1@0[a] 5@6[b] end"},
            {"\xef\xbb\xbf\"a\",b\n", "1@3[a][b] end"},
            {"a\xef\xbb\xbf\n", "1@0[a\xef\xbb\xbf] end"},
            {"5\" pipe,x\n", "1@0[5\" pipe][x] end"},
            {"a \"b\" c,d\n", "1@0[a \"b\" c][d] end"},
            {"\"a\"b,c\nd\n", "1@0[a]![c] 2@7[d] end"},
            {"\"a\" ,c\n", "1@0[a]![c] end"},
            {" \"a\",b\n", "1@0[ \"a\"][b] end"},
            {"\"a", "a quote is never closed; it opened in line 1"},
            {"x\ny,\"a\n\n", "1@0[x] a quote is never closed; it opened in line 2"},
            {"\"a\nb\",\"c\nd", "a quote is never closed; it opened in line 2"},
            {"a\0b,c\n"s, "1@0[a\0b][c] end"s},
        };
        for (const auto& [text, expected] : cases)
            for (const auto set : machines())
                for (const std::size_t window : {64U, 100U, 65536U})
                    for (const bool in_memory : {true, false}) {
                        const auto got = scan(text, {}, {set, window, in_memory});
                        expect(got == expected)
                            << text << " by " << bulk::name_of(set) << ": " << got;
                    }
    };

    "dialects"_test = [] {
        expect(scan("a\tb,c\n", bulk::csv::tab_separated) == "1@0[a][b,c] end"s);
        expect(scan("'a;b';c\n", {.delimiter = ';', .quote = '\''}) == "1@0[a;b][c] end"s);
        expect(scan("\"a\",b\n", {.quote = '\0'}) == "1@0[\"a\"][b] end"s);
        expect(scan("# it's \"so\na,b\n#\nc,#d\n", {.comment = '#'}) ==
               "2@11[a][b] 4@17[c][#d] end"s);
        expect(scan(" a , \"b,c\" \n  \n", {.trim = true}) == "1@0[a][b,c] end"s);
    };

    "a dialect that cannot work is refused"_test = [] {
        const auto says = [](const dialect& format, std::string_view text) {
            const auto valid = validate(format);
            expect(fatal(!valid.has_value()));
            expect(valid.error().message == text) << valid.error().message;
        };
        says({.delimiter = '\n'}, "the dialect's delimiter cannot be a newline or NUL");
        says({.delimiter = '"'}, "the dialect's quote cannot be the delimiter");
        says({.quote = '\r'}, "the dialect's quote cannot be a newline");
        says({.comment = ','}, "the dialect's comment cannot be the delimiter or the quote");
        says({.delimiter = ' ', .trim = true},
             "the dialect's trim cannot be asked for when a space separates or quotes");
        expect(validate(dialect{}).has_value());
    };

    "a row over the limit is passed over, and the next one is found"_test = [] {
        const bulk::row_limits limits{.row_bytes = 200};
        const std::string big(1000, 'x');
        for (const std::size_t window : {64U, 100U, 4096U})
            for (const bool in_memory : {true, false}) {
                const setting with{.window = window, .in_memory = in_memory};
                if (window < 1000) {
                    expect(scan("a\n" + big + "\nb\n", {}, with, limits) ==
                           "1@0[a] 2 too long 1001 3@1003[b] end"s);
                    expect(scan("a\n\"" + big + "\n\n" + big + "\"\nb\n", {}, with, limits) ==
                           "1@0[a] 2 too long 2005 5@2007[b] end"s);
                    expect(scan("a\n" + big, {}, with, limits) == "1@0[a] 2 too long 1000 end"s);
                }
                expect(scan("a\n\"" + big, {}, with, limits).contains("never closed"));
            }
    };

    "every machine and every window reads random bytes as the rules say"_test = [] {
        std::mt19937 random{20260101};
        constexpr std::string_view letters = "ab,,\"\"\n\r #";
        for (int seed = 0; seed < 3000; ++seed) {
            std::string text(random() % 300, ' ');
            for (char& c : text) c = letters[random() % letters.size()];
            const dialect format{.comment = seed % 7 == 0 ? '#' : '\0', .trim = seed % 5 == 0};
            const std::string expected = scan_slowly(text, format);
            for (const auto set : machines()) {
                const setting with{set, 64 + random() % 200, random() % 2 == 0};
                const auto got = scan(text, format, with);
                expect(fatal(got == expected))
                    << "seed" << seed << bulk::name_of(set) << "window" << with.window
                    << "in memory" << with.in_memory << "\n"
                    << text << "\n--- expected\n"
                    << expected << "\n--- got\n"
                    << got;
            }
        }
    };

    "a source that fails stops the scan with its words"_test = [] {
        scanner scanner{bulk::byte_source{[](std::span<char>) -> bulk::result<std::size_t> {
            return bulk::fail(bulk::errc::unavailable, "the line is dead");
        }}};
        expect(scanner.next() == bulk::found::failure);
        expect(scanner.error().message == "the line is dead"s);
        expect(bulk::bytes_of_file("/does/not/exist").error().message ==
               "cannot open /does/not/exist: No such file or directory"s);
    };
};

}  // namespace

int main() {}
