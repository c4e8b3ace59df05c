// How a row goes through its steps: what each is told, how often it is tried, how long it waits.
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_state, bulk::row_state;
using support::now_playing, support::number, support::numbers, support::script;

namespace {

struct patient : bulk::operation<patient, number> {
    BULK_OPERATION("patient")
    BULK_STEP(first, "First", .max_retries = 6)
    (const number& row, const bulk::no_metadata&, bulk::context& ctx) {
        return script::play(now_playing->first, row, ctx);
    }
};

struct exact : bulk::operation<exact, number> {
    BULK_OPERATION("exact")
    BULK_STEP(first, "First", .max_retries = 4,
              .backoff = {.base = 100ms, .factor = 3, .cap = 500ms, .jitter = 0})
    (const number& row, const bulk::no_metadata&, bulk::context& ctx) {
        return script::play(now_playing->first, row, ctx);
    }
};

struct once : bulk::operation<once, number> {
    BULK_OPERATION("once")
    bulk::outcome process(const number& row, const bulk::no_metadata&, bulk::context& ctx) {
        return script::play(now_playing->first, row, ctx);
    }
};

/// Executed once; asked at once, then every ten seconds.
struct watched {
    static constexpr bulk::step_options options{
        .name = "Watched", .max_retries = 2, .poll_interval = 10s, .timeout = 60s};
    void execute(const number&, const bulk::no_metadata&, bulk::context&) {
        now_playing->note("execute");
    }
    bulk::result<bool> is_complete(const number& row, const bulk::no_metadata&, bulk::context&) {
        now_playing->note("check");
        if (const auto said = now_playing->validate(row); !said) return bulk::fail("no line");
        return false;
    }
};
struct polling : bulk::operation<polling, number> {
    BULK_OPERATION("polling")
    auto steps() { return bulk::steps(watched{}); }
};

using stage =
    support::stage<bulk::operation_list<support::pipeline, patient, exact, once, polling>>;

/// When each try of each row was.
using tries = std::map<std::uint64_t, std::vector<bulk::timestamp>>;

/// A stage whose first step never succeeds.
struct failing_stage {
    script play;
    stage on;
    tries seen;

    failing_stage() {
        play.first = [this](const number&, bulk::context& ctx) {
            seen[to_number(ctx.row())].push_back(on.jobs.now());
            return bulk::outcome::retry("no");
        };
    }
};

suite<"tries"> trying = [] {
    "a step is tried once more than it has retries"_test = [] {
        failing_stage failing;
        auto& [play, on, seen] = failing;
        (void)on.run(numbers(1), "once");
        expect(seen[1].size() == 1_ul);
        (void)on.run(numbers(2), "pipeline");
        expect(seen[2].size() == 3_ul);
        (void)on.run(numbers(3), "patient");
        expect(seen[3].size() == 7_ul);
    };

    "every reason is one to try again: an error, an exception, whatever was thrown"_test = [] {
        script play;
        play.first = [&](const number& row, bulk::context& ctx) {
            play.note(row);
            if (ctx.attempt() > 1) return bulk::outcome::done();
            if (row.value == 1) throw std::runtime_error{"thrown"};
            if (row.value == 2) throw 7;
            return bulk::outcome::retry("busy");
        };
        stage on;
        expect(on.run(numbers(3)).rows.successful == 3_u);
        expect(play.calls.size() == 12_ul) << play.calls;
    };

    "what failed for good is not tried again"_test = [] {
        script play;
        play.first = [&](const number& row, bulk::context&) {
            play.note(row);
            return bulk::outcome::fail("never");
        };
        stage on;
        const auto done = on.run(numbers(1));
        expect(play.calls == "1 "s);
        expect(on.errors(done.id) == "1 step_failure: never\n"s);
    };

    "the last reason is kept, and no step follows"_test = [] {
        script play;
        play.first = [](const number&, bulk::context& ctx) {
            return bulk::outcome::retry("try " + std::to_string(ctx.attempt()));
        };
        play.second = [&](const number& row, bulk::context&) {
            play.note(row);
            return bulk::outcome::done();
        };
        stage on;
        const auto done = on.run(numbers(1));
        expect(on.errors(done.id) == "1 step_failure: try 3\n"s);
        expect(play.calls.empty() and !on.record(done.id, 1, 1).has_value());
        expect(on.record(done.id, 1, 0)->attempt == 3_u);
    };

    "what fails in process is a processing error with its own text"_test = [] {
        script play;
        play.first = [](const number&, bulk::context&) -> bulk::outcome {
            throw std::runtime_error{"no such customer"};
        };
        stage on;
        const auto done = on.run(numbers(1), "once");
        expect(on.errors(done.id) == "1 processing: no such customer\n"s);
    };

    "a row that succeeded in the end shows its tries and no error"_test = [] {
        script play;
        play.first = [](const number&, bulk::context& ctx) {
            return ctx.attempt() < 3 ? bulk::outcome::retry("busy") : bulk::outcome::done();
        };
        stage on;
        const auto done = on.run(numbers(1));
        const auto record = on.record(done.id, 1, 0).value();
        expect(record.state == row_state::completed and record.attempt == 3_u);
        expect(record.error_message.empty() and !record.failure);
        expect(done.state == operation_state::completed);
    };

    "each step counts its own tries"_test = [] {
        script play;
        play.first = [](const number&, bulk::context& ctx) {
            return ctx.attempt() < 3 ? bulk::outcome::retry("busy") : bulk::outcome::done();
        };
        play.second = [&](const number&, bulk::context& ctx) {
            play.note(std::to_string(ctx.attempt()));
            return bulk::outcome::done();
        };
        stage on;
        (void)on.run(numbers(2));
        expect(play.calls == "1 1 "s) << play.calls;
    };

    "tries keep their count when the process dies"_test = [] {
        script play;
        play.first = [&](const number&, bulk::context& ctx) {
            play.note(std::to_string(ctx.attempt()));
            return bulk::outcome::retry("busy");
        };
        stage on;
        const auto id = on.create(numbers(1));
        expect(on.drive([&] { return play.calls == "1 2 "; }));
        on.drive_for(1100ms);  // it is written within a second
        on.crash();
        on.jobs.advance(1min);
        on.start();
        expect(on.finish(id).rows.failed == 1_u);
        expect(play.calls == "1 2 3 "s) << play.calls;
    };
};

suite<"back-off"> backing_off = [] {
    "it doubles from two seconds to thirty, with up to half on top"_test = [] {
        failing_stage failing;
        auto& [play, on, seen] = failing;
        (void)on.run(numbers(50), "patient");
        const std::chrono::seconds least[] = {2s, 4s, 8s, 16s, 30s, 30s};
        for (std::size_t retry = 0; retry < 6; ++retry) {
            std::set<std::chrono::microseconds> waits;
            for (const auto& [row, times] : seen) waits.insert(times[retry + 1] - times[retry]);
            expect(*waits.begin() >= least[retry]) << retry;
            expect(*waits.rbegin() < least[retry] * 3 / 2 + 1ms) << retry;
            expect(waits.size() > 40_ul) << "rows that failed together do not return together";
        }
    };

    "a step may choose its own"_test = [] {
        failing_stage failing;
        auto& [play, on, seen] = failing;
        (void)on.run(numbers(1), "exact");
        const auto& times = seen[1];
        const std::chrono::milliseconds waits[] = {100ms, 300ms, 500ms, 500ms};
        for (std::size_t retry = 0; retry < 4; ++retry)
            expect(times[retry + 1] - times[retry] == waits[retry]) << retry;
    };

    "a try may choose its own, even a longer one"_test = [] {
        script play;
        stage on;
        tries seen;
        play.first = [&](const number&, bulk::context& ctx) {
            seen[1].push_back(on.jobs.now());
            return bulk::outcome::retry("busy", ctx.attempt() == 1 ? 90min : 7ms);
        };
        (void)on.run(numbers(1));
        expect(fatal(seen[1].size() == 3_ul)) << "it counts as a retry all the same";
        expect(seen[1][1] - seen[1][0] == 90min and seen[1][2] - seen[1][1] == 7ms);
    };

    "rows that wait hold up no other, nor each other"_test = [] {
        script play;
        stage on({.max_row_concurrency = 1});
        const auto begin = on.jobs.now();
        play.first = [&](const number& row, bulk::context& ctx) {
            if (row.value % 2 == 0) expect(on.jobs.now() == begin);
            if (row.value % 2 == 1 && ctx.attempt() == 1) return bulk::outcome::retry("busy");
            return bulk::outcome::done();
        };
        expect(on.run(numbers(100)).rows.successful == 100_u);
        expect(on.jobs.now() - begin <= 4s) << "all of them waited at the same time";
    };

    "a row that waits for its next try is seen as running, with the reason"_test = [] {
        script play;
        play.first = [](const number&, bulk::context&) { return bulk::outcome::retry("busy", 1h); };
        stage on;
        const auto id = on.create(numbers(1));
        on.drive_for(5s);
        const auto record = on.record(id, 1, 0).value();
        expect(record.state == row_state::running and record.error_message == "busy"s);
        expect(record.attempt == 1_u and !record.failure and !record.completed_at);
        expect(on.service->metrics().operations[0].waiting_rows == 1_i);
    };
};

suite<"waiting"> waiting = [] {
    "a time-out is not tried again"_test = [] {
        script play;
        play.validate = [](const number&) { return bulk::result<>{}; };
        stage on;
        const auto done = on.run(numbers(1), "polling");
        expect(on.errors(done.id) ==
               "1 timeout: Step 'Watched' timed out waiting for completion\n"s);
        expect(play.calls.starts_with("execute check check "));
        expect(play.calls.find("execute", 1) == std::string::npos) << play.calls;
    };

    "a check that fails later is asked again, and the step is not executed again"_test = [] {
        script play;
        int asked = 0;
        play.validate = [&](const number&) -> bulk::result<> {
            if (++asked == 2) return bulk::fail("no line");
            return {};
        };
        stage on;
        const auto done = on.run(numbers(1), "polling");
        expect(done.rows.failed == 1_u and asked > 3_i);
        expect(play.calls.find("execute", 1) == std::string::npos) << play.calls;
    };
};

suite<"steps"> stepping = [] {
    "a step is told where it is, and its key stays the same"_test = [] {
        script play;
        std::set<std::string> keys;
        const auto tell = [&](const number&, bulk::context& ctx) {
            play.note(std::to_string(to_number(ctx.row())) + '.' +
                      std::to_string(to_number(ctx.step())) + '.' + std::string{ctx.step_name()} +
                      '.' + std::to_string(ctx.attempt()));
            keys.insert(ctx.idempotency_key());
            return ctx.attempt() == 1 && to_number(ctx.step()) == 0 ? bulk::outcome::retry("x")
                                                                    : bulk::outcome::done();
        };
        play.first = play.second = tell;
        stage on;
        const auto done = on.run(numbers(1));
        expect(play.calls == "1.0.First.1 1.0.First.2 1.1.Second.1 "s) << play.calls;
        expect(keys == std::set{to_text(done.id) + ":1:0", to_text(done.id) + ":1:1"});
    };

    "rows run in the order of the file unless several run at once"_test = [] {
        script play;
        play.first = [&](const number& row, bulk::context&) {
            play.note(row);
            return bulk::outcome::done();
        };
        stage on;
        std::string expected;
        for (int i = 1; i <= 300; ++i) expected += std::to_string(i) + ' ';
        (void)on.run(numbers(300));
        expect(play.calls == expected);
    };

    "one row at a time or several: the records are the same"_test = [] {
        script play;
        play.first = [](const number& row, bulk::context& ctx) {
            if (row.value % 7 == 0) return bulk::outcome::fail("seven");
            if (row.value % 5 == 0 && ctx.attempt() == 1) return bulk::outcome::retry("five");
            return bulk::outcome::done();
        };
        std::string all[2];
        for (const int several : {0, 1}) {
            stage on({.max_row_concurrency = several == 1 ? 4 : 1});
            const auto done = on.run(numbers(200));
            const bulk::row_query query{.operation = done.id, .page_size = 1000};
            for (const auto found = on.storage.query(query).value(); const auto& each : found.items)
                all[several] += std::to_string(to_number(each.row)) + '.' +
                                std::to_string(to_number(each.step)) + ' ' +
                                std::string{bulk::name_of(each.state)} + ' ' +
                                std::to_string(each.attempt) + each.error_message + '\n';
        }
        expect(all[0] == all[1] and all[0].size() > 5000_ul);
    };
};

}  // namespace

int main() {}
