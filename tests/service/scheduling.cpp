// Which operations run, when, and where: the queue, the workers, the start and the end of a process.
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_id, bulk::operation_state, bulk::row_state;
using support::number, support::numbers, support::script;

namespace {

struct other : bulk::operation<other, number> {
    BULK_OPERATION("other")
    void process(const number&, const bulk::no_metadata&, bulk::context&) {}
};

struct patient : bulk::operation<patient, number> {
    static inline std::atomic<int> executed = 0;
    BULK_OPERATION("patient")
    bulk::outcome process(const number&, const bulk::no_metadata&, bulk::context&) {
        ++executed;
        executed.notify_all();
        return bulk::outcome::wait_for_signal("go", 1h);
    }
};

using operations = bulk::operation_list<support::pipeline>;
using stage = support::stage<operations>;
bulk::service_options only_front() { return {.scheduler = bulk::scheduling::none}; }

/// Takes an operation in without running it.
operation_id put_in(stage& on, std::string content) {
    bulk::service front{operations{}, on.storage, only_front(), bulk::read_options{}, &on.jobs};
    return front.create("pipeline", support::text(std::move(content))).value();
}

script::step wait_in_first(script& play) {
    return [&play](const number& row, bulk::context& ctx) {
        play.note(std::to_string(row.value) + '.' + std::to_string(ctx.attempt()));
        return ctx.attempt() == 1 ? bulk::outcome::retry("later", 100s) : bulk::outcome::done();
    };
}

suite<"workers"> workers = [] {
    "as many operations run at once as there are workers, the oldest first"_test = [] {
        script play;
        stage on({.worker_count = 2});
        std::vector<operation_id> all;
        for (int i = 0; i < 5; ++i) {
            all.push_back(on.create(numbers(500)));
            on.jobs.advance(1ms);
        }
        std::size_t most = 0;
        std::vector<operation_id> begun;
        const bool all_ended = on.drive([&] {
            most = std::max(most, on.service->metrics().running_operations);
            for (const auto id : all)
                if (on.get(id).started_at && std::ranges::find(begun, id) == begun.end())
                    begun.push_back(id);
            return std::ranges::all_of(all, [&](auto id) { return on.is_done(id); });
        });
        expect(all_ended and most == 2_ul);
        expect(fatal(begun.size() == all.size()));
        for (std::size_t i = 0; i < all.size(); ++i) {  // of the two that run, either may be first
            const auto place = std::ranges::find(begun, all[i]) - begun.begin();
            expect(place <= static_cast<std::ptrdiff_t>(i) + 1) << "one waits behind later ones";
        }
    };

    "one whose rows all wait leaves its place to the next, and goes on when its time has come"_test =
        [] {
            script play;
            play.first = [](const auto& row, bulk::context& ctx) {
                if (row.value == 1 && ctx.attempt() == 1) return bulk::outcome::retry("later", 24h);
                return bulk::outcome::done();
            };
            stage on({.worker_count = 1});
            const auto slow = on.create(numbers(1)), quick = on.create("value\n2\n");
            const auto begin = on.jobs.now();
            expect(on.finish(quick).state == operation_state::completed);
            expect(on.jobs.now() - begin < 1min) << "not after a day";
            expect(on.finish(slow).state == operation_state::completed);
        };

    "an operation that fails does not harm the next"_test = [] {
        script play;
        stage on({.worker_count = 1});
        const auto bad = on.create("wrong\n"), good = on.create(numbers(1));
        expect(on.finish(bad).state == operation_state::failed);
        expect(on.finish(good).state == operation_state::completed);
    };

    "what this program does not know is left to others"_test = [] {
        script play;
        stage on({.pending_poll_interval = 1s});
        support::stage<bulk::operation_list<other>> others{{}, on.storage};
        const auto id = others.create(numbers(1), "other");
        on.drive_for(1min);
        expect(on.get(id).state == operation_state::pending);
        expect(others.finish(id).state == operation_state::completed);
    };

    "nobody runs it where there is no scheduler"_test = [] {
        script play;
        stage on(only_front());
        const auto id = on.create(numbers(1));
        on.drive_for(1h);
        expect(on.get(id).state == operation_state::pending);
    };
};

/// Rows that take a millisecond each, and who ran them how often.
struct slow_rows {
    explicit slow_rows(stage& on) {
        play.first = [&](const number& row, bulk::context& ctx) {
            on.jobs.advance(1ms);
            ++times[{ctx.operation(), row.value}];
            return bulk::outcome::done();
        };
    }

    script play;
    std::map<std::pair<operation_id, int>, int> times;
};

suite<"turns"> turns = [] {
    "a small operation behind two large ones begins within seconds, and ends soon"_test = [] {
        for (const int concurrency : {1, 4}) {
            stage on({.max_row_concurrency = concurrency, .worker_count = 2});
            const slow_rows rows{on};
            const auto first = on.create(numbers(8'000)), second = on.create(numbers(8'000));
            expect(on.drive([&] { return on.get(second).rows.processed > 100; }));
            const auto begin = on.jobs.now();
            const auto small = on.create(numbers(10));
            const auto done = on.finish(small);
            expect(*done.started_at - begin <= 2s) << (*done.started_at - begin).count() << "us";
            expect(*done.completed_at - begin <= 3s) << (*done.completed_at - begin).count();
            expect(!on.is_done(first) and !on.is_done(second));
        }
    };

    "so few are open at once, and none is stuck: one that came first goes aside for a while"_test =
        [] {
            constexpr std::size_t most = 16;
            stage on({.worker_count = 1});
            const slow_rows rows{on};
            std::vector<operation_id> all;
            for (int i = 0; i < 20; ++i) all.push_back(on.create(numbers(1'500)));
            std::size_t most_seen = 0;
            const auto watch = [&](auto until) {
                return on.drive([&] {
                    most_seen = std::max(most_seen, on.service->metrics().running_operations);
                    return until();
                });
            };
            const auto start = on.jobs.now();
            expect(watch([&] { return on.jobs.now() - start > 3s; }));
            for (int i = 0; i < 3; ++i) {
                const auto begin = on.jobs.now();
                all.push_back(on.create(numbers(10)));
                expect(watch([&] { return on.get(all.back()).started_at.has_value(); }));
                // The four that no place is left for go before the first of them.
                expect(on.jobs.now() - begin <= (i == 0 ? 8s : 3s))
                    << (on.jobs.now() - begin).count() << "us";
            }
            expect(watch(
                [&] { return std::ranges::all_of(all, [&](auto id) { return on.is_done(id); }); }));
            expect(most_seen >= most and most_seen <= most + 1) << most_seen;
            expect(on.log.contains("set_aside"));
            for (const auto id : all) expect(on.get(id).rows.failed == 0_u);
            expect(rows.times.size() == 30'030_ul);
            expect(
                std::ranges::all_of(rows.times, [](const auto& each) { return each.second == 1; }));
        };

    "an operation that is cancelled does not wait for its turn"_test = [] {
        stage on({.worker_count = 1});
        script play;
        operation_id other;
        bool was_cancelled = false;
        play.first = [&](const number& row, bulk::context& ctx) {
            on.jobs.advance(1ms);
            if (ctx.operation() != other && row.value == 3'000) {
                (void)on.service->cancel(other);
                was_cancelled = true;
            }
            return bulk::outcome::done();
        };
        const auto long_one = on.create(numbers(4'000));
        other = on.create(numbers(4'000));
        expect(on.drive([&] { return was_cancelled; }));
        expect(on.get(other).rows.processed > 0_u) << "they take turns";
        expect(on.finish(other).state == operation_state::cancelled);
        expect(!on.is_done(long_one));
    };
};

suite<"start"> starting = [] {
    "what waits is begun at the start, the oldest first"_test = [] {
        script play;
        stage on(only_front());
        std::vector<operation_id> all;
        for (int i = 1; i <= 30; ++i) {
            all.push_back(on.create("value\n" + std::to_string(i) + '\n'));
            on.jobs.advance(1ms);
        }
        std::string expected;
        for (int i = 1; i <= 30; ++i) expected += std::to_string(i) + ' ';
        play.first = [&](const number& row, bulk::context&) {
            play.note(row);
            return bulk::outcome::done();
        };
        on.crash();
        on.start({.worker_count = 1});
        for (const auto id : all) expect(on.finish(id).state == operation_state::completed);
        expect(play.calls == expected) << play.calls;
    };

    "more pending operations than the queue holds do not block the start, and all complete"_test =
        [] {
            script play;
            stage on(only_front());
            std::vector<operation_id> all;
            for (int i = 0; i < 30; ++i) all.push_back(on.create(numbers(1)));
            on.crash();
            on.start({.worker_count = 1, .queue_capacity = 2});
            for (const auto id : all) expect(on.finish(id).state == operation_state::completed);

            for (auto& id : all) id = put_in(on, numbers(1));
            bulk::service service{operations{}, on.storage,
                                  bulk::service_options{.worker_count = 2, .queue_capacity = 2}};
            all.push_back(service.create("pipeline", support::text(numbers(1))).value());
            for (const auto id : all)
                expect(service.wait(id, 1min).value().state == operation_state::completed);
        };

    "what was running goes on where it was, when its owner's lease has run out"_test = [] {
        script play;
        play.first = [&](const number& row, bulk::context&) {
            play.note(row);
            return bulk::outcome::done();
        };
        stage on({.flush_batch_size = 1, .lease_time = 10s});
        const auto id = on.create(numbers(20));
        expect(on.drive([&] { return play.calls.contains("9 "); }));
        on.crash();
        on.jobs.advance(10s);
        on.start({.flush_batch_size = 1});
        expect(on.finish(id).rows.successful == 20_u);
        std::istringstream calls{play.calls};
        std::map<int, int> times;
        for (int row = 0; calls >> row;) ++times[row];
        expect(times.size() == 20_ul);
        int again = 0;
        for (const auto& [row, count] : times) again += count - 1;
        expect(again <= 1_i) << play.calls;
        expect(on.told(id).find("validating to running") ==
               on.told(id).rfind("validating to running"));
    };

    "what was validating goes on, too"_test = [] {
        script play;
        stage on({.flush_batch_size = 1});
        play.validate = [&](const number& row) -> bulk::result<> {
            play.note(row);
            if (row.value % 2 == 0) return bulk::fail("even");
            return {};
        };
        const auto id = on.create(numbers(20));
        expect(on.drive([&] { return play.calls.contains("9 "); }));
        expect(on.get(id).state == operation_state::validating);
        on.crash();
        on.jobs.advance(1min);
        on.start();
        expect(on.finish(id).rows ==
               bulk::row_counters{.total = 20, .processed = 20, .successful = 10, .failed = 10});
        std::string once;
        for (int row = 1; row <= 20; ++row) once += std::to_string(row) + ' ';
        expect(play.calls == once) << "none is validated again" << play.calls;
    };

    "what was being retried goes on, too"_test = [] {
        script play;
        play.first = [](const number&, bulk::context&) { return bulk::outcome::fail("no"); };
        stage on;
        auto record = on.run(numbers(1));
        on.crash();
        (void)move_to(record, operation_state::retrying, on.jobs.now());
        expect(on.storage.update(record, {}).has_value());
        on.start();
        expect(on.drive([&] { return on.is_done(record.id); }));
        expect(on.is_done(record.id));
        expect(on.told(record.id).contains("retrying to running"));
    };

    "a storage that does not answer at first delays the start, no more"_test = [] {
        script play;
        int failures = 5;
        bulk::memory::records kept;
        support::stage<operations, support::faulty_storage<bulk::memory::records>> on{
            only_front(), support::faulty_storage{kept, [&](const char* call) {
                                                      return call == "claim"s && failures-- > 0;
                                                  }}};
        const auto id = on.create(numbers(1));
        on.crash();
        on.start();
        expect(on.finish(id).state == operation_state::completed and failures < 0);
    };

    "settings that cannot work are refused by name, and nothing is begun"_test = [] {
        script play;
        stage on(only_front());
        const auto id = on.create(numbers(1));
        const auto refuses = [&](const bulk::service_options& options, const std::string& name) {
            on.crash();
            on.start(options);
            const auto created = on.service->create("pipeline", support::text(numbers(1)));
            expect(fatal(!created.has_value())) << name;
            expect(created.error().code == bulk::errc::invalid_argument);
            expect(created.error().message.starts_with(name)) << created.error().message;
            on.drive_for(1min);
            expect(on.get(id).state == operation_state::pending);
        };
        refuses({.flush_batch_size = 0}, "flush_batch_size");
        refuses({.max_row_concurrency = 0}, "max_row_concurrency");
        refuses({.worker_count = 0}, "worker_count");
        refuses({.queue_capacity = 0}, "queue_capacity");
        refuses({.pending_poll_interval = 0s}, "pending_poll_interval");
        refuses({.lease_time = 0s}, "lease_time");
    };
};

suite<"poll"> polling = [] {
    "what others took in is found within the interval"_test = [] {
        script play;
        stage on({.pending_poll_interval = 10s});
        on.drive_for(1s);
        const auto id = put_in(on, numbers(1));
        on.drive_for(10s);
        expect(on.get(id).state == operation_state::completed);
    };

    "without an interval it is not looked for"_test = [] {
        script play;
        stage on;
        on.drive_for(1s);
        const auto id = put_in(on, numbers(1));
        on.drive_for(20s);
        expect(on.get(id).state == operation_state::pending);
        (void)on.run(numbers(1));
        expect(on.finish(id).state == operation_state::completed) << "until there is work anyway";
    };

    "a storage that does not answer is asked again the next time"_test = [] {
        script play;
        bool is_down = false;
        bulk::memory::records kept;
        support::stage<operations, support::faulty_storage<bulk::memory::records>> on{
            {.pending_poll_interval = 10s},
            support::faulty_storage{kept, [&](const char*) { return is_down; }}};
        bulk::service front{operations{}, kept, only_front(), bulk::read_options{}, &on.jobs};
        const auto id = front.create("pipeline", support::text(numbers(1))).value();
        is_down = true;
        on.drive_for(1min);
        is_down = false;
        on.drive_for(10s);
        expect(kept.get(id).value().state == operation_state::completed);
    };

    "an operation that takes long is not taken from its owner"_test = [] {
        script play;
        play.first = wait_in_first(play);
        const bulk::service_options options{.pending_poll_interval = 1s, .lease_time = 3s};
        stage on(options);
        bulk::service second{operations{}, on.storage, options, bulk::read_options{}, &on.jobs};
        const auto id = on.create(numbers(2));
        expect(on.finish(id).rows.successful == 2_u);
        expect(play.calls.size() == "1.1 2.1 1.2 2.2 "s.size()) << play.calls;
        on.service.reset();
        on.jobs.drop_all();
    };
};

suite<"shutdown"> stopping = [] {
    "what runs is given back, what waits is not begun, and nothing is cancelled"_test = [] {
        script play;
        stage on({.worker_count = 1});
        play.first = [&](const number& row, bulk::context& ctx) {
            play.note(row);
            if (row.value == 2 && !ctx.stop_token().stop_requested()) {
                (void)on.service->shutdown();
                expect(ctx.stop_token().stop_requested());
            }
            return bulk::outcome::done();
        };
        const auto first = on.create(numbers(9));
        on.jobs.advance(1ms);
        const auto second = on.create(numbers(1));
        on.drive_for(1min);
        expect(on.get(first).state == operation_state::running);
        expect(on.get(first).rows.processed == 2_u and play.calls == "1 2 "s) << play.calls;
        expect(on.get(second).state == operation_state::pending);
        expect(!on.told(first).contains("cancelled"));
        expect(on.service->create("pipeline", support::text("value\n")).error().code ==
               bulk::errc::unavailable);
        on.crash();
        on.start({.worker_count = 1});
        const auto begin = on.jobs.now();
        expect(on.finish(first).rows.successful == 9_u);
        expect(on.finish(second).rows.successful == 1_u);
        expect(on.jobs.now() - begin < 1s) << "nobody waits for a lease that was given back";
        expect(play.calls == "1 2 3 4 5 6 7 8 9 1 "s) << play.calls;
    };

    "a row that waits is not waited for, and keeps its tries"_test = [] {
        script play;
        play.first = wait_in_first(play);
        stage on;
        const auto id = on.create(numbers(1));
        on.drive_for(1s);
        (void)on.service->shutdown();
        on.drive_for(1s);
        expect(on.record(id, 1, 0)->state == row_state::running);
        on.crash();
        on.start();
        expect(on.finish(id).rows.successful == 1_u);
        expect(play.calls == "1.1 1.2 "s) << play.calls;
    };

    "a shutdown does not wait for waits, and the next start has them all"_test = [] {
        bulk::memory::records storage;
        const bulk::service_options options{.max_row_concurrency = 4};
        std::optional<operation_id> id;
        {
            bulk::service first{bulk::operations<patient>, storage, options};
            id = first.create("patient", support::text(numbers(200))).value();
            for (int seen = 0; seen < 200; seen = patient::executed) patient::executed.wait(seen);
            expect(first.shutdown().has_value());
        }
        expect(storage.get(*id)->state == operation_state::running);
        bulk::service second{bulk::operations<patient>, storage, options};
        for (int i = 0; i < 200; ++i) expect(second.signal(*id, "go").value().row.has_value());
        expect(second.wait(*id, 1min).value().rows.successful == 200_u);
    };

    "twice is once"_test = [] {
        stage on;
        expect(on.service->shutdown().has_value() and on.service->shutdown().has_value());
    };
};

}  // namespace

int main() {}
