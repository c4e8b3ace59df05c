#include <bulk/core/event.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>

#include <support/ut.hpp>

#include <chrono>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::run_state, bulk::run_status, bulk::run_decision;

namespace {

constexpr bulk::timestamp at(int seconds) {
    return bulk::timestamp{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}} +
           std::chrono::seconds{seconds};
}

bulk::feed_run started() { return {.feed = "diamonds", .started_at = at(0), .partitions = 3}; }

bulk::feed_run fetched() {
    auto run = started();
    run.active_at = at(10);
    run.completed = 3;
    return run;
}

run_state state(const bulk::feed_run& run, int now = 20) { return state_of(run, at(now), 30min); }

suite<"feed run"> tests = [] {
    "a run is created until somebody begins, then its workers run"_test = [] {
        auto run = started();
        expect(state(run) == run_state::created and is_active(run));
        expect(status_of(run) == run_status::in_progress);
        run.active_at = at(10);
        expect(state(run) == run_state::workers_running);
        run.completed = 2;
        expect(state(run) == run_state::workers_running and !all_finished(run));
        run.failed = 0;
        expect(!is_partial(run));
    };

    "a failed partition makes the status failed, and the run partial while others go on"_test = [] {
        auto run = started();
        run.active_at = at(10);
        run.failed = 1;
        expect(state(run) == run_state::workers_running and is_active(run));
        expect(status_of(run) == run_status::failed and is_partial(run));
        run.completed = 2;
        expect(state(run) == run_state::consolidation_skipped and !is_active(run));
        expect(status_of(run) == run_status::failed and !is_partial(run));
        run.consolidate_at = at(15);
        expect(state(run) == run_state::consolidating and is_active(run));
        expect(status_of(run) == run_status::consolidating);
    };

    "a run whose consolidation is to come is not completed"_test = [] {
        auto run = fetched();
        run.consolidate_at = at(11);
        expect(state(run) == run_state::consolidating and is_active(run));
        expect(status_of(run) == run_status::consolidating);
        run.completed_at = at(12);
        expect(state(run) == run_state::completed and !is_active(run));
        expect(status_of(run) == run_status::completed);
    };

    "an end is the end, whatever else a run says"_test = [] {
        auto run = fetched();
        run.consolidate_at = at(11);
        run.failed_at = at(12);
        expect(state(run, 99999) == run_state::failed and !is_active(run));
        expect(status_of(run) == run_status::failed);
        auto cancelled = started();
        cancelled.cancelled_at = at(5);
        expect(state(cancelled, 99999) == run_state::cancelled and !is_active(cancelled));
        expect(status_of(cancelled) == run_status::failed);
        cancelled.failed = 1;
        expect(!is_partial(cancelled));
    };

    "a run is stalled when nothing has happened for longer than that"_test = [] {
        auto run = started();
        expect(state(run, 1800) == run_state::created);
        expect(state(run, 1801) == run_state::stalled and is_active(run));
        run.active_at = at(100);
        expect(state(run, 1900) == run_state::workers_running);
        expect(state(run, 1901) == run_state::stalled);
        run = fetched();
        run.consolidate_at = at(5000);  // partially, later
        expect(state(run, 4000) == run_state::consolidating) << "it waits, and is not stalled";
        expect(state(run, 6800) == run_state::consolidating);
        expect(state(run, 6801) == run_state::stalled);
        run.completed_at = at(6900);
        expect(state(run, 99999) == run_state::completed) << "what is over is not stalled";
        run = fetched();
        run.completed = 2;
        run.failed = 1;
        expect(state(run, 99999) == run_state::consolidation_skipped);
    };

    "the time a run took ends with it, and is never negative"_test = [] {
        auto run = started();
        expect(duration_of(run, at(7)) == 7s);
        expect(duration_of(run, at(-7)) == 0s);
        run.completed_at = at(5);
        expect(duration_of(run, at(7)) == 5s);
        run.completed_at.reset();
        run.failed_at = at(4);
        expect(duration_of(run, at(7)) == 4s);
        run.failed_at.reset();
        run.cancelled_at = at(3);
        expect(duration_of(run, at(7)) == 3s);
    };

    "what becomes of a run is decided with its last partition"_test = [] {
        expect(bulk::decide(10, 9, 0, 0.7) == run_decision::wait);
        expect(bulk::decide(10, 0, 9, 0) == run_decision::wait);
        expect(bulk::decide(10, 10, 0, 0.7) == run_decision::consolidate);
        expect(bulk::decide(10, 7, 3, 0.7) == run_decision::consolidate_partially);
        expect(bulk::decide(10, 6, 4, 0.7) == run_decision::skip);
        expect(bulk::decide(3, 2, 1, 0.7) == run_decision::skip) << "two of three are less";
        expect(bulk::decide(2, 1, 1, 0) == run_decision::consolidate_partially);
        expect(bulk::decide(2, 0, 2, 0) == run_decision::skip) << "one at least";
        for (std::uint32_t n = 1; n <= 1000; ++n)
            expect(bulk::decide(10 * n, 7 * n, 3 * n, 0.7) == run_decision::consolidate_partially)
                << n;
    };

    "the id of a run is read as it is written"_test = [] {
        const bulk::run_id id{{.high = 0x0123456789abcdef, .low = 42}};
        expect(bulk::parse_run_id(to_text(id)).value() == id);
        expect(bulk::parse_run_id("42").error().code == bulk::errc::invalid_argument);
    };

    "a page is known by where it is"_test = [] {
        const bulk::page_work work{.run = {{.high = 1, .low = 2}}, .partition = 3, .offset = 60};
        expect(to_text(work) == to_text(work.run) + ":partition-3:60");
        using bulk::partition_state;
        expect(!is_finished(partition_state::pending));
        expect(!is_finished(partition_state::in_progress));
        for (const auto state :
             {partition_state::completed, partition_state::failed, partition_state::cancelled})
            expect(is_finished(state));
    };

    "an event of a run carries its id and the name of its feed"_test = [] {
        auto run = started();
        run.id = {{.high = 1, .low = 2}};
        const auto event = run_event(run, bulk::event_kind::run_failed, bulk::severity::error,
                                     at(3), "2 items are bad");
        expect(event.operation.value == run.id.value and event.operation_name == "diamonds");
        expect(event.message == "2 items are bad" and event.time == at(3));
        expect(bulk::is_of_run(event.kind) and !bulk::is_of_run(bulk::event_kind::row_failed));
    };
};

}  // namespace

int main() {}
