// Our reader against one that knows no tricks: it reads byte by byte, by RFC 8259 and the rules of the
// guide, and shares no code with ours. Files are made and broken from seeds; `rows_json_differential
// FIRST LAST` tries more of them.
#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/reader.hpp>

#include <support/in_pieces.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using namespace std::string_view_literals;
using support::in_pieces;

namespace {

struct entry {
    std::string a;
    std::optional<double> b;
    std::optional<int> c;
    std::string d = "none";
};
BULK_ROW(entry, a, b, c, (d, .column = "e.d", .required = false));

std::string show(const entry& row) {
    char number[64] = "-";
    if (row.b) std::snprintf(number, sizeof number, "%a", *row.b);
    return row.a + '|' + number + '|' + (row.c ? std::to_string(*row.c) : "-") + '|' + row.d;
}

namespace plain {

/// A JSON value: its kind (one of `{["n`, the last for numbers and names), the text that it says, and
/// what it holds.
struct value {
    char kind = 0;
    std::string text{};
    std::vector<std::pair<std::string, value>> members{};
};

class parser {
public:
    explicit parser(std::string_view text) : text_{text} {}

    /// The whole text as one value, or nothing.
    std::optional<value> whole(int depth) {
        blanks();
        auto read = any(depth);
        blanks();
        if (!read || at_ != text_.size()) return std::nullopt;
        return read;
    }

private:
    int look(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? static_cast<unsigned char>(text_[at_ + ahead]) : -1;
    }
    void blanks() {
        while (look() == ' ' || look() == '\t' || look() == '\n' || look() == '\r') ++at_;
    }

    std::optional<value> any(int depth) {
        if (look() == '{' || look() == '[') return depth == 0 ? std::nullopt : container(depth - 1);
        if (look() == '"') return string();
        for (const auto name : {"true"sv, "false"sv, "null"sv})
            if (text_.substr(at_).starts_with(name)) {
                at_ += name.size();
                return value{'n', std::string{name}};
            }
        return number();
    }

    std::optional<value> container(int depth) {
        value made{text_[at_++]};
        const int close = made.kind == '{' ? '}' : ']';
        blanks();
        if (look() == close) {
            ++at_;
            return made;
        }
        while (true) {
            std::string key;
            if (made.kind == '{') {
                auto read = look() == '"' ? string() : std::nullopt;
                if (!read) return std::nullopt;
                key = read->text;
                blanks();
                if (look() != ':') return std::nullopt;
                ++at_;
                blanks();
            }
            auto read = any(depth);
            if (!read) return std::nullopt;
            made.members.emplace_back(std::move(key), std::move(*read));
            blanks();
            const int next = look();
            ++at_;
            if (next == close) return made;
            if (next != ',') return std::nullopt;
            blanks();
        }
    }

    std::optional<value> number() {
        const auto begin = at_;
        const auto digits = [&] {
            const auto first = at_;
            while (look() >= '0' && look() <= '9') ++at_;
            return at_ > first;
        };
        if (look() == '-') ++at_;
        if (look() == '0')
            ++at_;
        else if (!digits())
            return std::nullopt;
        if (look() == '.') {
            ++at_;
            if (!digits()) return std::nullopt;
        }
        if (look() == 'e' || look() == 'E') {
            ++at_;
            if (look() == '+' || look() == '-') ++at_;
            if (!digits()) return std::nullopt;
        }
        return value{'n', std::string{text_.substr(begin, at_ - begin)}};
    }

    std::optional<std::uint32_t> code_unit() {
        std::uint32_t unit = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const int c = look();
            if (c < 0 || std::isxdigit(c) == 0) return std::nullopt;
            unit =
                unit * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        return unit;
    }

    std::optional<value> string() {
        value made{'"'};
        ++at_;
        while (true) {
            const int c = look();
            if (c < 0x20) return std::nullopt;  // the end, too
            if (c == '"') {
                ++at_;
                return made;
            }
            if (c >= 0x80) {
                if (!character(made.text)) return std::nullopt;
                continue;
            }
            ++at_;
            if (c != '\\') {
                made.text += static_cast<char>(c);
                continue;
            }
            const int kind = look();
            ++at_;
            if (kind == 'u') {
                auto point = code_unit();
                if (!point || (*point >= 0xdc00 && *point < 0xe000)) return std::nullopt;
                if (*point >= 0xd800 && *point < 0xdc00) {
                    if (look() != '\\' || look(1) != 'u') return std::nullopt;
                    at_ += 2;
                    const auto low = code_unit();
                    if (!low || *low < 0xdc00 || *low > 0xdfff) return std::nullopt;
                    point = 0x10000 + ((*point & 0x3ff) << 10 | (*low & 0x3ff));
                }
                encode(*point, made.text);
                continue;
            }
            const auto which = "\"\\/bfnrt"sv.find(static_cast<char>(kind));
            if (kind < 0 || which == std::string_view::npos) return std::nullopt;
            made.text += "\"\\/\b\f\n\r\t"[which];
        }
    }

    static void encode(std::uint32_t point, std::string& out) {
        const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
        if (point < 0x80) return put(point);
        if (point < 0x800) {
            put(0xc0 | point >> 6);
        } else if (point < 0x10000) {
            put(0xe0 | point >> 12);
            put(0x80 | (point >> 6 & 0x3f));
        } else {
            put(0xf0 | point >> 18);
            put(0x80 | (point >> 12 & 0x3f));
            put(0x80 | (point >> 6 & 0x3f));
        }
        put(0x80 | (point & 0x3f));
    }

    /// One character of UTF-8: valid when it is what its code point would be written as.
    bool character(std::string& out) {
        const auto first = static_cast<std::uint32_t>(look());
        const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : -1;
        if (more < 0) return false;
        std::uint32_t point = first & (0x3fU >> more);
        for (int i = 1; i <= more; ++i) {
            const int next = look(static_cast<std::size_t>(i));
            if (next < 0x80 || next > 0xbf) return false;
            point = point << 6 | (static_cast<std::uint32_t>(next) & 0x3f);
        }
        if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
        std::string written;
        encode(point, written);
        if (text_.substr(at_, static_cast<std::size_t>(more) + 1) != written) return false;
        out += written;
        at_ += written.size();
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// A name without its spaces and case.
std::string folded(std::string_view name) {
    std::string made;
    for (const char c : name)
        if (c != ' ') made += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return made;
}

/// A row that is being put together, member by member.
class row_builder {
public:
    /// False when a member cannot be read.
    bool object(const value& from, const std::string& group) {
        for (const auto& [key, held] : from.members) {
            const std::string name = group.empty() ? key : group + '.' + key;
            const std::string like = folded(name);
            const auto which = std::ranges::find(names, like) - std::begin(names);
            if (which == 4) {
                if (like == "e" && held.kind == '{' && !object(held, "e")) return false;
                continue;
            }
            const bool is_exact = name == names[which];
            auto& state = states_[which];
            if (!is_exact && state == by_name) continue;
            if (!member(static_cast<int>(which), held, is_exact)) return false;
        }
        return true;
    }

    std::optional<entry> finish() {
        if (states_[0] == missing) return std::nullopt;
        if (states_[3] == missing) row_.d = "none";
        return row_;
    }

private:
    static constexpr std::string_view names[] = {"a", "b", "c", "e.d"};
    enum state : std::uint8_t { missing, similar, by_name };

    bool member(int which, const value& held, bool is_exact) {
        const bool is_null = held.kind == 'n' && held.text == "null";
        const bool is_optional = which == 1 || which == 2;
        states_[which] = is_null && !is_optional ? missing : is_exact ? by_name : similar;
        if (is_null || (is_optional && held.kind == '"' && held.text.empty())) {
            if (which == 1) row_.b.reset();
            if (which == 2) row_.c.reset();
            return true;
        }
        if (held.kind == '{' || held.kind == '[') return false;
        switch (which) {
            case 0:
                row_.a = held.text;
                return true;
            case 1:
                return real(held.text);
            case 2:
                return whole(held.text);
            default:
                row_.d = held.text;
                return true;
        }
    }

    bool real(const std::string& text) {
        // What C reads, less its blanks, plus signs, hexadecimals and names.
        if (text.empty() || text.front() == '+' ||
            text.find_first_not_of("0123456789+-.eE") != std::string::npos)
            return false;
        char* end = nullptr;
        const double read = std::strtod(text.c_str(), &end);
        if (end != text.c_str() + text.size() || !std::isfinite(read)) return false;
        const auto digits = text.substr(0, text.find_first_of("eE"));
        if (read == 0 && digits.find_first_of("123456789") != std::string::npos) return false;
        row_.b = read;
        return true;
    }

    bool whole(const std::string& text) {
        const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
            return false;
        const auto first = std::min(digits.find_first_not_of('0'), digits.size());
        if (digits.size() - first > 10) return false;
        const long long read = std::strtoll(text.c_str(), nullptr, 10);
        if (read < INT32_MIN || read > INT32_MAX) return false;
        row_.c = static_cast<int>(read);
        return true;
    }

    entry row_{};
    state states_[4] = {};
};

std::string element(std::string_view text) {
    const auto read = parser{text}.whole(32);
    if (!read || read->kind != '{') return "bad";
    row_builder builder;
    if (!builder.object(*read, "")) return "bad";
    const auto row = builder.finish();
    return row ? show(*row) : "bad";
}

/// NDJSON: "line: row" for each.
std::string lines(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::string all;
    for (int line = 1; !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        all += std::to_string(line) + ": " + element(one) + '\n';
    }
    return all;
}

}  // namespace plain

std::string ours(bulk::byte_source source, bulk::json::layout layout, std::size_t window) {
    auto reader = bulk::json::reader<entry>::open(std::move(source), layout, {}, window);
    std::string all;
    entry row;
    while (true) {
        const auto status = reader.next(row);
        if (status == bulk::read_status::end) return all;
        if (status == bulk::read_status::failure) return all + "failure\n";
        const bool is_row = status == bulk::read_status::row;
        if (layout == bulk::json::layout::lines) all += std::to_string(reader.line()) + ": ";
        all += (is_row ? show(row) : "bad") + '\n';
    }
}

/// JSON, or nearly.
class text_maker {
public:
    explicit text_maker(std::uint64_t seed) : random_{seed} {}

    std::size_t below(std::size_t end) { return random_() % end; }
    bool one_in(std::size_t chances) { return below(chances) == 0; }

    template <std::size_t Size>
    std::string_view pick(const std::string_view (&from)[Size]) {
        return from[below(Size)];
    }

    std::string string() {
        static constexpr std::string_view pieces[] = {"a",
                                                      "B",
                                                      " ",
                                                      "x,y",
                                                      "{",
                                                      "]",
                                                      ":",
                                                      "\\\"",
                                                      "\\\\",
                                                      "\\/",
                                                      "\\b",
                                                      "\\n",
                                                      "\\u0000",
                                                      "\\u00e9",
                                                      "\\uD834\\uDd1e",
                                                      "\xc3\xa9",
                                                      "\xe2\x80\xa8",
                                                      "\xf0\x9f\x98\x80",
                                                      "12",
                                                      "-7",
                                                      "\x7f",
                                                      "\xef\xbb\xbf",
                                                      "\\u2028",
                                                      "0123456789abcdef0123456789abcdef0123456789"};
        std::string made{'"'};
        for (auto left = below(5); left > 0; --left) made += pick(pieces);
        return made + '"';
    }

    std::string value(int depth) {
        static constexpr std::string_view words[] = {"null",
                                                     "true",
                                                     "false",
                                                     "0",
                                                     "-0",
                                                     "7",
                                                     "-1",
                                                     "2147483647",
                                                     "2147483648",
                                                     "-2147483648",
                                                     "1.5",
                                                     "-0.0",
                                                     "1e5",
                                                     "1E-7",
                                                     "1e400",
                                                     "-1e400",
                                                     "1e-400",
                                                     "5e-324",
                                                     "0.1",
                                                     "123456789012345678901234567890",
                                                     "1.7976931348623157e308",
                                                     "12345678",
                                                     "1234567.8",
                                                     "0.00000001",
                                                     "\"\"",
                                                     "\"007\"",
                                                     "\"-12\"",
                                                     "\"1.50\"",
                                                     "{}",
                                                     "[]",
                                                     "0123",
                                                     "1.",
                                                     "+1",
                                                     ".5",
                                                     "1e",
                                                     "NaN",
                                                     "tru",
                                                     "'a'",
                                                     "\"\\ud800\"",
                                                     "\"\\x\"",
                                                     "\"\xff\"",
                                                     "\"\t\"",
                                                     "//",
                                                     "-"};
        // The last of them are not JSON.
        if (one_in(3)) return string();
        if (depth > 3 || one_in(2))
            return std::string{words[below(one_in(9) ? std::size(words) : 30)]};
        const bool is_object = one_in(2);
        std::string made{is_object ? '{' : '['};
        for (auto left = below(3); left > 0; --left) {
            if (made.size() > 1) made += ',';
            made += space();
            if (is_object) made += string() + space() + ':';
            made += value(depth + 1);
        }
        return made + space() + (is_object ? '}' : ']');
    }

    std::string element() {
        static constexpr std::string_view keys[] = {
            "\"a\"",   "\"a\"", "\"b\"",       "\"c\"",      "\"e.d\"", "\"A\"",
            "\" a \"", "\"B\"", "\"\\u0061\"", "\"E.D\"",    "\"x\"",   "\"aa\"",
            "\"\"",    "\"e\"", "\"E\"",       "\"\\u00e4\""};
        if (one_in(40)) {
            const auto depth = 28 + below(6);
            return R"({"a":1,"x":)" + std::string(depth, '[') + std::string(depth, ']') + '}';
        }
        std::string made = one_in(4) ? "{" : R"({"a":"first")";
        for (auto left = below(6); left > 0; --left) {
            if (made.size() > 1) made += ',';
            const auto key = pick(keys);
            made += space();
            made += key;
            made += space() + ':' + space();
            made += folds_to_e(key) && !one_in(4) ? R"({"d":)" + value(2) + R"(,"D":1})" : value(0);
        }
        return made + space() + '}';
    }

    /// Changes a few bytes.
    void breaks(std::string& text) {
        static constexpr std::string_view bytes[] = {
            "\"", "\\", "{",  "}",  "[",  "]",    ",",    ":",    "0",    "1", "-", "e",
            ".",  " ",  "\t", "\r", "\n", "\0"sv, "\x01", "\xc3", "\xff", "n", "u", "/"};
        for (auto left = 1 + below(3); left > 0 && !text.empty(); --left) {
            const auto at = below(text.size());
            switch (below(3)) {
                case 0:
                    text.erase(at, 1 + below(2));
                    break;
                case 1:
                    text.insert(at, pick(bytes));
                    break;
                default:
                    text.replace(at, 1, pick(bytes));
            }
        }
    }

    std::string file(bulk::json::layout layout) {
        const bool is_array = layout == bulk::json::layout::array;
        std::string text = one_in(8) ? "\xef\xbb\xbf" : "";
        if (is_array) text += '[';
        for (auto left = below(6); left > 0; --left) {
            auto one = element();
            if (one_in(3)) breaks(one);
            if (!is_array) std::erase(one, '\n');
            text += one;
            if (is_array)
                text += left > 1 ? ",\n" : "\n";
            else
                text += one_in(5) ? "\r\n" : one_in(6) ? "\n\n \t\n" : "\n";
        }
        if (is_array) text += ']';
        if (one_in(10)) breaks(text);
        return text;
    }

private:
    static bool folds_to_e(std::string_view key) { return key == "\"e\"" || key == "\"E\""; }

    std::string space() {
        static constexpr std::string_view blanks[] = {"", "", "", "", " ", "\t", "\r", "  \t "};
        return std::string{pick(blanks)};
    }

    std::mt19937_64 random_;
};

std::string lines_of_seed(std::uint64_t seed) {
    text_maker random{seed};
    const auto text = random.file(bulk::json::layout::lines);
    const auto expected = plain::lines(text);
    for (const std::size_t window : {std::size_t{64}, 64 + random.below(100), std::size_t{65'536}})
        for (const std::size_t piece : {1 + random.below(20), std::size_t{100'000}}) {
            const auto got = ours(in_pieces(text, piece), bulk::json::layout::lines, window);
            if (got != expected) return text + "\nexpected:\n" + expected + "got:\n" + got;
        }
    const auto in_place = ours(bulk::bytes_of_text(text), bulk::json::layout::lines, 64);
    return in_place == expected ? "" : text + "\nexpected:\n" + expected + "got:\n" + in_place;
}

/// What is JSON gives the same rows. What is not gives at least one bad row, or fails: how much of it
/// can be read is for us to say.
std::string array_of_seed(std::uint64_t seed) {
    text_maker random{seed};
    const auto text = random.file(bulk::json::layout::array);
    std::string_view content = text;
    if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
    const auto read = plain::parser{content}.whole(1000);
    const auto got = ours(in_pieces(text, 1 + random.below(50)), bulk::json::layout::array,
                          64 + random.below(100));
    if (!read || read->kind != '[') {
        const bool is_told = got.contains("bad\n") || got.ends_with("failure\n");
        return is_told ? "" : text + "\nis not an array, but was read:\n" + got;
    }
    // The elements once more, from where they stand in the text: commas outside of everything else.
    std::string expected;
    std::size_t begin = content.find('[') + 1;
    int depth = 0;
    bool in_string = false;
    for (std::size_t at = begin; at < content.size(); ++at) {
        const char c = content[at];
        if (in_string) {
            at += c == '\\';
            in_string = c != '"';
            continue;
        }
        in_string = c == '"';
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if ((c != ',' || depth > 0) && depth >= 0) continue;
        if (!read->members.empty())
            expected += plain::element(content.substr(begin, at - begin)) + '\n';
        if (depth < 0) break;
        begin = at + 1;
    }
    return got == expected ? "" : text + "\nexpected:\n" + expected + "got:\n" + got;
}

suite<"against a plain reader"> differential = [] {
    "NDJSON, valid and broken, gives the same rows"_test = [] {
        for (std::uint64_t seed = 1; seed <= 8'000; ++seed) {
            const auto wrong = lines_of_seed(seed);
            expect(wrong.empty()) << "seed" << seed << wrong;
            if (!wrong.empty()) break;
        }
    };

    "arrays that are JSON give the same rows, and no other is read without an error"_test = [] {
        for (std::uint64_t seed = 1; seed <= 8'000; ++seed) {
            const auto wrong = array_of_seed(seed);
            expect(wrong.empty()) << "seed" << seed << wrong;
            if (!wrong.empty()) break;
        }
    };

    "the plain reader knows JSON"_test = [] {
        // So that two readers that refuse everything do not agree.
        std::size_t rows = 0, bad = 0;
        for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
            text_maker random{seed};
            const auto all = plain::lines(random.file(bulk::json::layout::lines));
            for (std::string_view left = all; !left.empty();) {
                const auto end = left.find('\n');
                ++(left.substr(0, end).ends_with(": bad") ? bad : rows);
                left.remove_prefix(end + 1);
            }
        }
        expect(rows > 500_u and bad > 500_u) << rows << bad;
    };
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 0;
    const std::uint64_t first = std::stoull(argv[1]);
    const std::uint64_t last = argc > 2 ? std::stoull(argv[2]) : first;
    for (std::uint64_t seed = first; seed <= last; ++seed)
        for (const auto& wrong : {lines_of_seed(seed), array_of_seed(seed)})
            if (!wrong.empty())
                std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                            wrong.c_str());
}
