// The clock is set back while operations run.
#include <bulk/bulk.hpp>

#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <string>
#include <type_traits>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state, bulk::outcome, bulk::row_state;
using support::number, support::numbers, support::pipeline;

namespace {

using known = std::remove_const_t<decltype(bulk::operations<pipeline>)>;
using stage = support::stage<known>;

suite<"a clock that is set back"> clock_steps = [] {
    "by an hour: back-off and waits end as if nothing was, and nothing is lost or wrong"_test = [] {
        support::script script;
        stage at{{.flush_batch_size = 10}};
        int tries = 0;
        script.first = [&](const number& row, bulk::context&) {
            if (row.value == 3 and ++tries < 3) return outcome::retry("not yet");
            return outcome::done();
        };
        script.second = [](const number& row, bulk::context&) {
            if (row.value == 5) return outcome::wait_for_signal("never", 20s);
            if (row.value == 7) return outcome::wait_for_signal("go", 20s);
            return outcome::done();
        };
        const auto start = at.jobs.now();
        const auto id = at.create(numbers(500));
        expect(at.drive([&] { return at.get(id).rows.processed >= 497; }));
        at.jobs.set_back(1h);
        at.drive_for(2s);
        expect(at.service->signal(id, "go").has_value());
        const auto done = at.finish(id);
        expect(at.jobs.now() + 1h - start < 1min) << "nobody waits for an hour";
        expect(done.state == operation_state::completed_with_errors);
        expect(done.rows == bulk::row_counters{500, 500, 499, 1});
        expect(at.record(id, 3, 0)->attempt == 3_u);
        expect(at.record(id, 5, 1)->state == row_state::timed_out);
        expect(at.record(id, 7, 1)->state == row_state::completed);
        expect(!at.log.contains("lost")) << at.log;
        for (const auto& each : at.service->metrics().operations)
            for (const auto& step : each.steps) expect(step.durations.sum >= 0us);
    };

    "in the middle of rows: they are written as they are done"_test = [] {
        support::script script;
        stage at{{.flush_batch_size = 10}};
        int ran = 0;
        script.first = [&](const number&, bulk::context&) {
            if (++ran == 100) at.jobs.set_back(1h);
            at.jobs.advance(1ms);
            return outcome::done();
        };
        const auto id = at.create(numbers(400));
        expect(at.drive([&] { return ran >= 300; }));
        expect(at.get(id).rows.processed >= 250_u) << "not only at the end";
        expect(at.finish(id).rows == bulk::row_counters{400, 400, 400, 0});
    };

    "who has an operation keeps it; when its process dies, the next has it a lease later"_test =
        [] {
            support::script script;
            stage at{{.flush_batch_size = 1, .lease_time = 10s}};
            script.second = [](const number& row, bulk::context&) {
                return row.value == 2 ? outcome::wait_for_signal("go") : outcome::done();
            };
            const auto id = at.create(numbers(3));
            expect(at.drive([&] { return at.get(id).rows.processed == 2; }));
            at.jobs.set_back(1h);
            const bulk::claim_request other{
                .owner = "other", .names = {"pipeline"}, .now = at.jobs.now(), .lease_time = 10s};
            expect(!at.storage.claim(other).value().has_value());
            at.drive_for(20s);
            expect(!at.storage.claim(other).value().has_value());
            const auto died = at.jobs.now();
            at.crash();
            at.start({.pending_poll_interval = 1s, .lease_time = 10s});
            (void)at.service->signal(id, "go");
            expect(at.finish(id).rows == bulk::row_counters{3, 3, 3, 0});
            expect(at.jobs.now() - died < 30s);
        };
};

}  // namespace

int main() {}
