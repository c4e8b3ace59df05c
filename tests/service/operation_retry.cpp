#include <bulk/bulk.hpp>
#include <bulk/service/error_groups.hpp>

#include <support/stage.hpp>
#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::errc, bulk::error_type, bulk::operation_state, bulk::row_number, bulk::row_state;
using support::number, support::numbers;

namespace {

/// Steps fail for the rows of these sets.
std::set<int> bad_one, bad_two, bad_three;

bulk::result<> unless(const std::set<int>& bad, const number& row, const char* step) {
    support::now_playing->note(step + std::to_string(row.value));
    if (bad.contains(row.value)) return bulk::fail("row " + std::to_string(row.value) + " is bad");
    return {};
}

struct retried : bulk::operation<retried, number> {
    BULK_OPERATION("retried", .retryable = true)
    bulk::result<> validate(const number& row, const bulk::no_metadata&) {
        if (row.value == 13) return bulk::fail("unlucky");
        return {};
    }
    BULK_STEP(one, "One", .order = 1)
    (const number& row, const bulk::no_metadata&, bulk::context&) {
        return unless(bad_one, row, "a");
    }
    BULK_STEP(two, "Two", .order = 2)
    (const number& row, const bulk::no_metadata&, bulk::context&) {
        return unless(bad_two, row, "b");
    }
    BULK_STEP(three, "Three", .order = 3, .allow_operation_retry = false)
    (const number& row, const bulk::no_metadata&, bulk::context&) {
        return unless(bad_three, row, "c");
    }
};

struct tracked : bulk::operation<tracked, number> {
    BULK_OPERATION("tracked", .track_row_data = true, .retryable = true)
    bulk::result<> process(const number& row, const bulk::no_metadata&, bulk::context&) {
        return unless(bad_one, row, "p");
    }
};

struct account {
    int value = 0;
    bulk::pii<std::string> iban;
};
BULK_ROW(account, value, iban);

struct accounts : bulk::operation<accounts, account> {
    BULK_OPERATION("accounts", .track_row_data = true, .retryable = true)
    bulk::result<> process(const account& row, const bulk::no_metadata&, bulk::context&) {
        if (bad_one.contains(row.value)) return bulk::fail("closed");
        return {};
    }
};

struct final_one : bulk::operation<final_one, number> {
    BULK_OPERATION("final")
    bulk::result<> process(const number& row, const bulk::no_metadata&, bulk::context&) {
        return unless(bad_one, row, "p");
    }
};

struct patient : bulk::operation<patient, number> {
    BULK_OPERATION("patient", .retryable = true)
    bulk::outcome process(const number&, const bulk::no_metadata&, bulk::context&) {
        support::now_playing->note("w1");
        return bulk::outcome::wait_for_signal("go", 1min);
    }
};

struct crowd : bulk::operation<crowd, number> {
    static inline std::atomic<bool> fails = false;
    BULK_OPERATION("crowd", .retryable = true)
    bulk::result<> process(const number&, const bulk::no_metadata&, bulk::context&) {
        if (fails) return bulk::fail("not yet");
        return {};
    }
};

using operations =
    std::remove_const_t<decltype(bulk::operations<retried, tracked, accounts, final_one, patient>)>;
using stage = support::stage<operations>;

void reset() {
    bad_one.clear();
    bad_two.clear();
    bad_three.clear();
}

std::string reason(stage& at, bulk::operation_id id) {
    const auto can = at.service->can_retry(id);
    return can ? (can->is_eligible ? "eligible" : can->reason) : can.error().message;
}

suite<"operation retry"> retry = [] {
    "an error group is the failed rows whose errors have its pattern, at a step and of a kind"_test =
        [] {
            reset();
            support::script script;
            stage at;
            bad_one = {1, 4};
            bad_two = {2};
            const auto id = at.create("value\n1\n2\n3\n4\n13\n", "retried");
            (void)at.finish(id);
            const auto group = [&](const bulk::retry_filter& among, std::string_view pattern) {
                return at.service->rows_of_group(id, among, pattern);
            };
            expect(group({}, "row # is bad") ==
                   std::vector{row_number{1}, row_number{2}, row_number{4}});
            expect(group({.step = bulk::step_index{1}}, "row # is bad") ==
                   std::vector{row_number{2}});
            expect(group({.failure = error_type::validation}, "unlucky") ==
                   std::vector{row_number{5}});
            for (const auto& none : {group({.failure = error_type::timeout}, "row # is bad"),
                                     group({}, "row 1 is bad"), group({}, "")})
                expect(!none and none.error().code == errc::invalid_argument);
            const auto unknown = at.service->rows_of_group(bulk::operation_id{}, {}, "unlucky");
            expect(!unknown);
            const auto answer = at.service->retry(
                id, {.rows = group({.step = bulk::step_index{0}}, "row # is bad").value()});
            expect(answer->submitted == 2_u and answer->skipped == 0_u);
            expect(!at.service->retry(id, {.rows = std::vector<row_number>{}}));
        };

    "failed rows run again from the step at which they failed, and on to the last"_test = [] {
        reset();
        support::script script;
        stage at;
        bad_one = {1};
        bad_two = {2};
        const auto id = at.create("value\n1\n2\n3\n13\n", "retried");
        auto done = at.finish(id);
        expect(done.state == operation_state::completed_with_errors);
        expect(done.rows == bulk::row_counters{4, 4, 1, 3});
        expect(reason(at, id) == "eligible");
        reset();
        script.calls.clear();
        const auto answer = at.service->retry(id);
        expect(fatal(answer.has_value()));
        expect(answer->submitted == 2_u and answer->skipped == 0_u);
        const auto begun = at.get(id);
        expect(begun.state == operation_state::retrying and begun.retry_count == 1_u);
        expect(begun.rows == bulk::row_counters{4, 2, 1, 1}) << "they are not processed any more";
        done = at.finish(id);
        expect(script.calls == "a1 b1 c1 b2 c2 ") << script.calls;
        expect(done.state == operation_state::completed_with_errors) << "13 is still invalid";
        expect(done.rows == bulk::row_counters{4, 4, 3, 1});
        expect(at.errors(id) == "4 validation: unlucky\n") << "no ghosts: " << at.errors(id);
        expect(at.record(id, 1, 0)->retry_attempt == 1_u);
        expect(at.record(id, 1, 2)->state == row_state::completed);
        expect(reason(at, id) ==
               "No retryable failed rows found (validation failures cannot be retried)");
    };

    "how rows had failed is kept, every time"_test = [] {
        reset();
        support::script script;
        stage at;
        bad_one = {1, 2};
        const auto id = at.create(numbers(2), "retried");
        (void)at.finish(id);
        bad_one = {1};
        (void)at.service->retry(id);
        (void)at.finish(id);
        (void)at.service->retry(id);
        (void)at.finish(id);
        const auto history = at.service->retry_history({.operation = id}).value();
        expect(fatal(history.items.size() == 3_ul));
        expect(history.items[0].row == row_number{1} and history.items[0].retry_attempt == 0_u);
        expect(history.items[1].row == row_number{1} and history.items[1].retry_attempt == 1_u);
        expect(history.items[2].row == row_number{2});
        expect(history.items[0].error_message == "row 1 is bad" and
               history.items[0].failure == error_type::step_failure);
        expect(at.record(id, 1, 0)->retry_attempt == 2_u);
        expect(at.service->retry_history({.operation = id, .row = row_number{2}}).value().total ==
               1_u);
    };

    "history keeps the row data that the operation tracks, and no personal value"_test = [] {
        for (const bool in_errors : {false, true}) {
            reset();
            support::script script;
            stage at{{.include_row_data_in_errors = in_errors}};
            bad_one = {2};
            const auto tracked = at.create(numbers(2), "tracked");
            const auto hidden = at.create("value,iban\n1,AT1\n2,AT2\n", "accounts");
            const auto untracked = at.create(numbers(2), "retried");
            const auto data = [&](bulk::operation_id id) {
                (void)at.finish(id);
                expect(at.service->retry(id).value().submitted == 1_u);
                (void)at.finish(id);
                const auto found = at.service->retry_history({.operation = id});
                return found && found->items.size() == 1 ? found->items[0].row_data : "not found";
            };
            expect(data(tracked) == R"({"value":2})"s);
            expect(data(hidden) == R"({"value":2,"iban":"***"})"s);
            expect(data(untracked) == (in_errors ? R"({"value":2})"s : ""s));
        }
    };

    "some rows, by number, step or kind of failure"_test = [] {
        reset();
        support::script script;
        stage at;
        bad_one = {1, 2, 3};
        bad_two = {4, 5};
        const auto id = at.create(numbers(6), "retried");
        (void)at.finish(id);
        reset();
        auto answer = at.service->retry(id, {.rows = {{row_number{2}, row_number{6}}}});
        expect(answer->submitted == 1_u and answer->skipped == 1_u);
        expect(answer->reasons.size() == 1_ul);
        expect(at.finish(id).rows == bulk::row_counters{6, 6, 2, 4});
        answer = at.service->retry(id, {.step = bulk::step_index{1}});
        expect(answer->submitted == 2_u);
        expect(at.finish(id).rows == bulk::row_counters{6, 6, 4, 2});
        expect(at.service->retry(id, {.failure = error_type::timeout}).value().submitted == 0_u);
        expect(at.get(id).state == operation_state::completed_with_errors) << "nothing has begun";
        expect(at.get(id).retry_count == 2_u);
        expect(at.service->retry(id, {.failure = error_type::step_failure}).value().submitted ==
               2_u);
        expect(at.finish(id).state == operation_state::completed);
    };

    "a step may forbid it"_test = [] {
        reset();
        support::script script;
        stage at;
        bad_two = {1};
        bad_three = {2};
        const auto id = at.create(numbers(2), "retried");
        (void)at.finish(id);
        const auto answer = at.service->retry(id, {.rows = {{row_number{1}, row_number{2}}}});
        expect(answer->submitted == 1_u and answer->skipped == 1_u);
        expect(answer->reasons.at(0) == "Row 2: step 'Three' does not allow operation retry");
        bad_two.clear();
        expect(at.finish(id).rows.failed == 1_u);
        expect(reason(at, id).starts_with("No retryable failed rows"));
    };

    "what cannot be retried, and why"_test = [] {
        reset();
        support::script script;
        stage at{{.max_retry_attempts = 1}};
        expect(reason(at, {}) == "Operation not found");
        const auto running = at.create(numbers(1), "retried");
        expect(reason(at, running) ==
               "Operation is in pending state, must be completed_with_errors, failed or cancelled");
        (void)at.finish(running);
        expect(reason(at, running).starts_with("Operation is in completed state"));
        bad_one = {1};
        const auto final_id = at.create(numbers(1), "final");
        (void)at.finish(final_id);
        expect(reason(at, final_id) == "Operation is not retryable (.retryable = false)");
        const auto id = at.create(numbers(1), "retried");
        (void)at.finish(id);
        expect(at.service->retry(id, {.rows = {{}}}).error().code == errc::invalid_argument);
        expect(at.service->retry(id, {.rows = {{row_number{0}}}}).error().code ==
               errc::invalid_argument);
        expect(at.service->retry(running).error().code == errc::illegal_transition);
        expect(at.service->retry({}).error().code == errc::not_found);
        (void)at.service->retry(id);
        (void)at.finish(id);
        expect(reason(at, id) == "Maximum retry attempts (1) reached");
        bulk::service other{bulk::operations<final_one>, at.storage,
                            bulk::service_options{.scheduler = bulk::scheduling::none},
                            bulk::read_options{}, &at.jobs};
        expect(other.can_retry(id)->reason == "Operation type 'retried' not registered");
    };

    "rows that nobody had tried when it was cancelled are tried now"_test = [] {
        reset();
        support::script script;
        stage at;
        bad_one = {1};
        const auto id = at.create(numbers(5000), "retried");
        expect(at.drive([&] { return at.get(id).rows.processed > 50; }));
        (void)at.service->cancel(id);
        auto done = at.finish(id);
        expect(done.state == operation_state::cancelled);
        const auto left = unprocessed(done.rows);
        expect(left > 0_u);
        reset();
        const auto answer = at.service->retry(id);
        expect(answer->submitted == 1_u and answer->resumed == left);
        done = at.finish(id);
        expect(done.rows == bulk::row_counters{5000, 5000, 4999, 1}) << "13 is unlucky";
        expect(done.state == operation_state::completed_with_errors);
    };

    "a wait that was cut off begins anew, with all its time"_test = [] {
        reset();
        support::script script;
        stage at;
        const auto id = at.create(numbers(1), "patient");
        expect(at.drive([&] { return script.calls == "w1 "; }));
        at.drive_for(5s);
        (void)at.service->cancel(id);
        expect(at.finish(id).state == operation_state::cancelled);
        at.drive_for(1h);
        expect(at.service->retry(id).value().resumed == 1_u);
        at.drive_for(30s);
        expect(script.calls == "w1 w1 ") << script.calls;
        expect(at.service->signal(id, "go").has_value());
        expect(at.finish(id).state == operation_state::completed);
    };

    "rows named twice, and many that are refused, are counted once"_test = [] {
        reset();
        support::script script;
        stage at;
        for (int i = 1; i <= 150; ++i) bad_three.insert(i);
        bad_one = {151};
        const auto id = at.create(numbers(151), "retried");
        (void)at.finish(id);
        std::vector<row_number> rows;
        for (std::uint64_t i = 1; i <= 151; ++i) rows.insert(rows.end(), 2, row_number{i});
        const auto answer = at.service->retry(id, {.rows = rows});
        expect(answer->submitted == 1_u and answer->skipped == 150_u) << answer->skipped;
        expect(answer->reasons.size() == 101_ul) << "a hundred rows, and the rest in one";
    };

    "one that never got to its rows cannot be retried"_test = [] {
        reset();
        support::script script;
        stage at;
        const auto id = at.create("other\n1\n", "retried");
        expect(at.finish(id).state == operation_state::failed);
        expect(reason(at, id) == "Its rows were not all validated: create the operation again");
    };

    "without the file, rows come from their records if those keep them"_test = [] {
        reset();
        support::script script;
        stage at;
        bad_one = {2, 3};
        const auto kept = at.create(numbers(4), "tracked"), lost = at.create(numbers(4), "retried");
        (void)at.finish(kept);
        (void)at.finish(lost);
        for (const auto id : {kept, lost})
            expect(at.storage.remove_file(at.get(id).file_id).has_value());
        expect(reason(at, lost).starts_with("The rows are gone"));
        reset();
        script.calls.clear();
        expect(at.service->retry(kept).value().submitted == 2_u);
        expect(at.finish(kept).state == operation_state::completed);
        expect(script.calls == "p2 p3 ") << script.calls;
    };

    "a row that can no longer be read fails with a reason, and the others go on"_test = [] {
        reset();
        support::script script;
        stage at;
        bad_one = {1, 2};
        const auto id = at.create(numbers(2), "tracked");
        (void)at.finish(id);
        expect(at.storage.remove_file(at.get(id).file_id).has_value());
        // As if the row had been declared otherwise when it was kept.
        auto record = *at.record(id, 1, -1);
        record.row_data = R"({"value":"many"})";
        reset();
        expect(at.service->retry(id).has_value());
        const auto claimed =
            at.storage
                .claim(
                    id,
                    {.owner = "test", .names = {"tracked"}, .now = at.jobs.now(), .lease_time = 1s})
                .value();
        expect(at.storage.record(claimed->held, {.records = {record}}).has_value());
        expect(at.storage.release(claimed->held).has_value());
        const auto done = at.finish(id);
        expect(done.rows == bulk::row_counters{2, 2, 1, 1});
        expect(at.errors(id).contains("cannot be read as it is declared now")) << at.errors(id);
    };

    "a hundred thousand failed rows in one call, by several workers"_test = [] {
        reset();
        bulk::memory::storage storage;
        bulk::service service{bulk::operations<crowd>, storage,
                              bulk::service_options{.max_row_concurrency = 4}};
        crowd::fails = true;
        const auto id = service.create("crowd", support::text(numbers(100'000))).value();
        expect(service.wait(id).value().rows.failed == 100'000_u);
        crowd::fails = false;
        expect(service.retry(id).value().submitted == 100'000_u);
        const auto done = service.wait(id).value();
        expect(done.state == operation_state::completed);
        expect(done.rows == bulk::row_counters{100'000, 100'000, 100'000, 0});
    };
};

}  // namespace

int main() {}
