#include <bulk/bulk.hpp>

#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::errc, bulk::error_type, bulk::operation_state, bulk::row_number, bulk::row_state,
    bulk::step_index;
using support::number, support::numbers;

namespace {

/// Waits for "key-<tens>": several rows wait for one key.
struct approval {
    static constexpr bulk::step_options options{.name = "Approval", .order = 1, .timeout = 10min};
    void execute(const number& row, const bulk::no_metadata&, bulk::context&) {
        support::now_playing->note(row);
    }
    std::string signal_key(const number& row, const bulk::no_metadata&) {
        if (row.value == 99) throw std::runtime_error{"no key for this one"};
        if (row.value == 98) return std::string(501, 'k');
        return "key-" + std::to_string(row.value / 10);
    }
};

struct approved : bulk::operation<approved, number> {
    BULK_OPERATION("approved", .retryable = true)
    auto steps() { return bulk::steps(approval{}); }
    BULK_STEP(after, "After", .order = 2)
    (const number& row, const bulk::no_metadata&, bulk::context&) {
        support::now_playing->note("after-" + std::to_string(row.value));
    }
};

struct waiting_outcome : bulk::operation<waiting_outcome, number> {
    BULK_OPERATION("waiting-outcome")
    bulk::outcome process(const number& row, const bulk::no_metadata&, bulk::context&) {
        return bulk::outcome::wait_for_signal("k" + std::to_string(row.value));
    }
};

struct short_wait : bulk::operation<short_wait, number> {
    BULK_OPERATION("short-wait")
    bulk::outcome process(const number&, const bulk::no_metadata&, bulk::context&) {
        return bulk::outcome::wait_for_signal("quick", 500ms);
    }
};

using stage = support::stage<
    std::remove_const_t<decltype(bulk::operations<approved, waiting_outcome, short_wait>)>>;

std::uint64_t waiting(stage& at, bulk::operation_id id) {
    return at.service
        ->query(bulk::row_query{.operation = id, .state = row_state::waiting_for_completion})
        .value()
        .total;
}

/// An operation whose rows all wait.
bulk::operation_id waiting_operation(stage& at, int rows) {
    const auto id = at.create(numbers(rows), "approved");
    expect(fatal(at.drive([&] { return waiting(at, id) == static_cast<std::uint64_t>(rows); })));
    return id;
}

suite<"signals"> signals = [] {
    "a signal for one row names the row, and needs no key of three parts"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 3);
        const auto done =
            at.service->signal({.operation = id, .key = "key-0", .row = row_number{3}});
        expect(fatal(done.has_value()));
        expect(!done->is_kept and done->row == row_number{3});
        const auto failed = at.service->signal(
            {.operation = id, .key = "key-0", .row = row_number{2}, .failure = "refused"});
        expect(fatal(failed.has_value()));
        expect(failed->row == row_number{2});
        expect(at.drive([&] { return waiting(at, id) == 1; }));
        expect(at.record(id, 2, 0)->error_message == "refused");
        expect(at.service->signal({.operation = id}).error().code == errc::invalid_argument);
    };

    "a signal completes the step, and the row goes on"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        const auto record = at.record(id, 1, 0);
        expect(record->signal_key == "key-0" and record->wait_until.has_value());
        const auto receipt = at.service->signal(id, "key-0");
        expect(fatal(receipt.has_value()));
        expect(!receipt->is_kept and receipt->row == row_number{1} and
               receipt->step == step_index{0});
        const auto done = at.finish(id);
        expect(done.state == operation_state::completed and script.calls == "1 after-1 ");
        expect(at.record(id, 1, 0)->state == row_state::completed);
    };

    "by the key alone the row that has waited longest is told; each signal completes one"_test =
        [] {
            support::script script;
            stage at;
            const auto id = waiting_operation(at, 5);
            std::string order;
            for (int i = 0; i < 5; ++i) {
                const auto receipt = at.service->signal(id, "key-0");
                expect(fatal(receipt.has_value() and receipt->row.has_value()));
                order += std::to_string(to_number(*receipt->row));
            }
            expect(order == "12345") << order;
            expect(at.finish(id).state == operation_state::completed);
        };

    "a key is matched whole, and may have colons"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        expect(at.service->signal(id, "key-").value().is_kept);
        expect(at.service->signal(id, "key-0:").value().is_kept);
        expect(waiting(at, id) == 1_u);
        const auto full = bulk::full_signal_key(id, "a:b:c", row_number{1});
        const auto parsed = bulk::parse_signal_key(full).value();
        expect(parsed.key == "a:b:c" and parsed.row == row_number{1} and parsed.operation == id);
        expect(at.service->signal(full).value().is_kept) << "of the row, which waits for another";
        expect(
            !at.service->signal(bulk::full_signal_key(id, "key-0", row_number{1})).value().is_kept);
        expect(at.finish(id).state == operation_state::completed);
    };

    "a signal that comes early is kept for the row"_test = [] {
        support::script script;
        stage at;
        const auto id = at.create(numbers(2), "approved");
        expect(at.service->signal(id, "key-0").value().is_kept);
        expect(
            at.service->signal(bulk::full_signal_key(id, "key-0", row_number{2})).value().is_kept);
        const auto begin = at.jobs.now();
        expect(at.finish(id).state == operation_state::completed);
        expect(at.jobs.now() - begin < 1min);
    };

    "a wait shorter than the time in which records are written loses nothing"_test = [] {
        for (const auto delay : {0ms, 100ms, 400ms}) {
            support::script script;
            stage at{{.flush_interval = 2s}};
            const auto id = at.create(numbers(1), "short-wait");
            if (delay > 0ms) at.drive_for(delay);
            expect(at.service->signal(id, "quick").has_value());
            expect(at.finish(id).state == operation_state::completed) << delay.count();
        }
        support::script script;
        stage at{{.flush_interval = 2s}};
        const auto id = at.create(numbers(1), "short-wait");
        expect(at.finish(id).state == operation_state::completed_with_errors);
    };

    "an early signal is not kept for ever"_test = [] {
        support::script script;
        stage at{{.early_signal_ttl = 5min}};
        const auto id = at.create(numbers(1), "approved");
        expect(at.service->pause(id).has_value());
        expect(at.service->signal(id, "key-0").value().is_kept);
        at.drive_for(6min);
        expect(at.service->resume(id).has_value());
        const auto done = at.finish(id);
        expect(done.state == operation_state::completed_with_errors);
        expect(at.record(id, 1, 0)->state == row_state::timed_out);
    };

    "a second signal for a row is refused, and says so"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        const auto key = bulk::full_signal_key(id, "key-0", row_number{1});
        expect(at.service->try_signal(key));
        const auto again = at.service->signal(key);
        expect(!again.has_value() and again.error().code == errc::illegal_transition);
        expect(again.error().message.contains("row 1")) << again.error().message;
        expect(!at.service->try_signal_failure(key, "no"));
        expect(at.finish(id).rows.successful == 1_u);
        expect(at.service->signal(key).error().code == errc::illegal_transition) << "it has ended";
    };

    "a second signal for a row that has gone on is refused, and says so"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 2);
        const auto key = bulk::full_signal_key(id, "key-0", row_number{1});
        expect(at.service->signal(key).has_value());
        expect(at.drive([&] { return at.get(id).rows.successful == 1; }));
        const auto again = at.service->signal(key);
        expect(!again.has_value() and again.error().code == errc::illegal_transition);
        expect(again.error().message ==
               "row 1 was given a signal already, and has gone on: it waits no more at step 0")
            << again.error().message;
        expect(!at.service->try_signal_failure(key, "no"));
        expect(at.record(id, 1, 0)->signal_key == "key-0") << "what ended its wait";
        expect(at.service->query(bulk::row_query{.operation = id, .signal_key = "key-0"})->total ==
               1_u)
            << "only one waits for it";
        expect(at.service->signal(id, "key-0").value().row == row_number{2}) << "by the key alone";
        expect(at.finish(id).state == operation_state::completed);
    };

    "a row that is tried once more takes a signal by its full key again"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        const auto key = bulk::full_signal_key(id, "key-0", row_number{1});
        expect(at.service->fail_signal(key, "not yet").has_value());
        expect(at.finish(id).rows.failed == 1_u);
        expect(at.record(id, 1, 0)->signal_key == "key-0");
        expect(at.service->retry(id).value().submitted == 1_u);
        expect(at.service->signal(key).value().is_kept) << "it is about to wait again";
        expect(at.finish(id).state == operation_state::completed);
        expect(at.record(id, 1, 0)->signal_key == "key-0");
    };

    "a failure fails the row with what was said"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 2);
        expect(at.service->fail_signal(id, "key-0", "rejected by the carrier").has_value());
        expect(at.service->signal(id, "key-0").has_value());
        const auto done = at.finish(id);
        expect(done.state == operation_state::completed_with_errors);
        expect(at.errors(id) == "1 signal_failure: rejected by the carrier\n");
        expect(script.calls == "1 2 after-2 ") << script.calls;
    };

    "a message of a megabyte is cut, and says so"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        expect(at.service->fail_signal(id, "key-0", std::string(1'000'000, 'x')).has_value());
        (void)at.finish(id);
        const auto message = at.record(id, 1, 0)->error_message;
        expect(message.size() == 2000_ul and message.ends_with("(cut: 1000000 bytes)"));
    };

    "nobody signals in time: timed out, with the step's name"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        const auto begin = at.jobs.now();
        const auto done = at.finish(id);
        expect(done.state == operation_state::completed_with_errors);
        expect(at.errors(id) == "1 timeout: Step 'Approval' timed out waiting for completion\n");
        expect(at.jobs.now() - begin >= 9min);
        const auto late = at.service->signal(id, "key-0");
        expect(late.error().code == errc::illegal_transition);
    };

    "what can be wrong with a signal"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        const auto code = [](const auto& sent) { return sent.error().code; };
        expect(code(at.service->signal({}, "key-0")) == errc::not_found);
        expect(code(at.service->signal("nonsense")) == errc::invalid_argument);
        expect(code(at.service->signal("a:b:c")) == errc::invalid_argument);
        expect(code(at.service->signal(id, "")) == errc::invalid_argument);
        expect(code(at.service->signal(id, std::string(501, 'k'))) == errc::invalid_argument);
        expect(code(at.service->signal(bulk::full_signal_key(id, "k", row_number{0}))) ==
               errc::invalid_argument);
        expect(at.service->shutdown().has_value());
        expect(code(at.service->signal(id, "key-0")) == errc::unavailable);
    };

    "a step that cannot name its key fails its row"_test = [] {
        support::script script;
        stage at;
        const auto id = at.create("value\n98\n99\n", "approved");
        const auto done = at.finish(id);
        expect(done.rows.failed == 2_u);
        expect(at.errors(id) ==
               "1 step_failure: the key of a signal has 501 bytes; the limit is 500\n"
               "2 step_failure: no key for this one\n")
            << at.errors(id);
    };

    "waiting rows can be asked for by their key"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 12);
        const auto found =
            at.service->query(bulk::row_query{.operation = id, .signal_key = "key-1"});
        expect(found->items.size() == 3_ul and found->items[0].row == row_number{10});
        expect(at.service->cancel(id).has_value());
        expect(at.finish(id).state == operation_state::cancelled);
    };

    "a step may ask for a signal as its outcome"_test = [] {
        support::script script;
        stage at;
        const auto id = at.create(numbers(1), "waiting-outcome");
        expect(at.drive([&] { return waiting(at, id) == 1; }));
        expect(at.service->signal(id, "k1").has_value());
        expect(at.finish(id).state == operation_state::completed);
    };

    "waits go on over a restart, with what is left of their time"_test = [] {
        support::script script;
        stage at{{.lease_time = 10s}};
        const auto id = waiting_operation(at, 3);
        const auto deadline = *at.record(id, 1, 0)->wait_until;
        at.crash();
        // Sent while no process is there, through another's service.
        {
            support::seeded_executor others{1};
            bulk::service front{bulk::operations<approved, waiting_outcome>, at.storage,
                                bulk::service_options{.scheduler = bulk::scheduling::none},
                                bulk::read_options{}, &others};
            expect(front.signal(id, "key-0").value().row == row_number{1});
        }
        at.jobs.advance(1min);
        at.start({.lease_time = 10s});
        expect(at.drive([&] { return at.get(id).rows.successful == 1; }));
        expect(script.calls == "1 2 3 after-1 ") << script.calls;
        expect(at.service->signal(id, "key-0").value().row == row_number{2});
        expect(at.drive([&] { return at.get(id).rows.successful == 2; }));
        const auto done = at.finish(id);
        expect(done.rows.failed == 1_u);
        expect(at.record(id, 3, 0)->completed_at == deadline)
            << "not from the restart on: "
            << (*at.record(id, 3, 0)->completed_at - deadline).count();
    };

    "a signal of another process is found"_test = [] {
        support::script script;
        stage at;
        const auto id = waiting_operation(at, 1);
        bulk::service front{bulk::operations<approved, waiting_outcome>, at.storage,
                            bulk::service_options{.scheduler = bulk::scheduling::none},
                            bulk::read_options{}, &at.jobs};
        expect(front.signal(id, "key-0").has_value());
        const auto begin = at.jobs.now();
        expect(at.finish(id).state == operation_state::completed);
        expect(at.jobs.now() - begin <= 1s) << "within a heartbeat";
    };

    "told to fail orphans, waiting rows and the operation fail after a crash"_test = [] {
        support::script script;
        stage at{{.lease_time = 10s}};
        const auto id = waiting_operation(at, 2);
        at.crash();
        at.jobs.advance(1min);
        at.start({.orphans = bulk::orphan_policy::fail, .lease_time = 10s});
        const auto done = at.finish(id);
        expect(done.state == operation_state::failed);
        expect(done.error_message ==
               "Operation had orphaned signal-based steps on application restart");
        expect(done.rows.failed == 2_u and done.rows.processed == 2_u);
        expect(at.record(id, 2, 0)->error_message ==
               "Recovery: step was waiting for signal when application restarted");
    };
};

}  // namespace

int main() {}
