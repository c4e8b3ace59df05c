#include <bulk/rows/csv/scanner.hpp>

#include <support/in_pieces.hpp>
#include <support/ut.hpp>

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

/// All records as text: fields in brackets, '!' behind one with text after its closing quote, and
/// how it ended.
std::string scan(std::string_view text, const dialect& format = {}, setting with = {},
                 const bulk::row_limits& limits = {}) {
    scanner scanner{
        with.in_memory ? bulk::bytes_of_text(text) : support::in_pieces(std::string{text}, 7),
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
            case bulk::found::misquoted:
                all += std::to_string(scanner.line()) + '@' + std::to_string(scanner.begin()) +
                       " misquoted " + std::to_string(scanner.misquoted().field) + " <" +
                       std::string{scanner.current().whole()} + "> ";
                break;
            case bulk::found::end:
                return all + "end";
            case bulk::found::failure:
                return all + scanner.error().message;
        }
    }
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
            {"x\ny,\"a\n\n", "1@0[x] 2@2 misquoted 1 <y,\"a> end"},
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
        expect(scan("a\tb,c\n", bulk::csv::dialect{.delimiter = '\t'}) == "1@0[a][b,c] end"s);
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
                expect(scan("\"" + big, {}, with, limits).contains("never closed"))
                    << "the first row says how many fields there are";
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
