#include <bulk/cli/progress.hpp>
#include <bulk/rows/json/object.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <sstream>
#include <string>

using namespace boost::ut;
using namespace bulk::cli;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

progress two_thirds() {
    return {
        .title = "devices.csv",
        .state = bulk::operation_state::running,
        .total_known = true,
        .rows = {.total = 200'000, .processed = 134'000, .successful = 132'796, .failed = 1'204},
        .waiting = 12,
        .steps = {{"SIM Activation", 140'112}, {"Notification", 134'211}},
        .rate = 22'000,
        .elapsed = 6s};
}

screen terminal(std::ostream& out, std::size_t width, bool unicode = false) {
    return {.stream = out, .is_terminal = true, .has_unicode = unicode, .width = width};
}

}  // namespace

int main() {
    std::ostringstream out;

    "a bar has rows, speed, time left, failures, waits and steps"_test = [&] {
        const auto [line, steps] = bar_lines(two_thirds(), terminal(out, 120));
        expect(eq(line, std::string{
                            "devices.csv  ################.........   67%  134,000 / 200,000 rows  "
                            "22,000 rows/s  ETA 0:03  failed 1,204  waiting 12"}));
        expect(eq(display_width(line), 119u)) << "the last place of a line stays free";
        expect(eq(steps, std::string{"  SIM Activation 140,112  Notification 134,211"}));
    };

    "it fits any terminal"_test = [&] {
        for (std::size_t width = 1; width < 200; ++width) {
            const auto [line, steps] =
                bar_lines(two_thirds(), terminal(out, width, width % 2 == 0));
            expect(display_width(line) < std::max<std::size_t>(width, 2)) << width;
            expect(display_width(steps) < std::max<std::size_t>(width, 2)) << width;
        }
        expect(bar_lines(two_thirds(), terminal(out, 140, true)).first.contains("█░"));
        expect(bar_lines(two_thirds(), terminal(out, 80)).first.contains("67%  134,000"))
            << "without room for a bar, the numbers stay";
    };

    "before the rows are counted there is no bar"_test = [&] {
        progress at{.title = "x.csv", .state = bulk::operation_state::validating};
        expect(eq(bar_lines(at, terminal(out, 80)).first,
                  std::string{"x.csv  validating  0 rows  failed 0"}));
        at.paused = true;
        expect(bar_lines(at, terminal(out, 80)).first.contains("validating, paused"));
    };

    "a plain line says the same"_test = [] {
        expect(
            eq(plain_progress(two_thirds()),
               std::string{"devices.csv: running  67%  134,000 / 200,000 rows  22,000 rows/s  ETA "
                           "0:03  failed 1,204  waiting 12  (SIM Activation 140,112  Notification "
                           "134,211)"}));
    };

    "and so does an object"_test = [] {
        const auto read = bulk::json::read_members(json_progress(two_thirds()).json());
        expect(fatal(read.has_value()));
        const auto value = [&](std::string_view name) {
            for (const auto& [each, value] : *read)
                if (each == name) return value.text;
            return std::string{"(none)"};
        };
        expect(eq(value("type"), "progress"s));
        expect(eq(value("total"), "200000"s));
        expect(eq(value("processed"), "134000"s));
        expect(eq(value("failed"), "1204"s));
        expect(eq(value("percent"), "67.0"s));
        expect(eq(value("rows_per_second"), "22000.0"s));
        expect(eq(value("eta_seconds"), "3"s));
        expect(eq(value("elapsed_ms"), "6000"s));
        expect(value("steps").contains("\"step\":\"SIM Activation\",\"count\":140112"));
    };

    "the speed is that of the last seconds"_test = [] {
        rate_meter meter;
        bulk::timestamp now{};
        expect(eq(meter.rate(), 0.0));
        for (std::uint64_t i = 0; i <= 100; ++i) meter.add(now += 100ms, i * 10);
        expect(meter.rate() > 99 && meter.rate() < 101);
        for (std::uint64_t i = 0; i <= 60; ++i) meter.add(now += 100ms, 1000);
        expect(eq(meter.rate(), 0.0)) << "it has stood still";
        meter.add(now - 10min, 2000);
        expect(meter.rate() >= 0) << "a clock was set back";
    };

    "nobody is told of a year"_test = [] {
        auto at = two_thirds();
        at.rate = 0.0001;
        expect(!at.left().has_value());
        at.rate = 0;
        expect(!at.left().has_value());
    };
}
