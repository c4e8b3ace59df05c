#include <bulk/http/multipart.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using bulk::http::form_part;
using bulk::http::multipart_reader;

namespace {

struct part {
    std::string name;
    std::optional<std::string> file_name;
    std::string type;
    std::string content;

    bool operator==(const part&) const = default;
};

bulk::http::body_pull in_pieces(std::string text, std::size_t piece) {
    return [text = std::move(text), piece,
            at = std::size_t{0}](std::span<char> into) mutable -> bulk::result<std::size_t> {
        const auto count = std::min({piece, into.size(), text.size() - at});
        std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), count, into.begin());
        at += count;
        return count;
    };
}

/// All parts, or why not.
bulk::result<std::vector<part>> read_form(const std::string& text, std::size_t piece = 1 << 20,
                                          std::size_t window = 1000,
                                          std::string_view boundary = "frontier") {
    multipart_reader reader{in_pieces(text, piece), boundary};
    std::vector<part> all;
    while (true) {
        auto next = reader.next();
        if (!next) return std::unexpected{next.error()};
        if (!*next) return all;
        part one{(*next)->name, (*next)->file_name, (*next)->type, {}};
        std::string into(window, ' ');
        while (true) {
            const auto count = reader.read(into);
            if (!count) return std::unexpected{count.error()};
            if (*count == 0) break;
            one.content.append(into, 0, *count);
        }
        all.push_back(std::move(one));
    }
}

std::string part_of(std::string_view disposition, std::string_view content = "x") {
    return bulk::concat("--frontier\r\nContent-Disposition: ", disposition, "\r\n\r\n", content,
                        "\r\n--frontier--\r\n");
}

/// Its only part's file name; empty when the form is refused.
std::string file_name_of(std::string_view disposition) {
    const auto form = read_form(part_of(disposition));
    return form ? form->at(0).file_name.value_or("none") : "";
}

std::string write_form(const std::vector<part>& parts, std::string_view boundary) {
    std::string text;
    for (const auto& each : parts) {
        text += bulk::concat("--", boundary, "\r\nContent-Disposition: form-data; name=\"",
                             each.name, '"');
        if (each.file_name) text += bulk::concat("; filename=\"", *each.file_name, '"');
        if (!each.type.empty()) text += bulk::concat("\r\nContent-Type: ", each.type);
        text += bulk::concat("\r\n\r\n", each.content, "\r\n");
    }
    return text + bulk::concat("--", boundary, "--\r\n");
}

/// Content that looks as much like a boundary as it may.
std::string random_content(std::mt19937_64& random, std::string_view boundary) {
    const std::string mark = bulk::concat("\r\n--", boundary);
    std::string content;
    for (auto count = random() % 20; count > 0; --count) switch (random() % 6) {
            case 0:
                content += mark.substr(0, random() % mark.size());
                break;
            case 1:
                content += mark.substr(random() % mark.size() / 2 + 1);
                break;
            case 2:
                content += "\r\n";
                break;
            case 3:
                content += std::string(random() % 5, '-');
                break;
            case 4:
                content += std::string(random() % (random() % 50 == 0 ? 20000 : 200),
                                       static_cast<char>(random()));
                break;
            default:
                content += static_cast<char>(random());
        }
    // As if it were behind the line end of its head.
    for (auto at = ("\r\n" + content).find(mark); at != std::string::npos;
         at = ("\r\n" + content).find(mark))
        content.erase(at, 1);
    return content;
}

}  // namespace

suite<"http multipart"> multipart = [] {
    "a form has its fields and files, whatever size it comes in"_test = [] {
        const std::string text =
            "a preamble that counts for nothing\r\n"
            "--frontier\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{}\r\n"
            "--frontier  \t\r\ncontent-type: text/csv\r\nCONTENT-DISPOSITION: form-data; "
            "name=file; filename=\"a b.csv\"\r\nX-Other: 1\r\n\r\na,b\r\n1,2\r\n\r\n"
            "--frontier\r\nContent-Disposition: form-data; name=\"empty\"; "
            "filename=\"\"\r\n\r\n\r\n"
            "--frontier\r\nContent-Disposition: form-data; name=\"emptier\"\r\n\r\n"
            "--frontier--\r\nan epilogue that counts for nothing";
        const std::vector<part> expected{{"metadata", std::nullopt, "", "{}"},
                                         {"file", "a b.csv", "text/csv", "a,b\r\n1,2\r\n"},
                                         {"empty", "", "", ""},
                                         {"emptier", std::nullopt, "", ""}};
        for (std::size_t piece = 1; piece <= text.size(); ++piece)
            for (const std::size_t window : {1U, 5U, 1000U}) {
                const auto form = read_form(text, piece, window);
                expect(fatal(form.has_value())) << piece;
                expect(*form == expected) << piece << window;
            }
    };

    "ten thousand forms are read as they were written"_test = [] {
        std::mt19937_64 random{8};
        for (int round = 0; round < 10'000; ++round) {
            const std::string boundary(1 + random() % 70, random() % 2 == 0 ? '-' : 'b');
            std::vector<part> parts(random() % 5);
            for (auto& each : parts) {
                each.name = "n" + std::to_string(random() % 100);
                if (random() % 2 == 0) each.file_name = "f" + std::to_string(random() % 100);
                if (random() % 2 == 0) each.type = "text/csv";
                each.content = random_content(random, boundary);
            }
            const auto text = write_form(parts, boundary);
            const auto form = read_form(text, 1 + random() % (random() % 2 == 0 ? 10 : 5000),
                                        1 + random() % 2000, boundary);
            expect(fatal(form.has_value())) << "round" << round;
            expect(fatal(*form == parts)) << "round" << round;
            if (text.size() < boundary.size() + 5) continue;
            // Cut anywhere before its end mark, it is no form.
            const auto cut = text.substr(0, random() % (text.size() - 2 - 2));
            expect(!read_form(cut, 1 + random() % 100, 1000, boundary).has_value())
                << "round" << round;
        }
    };

    "what of a part is not wanted is passed over"_test = [] {
        const auto text =
            write_form({{"a", {}, "", std::string(100'000, 'a')}, {"b", {}, "", "b"}}, "frontier");
        multipart_reader reader{in_pieces(text, 777), "frontier"};
        expect(reader.next().value()->name == "a");
        char some[10];
        expect(reader.read(some) == 10U);
        expect(reader.next().value()->name == "b");
        expect(!reader.next().value().has_value());
        expect(!reader.next().value().has_value()) << "the end is the end";
    };

    "a form is read to the last byte, so that the next request may follow"_test = [] {
        const auto text = write_form({{"a", {}, "", "a"}}, "frontier");
        std::size_t ends = 0;
        multipart_reader reader{[pull = in_pieces(text, 3), &ends](std::span<char> into) mutable {
                                    auto got = pull(into);
                                    if (got == 0U) ++ends;
                                    return got;
                                },
                                "frontier"};
        expect(reader.next().value().has_value());
        expect(!reader.next().value().has_value());
        expect(ends == 1_u);
    };

    "names of files come in many ways"_test = [] {
        expect(file_name_of(R"(form-data; name="f"; filename="a.csv")") == "a.csv");
        expect(file_name_of(R"(form-data; name=f; filename=a.csv)") == "a.csv");
        expect(file_name_of(R"(form-data; filename="a;b=c.csv"; name="f")") == "a;b=c.csv");
        expect(file_name_of(R"(form-data; name="f"; filename="a\"b.csv")") == "a\"b.csv");
        expect(file_name_of(R"(form-data; name="f"; filename="a%22b%0D.csv")") == "a\"b%0D.csv");
        expect(file_name_of(R"(form-data; name="f"; filename="C:\a.csv")") == R"(C:\a.csv)");
        expect(file_name_of("form-data; name=\"f\"; filename=\"na\xC3\xAFve.csv\"") ==
               "na\xC3\xAFve.csv");
        expect(file_name_of("form-data; name=f; filename=x; filename*=utf-8''na%C3%AFve%20.csv") ==
               "na\xC3\xAFve .csv");
        expect(file_name_of("form-data; name=f; filename*=UTF-8'en'a.csv") == "a.csv");
        expect(file_name_of("form-data; name=f") == "none");
        expect(file_name_of("form-data; name=f; filename*=latin1''a.csv").empty());
        expect(file_name_of("form-data; name=f; filename*=UTF-8''%FF.csv").empty());
        expect(file_name_of("form-data; name=f; filename*=UTF-8''a%00b").empty());
        expect(file_name_of("form-data; name=f; filename*=a.csv").empty());
    };

    "forms that are none are refused, and say why"_test = [] {
        const auto reason = [](const std::string& text) {
            for (const std::size_t piece : {1U, 7U, 100'000U})
                expect(!read_form(text, piece).has_value());
            const auto form = read_form(text);
            return form ? "" : form.error().message;
        };
        const auto says = [&](const std::string& text, std::string_view why) {
            const auto message = reason(text);
            expect(message.find(why) != std::string::npos) << message << "instead of" << why;
        };
        says("", "ends in the middle");
        says("--frontier", "ends in the middle");
        says("--frontier\r\n", "ends in the middle");
        says("--other\r\n\r\n--other--", "ends in the middle");
        says(std::string(20'000, 'x') + part_of("form-data; name=f"), "does not come");
        says(std::string(10'000, 'x') + "\r\n" + part_of("form-data; name=f"), "does not come");
        says("--frontierX\r\n\r\n", "not at the end of its line");
        says(part_of("form-data; name=f", "a\r\n--frontierX"), "not at the end of its line");
        says("--frontier\r\n\r\nx\r\n--frontier--\r\n", "no name");
        says(part_of("form-data"), "no name");
        says(part_of("form-data; name=\"\""), "no name");
        says(part_of("attachment; name=f"), "no name");
        says(part_of("form-data; name=f\r\nContent-Disposition: form-data; name=g"), "twice");
        says(part_of("form-data; name=f\r\nnothing"), "no colon");
        says(part_of("form-data; name=\"a\0b\""s), "bytes that no header has");
        says(part_of("form-data; name=\"a\nb\""), "bytes that no header has");
        says(part_of("form-data; name=\"a\xFF\""), "bytes that no header has");
        says(part_of("form-data; name=" + std::string(9'000, 'n')), "too long");
        std::string headers = "form-data; name=f";
        for (int i = 0; i < 1000; ++i) headers += "\r\nX-Many: 1";
        says(part_of(headers), "too long");
        says(part_of("form-data; name=f") + std::string(100'000, 'e'), "behind its end");
    };

    "what cannot be pulled is why a form cannot be read"_test = [] {
        multipart_reader reader{[](std::span<char>) -> bulk::result<std::size_t> {
                                    return bulk::fail(bulk::errc::unavailable, "gone");
                                },
                                "frontier"};
        expect(reader.next().error().message == "gone");
    };

    "the boundary is what the Content-Type says"_test = [] {
        const auto boundary = [](std::string_view type) {
            return multipart_reader::boundary_of(type).value_or("refused");
        };
        expect(boundary("multipart/form-data; boundary=abc") == "abc");
        expect(boundary("multipart/form-data; charset=utf-8; Boundary=\"a b;c\"") == "a b;c");
        expect(boundary("multipart/form-data;boundary = abc ; x=y") == "abc");
        expect(boundary("multipart/form-data") == "refused");
        expect(boundary("multipart/form-data; boundary=") == "refused");
        expect(boundary("multipart/form-data; boundary=" + std::string(71, 'x')) == "refused");
    };
};

int main() {}
