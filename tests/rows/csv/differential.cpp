// Random files in every dialect, read by every instruction set, through windows, from pieces and in
// slices of every size, against a reader that does nothing but follow the rules, one byte at a time.
// `differential [FILES] [FIRST]` reads files number FIRST and on; one that is read wrongly is printed
// with its number.
#include "naive.hpp"

#include <bulk/operation/declare.hpp>
#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/csv/slices.hpp>
#include <bulk/rows/utf8.hpp>

#include <support/in_pieces.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using bulk::csv::dialect;
using bulk::csv::instruction_set;

struct entry {
    std::string first;
    std::string_view second;
    std::optional<std::string> third;
};
BULK_ROW(entry, first, second, (third, .required = false));
using reader = bulk::csv::reader<entry>;

/// A file, how it is to be read, and how it is cut up.
struct sample {
    std::string text;
    dialect format;
    bulk::row_limits limits;
    instruction_set set{};
    std::size_t window = 0;
    std::size_t piece = 0;  ///< 0: in memory
    std::uint64_t slice_rows = 1;
    std::uint64_t seed = 0;
};

class maker {
public:
    explicit maker(std::uint64_t seed) : random_{seed * 0x9e37'79b9'7f4a'7c15 + 1} {}

    std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
    bool one_in(std::size_t count) { return below(count) == 0; }

    sample make(const std::vector<instruction_set>& sets) {
        sample made;
        auto& format = made.format;
        format.delimiter = ",;\t|,,"[below(6)];
        format.quote = "\"\"\"\"'\0"[below(6)];
        format.header = !one_in(3);
        format.comment = one_in(4) ? '#' : '\0';
        format.trim = one_in(3);
        format.detect_delimiter = one_in(5);
        made.text = one_in(3) ? soup(format) : rows(format);
        if (one_in(3)) put_quote_at_block(made.text, format);
        if (one_in(10)) made.text.insert(0, "\xef\xbb\xbf");
        if (one_in(2)) made.limits.row_bytes = 63 + below(400);
        if (one_in(4)) made.limits.field_bytes = 1 + below(80);
        made.set = sets[below(sets.size())];
        made.window = one_in(3) ? 64 * 1024 : 64 + below(500);
        made.piece = one_in(3) ? 0 : 1 + below(one_in(2) ? 10 : 300);
        made.slice_rows = 1 + below(one_in(2) ? 3 : 20);
        return made;
    }

private:
    std::string blanks() {
        return std::string(1 + below(one_in(8) ? 80 : 3), one_in(4) ? '\t' : ' ');
    }
    std::string line_end() { return one_in(4) ? "\r\n" : one_in(12) ? "\r" : "\n"; }
    std::string word() {
        if (one_in(40)) return "\xff";
        return std::string(below(one_in(6) ? 150 : 9), static_cast<char>('a' + below(26)));
    }

    /// Makes some quote the first byte of 64 that are read together, or of those that are read in one
    /// call: what stands before it is carried over.
    void put_quote_at_block(std::string& text, const dialect& format) {
        const auto line = text.find('\n');
        const auto quote = text.find(format.quote == '\0' ? '"' : format.quote, line);
        if (line == std::string::npos || quote == std::string::npos) return;
        const std::size_t block = one_in(4) ? 4096 : 64;
        text.insert(line + 1, (block - quote % block) % block, 'x');
    }

    /// Anything, in any order.
    std::string soup(const dialect& format) {
        std::string text;
        if (format.header && !one_in(4)) text = header(format);
        const std::string special{format.delimiter, format.quote == '\0' ? '"' : format.quote};
        for (auto count = below(one_in(10) ? 1500 : 120); count > 0; --count) switch (below(12)) {
                case 0:
                case 1:
                case 2:
                    text += special[0];
                    break;
                case 3:
                case 4:
                case 5:
                    text += special[1];
                    break;
                case 6:
                case 7:
                    text += line_end();
                    break;
                case 8:
                    text += blanks();
                    break;
                case 9:
                    text += one_in(6) ? std::string(1, '\0') : "#";
                    break;
                default:
                    text += word();
            }
        return text;
    }

    std::string header(const dialect& format) {
        const std::string between(1, format.delimiter);
        std::string text = "first" + between + "second" + between + "third";
        if (one_in(4)) text = "third" + between + "first" + between + "extra" + between + "second";
        return text + line_end();
    }

    /// A file that is right, and then perhaps damaged.
    std::string rows(const dialect& format) {
        std::string text = header(format);
        const auto columns =
            static_cast<std::size_t>(std::ranges::count(text, format.delimiter)) + 1;
        if (!format.header) text.clear();
        const std::size_t begin = text.size();
        const bool quotes_all = one_in(4);
        for (auto count = below(one_in(10) ? 60 : 12); count > 0; --count) {
            if (one_in(12))
                text += one_in(2) ? line_end() : "# " + field(format, false) + line_end();
            const auto width = one_in(15) ? 1 + below(columns + 1) : columns;
            for (std::size_t i = 0; i < width; ++i) {
                if (i > 0) text += format.delimiter;
                text += field(format, quotes_all || one_in(3));
            }
            text += line_end();
        }
        if (one_in(3) && text.ends_with('\n')) text.pop_back();
        const char quote = format.quote == '\0' ? '"' : format.quote;
        for (auto damages = below(3); damages > 0 && text.size() > begin + 1; --damages) {
            const std::size_t at = begin + below(text.size() - begin);
            const auto next_quote = text.find(quote, at);
            switch (below(4)) {
                case 0:
                    text.insert(at, 1, quote);
                    break;
                case 1:
                    if (next_quote != std::string::npos) text.erase(next_quote, 1);
                    break;
                case 2:
                    if (next_quote != std::string::npos) text.insert(next_quote, 1, quote);
                    break;
                default:
                    if (const auto next = text.find(format.delimiter, at);
                        next != std::string::npos)
                        text.insert(next + 1, 1, quote);
            }
        }
        return text;
    }

    std::string field(const dialect& format, bool quoted) {
        std::string text;
        if (!quoted || format.quote == '\0') {
            text = word();
            if (one_in(20)) text += '"';
        } else {
            text += format.quote;
            for (auto parts = below(4); parts > 0; --parts) switch (below(8)) {
                    case 0:
                        text += format.delimiter;
                        break;
                    case 1:
                        text.append(2, format.quote);
                        break;
                    case 2:
                    case 3:
                        text += line_end();
                        break;
                    default:
                        text += word();
                }
            text += format.quote;
        }
        if (one_in(8)) text = blanks() + text;
        if (one_in(8)) text += blanks();
        return text;
    }

    std::mt19937_64 random_;
};

bulk::byte_source source_of(std::string_view text, std::size_t piece) {
    if (piece == 0) return bulk::bytes_of_text(text);
    return support::in_pieces(std::string{text}, piece);
}

std::string shown(std::uint64_t row, std::uint64_t line, std::string_view what) {
    return std::to_string(row) + " @" + std::to_string(line) + ' ' + std::string{what} + '\n';
}

std::string fields_of(const std::string& first, std::string_view second,
                      const std::optional<std::string>& third) {
    return '[' + first + "][" + std::string{second} + "][" + third.value_or("-") + ']';
}

// --- what should be found ---

std::string expected_problem(const naive::event& each, const std::vector<std::size_t>& columns,
                             std::size_t width, const sample& of) {
    using kind = naive::event::kind;
    static constexpr const char* names[] = {"first", "second", "third"};
    const std::string where = "line " + std::to_string(each.line);
    const auto about = [&](std::size_t member, const std::string& cell, const std::string& reason) {
        return where + ", column '" + names[member] + '\'' +
               (cell.empty() ? "" : ", '" + bulk::shortened(cell) + '\'') + ": " + reason;
    };
    if (each.what == kind::too_long)
        return where + ": the row has " + std::to_string(each.size) + " bytes; the limit is " +
               std::to_string(of.limits.row_bytes);
    if (each.what == kind::unmatched) {
        std::string column = std::to_string(each.unmatched_field + 1);
        for (std::size_t i = 0; i < 3; ++i)
            if (columns[i] == each.unmatched_field) column = names[i];
        const auto lines =
            naive::count_lines(std::string_view{of.text}.substr(each.begin, each.size));
        return where + ", column '" + column +
               "': unmatched quote, read as text; the row ends in line " +
               std::to_string(each.line + lines) +
               ". Close the quote, or write it twice in a quoted field";
    }
    if (each.fields.size() != width)
        return where + ": the row has " + std::to_string(each.fields.size()) + " fields; " +
               std::to_string(width) + " are expected";
    for (std::size_t member = 0; member < 3; ++member) {
        if (columns[member] == naive::none) continue;
        const auto& field = each.fields[columns[member]];
        if (!field.valid) return about(member, field.raw, "there is text behind the closing quote");
        if (field.content.size() > of.limits.field_bytes)
            return about(member, field.content,
                         "the field has " + std::to_string(field.content.size()) +
                             " bytes; the limit is " + std::to_string(of.limits.field_bytes));
        if (const auto at = bulk::find_invalid_utf8(field.content); at != field.content.size())
            return about(member, {},
                         "byte " + std::to_string(at + 1) + " of the field is not valid UTF-8");
    }
    return {};
}

/// All rows with what is wrong with them; none if the file is refused.
std::optional<std::string> expected_rows(const sample& of) {
    using kind = naive::event::kind;
    dialect format = of.format;
    if (format.detect_delimiter) format.delimiter = naive::detect(of.text, format);
    const auto events = naive::read_file(of.text, format, of.limits.row_bytes);
    std::size_t next = 0, width = 0;
    std::vector<std::size_t> columns(3, naive::none);
    if (events.empty()) return format.header ? std::nullopt : std::optional{std::string{}};
    if (events[0].what != kind::record) return std::nullopt;
    if (!std::ranges::all_of(events[0].fields, &naive::field::valid)) return std::nullopt;
    width = events[0].fields.size();
    if (format.header) {
        next = 1;
        for (std::size_t i = 0; i < width; ++i) {
            const auto name = naive::text_reader::trimmed(events[0].fields[i].content);
            for (std::size_t member = 0; member < 3; ++member)
                if (name == std::vector<std::string>{"first", "second", "third"}[member]) {
                    if (columns[member] != naive::none) return std::nullopt;
                    columns[member] = i;
                }
        }
    } else {
        for (std::size_t i = 0; i < std::min<std::size_t>(width, 3); ++i) columns[i] = i;
    }
    if (columns[0] == naive::none || columns[1] == naive::none) return std::nullopt;
    std::string all;
    for (std::uint64_t row = 1; next < events.size(); ++next, ++row) {
        const auto& each = events[next];
        if (each.what == kind::failure) return all + "failed: " + each.message;
        const auto problem = expected_problem(each, columns, width, of);
        const auto content = [&](std::size_t member) {
            return each.fields[columns[member]].content;
        };
        std::optional<std::string> third;
        if (problem.empty() && columns[2] != naive::none && !content(2).empty()) third = content(2);
        const std::string raw =
            each.what == kind::too_long ? "" : of.text.substr(each.begin, each.size);
        all += shown(row, each.line,
                     (problem.empty() ? fields_of(content(0), content(1), third) : problem) + " <" +
                         raw + '>');
    }
    return all;
}

// --- what is found ---

std::string read_all(reader& rows) {
    std::string all;
    entry row;
    while (true) {
        const auto status = rows.next(row);
        if (status == bulk::read_status::end) return all;
        if (status == bulk::read_status::failure) return all + "failed: " + rows.error().message;
        const std::string raw = rows.has_raw() ? std::string{rows.raw()} : "";
        all += shown(to_number(rows.row()), rows.line(),
                     (status == bulk::read_status::row ? fields_of(row.first, row.second, row.third)
                                                       : to_text(rows.problem())) +
                         " <" + raw + '>');
    }
}

std::string read_in_slices(const sample& of, const reader& whole) {
    const bulk::csv::scan_tuning tuning{.window = of.window, .set = of.set};
    bulk::csv::slicer slicer{source_of(of.text, of.piece), of.format, of.slice_rows, of.limits,
                             tuning};
    std::string all;
    std::uint64_t end = 0;
    while (true) {
        const auto slice = slicer.next();
        if (!slice) return all + "failed: " + slice.error().message;
        if (!*slice) return all;
        if (end != 0 && (*slice)->offset != end) return all + "there is a gap between slices";
        end = (*slice)->offset + (*slice)->size;
        auto part = reader::open_slice(
            source_of(std::string_view{of.text}.substr((*slice)->offset, (*slice)->text_size()),
                      of.piece),
            **slice, whole.columns(), whole.format(), of.limits, tuning);
        const auto first = to_number(part.row());
        all += read_all(part);
        if (to_number(part.row()) - first != (*slice)->rows) return all + "another number of rows";
    }
}

/// Every third row or so; the others are passed over.
std::string read_some(reader& rows, maker& random, std::vector<std::uint64_t>& numbers) {
    std::string all;
    entry row;
    while (true) {
        if (random.one_in(2)) {
            const auto status = rows.skip(1 + random.below(random.one_in(3) ? 30 : 4));
            if (status == bulk::read_status::end) return all;
            if (status == bulk::read_status::failure) return all + rows.error().message;
        }
        const auto status = rows.next(row);
        if (status == bulk::read_status::end) return all;
        if (status == bulk::read_status::failure) return all + rows.error().message;
        numbers.push_back(to_number(rows.row()));
        const std::string raw = rows.has_raw() ? std::string{rows.raw()} : "";
        all += shown(to_number(rows.row()), rows.line(),
                     (status == bulk::read_status::row ? fields_of(row.first, row.second, row.third)
                                                       : to_text(rows.problem())) +
                         " <" + raw + '>');
    }
}

std::string describe(const sample& of) {
    return "delimiter " + std::to_string(of.format.delimiter) + " quote " +
           std::to_string(of.format.quote) + " header " + std::to_string(of.format.header) +
           " comment " + std::to_string(of.format.comment) + " trim " +
           std::to_string(of.format.trim) + " detect " +
           std::to_string(of.format.detect_delimiter) + " row bytes " +
           std::to_string(of.limits.row_bytes) + " field bytes " +
           std::to_string(of.limits.field_bytes) + " by " + std::string{bulk::name_of(of.set)} +
           " window " + std::to_string(of.window) + " pieces of " + std::to_string(of.piece) +
           " slices of " + std::to_string(of.slice_rows);
}

bool differs(const sample& of, std::string_view how, const std::string& expected,
             const std::string& got) {
    if (expected == got) return false;
    const std::string said = "file " + std::to_string(of.seed) + ", " + std::string{how} +
                             ", is read wrongly\n" + describe(of) + "\n--- text\n" + of.text +
                             "\n--- expected\n" + expected + "\n--- got\n" + got + '\n';
    std::fwrite(said.data(), 1, said.size(), stdout);
    return true;
}

struct counts {
    std::uint64_t files = 0, refused = 0, rows = 0, unmatched = 0, too_long = 0;
};

bool is_wrong(std::uint64_t seed, const std::vector<instruction_set>& sets, counts& seen) {
    maker random{seed};
    sample of = random.make(sets);
    of.seed = seed;
    const auto expected = expected_rows(of);
    ++seen.files;
    seen.refused += !expected;
    if (expected) {
        seen.rows += static_cast<std::uint64_t>(std::ranges::count(*expected, '@'));
        for (auto at = expected->find("unmatched"); at != std::string::npos;
             at = expected->find("unmatched", at + 1))
            ++seen.unmatched;
        for (auto at = expected->find("bytes; the limit"); at != std::string::npos;
             at = expected->find("bytes; the limit", at + 1))
            ++seen.too_long;
    }
    const auto open = [&](instruction_set set, std::size_t window, std::size_t piece) {
        return reader::open(source_of(of.text, piece), of.format, of.limits,
                            {.window = window, .set = set});
    };
    for (const auto set : sets) {
        auto rows = open(set, of.window, of.piece);
        if (differs(of, bulk::name_of(set), expected ? *expected : "refused",
                    rows ? read_all(*rows) : "refused"))
            return true;
    }
    if (!expected) return false;
    auto whole = open(of.set, std::size_t{64} * 1024, 0);
    if (differs(of, "in one window", *expected, read_all(*whole))) return true;
    if (differs(of, "in slices", *expected, read_in_slices(of, *whole))) return true;

    auto some = open(of.set, of.window, of.piece);
    std::vector<std::uint64_t> numbers;
    const std::string got = read_some(*some, random, numbers);
    std::string wanted;
    auto one_by_one = open(of.set, of.window, of.piece);
    // Which rows were read is known now; they are what they are when all are read.
    entry row;
    std::size_t next = 0;
    while (next < numbers.size()) {
        const auto status = one_by_one->next(row);
        if (status == bulk::read_status::end || status == bulk::read_status::failure) break;
        if (to_number(one_by_one->row()) != numbers[next]) continue;
        ++next;
        const std::string raw = one_by_one->has_raw() ? std::string{one_by_one->raw()} : "";
        wanted +=
            shown(to_number(one_by_one->row()), one_by_one->line(),
                  (status == bulk::read_status::row ? fields_of(row.first, row.second, row.third)
                                                    : to_text(one_by_one->problem())) +
                      " <" + raw + '>');
    }
    if (got.starts_with(wanted) && got.size() > wanted.size() && some->error().message.size() > 0)
        return differs(of, "with rows skipped", wanted + some->error().message, got);
    return differs(of, "with rows skipped", wanted, got);
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t files = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5000;
    const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::vector<instruction_set> sets;
    for (const auto& each : bulk::enumerators_of<instruction_set>)
        if (bulk::csv::is_supported(each.value)) sets.push_back(each.value);
    counts seen;
    for (std::uint64_t seed = first; seed < first + files; ++seed)
        if (is_wrong(seed, sets, seen)) return 1;
    std::printf(
        "%llu files, %llu of them refused, %llu rows, %llu with unmatched quotes, %llu over "
        "a limit\n",
        static_cast<unsigned long long>(seen.files), static_cast<unsigned long long>(seen.refused),
        static_cast<unsigned long long>(seen.rows), static_cast<unsigned long long>(seen.unmatched),
        static_cast<unsigned long long>(seen.too_long));
}
