// The clock is set while operations run.
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

/// Three rows, of which the second waits for the signal "go" and the others are done.
bulk::operation_id begin_with_a_waiting_row(stage& at, support::script& script) {
    script.second = [](const number& row, bulk::context&) {
        return row.value == 2 ? outcome::wait_for_signal("go") : outcome::done();
    };
    const auto id = at.create(numbers(3));
    expect(at.drive([&] { return at.get(id).rows.processed == 2; }));
    return id;
}

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

    "or forward: rows that are quick are still handed out many at a time"_test = [] {
        const auto jobs_of_a_run = [](std::chrono::hours step) {
            support::script script;
            stage at;
            int ran = 0, jobs = 0;
            script.first = [&](const number&, bulk::context&) {
                if (++ran == 1000) at.jobs.set_forward(step);
                return outcome::done();
            };
            const auto id = at.create(numbers(10'000));
            expect(at.drive([&] { return ++jobs, at.is_done(id); }));
            return jobs;
        };
        const auto usual = jobs_of_a_run(0h);
        expect(jobs_of_a_run(1h) < usual + 20) << usual;
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
            const auto id = begin_with_a_waiting_row(at, script);
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

/// Asks for ten seconds, each second.
struct asking : bulk::operation<asking, number> {
    static inline int asked = 0;
    struct check {
        static constexpr bulk::step_options options{
            .name = "Check", .poll_interval = 1s, .timeout = 1min};
        void execute(const number&, const bulk::no_metadata&, bulk::context&) {}
        bulk::result<bool> is_complete(const number&, const bulk::no_metadata&, bulk::context&) {
            return ++asked >= 10;
        }
    };
    BULK_OPERATION("asking")
    auto steps() { return bulk::steps(check{}); }
};

suite<"a clock that is set forward"> forward_steps = [] {
    "by an hour: back-off, signals and time-outs end as if nothing was"_test = [] {
        support::script script;
        stage at{{.flush_batch_size = 10}};
        script.first = [&](const number& row, bulk::context& ctx) {
            if (row.value == 3 and ctx.attempt() == 1) return outcome::retry("later", 30s);
            return outcome::done();
        };
        script.second = [](const number& row, bulk::context&) {
            if (row.value == 5) return outcome::wait_for_signal("go", 20min);
            return outcome::done();
        };
        const auto id = at.create(numbers(10));
        expect(at.drive([&] { return at.get(id).rows.processed == 8; }));
        at.jobs.set_forward(1h);
        at.drive_for(20s);
        expect(at.get(id).rows.processed == 8_u) << "neither is due yet";
        expect(at.record(id, 5, 1)->state == row_state::waiting_for_completion);
        at.drive_for(20s);
        expect(at.get(id).rows.processed == 9_u) << "half a minute is over";
        const auto begin = at.jobs.steady_now();
        expect(at.finish(id).rows == bulk::row_counters{10, 10, 9, 1});
        expect(at.jobs.steady_now() - begin > 18min);
    };

    "a step that is polled has all its time, set forward or back"_test = [] {
        for (const auto step : {1h, -1h}) {
            asking::asked = 0;
            support::stage<bulk::operation_list<asking>> at;
            const auto id = at.create(numbers(1), "asking");
            expect(at.drive([&] { return asking::asked == 3; }));
            at.jobs.set_forward(step);
            const auto done = at.finish(id);
            expect(asking::asked == 10_i) << asking::asked;
            expect(done.rows == bulk::row_counters{1, 1, 1, 0});
        }
    };

    "again and again: who has an operation keeps it, and no row runs twice"_test = [] {
        support::script script;
        const bulk::service_options options{.pending_poll_interval = 500ms, .lease_time = 3s};
        stage at{options};
        bulk::service other{known{}, at.storage, options, bulk::read_options{}, &at.jobs};
        int ran = 0;
        script.first = [&](const number&, bulk::context&) {
            at.jobs.advance(1ms);
            if (++ran % 300 == 0) at.jobs.set_forward(1h);
            return outcome::done();
        };
        const auto id = at.create(numbers(7'500));
        const auto done = at.finish(id);
        expect(done.rows == bulk::row_counters{7'500, 7'500, 7'500, 0});
        expect(ran == 7'500_i) << ran;
        expect(!at.log.contains("lost")) << at.log;
        at.service.reset();
        at.jobs.drop_all();
    };

    "one whose process died is taken over all the same"_test = [] {
        support::script script;
        stage at{{.flush_batch_size = 1, .lease_time = 10s}};
        const auto id = begin_with_a_waiting_row(at, script);
        at.crash();
        at.start({.pending_poll_interval = 1s, .lease_time = 10s});
        at.jobs.set_forward(1h);
        (void)at.service->signal(id, "go");
        const auto begin = at.jobs.now();
        expect(at.finish(id).rows == bulk::row_counters{3, 3, 3, 0});
        expect(at.jobs.now() - begin < 30s);
    };
};

}  // namespace

int main() {}
