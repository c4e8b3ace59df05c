#include <bulk/core/operation_record.hpp>

#include <support/ut.hpp>

using namespace boost::ut;
using namespace std::chrono_literals;
using enum bulk::operation_state;

namespace {

suite<"operation record"> operation_records = [] {
    bulk::manual_clock clock;

    "a new operation waits"_test = [] {
        expect(bulk::operation_record{}.state == pending);
        expect(!bulk::operation_record{}.started_at.has_value());
    };

    "it starts once and ends once"_test = [&] {
        bulk::operation_record op;
        const auto start = clock.now();
        expect(move_to(op, validating, clock.now()).has_value());
        clock.advance(1s);
        expect(move_to(op, running, clock.now()).has_value());
        expect(op.started_at == start) << "running is not a second start";
        expect(!op.completed_at.has_value());
        clock.advance(1s);
        expect(complete(op, clock.now()).has_value());
        expect(op.state == completed);
        expect(op.completed_at == start + 2s);
    };

    "a refused move changes nothing and says what was asked"_test = [&] {
        bulk::operation_record op{.state = completed};
        const auto before = op;
        const auto moved = move_to(op, running, clock.now());
        expect(fatal(!moved.has_value()));
        expect(moved.error().code == bulk::errc::illegal_transition);
        expect(moved.error().message ==
               std::string{"operation 00000000-0000-0000-0000-000000000000 cannot go from "
                           "completed to running"});
        expect(op == before);
    };

    "the counters decide how it ends"_test = [&] {
        bulk::operation_record clean{.state = running, .rows = {.total = 2, .successful = 2}};
        expect(complete(clean, clock.now()).has_value() and clean.state == completed);
        bulk::operation_record torn{.state = running, .rows = {.total = 2, .failed = 1}};
        expect(complete(torn, clock.now()).has_value() and torn.state == completed_with_errors);
    };

    "failing an operation that has ended does nothing"_test = [&] {
        for (const auto state : {completed, completed_with_errors, failed, cancelled}) {
            bulk::operation_record op{.state = state, .error_message = "first"};
            const auto before = op;
            expect(fail_operation(op, "second", clock.now()).has_value());
            expect(op == before);
        }
    };

    "failing keeps the reason"_test = [&] {
        for (const auto state : {validating, running, retrying}) {
            bulk::operation_record op{.state = state};
            expect(fail_operation(op, "disk full", clock.now()).has_value());
            expect(op.state == failed and op.error_message == std::string{"disk full"});
            expect(op.completed_at == clock.now());
        }
    };

    "a long reason is truncated, and ends with its length"_test = [&] {
        bulk::operation_record op{.state = running};
        expect(fail_operation(op, std::string(3'000, 'x'), clock.now()).has_value());
        expect(op.error_message.size() == bulk::longest_message);
        expect(op.error_message.ends_with(" ... (cut: 3000 bytes)")) << op.error_message;
        bulk::operation_record other{.state = running};
        std::string accents = "x";  // of two bytes each, so that the limit is inside one
        for (int i = 0; i < 2'000; ++i) accents += "\xc3\xa9";
        expect(fail_operation(other, accents, clock.now()).has_value());
        const auto end = other.error_message.find(" ... (cut");
        expect(fatal(end != std::string::npos));
        expect(other.error_message.substr(end - 2, 2) == "\xc3\xa9") << "no character is cut";
    };

    "a retry opens it again, and is counted"_test = [&] {
        bulk::operation_record op{
            .state = failed, .error_message = "x", .completed_at = clock.now()};
        expect(move_to(op, retrying, clock.now()).has_value());
        expect(op.retry_count == 1_u and !op.completed_at and op.error_message.empty());
    };

    "a retry forgets how it ended and what was asked for, and nothing else"_test = [&] {
        const bulk::operation_record ended{.name = "n",
                                           .idempotency_key = "k",
                                           .steps = {"S"},
                                           .state = cancelled,
                                           .paused = true,
                                           .cancel_requested = true,
                                           .validated = true,
                                           .rows = {.total = 3, .processed = 2, .failed = 1},
                                           .retry_count = 4,
                                           .error_message = "x",
                                           .started_at = clock.now(),
                                           .run_started_at = clock.now(),
                                           .completed_at = clock.now()};
        auto expected = ended;
        expected.state = retrying;
        expected.paused = expected.cancel_requested = false;
        expected.retry_count = 5;
        expected.error_message.clear();
        expected.completed_at.reset();
        auto op = ended;
        expect(move_to(op, retrying, clock.now() + 1h).has_value());
        expect(op == expected);
    };

    "a long reason is cut"_test = [&] {
        bulk::operation_record op{.state = running};
        expect(fail_operation(op, std::string(10'000, 'x'), clock.now()).has_value());
        expect(op.error_message.size() == bulk::longest_message);
    };

    "a retry is a run of its own"_test = [&] {
        bulk::operation_record op;
        const auto start = clock.now();
        expect(move_to(op, validating, clock.now()).has_value());
        expect(move_to(op, running, clock.now()).has_value());
        op.rows = {.total = 1, .processed = 1, .failed = 1};
        expect(complete(op, clock.now()).has_value());
        clock.advance(std::chrono::hours{24});
        expect(move_to(op, retrying, clock.now()).has_value());
        clock.advance(1s);
        expect(move_to(op, running, clock.now()).has_value());
        expect(op.started_at == start and op.run_started_at == clock.now());
    };

    "an operation cancelled in the queue never started"_test = [&] {
        bulk::operation_record op;
        expect(move_to(op, cancelled, clock.now()).has_value());
        expect(!op.started_at.has_value() and op.completed_at == clock.now());
    };
};

}  // namespace

int main() {}
