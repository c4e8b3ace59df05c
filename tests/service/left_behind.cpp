// What a run leaves behind at its end: rows whose steps did not return, and a name for the next run.
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <string>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_id, bulk::operation_state, bulk::row_state;
using support::number, support::numbers;

namespace {

/// Its third check returns when the test says so.
struct slow_check {
    static constexpr bulk::step_options options{
        .name = "Stuck", .poll_interval = 1ms, .timeout = 1h};
    static inline std::atomic<int> executed = 0, asked = 0;
    static inline std::latch begun{1}, go{1}, gone{1};
    void execute(const number&, const bulk::no_metadata&, bulk::context&) { ++executed; }
    bulk::result<bool> is_complete(const number&, const bulk::no_metadata&, bulk::context&) {
        const int now = ++asked;
        if (now != 3) return now > 3;
        begun.count_down();
        go.wait();
        gone.count_down();
        return false;
    }
};
struct polled : bulk::operation<polled, number> {
    BULK_OPERATION("polled")
    auto steps() { return bulk::steps(slow_check{}); }
};

/// Fails always; its second try returns when the test says so.
struct retried : bulk::operation<retried, number> {
    static inline std::atomic<int> tries = 0;
    static inline std::latch begun{1}, go{1}, gone{1};
    BULK_OPERATION("retried", .retryable = true)
    bulk::outcome process(const number&, const bulk::no_metadata&, bulk::context&) {
        const int now = ++tries;
        if (now == 2) {
            begun.count_down();
            go.wait();
            gone.count_down();
        }
        return bulk::outcome::fail("try " + std::to_string(now));
    }
};

/// Fails at its first try.
struct once_bad : bulk::operation<once_bad, number> {
    static inline int tries = 0;
    static inline std::function<void()> look;
    BULK_OPERATION("once-bad", .retryable = true)
    bulk::outcome process(const number&, const bulk::no_metadata&, bulk::context&) {
        look();
        return ++tries == 1 ? bulk::outcome::fail("bad") : bulk::outcome::done();
    }
};

suite<"the end of a run"> ends = [] {
    "left behind by a shutdown, the row waits on: it keeps its deadline, and is not executed again"_test =
        [] {
            bulk::memory::storage storage;
            operation_id id;
            {
                bulk::service service{
                    bulk::operations<polled>, storage,
                    bulk::service_options{.flush_batch_size = 1, .shutdown_timeout = 20ms}};
                id = service.create("polled", support::text(numbers(1))).value();
                slow_check::begun.wait();
                expect(service.shutdown().error().message.contains("row 1: step 'Stuck'"));
            }
            const auto record = storage.get(id, bulk::row_number{1}, bulk::step_index{0}).value();
            expect(record->state == row_state::waiting_for_completion);
            expect(*record->wait_until - *record->started_at < 1h + 1min);
            {
                bulk::service service{bulk::operations<polled>, storage};
                expect(service.wait(id, 1min).value().rows.successful == 1_u);
            }
            expect(slow_check::executed.load() == 1_i);
            slow_check::go.count_down();
            slow_check::gone.wait();
        };

    "left behind by a shutdown, a row is still in its first retry, and no failure is forgotten"_test =
        [] {
            bulk::memory::storage storage;
            operation_id id;
            {
                bulk::service service{bulk::operations<retried>, storage,
                                      bulk::service_options{.shutdown_timeout = 20ms}};
                id = service.create("retried", support::text(numbers(1))).value();
                expect(service.wait(id, 1min).has_value());
                expect(service.retry(id).has_value());
                retried::begun.wait();
                expect(!service.shutdown().has_value());
            }
            {
                bulk::service service{bulk::operations<retried>, storage};
                expect(service.wait(id, 1min).has_value());
                expect(service.retry(id).has_value());
                const auto past = service.retry_history({.operation = id}).value().items;
                expect(fatal(past.size() == 2_ul));
                expect(past[0].error_message == "try 1"s and past[1].error_message == "try 3"s);
                expect(service.wait(id, 1min).has_value());
            }
            retried::go.count_down();
            retried::gone.wait();
        };

    "begun again before its last run is quite gone, an operation has a run that is known"_test =
        [] {
            support::stage<bulk::operation_list<once_bad>> on;
            on.crash();
            operation_id id;
            bool is_first = true;
            const auto again = [&](const bulk::log_entry& entry) {
                if (!entry.event.starts_with("run ended")) return;
                if (!std::exchange(is_first, false)) return;
                expect(on.service->retry(id).has_value());
                expect(on.drive([&] { return on.get(id).state == operation_state::running; }));
            };
            on.service.emplace(bulk::operations<once_bad>, on.storage, bulk::service_options{},
                               bulk::read_options{}, &on.jobs, again);
            std::size_t known = 0;
            once_bad::tries = 0;
            once_bad::look = [&] { known = on.service->metrics().running_operations; };
            id = on.create(numbers(1), "once-bad");
            expect(on.drive([&] { return once_bad::tries == 2; }));
            expect(known == 1_ul);
            expect(on.finish(id).state == operation_state::completed);
            on.drive_for(1s);
            expect(on.service->metrics().running_operations == 0_ul);
            once_bad::look = nullptr;
        };
};

}  // namespace

int main() {}
