// Rows that wait for a signal while everything else happens: time-outs at the same moment, crashes,
// other processes, a storage that does not answer, cancels, pauses, shutdowns.
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::errc, bulk::operation_id, bulk::operation_state, bulk::row_number, bulk::row_state;
using support::now_playing, support::number, support::numbers, support::script;

namespace {

/// Two signals, one after the other; between them a note. Rows below 0 wait for other keys.
struct approval {
    static constexpr bulk::step_options options{
        .name = "Approval", .order = 1, .max_retries = 3, .timeout = 10min};
    void execute(const number& row, const bulk::no_metadata&, bulk::context&) {
        now_playing->note(row);
    }
    std::string signal_key(const number& row, const bulk::no_metadata&) {
        if (row.value == -1) return "a";
        if (row.value == -2) return "a:b";
        return "approved";
    }
};
struct release {
    static constexpr bulk::step_options options{.name = "Release", .order = 2, .timeout = 10min};
    void execute(const number& row, const bulk::no_metadata&, bulk::context&) {
        now_playing->note("then-" + std::to_string(row.value));
    }
    std::string signal_key(const number&, const bulk::no_metadata&) { return "released"; }
};
struct twice : bulk::operation<twice, number> {
    BULK_OPERATION("twice", .retryable = true)
    auto steps() { return bulk::steps(approval{}, release{}); }
};
struct single : bulk::operation<single, number> {
    BULK_OPERATION("single", .retryable = true)
    auto steps() { return bulk::steps(approval{}); }
};
struct dialogue : bulk::operation<dialogue, number> {
    BULK_OPERATION("dialogue", .retryable = true)
    BULK_STEP(talk, "Talk")
    (const number&, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<bulk::result<>> {
        for (const auto* const key : {"approved", "released"}) {
            const auto told = co_await ctx.signal(key, 10min);
            if (!told) co_return bulk::fail(told.error().message);
            now_playing->note(key);
        }
        co_return bulk::result<>{};
    }
};

/// Waits for the same twice.
struct echo : bulk::operation<echo, number> {
    BULK_OPERATION("echo")
    bulk::task<bulk::result<>> process(const number&, const bulk::no_metadata&,
                                       bulk::context& ctx) {
        const auto told = co_await ctx.signal("approved", 10min);
        if (!told) co_return bulk::fail(told.error().message);
        co_return co_await ctx.signal("approved", 10min);
    }
};

/// Begins to wait at its second try.
struct hesitant : bulk::operation<hesitant, number> {
    BULK_OPERATION("hesitant", .retryable = true)
    BULK_STEP(think, "Think", .max_retries = 1)
    (const number& row, const bulk::no_metadata&, bulk::context& ctx) {
        now_playing->note(row);
        return ctx.attempt() == 1 ? bulk::outcome::retry("not yet")
                                  : bulk::outcome::wait_for_signal("approved", 10min);
    }
};

using operations = bulk::operation_list<twice, single, dialogue, support::pipeline, hesitant, echo>;
using stage = support::stage<operations>;

std::uint64_t waiting(auto& on, operation_id id) {
    return on.storage
        .query(bulk::row_query{.operation = id, .state = row_state::waiting_for_completion})
        .value()
        .total;
}
operation_id begin(auto& on, int rows, std::string_view name = "single") {
    const auto id = on.create(numbers(rows), name);
    expect(fatal(on.drive([&] { return waiting(on, id) == static_cast<std::uint64_t>(rows); })));
    return id;
}

/// Another process, which takes signals in and runs nothing.
auto front_of(auto& on) {
    return bulk::service{operations{}, on.storage,
                         bulk::service_options{.scheduler = bulk::scheduling::none},
                         bulk::read_options{}, &on.jobs};
}
std::string key_of(operation_id id, std::uint64_t row) {
    return bulk::full_signal_key(id, "approved", row_number{row});
}

suite<"the last moment"> last_moment = [] {
    "a signal just before the deadline counts, though nobody saw it before the time-out"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 1);
        auto front = front_of(on);
        on.drive_for(*on.record(id, 1, 0)->wait_until - on.jobs.now() - 1us);
        expect(front.signal(id, "approved").value().row == row_number{1});
        on.jobs.advance(1us);  // both are there to be found
        expect(on.finish(id).state == operation_state::completed);
    };

    "at the deadline it is too late, and kept: a retry finds it"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 1);
        on.drive_for(*on.record(id, 1, 0)->wait_until - on.jobs.now() - 1us);
        on.jobs.advance(1us);
        expect(on.service->signal(id, "approved").value().is_kept);
        const auto done = on.finish(id);
        expect(done.rows.failed == 1_u and on.record(id, 1, 0)->state == row_state::timed_out);
        expect(on.service->retry(id).value().submitted == 1_u);
        expect(on.finish(id).state == operation_state::completed);
        expect(play.calls == "1 1 "s) << play.calls;
    };

    "the row has timed out and nothing is written yet: too late as well"_test = [] {
        script play;
        stage on({.flush_batch_size = 1000});
        const auto id = begin(on, 1);
        expect(on.drive([&] { return on.service->metrics().operations[1].waiting_rows == 0; }));
        expect(on.drive([&] { return on.service->metrics().operations[1].timed_out_rows == 1; }));
        expect(on.service->signal(key_of(id, 1)).value() == bulk::signal_receipt{.is_kept = true});
        expect(on.finish(id).rows == bulk::row_counters{1, 1, 0, 1});
    };

    "a signal that came in the last moment is not given to the next wait as well"_test = [] {
        for (const auto& [name, next] :
             {std::pair{"twice", "released"}, {"dialogue", "released"}, {"echo", "approved"}}) {
            script play;
            stage on({.lease_time = 1s});  // no heartbeat at the deadline
            const auto id = begin(on, 1, name);
            auto front = front_of(on);
            on.drive_for(*on.record(id, 1, 0)->wait_until - on.jobs.now() - 1us);
            expect(front.signal(id, "approved").has_value());
            on.jobs.advance(1us);
            on.drive_for(5s);
            expect(on.get(id).state == operation_state::running) << name;
            expect(waiting(on, id) == 1_u) << name;
            expect(on.service->signal(id, next).value().row == row_number{1}) << name;
            expect(on.finish(id).state == operation_state::completed) << name;
        }
    };

    "a signal that is found by a look and by the time-out is used once"_test = [] {
        for (int order = 0; order < 16; ++order) {
            script play;
            stage on;
            const auto id = begin(on, 1, "echo");
            on.drive_for(*on.record(id, 1, 0)->wait_until - on.jobs.now() - 1us);
            for (int i = 0; i < order; ++i) (void)on.jobs.random();  // jobs are picked otherwise
            expect(on.service->signal(id, "approved").value().row == row_number{1});
            on.jobs.advance(1us);
            on.drive_for(5s);
            expect(on.get(id).state == operation_state::running and waiting(on, id) == 1_u)
                << order;
        }
    };
};

suite<"between the step and the wait"> between = [] {
    "a signal for rows that wait is refused when none does, and never given to a later one"_test =
        [] {
            script play;
            stage on;
            const auto id = begin(on, 2);
            const auto send = [&](std::string key, std::optional<std::string> failure = {}) {
                return on.service->signal_waiting(
                    {.operation = id, .key = std::move(key), .failure = std::move(failure)});
            };
            expect(send("refused").error().code == bulk::errc::not_found);
            const auto first = send("approved");
            expect(fatal(first.has_value()));
            expect(!first->is_kept and first->is_here and first->row == row_number{1});
            auto front = front_of(on);
            const auto second = front.signal_waiting(
                {.operation = id, .key = "approved", .row = row_number{2}, .failure = "no"});
            expect(fatal(second.has_value()));
            expect(!second->is_here and second->row == row_number{2}) << "another process runs it";
            expect(send("approved").error().code == bulk::errc::not_found) << "both have theirs";
            expect(on.finish(id).rows == bulk::row_counters{2, 2, 1, 1});
            expect(on.service->retry(id).value().submitted == 1_u);
            expect(on.drive([&] { return waiting(on, id) == 1; }));
            on.drive_for(1s);
            expect(waiting(on, id) == 1_u) << "what was refused is not given to the retried row";
        };

    "a signal that comes before the wait is written is kept, and found"_test = [] {
        script play;
        stage on({.flush_interval = 10s});
        const auto id = on.create(numbers(1), "single");
        expect(on.drive([&] { return on.service->metrics().operations[1].waiting_rows == 1; }));
        expect(waiting(on, id) == 0_u) << "not written yet";
        expect(on.service->signal(key_of(id, 1)).value().is_kept);
        expect(on.service->signal(key_of(id, 1)).error().code == errc::illegal_transition);
        expect(on.finish(id).state == operation_state::completed);
        expect(play.calls == "1 "s) << play.calls;
    };

    "a signal that was used and not recorded when the process died is used again"_test = [] {
        script play;
        stage on({.flush_interval = 10s});
        const auto id = begin(on, 2, "twice");
        expect(on.service->signal(id, "approved").value().row == row_number{1});
        expect(on.drive([&] { return play.calls == "1 2 then-1 "; }));
        on.crash();
        on.jobs.advance(1min);
        on.start();
        expect(on.drive([&] { return play.calls == "1 2 then-1 then-1 "; })) << play.calls;
        on.drive_for(1min);
        expect(on.record(id, 1, 1)->state == row_state::waiting_for_completion);
        expect(on.record(id, 2, 0)->state == row_state::waiting_for_completion) << "row 1's";
    };
};

suite<"which row"> which = [] {
    "two signals in a row are for two rows, however slowly the first is taken"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 2);
        auto front = front_of(on);
        expect(front.signal(id, "approved").value().row == row_number{1});
        expect(front.signal(id, "approved").value().row == row_number{2});
        expect(front.signal(key_of(id, 1)).error().code == errc::illegal_transition);
        expect(on.finish(id).rows.successful == 2_u);
    };

    "a key is no prefix of another"_test = [] {
        script play;
        stage on;
        const auto id = on.create("value\n-2\n-1\n", "single");
        expect(on.drive([&] { return waiting(on, id) == 2; }));
        expect(on.service->signal(id, "a").value().row == row_number{2});
        expect(on.service->signal(id, "a").value().is_kept);
        on.drive_for(5s);
        expect(on.record(id, 1, 0)->state == row_state::waiting_for_completion);
        expect(on.service->signal(id, "a:b").value().row == row_number{1});
        expect(on.finish(id).state == operation_state::completed);
    };

    "thousands wait for one key, and each signal finds one of them"_test = [] {
        script play;
        stage on;
        constexpr int rows = 3000;
        const auto id = begin(on, rows);
        std::set<row_number> told;
        for (int i = 0; i < rows; ++i) told.insert(on.service->signal(id, "approved")->row.value());
        expect(told.size() == 3000_ul);
        expect(on.service->signal(id, "approved").value().is_kept);
        const auto since = on.jobs.now();
        expect(on.finish(id).rows == bulk::row_counters{rows, rows, rows, 0});
        expect(on.jobs.now() - since < 2s);
    };

    "who has waited longest is not who has the lowest number"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 2, "twice");
        expect(on.service->signal(key_of(id, 2)).has_value());
        on.drive_for(5s);
        expect(on.service->signal(id, "approved").has_value());
        on.drive_for(5s);
        expect(on.service->signal(id, "released").value().row == row_number{2});
        expect(on.service->signal(id, "released").value().row == row_number{1});
        expect(on.finish(id).state == operation_state::completed);
    };

    "a failure that was signalled is not tried again; a retry of the operation waits anew"_test =
        [] {
            script play;
            stage on;
            const auto id = begin(on, 1);
            expect(on.service->fail_signal(id, "approved", "").has_value());
            expect(on.finish(id).rows.failed == 1_u);
            expect(play.calls == "1 "s and on.errors(id) == "1 signal_failure: \n"s)
                << on.errors(id);
            expect(
                on.service->retry(id, {.failure = bulk::error_type::signal_failure})->submitted ==
                1_u);
            expect(on.drive([&] { return waiting(on, id) == 1; }));
            expect(on.service->signal(id, "approved").value().row == row_number{1});
            expect(on.finish(id).state == operation_state::completed);
            expect(play.calls == "1 1 "s);
        };
};

suite<"a storage that does not answer"> no_answer = [] {
    using storage = support::faulty_storage<bulk::memory::records>;

    "looking for signals, ending a wait, taking a signal in: later is early enough"_test = [] {
        script play;
        std::set<std::string> down;
        support::stage<operations, storage> on(
            {}, storage{bulk::memory::records{},
                        [&](const char* name) { return down.contains(name); }});
        const auto id = begin(on, 2);
        down = {"send"};
        expect(on.service->signal(id, "approved").error().code == errc::unavailable);
        down = {"signals"};
        expect(on.service->signal(id, "approved").value().row == row_number{1});
        on.drive_for(1min);
        expect(waiting(on, id) == 2_u and on.get(id).state == operation_state::running);
        down = {};
        expect(on.drive([&] { return on.get(id).rows.successful == 1; }));
        down = {"close_wait"};  // the other's time is over, and nobody can say so
        on.drive_for(9min + 10s);
        expect(waiting(on, id) == 1_u);
        down = {};
        expect(on.finish(id).rows == bulk::row_counters{2, 2, 1, 1});
        expect(on.errors(id) == "2 timeout: Step 'Approval' timed out waiting for completion\n"s);
    };

    "a thousand waits ask it no more often than one"_test = [] {
        script play;
        std::map<int, int> calls;
        for (const int rows : {1, 1000}) {
            int* counted = nullptr;
            support::stage<operations, storage> on(
                {}, storage{bulk::memory::records{}, [&](const char*) {
                                if (counted != nullptr) ++*counted;
                                return false;
                            }});
            (void)begin(on, rows);
            on.drive_for(10s);  // all is written
            counted = &calls[rows];
            on.drive_for(1min);
            counted = nullptr;
        }
        expect(calls[1000] == calls[1] and calls[1] <= 300_i) << calls[1] << calls[1000];
    };

    "what could not be written is not waited for in vain"_test = [] {
        script play;
        bool is_down = false;
        support::stage<operations, storage> on(
            {}, storage{bulk::memory::records{},
                        [&](const char* name) { return is_down && name == "record"s; }});
        const auto id = on.create(numbers(3), "single");
        expect(on.drive([&] { return play.calls == "1 2 3 "; }));
        is_down = true;
        expect(on.service->signal(id, "approved").value().is_kept);
        on.drive_for(10s);
        expect(waiting(on, id) == 0_u);
        is_down = false;
        expect(on.drive([&] { return on.get(id).rows.successful == 1; }));
        expect(waiting(on, id) == 2_u and play.calls == "1 2 3 "s) << play.calls;
    };
};

suite<"other processes"> others = [] {
    "waits of a process that lives are left to it, whatever others are told about orphans"_test =
        [] {
            script play;
            stage on;
            const auto id = begin(on, 2);
            const bulk::service other{operations{}, on.storage,
                                      bulk::service_options{.orphans = bulk::orphan_policy::fail,
                                                            .pending_poll_interval = 1s},
                                      bulk::read_options{}, &on.jobs};
            on.drive_for(9min);
            expect(other.metrics().running_operations == 0_ul and waiting(on, id) == 2_u);
            for (int i = 0; i < 2; ++i) expect(on.service->signal(id, "approved").has_value());
            expect(on.finish(id).state == operation_state::completed);
            expect(play.calls == "1 2 "s);
        };

    "what a process gave back when it was shut down is no orphan"_test = [] {
        script play;
        play.first = [&](const number& row, bulk::context& ctx) {
            play.note(row);
            return ctx.attempt() == 1 ? bulk::outcome::retry("busy", 1h) : bulk::outcome::done();
        };
        stage on;
        const auto id = on.create(numbers(1));
        on.drive_for(5s);
        expect(on.service->shutdown().has_value());
        on.drive_for(1s);
        on.crash();
        on.start({.orphans = bulk::orphan_policy::fail});
        expect(on.finish(id).state == operation_state::completed) << on.get(id).error_message;
        expect(play.calls == "1 1 "s) << play.calls;
    };

    "without waits, orphans fail with a sentence of their own"_test = [] {
        script play;
        play.first = [](const number&, bulk::context&) { return bulk::outcome::retry("busy", 1h); };
        stage on;
        const auto id = on.create(numbers(1));
        on.drive_for(5s);
        on.crash();
        on.jobs.advance(1min);
        on.start({.orphans = bulk::orphan_policy::fail});
        expect(on.finish(id).error_message ==
               "Operation was stuck in Running state after application restart"s);
    };
};

suite<"meanwhile"> meanwhile = [] {
    "cancelled: nobody waits, no signal is taken, and a retry waits on"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 2);
        expect(on.service->signal(id, "approved").has_value());
        expect(on.drive([&] { return on.get(id).rows.successful == 1; }));
        expect(on.service->cancel(id).has_value());
        const auto done = on.finish(id);
        expect(done.state == operation_state::cancelled);
        expect(done.rows == bulk::row_counters{2, 1, 1, 0});
        expect(on.service->metrics().operations[1].waiting_rows == 0_i);
        expect(on.service->signal(id, "approved").error().code == errc::illegal_transition);
        expect(on.service->signal(key_of(id, 2)).error().code == errc::illegal_transition);
        expect(on.service->retry(id).value().resumed == 1_u);
        expect(on.drive([&] { return on.get(id).state == operation_state::running; }));
        expect(on.service->signal(id, "approved").value().row == row_number{2});
        expect(on.finish(id).state == operation_state::completed);
        expect(play.calls == "1 2 "s) << play.calls;
    };

    "paused: signals are taken, and count though the time is over at the end of the pause"_test =
        [] {
            script play;
            stage on;
            const auto id = begin(on, 2);
            expect(on.service->pause(id).has_value());
            on.drive_for(5s);
            expect(on.service->metrics().running_operations == 0_ul);
            expect(on.service->signal(id, "approved").value().row == row_number{1});
            on.drive_for(20min);
            expect(waiting(on, id) == 2_u);
            expect(on.service->resume(id).has_value());
            expect(on.finish(id).rows == bulk::row_counters{2, 2, 1, 1});
            expect(on.record(id, 1, 0)->state == row_state::completed);
            expect(play.calls == "1 2 "s) << play.calls;
        };

    "other operations run while one waits, even where one row may run at a time"_test = [] {
        script play;
        stage on{{.worker_count = 1}};
        const auto id = begin(on, 1000);
        const auto since = on.jobs.now();
        expect(on.run(numbers(10)).state == operation_state::completed);
        expect(on.jobs.now() == since and waiting(on, id) == 1000_u);
    };
};

/// Cancelled for some time, and tried once more.
void interrupt(auto& on, operation_id id, std::chrono::microseconds time) {
    expect(on.service->cancel(id).has_value());
    expect(fatal(on.finish(id).state == operation_state::cancelled));
    on.drive_for(time);
    expect(fatal(on.service->retry(id).value().resumed == 1_u));
}

suite<"waits of an operation that is tried once more"> tried_once_more = [] {
    "a signal counts though its row is looked at only after the deadline: paused"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 1, "hesitant");
        interrupt(on, id, 1min);
        on.drive_for(1min);
        expect(on.service->pause(id).has_value());
        on.drive_for(5s);
        expect(on.service->signal(id, "approved").value().row == row_number{1});
        on.drive_for(20min);
        expect(on.service->resume(id).has_value());
        expect(on.finish(id).state == operation_state::completed);
        expect(play.calls == "1 1 "s) << play.calls;
    };

    "a signal counts though its row is looked at only after the deadline: crashed"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 1, "hesitant");
        interrupt(on, id, 1min);
        on.drive_for(1min);
        on.crash();
        {
            support::seeded_executor others{1};
            others.advance(on.jobs.now() - others.now());
            bulk::service front{operations{}, on.storage,
                                bulk::service_options{.scheduler = bulk::scheduling::none},
                                bulk::read_options{}, &others};
            expect(front.signal(id, "approved").value().row == row_number{1});
        }
        on.jobs.advance(20min);
        on.start();
        expect(on.finish(id).state == operation_state::completed);
        expect(play.calls == "1 1 "s) << play.calls;
    };

    "a signal counts though its row is looked at only after the deadline: cancelled"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 1, "hesitant");
        auto front = front_of(on);
        expect(front.cancel(id).has_value());  // which its owner has not heard yet
        expect(front.signal(id, "approved").value().row == row_number{1});
        expect(on.finish(id).state == operation_state::cancelled);
        on.drive_for(20min);
        expect(on.service->retry(id).value().resumed == 1_u);
        expect(on.finish(id).state == operation_state::completed);
        expect(play.calls == "1 1 "s) << play.calls;
    };

    "the deadline is that of before, also over a crash"_test = [] {
        script play;
        stage on;
        const auto id = begin(on, 1);
        const auto deadline = *on.record(id, 1, 0)->wait_until;
        interrupt(on, id, 1min);
        on.drive_for(1min);
        on.crash();
        on.jobs.advance(20min);
        on.start();
        expect(on.finish(id).rows.failed == 1_u);
        expect(on.record(id, 1, 0)->state == row_state::timed_out and play.calls == "1 "s);
        expect(*on.record(id, 1, 0)->completed_at >= deadline);
    };

    "a wait that was closed and nobody wrote that it had timed out takes signals anew"_test = [] {
        script play;
        bool is_down = false, is_closed = false;
        using storage = support::faulty_storage<bulk::memory::records>;
        support::stage<operations, storage> on(
            {}, storage{bulk::memory::records{}, [&](const char* name) {
                            is_closed = is_closed || name == "close_wait"s;
                            return is_down && name == "record"s;
                        }});
        const auto id = begin(on, 1);
        is_down = true;
        expect(on.drive([&] { return is_closed; }));
        on.crash();
        is_down = false;
        on.jobs.advance(1min);
        expect(waiting(on, id) == 1_u);
        on.start();
        expect(on.service->cancel(id).has_value());
        expect(on.finish(id).state == operation_state::cancelled);
        expect(on.service->retry(id).value().resumed == 1_u);
        expect(on.drive([&] { return play.calls == "1 1 "; })) << play.calls;
        on.drive_for(5s);
        expect(on.service->signal(id, "approved").value().row == row_number{1});
        expect(on.finish(id).state == operation_state::completed);
    };

    "a coroutine whose wait ran out is told again what it was told, and waits with all its time"_test =
        [] {
            script play;
            stage on;
            const auto id = begin(on, 1, "dialogue");
            expect(on.service->signal(id, "approved").value().row == row_number{1});
            expect(on.drive([&] { return on.record(id, 1, 0)->signal_key == "released"; }));
            interrupt(on, id, 1h);
            on.drive_for(9min);
            expect(on.record(id, 1, 0)->signal_key == "released") << play.calls;
            expect(on.service->signal(id, "released").value().row == row_number{1});
            expect(on.finish(id).state == operation_state::completed);
            expect(play.calls == "approved approved released "s) << play.calls;
        };
};

}  // namespace

int main() {}
