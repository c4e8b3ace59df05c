#include <bulk/cli/run_progress.hpp>
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

run_progress fetching() {
    return {.run = {.feed = "diamonds",
                    .partitions = 10,
                    .completed = 3,
                    .failed = 1,
                    .estimated = 20'000,
                    .records = 12'000,
                    .changed = 8'000},
            .state = bulk::run_state::workers_running,
            .rate = 1'200,
            .elapsed = 10s};
}

run_progress consolidating() {
    auto at = fetching();
    at.state = bulk::run_state::consolidating;
    at.run.completed = 10;
    at.run.failed = 0;
    at.run.consolidated = 1'990;
    at.run.bad_items = 10;
    return at;
}

screen terminal(std::ostream& out, std::size_t width) {
    return {.stream = out, .is_terminal = true, .width = width};
}

}  // namespace

int main() {
    std::ostringstream out;

    "a bar has records, speed and time left, and below it partitions"_test = [&] {
        const auto [line, parts] = bar_lines(fetching(), terminal(out, 110));
        expect(eq(line,
                  "diamonds  ####################..............   60%  12,000 of about 20,000 "
                  "records  1,200 records/s  ETA 0:07"s));
        expect(eq(parts, "  partitions 3 of 10  failed 1  changed 8,000"s));
    };

    "when all is fetched it counts items"_test = [&] {
        expect(eq(plain_progress(consolidating()),
                  "diamonds: consolidating  25%  2,000 of 8,000 items consolidated  1,200 items/s  "
                  "ETA 0:05  (partitions 10 of 10  failed 0  changed 8,000  bad 10)"s));
        auto waits = consolidating();
        waits.waits = 272s;
        expect(plain_progress(waits).contains("consolidation begins in 4:32"));
        expect(!plain_progress(waits).contains("ETA")) << "nothing is done meanwhile";
    };

    "a plan that was wrong makes no nonsense"_test = [&] {
        auto more = fetching();
        more.run.records = 25'000;
        expect(eq(more.percent(), 100.0));
        expect(!plain_progress(more).contains("ETA"));
        auto none = fetching();
        none.run.estimated = none.run.records = 0;
        expect(eq(none.percent(), 100.0));
        auto slow = fetching();
        slow.rate = 1e-9;
        expect(!slow.left()) << "nobody waits for years";
    };

    "it fits any terminal"_test = [&] {
        for (std::size_t width = 1; width < 200; ++width)
            for (const auto& at : {fetching(), consolidating()}) {
                const auto [line, parts] = bar_lines(at, terminal(out, width));
                expect(display_width(line) < std::max<std::size_t>(width, 2)) << width;
                expect(display_width(parts) < std::max<std::size_t>(width, 2)) << width;
            }
    };

    "for machines, every number"_test = [&] {
        const auto text = json_progress(fetching()).json();
        expect(bulk::json::read_members(text).has_value()) << text;
        expect(text.contains(R"("partitions":10,"completed":3,"failed":1,"estimated":20000,)"))
            << text;
        expect(text.contains(R"("percent":60.0,"per_second":1200.0,"eta_seconds":7,)")) << text;
    };
}
