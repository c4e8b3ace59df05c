// Operations that are tried again while things go wrong: crashes, other processes, a storage that
// does not answer, cancels, rows that fail again, and more rows than a page holds.
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::errc, bulk::operation_id, bulk::operation_state, bulk::row_counters, bulk::row_number,
    bulk::row_state;
using support::number, support::numbers, support::script;

namespace {

/// What rows do in their steps, and how often they were there.
struct plan {
    std::function<bool(int row)> first_fails, second_fails;
    std::map<int, int> first, second, third;
    int validated = 0, checked = 0;

    plan() { now = this; }
    plan(const plan&) = delete;
    plan& operator=(const plan&) = delete;
    ~plan() { now = nullptr; }
    static inline plan* now = nullptr;
};

struct last_step {
    static constexpr bulk::step_options options{
        .name = "Last", .order = 3, .allow_operation_retry = false};
    bulk::result<> execute(const number& row, const bulk::no_metadata&, bulk::context&) {
        ++plan::now->third[row.value];
        if (row.value > 10'000) return bulk::fail("never again");
        return {};
    }
};

struct orders : bulk::operation<orders, number> {
    BULK_OPERATION("orders", .retryable = true)
    bulk::result<> validate(const bulk::no_metadata&) {
        ++plan::now->checked;
        return {};
    }
    bulk::result<> validate(const number& row, const bulk::no_metadata&) {
        ++plan::now->validated;
        if (row.value < 0) return bulk::fail("below 0");
        return {};
    }
    BULK_STEP(first, "First", .order = 1)
    (const number& row, const bulk::no_metadata&, bulk::context&)->bulk::result<> {
        ++plan::now->first[row.value];
        if (plan::now->first_fails && plan::now->first_fails(row.value)) return bulk::fail("first");
        return {};
    }
    BULK_STEP(second, "Second", .order = 2)
    (const number& row, const bulk::no_metadata&, bulk::context&)->bulk::result<> {
        ++plan::now->second[row.value];
        if (plan::now->second_fails && plan::now->second_fails(row.value))
            return bulk::fail("second " + std::to_string(plan::now->second[row.value]));
        return {};
    }
    auto steps() { return bulk::steps(last_step{}); }
};

using operations = bulk::operation_list<orders>;
using stage = support::stage<operations>;

bool always(int) { return true; }

/// An operation whose rows have all failed in the second step.
template <typename On>
operation_id failed_operation(On& on, plan& steps, int rows) {
    steps.second_fails = always;
    const auto id = on.create(numbers(rows), "orders");
    expect(fatal(on.finish(id).rows.failed == static_cast<std::uint64_t>(rows)));
    steps.second_fails = nullptr;
    return id;
}

std::vector<bulk::retry_entry> history_of(auto& on, operation_id id, std::uint32_t page_size) {
    std::vector<bulk::retry_entry> all;
    bulk::retry_history_query query{.operation = id, .page_size = page_size};
    do {
        auto page = on.service->retry_history(query).value();
        for (auto& each : page.items) all.push_back(std::move(each));
        query.after = page.next;
    } while (!query.after.empty());
    return all;
}

suite<"crashes"> crashes = [] {
    "a retry that was interrupted goes on, and only what was not written runs again"_test = [] {
        plan steps;
        stage on;
        const auto id = failed_operation(on, steps, 1000);
        expect(on.service->retry(id).value().submitted == 1000_u);
        expect(on.drive([&] { return on.get(id).rows.processed >= 300; }));
        on.crash();
        on.jobs.advance(1min);
        on.start();
        const auto done = on.finish(id);
        expect(done.state == operation_state::completed and done.retry_count == 1_u);
        expect(done.rows == row_counters{1000, 1000, 1000, 0});
        int more = 0;
        for (int row = 1; row <= 1000; ++row) {
            expect(steps.first[row] == 1_i and steps.third[row] >= 1_i) << row;
            more += steps.second[row] - 2;
        }
        expect(more >= 0_i and more <= 200_i) << more;
        expect(on.record(id, 1000, 1)->retry_attempt == 1_u);
        expect(history_of(on, id, 300).size() == 1000_ul) << "each failure once";
    };

    "a retry that nobody had begun when the process died is begun by the next"_test = [] {
        plan steps;
        stage on;
        const auto id = failed_operation(on, steps, 3);
        expect(on.service->retry(id).has_value());
        on.crash();
        expect(on.get(id).state == operation_state::retrying);
        on.start();
        expect(on.finish(id).state == operation_state::completed);
        expect(steps.second[1] == 2_i);
    };
};

suite<"others"> others = [] {
    "a process that runs nothing submits a retry, and one that runs finds it"_test = [] {
        plan steps;
        stage on({.pending_poll_interval = 2s});
        const auto id = failed_operation(on, steps, 3);
        bulk::service front{operations{}, on.storage,
                            bulk::service_options{.scheduler = bulk::scheduling::none},
                            bulk::read_options{}, &on.jobs};
        const auto since = on.jobs.now();
        expect(front.retry(id).value().submitted == 3_u);
        expect(front.retry(id).error().code == errc::illegal_transition) << "it is one already";
        expect(on.finish(id).state == operation_state::completed);
        expect(on.jobs.now() - since <= 2s);
    };

    "a storage that does not answer leaves everything as it was"_test = [] {
        plan steps;
        std::string down;
        using storage = support::faulty_storage<bulk::memory::records>;
        support::stage<operations, storage> on(
            {}, storage{bulk::memory::records{}, [&](const char* name) { return down == name; }});
        const auto id = failed_operation(on, steps, 3);
        const auto before = on.get(id);
        const auto record = on.record(id, 2, 1);
        const auto told = on.told(id);
        for (const auto* const call : {"retry", "get", "query", "file"}) {
            down = call;
            expect(on.service->retry(id).error().code == errc::unavailable) << call;
            down.clear();
            on.drive_for(5min);
            expect(on.get(id) == before and on.record(id, 2, 1) == record) << call;
            expect(on.told(id) == told and history_of(on, id, 10).empty()) << call;
        }
        down = "claim";  // accepted; it begins when it can
        expect(on.service->retry(id).value().submitted == 3_u);
        on.drive_for(10s);
        expect(on.get(id).state == operation_state::retrying);
        down.clear();
        expect(on.finish(id).state == operation_state::completed);
    };
};

suite<"rows"> rows = [] {
    "more failed rows than a page holds, behind more that are not valid, all in one call"_test =
        [] {
            plan steps;
            stage on;
            std::string file = "value\n";
            for (int i = 1; i <= 1500; ++i) file += std::to_string(-i) + '\n';
            for (int i = 1; i <= 2500; ++i) file += std::to_string(i) + '\n';
            steps.first_fails = always;
            const auto id = on.create(file, "orders");
            expect(on.finish(id).rows == row_counters{4000, 4000, 0, 4000});
            expect(steps.validated == 4000_i and steps.checked == 1_i);
            expect(on.service->can_retry(id)->is_eligible);
            steps.first_fails = nullptr;
            const auto answer = on.service->retry(id).value();
            expect(answer.submitted == 2500_u and answer.skipped == 0_u and answer.resumed == 0_u);
            expect(on.get(id).rows == row_counters{4000, 1500, 0, 1500})
                << "refused rows stay failed";
            const auto done = on.finish(id);
            expect(done.rows == row_counters{4000, 4000, 2500, 1500});
            expect(done.state == operation_state::completed_with_errors);
            expect(steps.validated == 4000_i and steps.checked == 1_i)
                << "nothing is validated again";
            expect(on.service->errors(id).value().total == 1500_u) << "none of them a ghost";
            expect(on.storage.query(bulk::row_query{.operation = id, .state = row_state::failed})
                       .value()
                       .total == 1500_u);
            expect(!on.service->can_retry(id)->is_eligible);
            const auto past = history_of(on, id, 1000);
            expect(fatal(past.size() == 2500_ul));
            for (std::size_t i = 0; i < past.size(); ++i)
                expect(past[i].row == row_number{1501 + i} and past[i].error_message == "first"s);
        };

    "retried twice: rows that fail again can be tried again, and every failure is kept"_test = [] {
        plan steps;
        stage on;
        const auto id = failed_operation(on, steps, 4);
        steps.second_fails = [](int row) { return row <= 2; };
        expect(on.service->retry(id).value().submitted == 4_u);
        auto done = on.finish(id);
        expect(done.rows == row_counters{4, 4, 2, 2});
        expect(done.state == operation_state::completed_with_errors);
        expect(on.errors(id) == "1 step_failure: second 2\n2 step_failure: second 2\n"s);
        expect(!on.record(id, 1, 2).has_value() and on.record(id, 3, 2).has_value());
        steps.second_fails = nullptr;
        expect(on.service->retry(id).value().submitted == 2_u);
        done = on.finish(id);
        expect(done.rows == row_counters{4, 4, 4, 0} and done.retry_count == 2_u);
        expect(done.state == operation_state::completed and on.errors(id).empty());
        expect(steps.first[1] == 1_i and steps.second[1] == 3_i and steps.third[1] == 1_i);
        std::string past;
        for (const auto& each : history_of(on, id, 1))
            past += std::to_string(to_number(each.row)) + '.' + std::to_string(each.retry_attempt) +
                    ' ' + each.error_message + '\n';
        expect(past ==
               "1.0 second 1\n1.1 second 2\n2.0 second 1\n2.1 second 2\n"
               "3.0 second 1\n4.0 second 1\n"s)
            << past;
        expect(on.record(id, 1, 1)->retry_attempt == 2_u);
    };

    "as often as one likes, if there is no limit"_test = [] {
        plan steps;
        stage on({.max_retry_attempts = 0});
        const auto id = failed_operation(on, steps, 1);
        steps.second_fails = always;
        for (int i = 0; i < 12; ++i) {
            expect(on.service->retry(id).value().submitted == 1_u);
            (void)on.finish(id);
        }
        expect(on.get(id).retry_count == 12_u and steps.second[1] == 13_i);
    };

    "a step class may forbid it; every row named is counted once"_test = [] {
        plan steps;
        stage on;
        std::string file = "value\n1\n2\n";
        for (int i = 1; i <= 150; ++i) file += std::to_string(10'000 + i) + '\n';
        steps.first_fails = [](int row) { return row == 1; };
        const auto id = on.create(file, "orders");
        expect(on.finish(id).rows.failed == 151_u);
        steps.first_fails = nullptr;
        bulk::retry_filter some{.rows = std::vector<row_number>{}};
        for (std::uint64_t row = 1; row <= 152; ++row)
            for (int twice = 0; twice < 2; ++twice) some.rows->push_back(row_number{row});
        const auto answer = on.service->retry(id, some).value();
        expect(answer.submitted == 1_u and answer.skipped == 151_u) << answer.skipped;
        expect(answer.reasons.front() == "Row 3: step 'Last' does not allow operation retry"s);
        expect(on.finish(id).rows == row_counters{152, 152, 2, 150});
        expect(steps.third[10'001] == 1_i);
    };
};

suite<"while it runs"> running = [] {
    "cancelled: what was not tried again is not processed, and can be, later"_test = [] {
        plan steps;
        stage on;
        const auto id = failed_operation(on, steps, 1000);
        expect(on.service->retry(id).has_value());
        expect(on.drive([&] { return on.get(id).rows.processed >= 200; }));
        expect(on.service->cancel(id).has_value());
        auto done = on.finish(id);
        const auto left = unprocessed(done.rows);
        expect(done.state == operation_state::cancelled and left > 0_u);
        expect(done.rows.failed == 0_u and done.rows.successful == 1000 - left);
        const auto again = on.service->retry(id).value();
        expect(again.submitted == 0_u and again.resumed == left);
        done = on.finish(id);
        expect(done.state == operation_state::completed);
        expect(done.rows == row_counters{1000, 1000, 1000, 0});
        for (int row = 1; row <= 1000; ++row)
            expect(steps.first[row] == 1_i and steps.second[row] == 2_i) << row;
        expect(history_of(on, id, 1000).size() == 1000_ul);
    };

    "the first start stays, the last one is the retry's, and its end is the end"_test = [] {
        plan steps;
        stage on;
        const auto id = failed_operation(on, steps, 1);
        const auto first = on.get(id);
        on.drive_for(24h);
        expect(on.service->retry(id).has_value());
        expect(!on.get(id).completed_at.has_value() and on.get(id).error_message.empty());
        const auto begun = on.jobs.now();
        const auto done = on.finish(id);
        expect(done.started_at == first.started_at and first.run_started_at == first.started_at);
        expect(done.run_started_at == begun and done.completed_at >= begun);
        expect(done.created_at == first.created_at);
    };

    "counters are right at every stage"_test = [] {
        plan steps;
        stage on({.flush_batch_size = 1});
        const auto id = failed_operation(on, steps, 20);
        steps.second_fails = [](int row) { return row % 2 == 0; };
        expect(on.service->retry(id).has_value());
        expect(on.get(id).rows == row_counters{20, 0, 0, 0});
        std::set<std::uint64_t> seen;
        const bool has_ended = on.drive([&] {
            const auto now = on.get(id);
            seen.insert(now.rows.processed);
            expect(now.rows.processed == now.rows.successful + now.rows.failed);
            expect(now.rows.total == 20_u);
            if (now.state == operation_state::running)
                expect(on.service->errors(id).value().total == now.rows.failed);
            return is_final(now.state);
        });
        expect(has_ended and seen.size() > 2_ul);
        expect(on.get(id).rows == row_counters{20, 20, 10, 10});
        expect(on.told(id).contains("completed_with_errors to retrying"));
        expect(on.told(id).contains("retrying to running"));
    };
};

}  // namespace

int main() {}
