#include <bulk/cli/json_line.hpp>
#include <bulk/cli/read_value.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/rows/json/object.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <sstream>
#include <string>

using namespace boost::ut;
using namespace bulk::cli;
using namespace std::chrono_literals;
using namespace std::string_literals;

int main() {
    "numbers are grouped"_test = [] {
        expect(eq(grouped(0), "0"s));
        expect(eq(grouped(999), "999"s));
        expect(eq(grouped(1000), "1,000"s));
        expect(eq(grouped(1234567), "1,234,567"s));
        expect(eq(count_text(1, "row"), "1 row"s));
        expect(eq(count_text(2000, "row"), "2,000 rows"s));
    };

    "spans are as fine as a person reads them"_test = [] {
        expect(eq(span_text(850ms), "850 ms"s));
        expect(eq(span_text(12s + 449ms), "12.4 s"s));
        expect(eq(span_text(187s), "3:07"s));
        expect(eq(span_text(3787s), "1:03:07"s));
        expect(eq(span_text(-5s), "0 ms"s)) << "a clock was set back";
        expect(eq(countdown_text(3s), "0:03"s));
        expect(eq(countdown_text(2h), "2:00:00"s));
    };

    "sizes have a unit"_test = [] {
        expect(eq(size_text(512), "512 B"s));
        expect(eq(size_text(12'450'000), "12.4 MB"s));
        expect(eq(size_text(3'000'000'000), "3.0 GB"s));
    };

    "moments are in UTC"_test = [] {
        const bulk::timestamp moment{std::chrono::sys_days{2026y / 6 / 1} + 12h + 30min + 5s +
                                     123us};
        expect(eq(moment_text(moment), "2026-06-01 12:30:05"s));
        expect(eq(iso_text(moment), "2026-06-01T12:30:05.000123Z"s));
        expect(eq(moment_text(std::optional<bulk::timestamp>{}), "-"s));
    };

    "values are read, or the message says how to write them"_test = [] {
        expect(read_span("500ms") == bulk::result<std::chrono::milliseconds>{500ms});
        expect(read_span("5m") == bulk::result<std::chrono::milliseconds>{5min});
        expect(read_span("7d") == bulk::result<std::chrono::milliseconds>{168h});
        expect(read_span("0") == bulk::result<std::chrono::milliseconds>{0ms});
        for (const auto* wrong : {"", "5", "-5s", "1.5s", "5 s", "99999999999999999s", "s"})
            expect(read_span(wrong).error().message.ends_with(
                "is not a time; write 500ms, 30s, 5m, 24h or 7d"))
                << wrong;
        expect(eq(read_size("64kB").value(), 64'000));
        expect(eq(read_size("4096").value(), 4096));
        expect(!read_size("12 apples") && !read_size("9999999TB"));
        expect(read_moment("2026-06-01") ==
               bulk::result<bulk::timestamp>{std::chrono::sys_days{2026y / 6 / 1}});
        expect(read_moment("2026-06-01T12:30:00Z").has_value() && !read_moment("yesterday"));
        expect(read_choice<bulk::operation_state>("Completed-With-Errors") ==
               bulk::result<bulk::operation_state>{bulk::operation_state::completed_with_errors});
        expect(read_choice<bulk::operation_state>("done").error().message.ends_with(
            "cancelled or retrying"));
        expect(!read_number<int>("12x") && !read_number<int>("") &&
               !read_number<std::uint64_t>("-1"));
    };

    "texts of others stay on their line and cannot speak to the terminal"_test = [] {
        expect(eq(one_line("a\nb\x1b[31mc"), "a b [31mc"s));
        expect(eq(display_width("Zürich"), 6u));
        expect(eq(cut_to("Zürich am See", 9), "Zürich..."s));
        expect(eq(cut_to("short", 9), "short"s));
    };

    "columns are aligned, and the last is cut where a terminal ends"_test = [] {
        std::ostringstream out;
        table lines{{{"name"}, {"rows", align::right}, {"error"}}};
        lines.add({"Zoë", "1,204", "a long reason to fail"});
        lines.add({"Al", "7", {"", tint::bad}});
        lines.write({.stream = out});
        expect(eq(out.str(), std::string{"name   rows  error\n"
                                         "Zoë   1,204  a long reason to fail\n"
                                         "Al        7\n"}));
        out.str({});
        lines.write({.stream = out, .is_terminal = true, .width = 24});
        expect(eq(out.str(), std::string{"name   rows  error\n"
                                         "Zoë   1,204  a long r...\n"
                                         "Al        7\n"}));
    };

    "no escape sequence where there are no colours"_test = [] {
        std::ostringstream out;
        expect(eq(tinted({.stream = out, .is_terminal = true}, tint::bad, "x"), "x"s));
        expect(eq(tinted({.stream = out, .has_color = true}, tint::bad, "x"), "\x1b[31mx\x1b[0m"s));
    };

    "a line of JSON can be read back"_test = [] {
        const auto text = json_line{}
                              .add("text", "a \"b\"\n")
                              .add("number", 7)
                              .add("yes", true)
                              .add("none", std::optional<int>{})
                              .add("rate", 2.25)
                              .add("state", bulk::operation_state::running)
                              .add("list", std::vector<std::string>{"x", "y"})
                              .add("objects", std::vector<json_line>{json_line{}.add("a", 1)})
                              .json();
        const auto read = bulk::json::read_members(text);
        expect(fatal(read.has_value())) << text;
        const std::vector<std::string> wanted{
            "a \"b\"\n", "7", "true", "null", "2.2", "running", "[\"x\",\"y\"]", "[{\"a\":1}]"};
        for (std::size_t i = 0; i < wanted.size(); ++i)
            expect(eq((*read)[i].second.text, wanted[i]));
        expect(eq(text.find('\n'), std::string::npos)) << "it is one line";
    };
}
