// Rows that take the process with them: counted when somebody takes the operation over, and given up.
#include <bulk/run/crashed_rows.hpp>

#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_id, bulk::operation_state, bulk::row_state;
using support::number, support::numbers;

namespace {

/// Row 3 is where the process dies.
struct deadly : bulk::operation<deadly, number> {
    static inline bool is_reached = false;
    BULK_OPERATION("deadly", .retryable = true)
    BULK_STEP(first, "First")(const number&, const bulk::no_metadata&, bulk::context&) {}
    BULK_STEP(second, "Second")
    (const number& row, const bulk::no_metadata&, bulk::context&)->bulk::outcome {
        if (row.value != 3) return bulk::outcome::done();
        is_reached = true;
        return bulk::outcome::poll(1h, 100h);  // it never comes back from here
    }
};

using play = support::stage<bulk::operation_list<deadly>>;

/// The process dies while it is at that row, and another begins when the lease is over.
void die_at(play& on, operation_id id, std::uint64_t row, int step,
            const bulk::service_options& options) {
    expect(on.drive([&] { return deadly::is_reached || on.is_done(id); }));
    deadly::is_reached = false;
    if (on.is_done(id)) return;
    on.crash();
    bulk::flight_seat* seat = on.storage.flights().take(id);
    seat->show(bulk::row_number{row}, static_cast<bulk::step_index>(step));
    on.start(options);
    on.drive_for(31s);
    on.storage.flights().give_back(seat);
}

suite<"crashes"> crashes = [] {
    const bulk::service_options one_each{.flush_batch_size = 1, .pending_poll_interval = 1s};
    auto one_crash = one_each;
    one_crash.max_crashes = 1;

    "a row at which the process dies is given up after the third time"_test = [&] {
        play on{one_each};
        const auto id = on.create(numbers(5), "deadly");
        for (int i = 1; i <= 2; ++i) {
            die_at(on, id, 3, 1, one_each);
            expect(on.storage.crashes(id).value().front().count == static_cast<unsigned>(i));
            expect(on.get(id).state == operation_state::running);
        }
        die_at(on, id, 3, 1, one_each);
        const auto done = on.finish(id);
        expect(done.state == operation_state::completed_with_errors);
        expect(done.rows.successful == 4_u && done.rows.failed == 1_u);
        expect(
            on.errors(id) ==
            "3 step_failure: the process ended 3 times while it worked on this row, last at step "
            "'Second': it is not tried again; find out why before the operation is retried\n")
            << on.errors(id);
    };

    "an operation retry gives it as many tries again"_test = [&] {
        play on{one_each};
        const auto id = on.create(numbers(3), "deadly");
        for (int i = 0; i < 3; ++i) die_at(on, id, 3, 1, one_each);
        on.finish(id);
        expect(on.service->retry(id).value().submitted == 1_u);
        expect(on.storage.crashes(id).value().empty());
        deadly::is_reached = false;
        expect(on.drive([] { return deadly::is_reached; }));
        expect(deadly::is_reached);
    };

    "a row that has moved on since is counted anew, and its end names the step that it is at"_test =
        [&] {
            auto options = one_each;
            options.max_crashes = 2;
            play on{options};
            const auto id = on.create(numbers(3), "deadly");
            die_at(on, id, 3, -1,
                   options);  // it was just validated, and has done its first step since
            die_at(on, id, 3, 0, options);  // the same: it is at its second step
            die_at(on, id, 3, 0, options);
            expect(on.storage.crashes(id).value().front().count == 1_u);
            die_at(on, id, 3, 1, options);
            expect(on.storage.crashes(id).value().front().count == 1_u);
            expect(on.get(id).rows.failed == 0_u) << on.errors(id);
            die_at(on, id, 3, 1, options);
            on.finish(id);
            expect(on.errors(id).contains("the process ended 2 times")) << on.errors(id);
            expect(on.errors(id).contains("last at step 'Second'")) << on.errors(id);
        };

    "a row is given up at the step of its crashes, and not behind it"_test = [] {
        bulk::crashed_rows crashed{1};
        crashed.set(
            {{.row = bulk::row_number{3}, .step = static_cast<bulk::step_index>(0), .count = 1}});
        const auto is_given_up = [&](std::uint64_t row, std::optional<bulk::row_progress> known) {
            return crashed.refusal(bulk::row_number{row}, known, bulk::description_of<deadly>)
                .has_value();
        };
        const auto at = [](int step, row_state state) {
            return bulk::row_progress{.step = static_cast<bulk::step_index>(step), .state = state};
        };
        expect(is_given_up(3, std::nullopt) and !is_given_up(2, std::nullopt));
        expect(is_given_up(3, at(-1, row_state::completed)));
        expect(is_given_up(3, at(0, row_state::waiting_for_completion)));
        expect(!is_given_up(3, at(0, row_state::completed)));
        expect(!is_given_up(3, at(1, row_state::waiting_for_completion)));
    };

    "a step that was done when the process ended is no reason"_test = [&] {
        play on{one_crash};
        const auto id = on.create(numbers(3), "deadly");
        die_at(on, id, 3, 0, one_crash);
        on.drive_for(1min);
        expect(on.storage.crashes(id).value().front().count == 1_u);
        expect(on.get(id).rows.failed == 0_u) << on.errors(id);
        expect(deadly::is_reached) << "it goes on with its second step";
    };

    "in the validation, too"_test = [&] {
        play on{one_crash};
        const auto id = on.create(numbers(4), "deadly");
        expect(on.drive([&] { return on.get(id).state == operation_state::validating; }));
        deadly::is_reached = true;
        die_at(on, id, 3, -1, one_crash);
        on.finish(id);
        expect(on.errors(id).starts_with("3 validation: the process ended once")) << on.errors(id);
        expect(on.errors(id).contains("step 'validation'"));
    };

    "as many as the options say"_test = [&] {
        play once{one_crash};
        const auto id = once.create(numbers(3), "deadly");
        die_at(once, id, 3, 1, one_crash);
        expect(once.finish(id).rows.failed == 1_u);

        auto options = one_each;
        options.max_crashes = 0;
        play ever{options};
        const auto other = ever.create(numbers(3), "deadly");
        for (int i = 0; i < 6; ++i) die_at(ever, other, 3, 1, options);
        expect(ever.get(other).rows.failed == 0_u);
        options.max_crashes = -1;
        expect(!validate(options).has_value());
    };

    "a task that ends leaves no trace"_test = [&] {
        play on{one_each};
        const auto id = on.create(numbers(5), "deadly");
        deadly::is_reached = false;
        expect(on.drive([&] { return deadly::is_reached; }));
        on.crash();
        on.start(one_each);
        on.drive_for(31s);
        expect(on.storage.crashes(id).value().empty());
    };
};

}  // namespace

int main() {}
