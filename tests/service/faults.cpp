// Steps that block, throw or look at their stop token; storage that stays away.
#include <bulk/bulk.hpp>
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/packing.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state, bulk::row_state;
using support::number, support::numbers, support::pipeline;

namespace {

using known = std::remove_const_t<decltype(bulk::operations<pipeline>)>;
using faulty = support::faulty_storage<bulk::memory::records>;
using stage = support::stage<known, faulty>;

/// What fails now, by name; empty: nothing.
std::string broken;
bool all_broken = false;

std::size_t occurrences(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

faulty breakable(const bulk::memory::records& memory) {
    return faulty{memory, [](const char* call) { return all_broken or call == broken; }};
}

/// The numbers from 1 on, as JSON.
std::string objects(int count) {
    std::string all = "[";
    for (int i = 1; i <= count; ++i)
        all += bulk::concat(i == 1 ? "" : ",", R"({"value": )", i, '}');
    return all + ']';
}

suite<"faults"> faults = [] {
    "a storage that stays away until the lease is over: the run lets go, and nothing is lost"_test =
        [] {
            support::script script;
            broken.clear();
            bulk::memory::records memory;
            stage at{{.flush_batch_size = 10, .lease_time = 10s}, breakable(memory)};
            int ran = 0;
            script.first = [&](const number&, bulk::context&) {
                if (++ran == 50) all_broken = true;
                return bulk::outcome::done();
            };
            const auto id = at.create(numbers(2000));
            expect(at.drive([] { return all_broken; }));
            (void)at.drive([&, until = at.jobs.now() + 1min] { return at.jobs.now() >= until; });
            const auto stopped = ran;
            expect(at.log.contains("reason=lost")) << at.log.substr(0, 500);
            expect(stopped < 2000_i) << "it does not go on with what cannot be recorded";
            all_broken = false;
            const auto done = at.finish(id);
            expect(done.state == operation_state::completed);
            expect(done.rows == bulk::row_counters{2000, 2000, 2000, 0});
        };

    "work that could not be claimed is looked for again a second later, not a lease later"_test =
        [] {
            support::script script;
            bulk::memory::records memory;
            stage at{{.lease_time = 10min}, breakable(memory)};
            broken = "claim";
            const auto id = at.create(numbers(1));
            at.drive_for(500ms);
            expect(memory.get(id)->state == operation_state::pending);
            broken.clear();
            const auto begin = at.jobs.now();
            expect(at.finish(id).state == operation_state::completed);
            expect(at.jobs.now() - begin < 2s);
        };

    "a storage that gives no work is tried once a second, and the log hears of it ever more rarely"_test =
        [] {
            support::script script;
            bulk::memory::records memory;
            int claims = 0;
            stage at{{.lease_time = 1h}, faulty{memory, [&](const char* call) {
                                                    if (std::string_view{call} != "claim")
                                                        return false;
                                                    ++claims;
                                                    return broken == "claim";
                                                }}};
            broken = "claim";
            for (int i = 0; i < 16; ++i) (void)at.create(numbers(1));
            at.drive_for(10min);
            expect(claims > 500_i and claims < 700_i) << claims;
            const auto complaints = [&] { return occurrences(at.log, "storage failed"); };
            expect(complaints() > 4_u and complaints() < 10_u) << at.log;
            expect(at.log.contains("times=1\n") and at.log.contains("why=no answer to claim"));
            expect(at.log.contains("times=160")) << "what was not told is counted" << at.log;
            broken.clear();
            at.drive_for(1min);
            const auto before = complaints();
            broken = "claim";
            (void)at.create(numbers(1));
            at.drive_for(1s);
            expect(complaints() == before + 1) << "after better times it is news again";
            broken.clear();
        };

    "records that cannot be written are logged when that begins, ever more rarely, and when it ends"_test =
        [] {
            support::script script;
            all_broken = false;
            broken.clear();
            bulk::memory::records memory;
            // As many tasks as may find out, and as often as they may.
            stage at{{.flush_batch_size = 1, .max_row_concurrency = 8, .lease_time = 1h},
                     breakable(memory)};
            int ran = 0;
            script.first = [&](const number&, bulk::context&) {
                if (++ran == 50) broken = "record";
                return bulk::outcome::done();
            };
            const auto id = at.create(numbers(2000));
            expect(at.drive([] { return broken == "record"; }));
            const auto count = [&](std::string_view text) {
                std::size_t found = 0;
                for (auto begin = at.log.find(text); begin != std::string::npos;
                     begin = at.log.find(text, begin + 1))
                    ++found;
                return found;
            };
            at.drive_for(9s);
            expect(count("storage failed") == 1_u) << at.log;
            at.drive_for(1h);
            expect(count("storage failed") > 5_u and count("storage failed") < 15_u) << at.log;
            expect(count("storage recovered") == 0_u);
            broken.clear();
            expect(at.finish(id).rows == bulk::row_counters{2000, 2000, 2000, 0});
            expect(count("storage recovered") == 1_u) << at.log;
        };

    "memory that runs out in a call ends the run, and nothing else: others go on with it"_test =
        [] {
            for (const auto* call : {"record", "update", "renew", "get", "progress", "open_file",
                                     "claim", "events", "signals", "release"})
                for (const int when : {1, 2, 3}) {
                    support::script script;
                    bulk::memory::records memory;
                    int count = 0;
                    bool is_ready = false;
                    stage at{
                        {.flush_batch_size = 10, .pending_poll_interval = 1s, .lease_time = 10s},
                        faulty{memory, [&](const char* name) {
                                   if (is_ready && std::string{call} == name && ++count == when)
                                       throw std::bad_alloc{};
                                   return false;
                               }}};
                    const auto id = at.create(numbers(200));
                    is_ready = true;
                    (void)at.drive([&] { return is_final(memory.get(id)->state); });
                    const auto done = memory.get(id).value();
                    expect(done.state == operation_state::completed) << call << when;
                    expect(done.rows == bulk::row_counters{200, 200, 200, 0}) << call << when;
                    if (std::string{"record"} == call)
                        expect(at.log.contains("reason=lost why=out of memory")) << at.log;
                }
        };

    "also when memory runs out again as the run ends: its lease ends"_test = [] {
        support::script script;
        bulk::memory::records memory;
        stage* current = nullptr;
        stage at{{.flush_batch_size = 10, .lease_time = 10s},
                 faulty{memory, [&](const char* name) {
                            if (current == nullptr || std::string{"record"} != name) return false;
                            std::exchange(current, nullptr)->jobs.run_out_of_memory();
                            throw std::bad_alloc{};
                        }}};
        const auto id = at.create(numbers(200));
        current = &at;
        expect(throws<std::bad_alloc>([&] { at.drive_for(1h); }));
        at.drive_for(10min);
        stage other{{.lease_time = 10s}, breakable(memory)};
        other.jobs.advance(5min);
        other.drive_for(1min);
        expect(memory.get(id)->state == operation_state::completed);
    };

    "and when the process ends then, others need not wait for its lease"_test = [] {
        support::script script;
        bulk::memory::records memory;
        bool is_over = false;
        {
            stage at{{.flush_batch_size = 10, .lease_time = 1h},
                     faulty{memory, [&](const char* name) {
                                if (!is_over && std::string{"record"} == name) {
                                    is_over = true;
                                    throw std::bad_alloc{};
                                }
                                return false;
                            }}};
            (void)at.create(numbers(200));
            expect(at.drive([&] { return at.log.contains("run interrupted"); }));
            at.drive_for(10min);
            expect(!at.log.contains("run ended")) << "it does not begin again at once" << at.log;
            at.service.reset();
            at.drive_for(1s);
        }
        stage other{{.lease_time = 1h}, breakable(memory)};
        other.drive_for(1min);
        const auto all = memory.query(bulk::operation_query{}).value().items;
        expect(all.size() == 1_u and all.front().state == operation_state::completed);
    };

    "a file that cannot be read in the middle is read on later, and no row runs twice"_test = [] {
        struct upload {
            std::string name, content;
            int rows;
        };
        for (const auto& [name, content, rows] :
             {upload{"x.csv", numbers(14'000), 14'000}, upload{"x.json", objects(5'000), 5'000}})
            for (const int tasks : {1, 3})
                for (int when = 1, pulls = when; when <= pulls; ++when) {
                    support::script script;
                    std::vector<int> runs(static_cast<std::size_t>(rows) + 1);
                    script.first = [&](const number& row, bulk::context&) {
                        ++runs[static_cast<std::size_t>(row.value)];
                        return bulk::outcome::done();
                    };
                    pulls = 0;
                    stage at{{.max_row_concurrency = tasks},
                             faulty{bulk::memory::records{}, [&](const char* call) {
                                        if (std::string_view{call} != "pull") return false;
                                        return ++pulls == when;
                                    }}};
                    const auto id =
                        at.service->create("pipeline", support::text(content, name)).value();
                    const auto done = at.finish(id);
                    const auto about = bulk::concat(name, ' ', tasks, ' ', when);
                    expect(done.state == operation_state::completed) << about << done.error_message;
                    const auto all = static_cast<std::uint64_t>(rows);
                    expect(done.rows == bulk::row_counters{all, all, all, 0}) << about;
                    expect(std::ranges::count(runs, 1) == rows) << about;
                    expect(pulls > 4_i) << "some of them in the middle of a pass" << about;
                }
    };

    "a file that stays unreadable leaves its operation unfinished: it can be cancelled"_test = [] {
        for (const int tasks : {1, 3}) {
            support::script script;
            broken.clear();
            stage at{{.max_row_concurrency = tasks}, breakable(bulk::memory::records{})};
            int ran = 0;
            script.first = [&](const number&, bulk::context&) {
                if (++ran == 50) broken = "pull";
                return bulk::outcome::done();
            };
            const auto id = at.create(numbers(30'000));
            at.drive_for(1h);
            const auto stuck = at.get(id);
            expect(stuck.state == operation_state::running and stuck.error_message.empty());
            expect(stuck.rows.failed == 0_u and stuck.rows.processed < 30'000_u);
            expect(at.log.contains("reason=unreadable why=no answer to pull")) << at.log;
            const auto begun = occurrences(at.log, "run ended");
            expect(begun < 2000_u) << "not all the time" << begun;
            expect(at.service->cancel(id).has_value());
            expect(at.finish(id).state == operation_state::cancelled);
            broken.clear();
        }
    };

    "one call that fails for a while only delays"_test = [] {
        for (const auto* call : {"record", "update", "renew", "get", "progress", "open_file",
                                 "claim", "events", "signals", "release"}) {
            support::script script;
            all_broken = false;
            broken = call;
            bulk::memory::records memory;
            stage at{{.lease_time = 10s}, breakable(memory)};
            broken.clear();
            const auto id = at.create(numbers(50));
            broken = call;
            at.drive_for(5s);
            broken.clear();
            (void)at.drive([&] { return is_final(memory.get(id)->state); });
            const auto done = memory.get(id).value();
            expect(done.rows == bulk::row_counters{50, 50, 50, 0}) << call;
        }
    };

    "blocked steps do not keep the lease from being renewed, nor handlers from being told"_test =
        [] {
            support::script script;
            std::mutex mutex;
            std::condition_variable changed;
            int renewals = 0, told = 0;
            bulk::memory::records memory;
            bulk::service service{known{},
                                  faulty{memory,
                                         [&](const char* call) {
                                             if (std::string_view{call} == "renew") {
                                                 const std::scoped_lock lock{mutex};
                                                 ++renewals;
                                                 changed.notify_all();
                                             }
                                             return false;
                                         }},
                                  {.worker_count = 1, .lease_time = 60ms}};
            (void)service.subscribe([&](const bulk::event&) {
                const std::scoped_lock lock{mutex};
                ++told;
                changed.notify_all();
            });
            script.first = [&](const number&, bulk::context&) {
                std::unique_lock lock{mutex};
                expect(changed.wait_for(lock, 20s, [&] { return renewals >= 5 and told >= 3; }));
                return bulk::outcome::done();
            };
            const auto id = service.create("pipeline", support::text(numbers(1))).value();
            expect(service.wait(id, 30s)->state == operation_state::completed);
            expect(memory.get(id, bulk::row_number{1}, bulk::step_index{0})->value().attempt == 1_u)
                << "nobody has taken it over";
        };

    "a step that gives up because it was asked to stop has not failed"_test = [] {
        support::script script;
        bulk::memory::records memory;
        std::atomic<int> begun = 0;
        script.second = [&](const number&, bulk::context& ctx) {
            ++begun;
            std::mutex mutex;
            std::condition_variable_any asked;
            std::unique_lock lock{mutex};
            if (begun == 1) (void)asked.wait_for(lock, ctx.stop_token(), 20s, [] { return false; });
            if (ctx.stop_token().stop_requested()) throw std::runtime_error{"interrupted"};
            return bulk::outcome::done();
        };
        bulk::operation_id id;
        {
            bulk::service service{bulk::operations<pipeline>, memory};
            id = service.create("pipeline", support::text(numbers(2))).value();
            while (begun == 0) std::this_thread::yield();
            expect(service.shutdown().has_value());
        }
        expect(memory.get(id)->state == operation_state::running);
        expect(memory.get(id)->rows.failed == 0_u);
        bulk::service service{bulk::operations<pipeline>, memory};
        const auto done = service.wait(id, 20s);
        expect(done->state == operation_state::completed and done->rows.successful == 2_u);
    };

    "when it is cancelled, a row in flight is recorded as it ends"_test = [] {
        support::script script;
        bulk::memory::records memory;
        std::atomic<bool> is_begun = false;
        script.second = [&](const number&, bulk::context& ctx) {
            is_begun = true;
            while (!ctx.stop_token().stop_requested()) std::this_thread::yield();
            return bulk::outcome::fail("stopped half-way");
        };
        bulk::service service{bulk::operations<pipeline>, memory};
        const auto id = service.create("pipeline", support::text(numbers(2))).value();
        while (!is_begun) std::this_thread::yield();
        expect(service.cancel(id).has_value());
        const auto done = service.wait(id, 20s);
        expect(done->state == operation_state::cancelled and done->rows.failed == 1_u);
        expect(done->rows.total == 2_u);
    };

    "a stop callback may call the service"_test = [] {
        support::script script;
        bulk::memory::records memory;
        std::atomic<bool> is_begun = false, has_called = false;
        bulk::service service{bulk::operations<pipeline>, memory};
        script.first = [&](const number&, bulk::context& ctx) {
            const std::stop_callback tell{ctx.stop_token(), [&] {
                                              (void)service.metrics();
                                              (void)service.pause(ctx.operation());
                                              has_called = true;
                                          }};
            is_begun = true;
            while (!has_called) std::this_thread::yield();
            return bulk::outcome::done();
        };
        const auto id = service.create("pipeline", support::text(numbers(1))).value();
        while (!is_begun) std::this_thread::yield();
        expect(service.cancel(id).has_value());
        expect(service.wait(id, 20s)->state == operation_state::cancelled);
    };
};

}  // namespace

int main() {}
