// Steps that are asked until they are complete: when, how often, for how long, and what becomes of
// them when the check or the process fails.
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_id, bulk::operation_state, bulk::row_state;
using support::number, support::numbers, support::script;

namespace {

/// What the checks of a test say, and when they were asked.
struct checks {
    using check = std::function<bulk::result<bool>(const number&, bulk::context&, int)>;

    check say;  ///< with the number of the question; unset: not complete
    std::map<int, std::vector<bulk::timestamp>> asked;
    std::map<int, int> executed;
    const bulk::executor* clock = nullptr;
};
checks* now_asked = nullptr;

struct order {
    static constexpr bulk::step_options options{
        .name = "Order",
        .max_retries = 2,
        .backoff = {.base = 4s, .factor = 20, .cap = 50s, .jitter = 0},
        .poll_interval = 10s,
        .timeout = 60s};
    void execute(const number& row, const bulk::no_metadata&, bulk::context&) {
        ++now_asked->executed[row.value];
    }
    bulk::result<bool> is_complete(const number& row, const bulk::no_metadata&,
                                   bulk::context& ctx) {
        auto& asked = now_asked->asked[row.value];
        asked.push_back(now_asked->clock->now());
        if (!now_asked->say) return false;
        return now_asked->say(row, ctx, static_cast<int>(asked.size()));
    }
};
struct orders : bulk::operation<orders, number> {
    BULK_OPERATION("orders", .retryable = true)
    auto steps() { return bulk::steps(order{}); }
};

/// Asked in its own way: no interval, no retries.
struct eager : bulk::operation<eager, number> {
    static inline int calls = 0;
    BULK_OPERATION("eager")
    bulk::outcome process(const number&, const bulk::no_metadata&, bulk::context&) {
        ++calls;
        return bulk::outcome::poll(0ms, 1s);
    }
};

/// Its check never returns unless it is told to stop.
struct deaf_step {
    static constexpr bulk::step_options options{
        .name = "Deaf", .poll_interval = 1s, .timeout = 50ms};
    static inline std::atomic<int> told = 0;
    void execute(const number&, const bulk::no_metadata&, bulk::context&) {}
    bulk::result<bool> is_complete(const number& row, const bulk::no_metadata&,
                                   bulk::context& ctx) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock{mutex};
        (void)never.wait(lock, ctx.stop_token(), [] { return false; });
        ++told;
        if (row.value == 1) return false;
        if (row.value == 2) return bulk::fail("interrupted");
        return true;
    }
};
struct deaf : bulk::operation<deaf, number> {
    BULK_OPERATION("deaf")
    auto steps() { return bulk::steps(deaf_step{}); }
    BULK_STEP(after, "After", .order = 1)
    (const number&, const bulk::no_metadata&, bulk::context& ctx) {
        if (ctx.stop_token().stop_requested()) throw std::runtime_error{"still told to stop"};
    }
};

struct stage : support::stage<bulk::operation_list<orders, eager, deaf, support::pipeline>>,
               checks {
    explicit stage(const bulk::service_options& options = {})
        : support::stage<bulk::operation_list<orders, eager, deaf, support::pipeline>>{options} {
        now_asked = this;
        clock = &jobs;
    }
    operation_id begin(int rows) { return create(numbers(rows), "orders"); }
};

suite<"polling"> polling = [] {
    "asked at once, then at the interval and up to a fifth more, last at the deadline"_test = [] {
        stage on;
        const auto since = on.jobs.now();
        const auto done = on.run(numbers(40), "orders");
        expect(done.rows == bulk::row_counters{40, 40, 0, 40});
        std::map<std::chrono::microseconds, int> waits;
        for (const auto& [row, times] : on.asked) {
            expect(times.front() == since and times.back() - since == 60s) << row;
            expect(times.size() >= 6_ul and times.size() <= 7_ul) << row << times.size();
            for (std::size_t i = 1; i + 1 < times.size(); ++i) {
                const auto wait = times[i] - times[i - 1];
                expect(wait >= 10s and wait < 12s) << row << i;
                ++waits[wait];
            }
        }
        expect(waits.size() > 100_ul) << "rows that began together are not asked together";
        expect(on.errors(done.id).starts_with(
            "1 timeout: Step 'Order' timed out waiting for completion\n"));
        const auto record = on.record(done.id, 7, 0).value();
        expect(record.state == row_state::timed_out and record.completed_at == since + 60s);
        expect(record.started_at == since and on.executed[7] == 1_i);
    };

    "what is complete at the deadline is complete"_test = [] {
        stage on;
        on.say = [&](const number&, bulk::context&, int) -> bulk::result<bool> {
            return on.jobs.now() - on.asked[1].front() >= 60s;
        };
        expect(on.run(numbers(1), "orders").state == operation_state::completed);
    };

    "a row that is complete at once never waits"_test = [] {
        stage on;
        on.say = [](const number&, bulk::context&, int) -> bulk::result<bool> { return true; };
        const auto since = on.jobs.now();
        const auto done = on.run(numbers(5), "orders");
        expect(done.rows.successful == 5_u and on.jobs.now() == since);
        expect(on.asked[5].size() == 1_ul);
    };

    "a step that asks to be called again at once keeps nothing busy"_test = [] {
        stage on;
        eager::calls = 0;
        expect(on.run(numbers(1), "eager").rows.failed == 1_u);
        expect(eager::calls > 1_i and eager::calls <= 1001_i) << eager::calls;
    };

    "a thousand rows are polled where one may run, and hold up nobody"_test = [] {
        script play;
        stage on({.max_row_concurrency = 1});
        on.say = [&](const number&, bulk::context&, int many) -> bulk::result<bool> {
            return many == 4;
        };
        const auto since = on.jobs.now();
        const auto id = on.begin(1000);
        expect(on.drive([&] { return on.asked.size() == 1000; }));
        expect(on.jobs.now() == since) << "all of them began";
        expect(on.run(numbers(10), "pipeline").state == operation_state::completed);
        expect(on.jobs.now() == since) << "and another operation ended";
        expect(on.finish(id).rows.successful == 1000_u);
        expect(on.jobs.now() - since < 40s) << "three waits, not three thousand";
    };
};

suite<"a check that fails"> failing = [] {
    "it is asked again under the step's policy, and the step is not executed again"_test = [] {
        stage on;
        on.say = [](const number& row, bulk::context&, int many) -> bulk::result<bool> {
            if (many > 2) return true;
            if (row.value == 1) throw std::runtime_error{"no line"};
            return bulk::fail("no line");
        };
        const auto done = on.run(numbers(2), "orders");
        expect(done.state == operation_state::completed);
        for (const int row : {1, 2}) {
            expect(on.executed[row] == 1_i and on.asked[row].size() == 3_ul);
            expect(on.asked[row][1] - on.asked[row][0] == 4s) << "the back-off, not the interval";
            expect(on.record(done.id, static_cast<std::uint64_t>(row), 0)->attempt == 3_u);
        }
    };

    "out of retries the row fails with what the check said"_test = [] {
        stage on;
        on.say = [](const number&, bulk::context&, int many) -> bulk::result<bool> {
            return bulk::fail("no line " + std::to_string(many));
        };
        const auto done = on.run(numbers(1), "orders");
        expect(on.errors(done.id) == "1 step_failure: no line 3\n"s) << on.errors(done.id);
        expect(on.executed[1] == 1_i);
    };

    "its retries wait no longer than to the deadline, and then it is timed out"_test = [] {
        stage on;
        on.say = [](const number&, bulk::context&, int many) -> bulk::result<bool> {
            if (many == 1) return false;
            return bulk::fail("no line");  // at 10 to 12 s, 4 s later, and 50 s after that
        };
        const auto since = on.jobs.now();
        const auto done = on.run(numbers(1), "orders");
        expect(on.asked[1].size() == 4_ul and on.asked[1].back() - since == 60s);
        expect(on.errors(done.id) == "1 timeout: Step 'Order' timed out waiting for completion\n"s)
            << on.errors(done.id);
    };

    "a failure that it had is seen while it waits"_test = [] {
        stage on;
        on.say = [](const number&, bulk::context&, int many) -> bulk::result<bool> {
            if (many == 1) return bulk::fail("no line");
            return false;
        };
        const auto id = on.begin(1);
        on.drive_for(3s);
        const auto record = on.record(id, 1, 0).value();
        expect(record.state == row_state::waiting_for_completion);
        expect(record.error_message == "no line"s and !record.failure);
    };
};

suite<"a crash"> crashing = [] {
    "the deadline is that of before, and the step is not executed again"_test = [] {
        stage on;
        const auto id = on.begin(3);
        const auto since = on.jobs.now();
        on.drive_for(25s);
        on.crash();
        on.drive_for(35s - 1ms);  // nobody is there
        on.start();
        const auto done = on.finish(id);
        expect(done.rows.failed == 3_u);
        for (const int row : {1, 2, 3}) {
            expect(on.executed[row] == 1_i);
            expect(on.asked[row].back() - since == 60s) << row;
            expect(on.record(id, static_cast<std::uint64_t>(row), 0)->started_at == since);
        }
    };

    "back after the deadline it is asked once more"_test = [] {
        for (const bool is_complete : {true, false}) {
            stage on;
            const auto id = on.begin(1);
            on.drive_for(25s);
            on.crash();
            on.jobs.advance(1h);
            on.say = [&](const number&, bulk::context&, int) -> bulk::result<bool> {
                return is_complete;
            };
            const auto before = on.asked[1].size();
            on.start();
            const auto done = on.finish(id);
            expect(done.rows.successful == (is_complete ? 1U : 0U));
            expect(on.asked[1].size() == before + 1 and on.executed[1] == 1_i);
        }
    };

    "failures of the check that were written keep their count"_test = [] {
        stage on;
        on.say = [](const number&, bulk::context& ctx, int many) -> bulk::result<bool> {
            expect(ctx.attempt() == static_cast<std::uint32_t>(many)) << many;
            return bulk::fail("no line " + std::to_string(many));
        };
        const auto id = on.begin(1);
        expect(on.drive([&] { return on.asked[1].size() == 2; }));
        on.drive_for(1100ms);  // it is written within a second
        on.crash();
        on.jobs.advance(35s);
        on.start();
        expect(on.finish(id).rows.failed == 1_u);
        expect(on.errors(id) == "1 step_failure: no line 3\n"s) << on.errors(id);
        expect(on.executed[1] == 1_i);
    };
};

suite<"a check that does not return"> hanging = [] {
    "it is told to stop at the deadline, and then it is timed out unless it is complete"_test = [] {
        deaf_step::told = 0;
        bulk::memory::storage storage;
        bulk::service service{bulk::operations<deaf>, storage,
                              bulk::service_options{.max_row_concurrency = 3}};
        const auto id = service.create("deaf", support::text(numbers(3))).value();
        const auto done = service.wait(id, 1min).value();
        expect(deaf_step::told.load() == 3_i);
        expect(done.rows == bulk::row_counters{3, 3, 1, 2});
        const auto errors = service.errors(id).value();
        expect(fatal(errors.items.size() == 2_ul));
        for (const auto& each : errors.items) {
            expect(each.state == row_state::timed_out);
            expect(each.error_message == "Step 'Deaf' timed out waiting for completion"s);
        }
    };
};

}  // namespace

int main() {}
