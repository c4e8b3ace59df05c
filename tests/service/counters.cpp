// What the counters of an operation say, at every stage of it.
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_state, bulk::row_counters, bulk::row_state;
using support::now_playing, support::number, support::numbers, support::script;

namespace {

struct polled {
    static constexpr bulk::step_options options{
        .name = "Polled", .poll_interval = 1s, .timeout = 5s};
    void execute(const number&, const bulk::no_metadata&, bulk::context&) {}
    bool is_complete(const number& row, const bulk::no_metadata&, bulk::context&) {
        return row.value % 2 == 0;
    }
};
struct polling : bulk::operation<polling, number> {
    BULK_OPERATION("polling")
    auto steps() { return bulk::steps(polled{}); }
};

using stage = support::stage<bulk::operation_list<support::pipeline, polling>>;

/// Refused are 1 to 3; of the others, 7 fails, 8 is tried again, 9 is skipped.
void set_scene(script& play) {
    play.validate = [](const number& row) -> bulk::result<> {
        if (row.value <= 3) return bulk::fail("too small");
        return {};
    };
    play.first = [](const number& row, bulk::context& ctx) {
        if (row.value == 7) return bulk::outcome::fail("no");
        if (row.value == 8 && ctx.attempt() == 1) return bulk::outcome::retry("busy");
        if (row.value == 9) return bulk::outcome::skip("not needed");
        return bulk::outcome::done();
    };
}

/// What the records of an operation say.
row_counters counted(bulk::any_storage storage, bulk::operation_id id, int last_step) {
    row_counters rows;
    bulk::row_query query{.operation = id, .page_size = 1000};
    std::map<std::uint64_t, bulk::row_record> last;
    while (true) {
        const auto page = storage.query(query).value();
        for (const auto& each : page.items) last[to_number(each.row)] = each;
        query.after = page.next;
        if (page.next.empty()) break;
    }
    rows.total = last.size();
    for (const auto& [row, record] : last) {
        const bool is_failed =
            record.state == row_state::failed || record.state == row_state::timed_out;
        const bool is_done =
            record.state == row_state::completed && to_number(record.step) == last_step;
        if (is_failed || is_done) count_row(rows, is_done);
    }
    return rows;
}

row_counters counted(stage& on, bulk::operation_id id, int last_step) {
    return counted(on.storage, id, last_step);
}

/// A storage with one operation of two steps, whose counters are compared with its records at every
/// batch of rows.
class watched_storage {
public:
    using storage_type = support::faulty_storage<bulk::memory::records>;

    [[nodiscard]] storage_type watched() {
        return storage_type{kept_, [](const char*) { return false; },
                            [this](const char* call) {
                                if (call == "record"s) compare();
                            }};
    }
    [[nodiscard]] const std::string& differences() const { return differences_; }
    [[nodiscard]] std::size_t stages() const { return processed_.size(); }

private:
    /// Batches of one operation are written one at a time.
    void compare() {
        const auto operation = kept_.query(bulk::operation_query{}).value().items.at(0);
        const auto said = counted(kept_, operation.id, 1);
        const auto& has = operation.rows;
        if (operation.state == operation_state::running) processed_.insert(has.processed);
        if (has.processed != said.processed || has.successful != said.successful ||
            has.failed != said.failed)
            differences_ += "counted " + std::to_string(has.successful) + '+' +
                            std::to_string(has.failed) + " of " + std::to_string(has.processed) +
                            ", recorded " + std::to_string(said.successful) + '+' +
                            std::to_string(said.failed) + " of " + std::to_string(said.processed) +
                            '\n';
    }

    bulk::memory::records kept_;
    std::set<std::uint64_t> processed_;  ///< all that were seen while rows ran
    std::string differences_;
};

suite<"stages"> stages = [] {
    "before it begins nothing is counted"_test = [] {
        script play;
        stage on;
        const auto id = on.create(numbers(9));
        expect(on.get(id).rows == row_counters{});
        expect(bulk::percent(on.get(id).rows) == 0.0_d);
    };

    "while rows are validated, those that were refused are counted, and the total is unknown"_test =
        [] {
            script play;
            stage on({.flush_batch_size = 1});
            bulk::operation_id id;
            play.validate = [&](const number& row) -> bulk::result<> {
                if (row.value == 5) {
                    expect(on.get(id).rows == row_counters{.processed = 4, .failed = 4});
                    expect(bulk::percent(on.get(id).rows) == 0.0_d);
                    play.note("looked");
                }
                return bulk::fail("no");
            };
            id = on.create(numbers(9));
            (void)on.finish(id);
            expect(play.calls == "looked "s);
        };

    "when the first row runs, the total is known, and refused rows are counted"_test = [] {
        script play;
        set_scene(play);
        stage on;
        bulk::operation_id id;
        play.first = [&](const number& row, bulk::context&) {
            if (row.value == 4)
                expect(on.get(id).rows == row_counters{.total = 9, .processed = 3, .failed = 3});
            play.note(row);
            return bulk::outcome::done();
        };
        id = on.create(numbers(9));
        (void)on.finish(id);
        expect(play.calls.starts_with("4 "));
    };

    "while rows run, progress is a share of the total"_test = [] {
        script play;
        stage on({.flush_batch_size = 1});
        bulk::operation_id id;
        std::vector<double> seen;  // by each row when it runs
        play.first = [&](const number&, bulk::context&) {
            seen.push_back(bulk::percent(on.get(id).rows));
            return bulk::outcome::done();
        };
        id = on.create(numbers(10));
        expect(bulk::percent(on.finish(id).rows) == 100.0_d);
        expect(seen == std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
    };

    "counters are never further behind than a batch"_test = [] {
        script play;
        stage on({.flush_batch_size = 10});
        bulk::operation_id id;
        std::uint64_t most = 0;
        play.first = [&](const number& row, bulk::context&) {
            const auto behind =
                static_cast<std::uint64_t>(row.value) - 1 - on.get(id).rows.processed;
            most = std::max(most, behind);
            return bulk::outcome::done();
        };
        id = on.create(numbers(500));
        (void)on.finish(id);
        expect(most > 0_u and most < 20_u) << most;
    };

    "while rows run concurrently, each stored batch has the counters of its records"_test = [] {
        script play;
        play.validate = [](const number& row) -> bulk::result<> {
            if (row.value % 11 == 0) return bulk::fail("no");
            return {};
        };
        std::optional<std::latch> in_flight;
        std::atomic<int> begun = 0;
        play.first = [&](const number& row, bulk::context& ctx) {
            // Each of four tasks has a row before any goes on.
            if (in_flight && begun++ < 4) in_flight->arrive_and_wait();
            if (row.value % 10 == 0) return bulk::outcome::fail("no");
            if (row.value % 3 == 0 && ctx.attempt() == 1) return bulk::outcome::retry("busy", 1ms);
            if (row.value % 7 == 0) return bulk::outcome::skip("not needed");
            return bulk::outcome::done();
        };
        const row_counters wanted{.total = 120, .processed = 120, .successful = 99, .failed = 21};
        using operations = bulk::operation_list<support::pipeline>;
        for (const int batch : {1, 7}) {
            const bulk::service_options options{.flush_batch_size = batch,
                                                .max_row_concurrency = 4};
            const auto least = static_cast<std::size_t>(120 / batch / 4);
            for (int seed = 0; seed < 3; ++seed) {
                watched_storage kept;
                in_flight.reset();
                support::stage<operations, watched_storage::storage_type> on{options,
                                                                             kept.watched()};
                for (int i = 0; i < seed; ++i) (void)on.jobs.random();  // another order of jobs
                expect(on.run(numbers(120)).rows == wanted) << "seed" << seed;
                expect(kept.differences() == ""s) << "seed" << seed << kept.differences();
                expect(kept.stages() >= least) << kept.stages() << "batches of" << batch;
            }
            for (int time = 0; time < 3; ++time) {
                watched_storage kept;
                in_flight.emplace(4);
                begun = 0;
                bulk::service threads{operations{}, kept.watched(), options};
                const auto id = threads.create("pipeline", support::text(numbers(120))).value();
                expect(threads.wait(id, 1min).value().rows == wanted);
                expect(threads.shutdown().has_value());
                expect(kept.differences() == ""s) << "on threads" << kept.differences();
                expect(kept.stages() >= least) << kept.stages() << "batches of" << batch;
            }
        }
    };

    "slow rows are written when they are a second old"_test = [] {
        script play;
        stage on({.flush_batch_size = 1000, .flush_interval = 1s});
        bulk::operation_id id;
        std::vector<std::uint64_t> behind;  // rows that have run and are not written, at each row
        play.first = [&](const number& row, bulk::context&) {
            behind.push_back(static_cast<std::uint64_t>(row.value) - 1 - on.get(id).rows.processed);
            on.jobs.advance(500ms);
            return bulk::outcome::done();
        };
        id = on.create(numbers(30));
        (void)on.finish(id);
        expect(behind.size() == 30_ul);
        // A second is two rows; then the job that writes is one of those that are ready.
        const auto most = std::ranges::max(behind);
        expect(most >= 2_u and most <= 6_u) << most;
    };
};

suite<"ends"> ends = [] {
    "every row is counted once: refused, failed, tried again or skipped"_test = [] {
        for (const int concurrency : {1, 3}) {
            script play;
            set_scene(play);
            stage on({.max_row_concurrency = concurrency});
            const auto done = on.run("value\n1\n2\n3\n4\nx\n7\n8\n9\n");
            expect(done.state == operation_state::completed_with_errors);
            expect(done.rows ==
                   row_counters{.total = 8, .processed = 8, .successful = 3, .failed = 5});
            expect(counted(on, done.id, 1) == done.rows);
        }
    };

    "one failed row is one error in the list"_test = [] {
        script play;
        set_scene(play);
        stage on;
        const auto done = on.run("value\n1\nx\n7\n8\n");
        expect(on.service->errors(done.id).value().total == done.rows.failed);
        expect(on.errors(done.id) ==
               "1 validation: too small\n"
               "2 parse: line 3, column 'value', 'x': it is not a whole number\n"
               "3 step_failure: no\n"s)
            << on.errors(done.id);
    };

    "a row that timed out is a failed row"_test = [] {
        stage on;
        const auto done = on.run(numbers(4), "polling");
        expect(done.rows == row_counters{.total = 4, .processed = 4, .successful = 2, .failed = 2});
        expect(counted(on, done.id, 0) == done.rows);
        expect(on.record(done.id, 1, 0)->state == row_state::timed_out);
    };

    "no rows: nothing to count, and success"_test = [] {
        script play;
        stage on;
        const auto done = on.run("value\n");
        expect(done.state == operation_state::completed and done.rows == row_counters{});
        expect(bulk::percent(done.rows) == 0.0_d);
    };

    "no row succeeded: an end with errors"_test = [] {
        script play;
        play.validate = [](const number& row) -> bulk::result<> {
            if (row.value == 1) return bulk::fail("no");
            return {};
        };
        play.first = [](const number&, bulk::context&) { return bulk::outcome::fail("no"); };
        stage on;
        const auto done = on.run(numbers(3));
        expect(done.state == operation_state::completed_with_errors);
        expect(done.rows == row_counters{.total = 3, .processed = 3, .failed = 3});
    };

    "a thousand rows more or less"_test = [] {
        script play;
        play.first = [](const number& row, bulk::context& ctx) {
            if (row.value % 10 == 0) return bulk::outcome::fail("no");
            if (row.value % 3 == 0 && ctx.attempt() == 1) return bulk::outcome::retry("busy");
            return bulk::outcome::done();
        };
        for (const int concurrency : {1, 4})
            for (const int batch : {1, 7, 100}) {
                stage on({.flush_batch_size = batch, .max_row_concurrency = concurrency});
                const auto done = on.run(numbers(1000));
                expect(done.rows ==
                       row_counters{
                           .total = 1000, .processed = 1000, .successful = 900, .failed = 100});
                expect(counted(on, done.id, 1) == done.rows);
            }
    };

    "cancelled: what was not tried is the rest of the total"_test = [] {
        script play;
        stage on;
        bulk::operation_id id;
        set_scene(play);
        play.second = [&](const number& row, bulk::context&) {
            if (row.value == 5) expect(on.service->cancel(id).has_value());
            return bulk::outcome::done();
        };
        id = on.create(numbers(9));
        const auto done = on.finish(id);
        expect(done.rows == row_counters{.total = 9, .processed = 5, .successful = 2, .failed = 3});
        expect(bulk::unprocessed(done.rows) == 4_u and counted(on, id, 1) == done.rows);
    };

    "a crash counts nothing twice"_test = [] {
        script play;
        set_scene(play);
        stage on({.flush_batch_size = 2});
        const auto id = on.create(numbers(50));
        for (int crashes = 0; crashes < 20 && !on.is_done(id); ++crashes) {
            for (int steps = 0; steps < 9; ++steps) (void)on.jobs.step();
            on.crash();
            on.jobs.advance(1min);
            on.start({.flush_batch_size = 2});
        }
        expect(on.finish(id).rows ==
               row_counters{.total = 50, .processed = 50, .successful = 46, .failed = 4});
    };

    "what the service counted since it began agrees"_test = [] {
        script play;
        set_scene(play);
        stage on;
        (void)on.run("value\n1\n2\n3\n4\nx\n7\n8\n9\n");
        (void)on.run(numbers(3), "polling");
        const auto all = on.service->metrics().operations;
        expect(all[0].succeeded_rows == 3_u and all[0].refused_rows == 4_u);
        expect(all[0].failed_rows == 1_u and all[0].retried_steps == 1_u);
        expect(all[1].succeeded_rows == 1_u and all[1].timed_out_rows == 2_u);
        expect(all[0].waiting_rows == 0_i and all[1].waiting_rows == 0_i);
    };
};

}  // namespace

int main() {}
