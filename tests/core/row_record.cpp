#include <bulk/core/row_record.hpp>

#include <support/ut.hpp>

using namespace boost::ut;
using namespace std::chrono_literals;
using enum bulk::row_state;

namespace {

suite<"row record"> row_records = [] {
    const bulk::manual_clock clock;
    const auto now = clock.now();

    "a new record is the row's validation"_test = [] {
        expect(bulk::row_record{}.step == bulk::validation_step);
        expect(bulk::row_record{}.state == pending);
    };

    "running sets the start, the end the end"_test = [&] {
        bulk::row_record record;
        expect(move_to(record, running, now).has_value());
        expect(record.started_at == now and !record.completed_at);
        expect(move_to(record, completed, now + 1s).has_value());
        expect(record.completed_at == now + 1s);
    };

    "a refused move changes nothing and names row and step"_test = [&] {
        bulk::row_record record{
            .row = bulk::row_number{7}, .step = bulk::step_index{2}, .state = completed};
        const auto before = record;
        const auto moved = move_to(record, running, now);
        expect(fatal(!moved.has_value()));
        expect(moved.error() == bulk::error{bulk::errc::illegal_transition,
                                            "row 7, step 2 cannot go from completed to running"});
        expect(record == before);
        expect(!fail_row(record, bulk::error_type::processing, "x", now).has_value());
        expect(!time_out(record, "S", now).has_value());
        expect(!reset_for_retry(record, now).has_value());
        expect(record == before);
    };

    "a failure keeps type and text"_test = [&] {
        bulk::row_record record{.state = running};
        expect(fail_row(record, bulk::error_type::step_failure, "no route", now).has_value());
        expect(record.state == failed and record.failure == bulk::error_type::step_failure);
        expect(record.error_message == std::string{"no route"});
    };

    "a long text is truncated, and ends with its length"_test = [&] {
        bulk::row_record record{.state = running};
        const std::string text(3'000, 'x');
        expect(fail_row(record, bulk::error_type::processing, text, now).has_value());
        expect(record.error_message.size() == bulk::longest_message);
        expect(record.error_message.ends_with(" ... (cut: 3000 bytes)")) << record.error_message;
    };

    "a row that has ended waits for nothing, one that waits does"_test = [&] {
        for (const auto end : {completed, failed, timed_out}) {
            bulk::row_record record{.state = waiting_for_completion, .wait_until = now + 5s};
            expect(move_to(record, end, now).has_value());
            expect(!record.wait_until and record.completed_at == now) << bulk::name_of(end);
        }
        bulk::row_record record{.state = running, .wait_until = now + 5s};
        expect(move_to(record, waiting_for_completion, now).has_value());
        expect(record.wait_until == now + 5s and !record.completed_at);
    };

    "a time-out names the step"_test = [&] {
        bulk::row_record record{.state = waiting_for_completion};
        expect(time_out(record, "Carrier Approval", now).has_value());
        expect(record.failure == bulk::error_type::timeout);
        expect(record.error_message ==
               std::string{"Step 'Carrier Approval' timed out waiting for completion"});
    };

    "a reset forgets the failure and keeps the row"_test = [&] {
        bulk::row_record record{.row = bulk::row_number{7},
                                .step = bulk::step_index{2},
                                .state = timed_out,
                                .attempt = 3,
                                .retry_attempt = 1,
                                .row_id = "id",
                                .failure = bulk::error_type::timeout,
                                .error_message = "late",
                                .signal_key = "key",
                                .journal = "so",
                                .row_data = "{}",
                                .started_at = now,
                                .completed_at = now,
                                .wait_until = now};
        expect(reset_for_retry(record, now).has_value());
        expect(record == bulk::row_record{.row = bulk::row_number{7},
                                          .step = bulk::step_index{2},
                                          .state = pending,
                                          .retry_attempt = 2,
                                          .row_id = "id",
                                          .row_data = "{}"});
    };

    "what the file did is not reset"_test = [&] {
        for (const auto type : {bulk::error_type::parse, bulk::error_type::validation}) {
            bulk::row_record record{.row = bulk::row_number{3}, .state = failed, .failure = type};
            const auto reset = reset_for_retry(record, now);
            expect(fatal(!reset.has_value()));
            expect(reset.error().message.starts_with("row 3 failed by ")) << reset.error().message;
            expect(record.state == failed);
        }
    };

    "only what the file did is beyond retry"_test = [] {
        using enum bulk::error_type;
        for (const auto& [type, name] : bulk::enumerators_of<bulk::error_type>)
            expect(is_retryable(type) == (type != parse && type != validation)) << name;
    };
};

}  // namespace

int main() {}
