#include <bulk/engine/inline_executor.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/engine/turns.hpp>

#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <new>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;

namespace {

suite<"timer"> timers = [] {
    "jobs come by deadline, equal ones in order"_test = [] {
        bulk::timer_queue queue;
        const bulk::timestamp start{};
        std::string order;
        for (const auto [delay, name] :
             {std::pair{3s, 'd'}, {1s, 'a'}, {2s, 'b'}, {2s, 'c'}, {9s, 'e'}})
            queue.add(start + delay, bulk::job{[&order, name] { order += name; }});
        expect(queue.next_deadline() == start + 1s);
        expect(!queue.take_due(start));
        while (auto due = queue.take_due(start + 3s)) due();
        expect(order == "abcd") << order;
        expect(queue.size() == 1_ul);
    };
};

suite<"turns"> taking_turns = [] {
    "so many at once, in the order in which they asked, and who has more to do goes behind"_test =
        [] {
            bulk::inline_executor jobs;
            bulk::turns turns{jobs, 2};
            std::string order;
            const int one = 1, other = 2;
            for (const char name : {'a', 'b', 'c'})
                turns.ask(&one, bulk::job{[&order, &turns, &one, name] {
                    order += name;
                    turns.ask_next(&one, bulk::job{[&order, &turns] {
                        order += '.';
                        turns.end();
                    }});
                }});
            turns.ask(&other, bulk::job{[&] {
                order += 'x';
                turns.end();
            }});
            (void)jobs.run_until([] { return false; });
            expect(order == "abcx...") << order;
        };

    "whoever is to end need not wait for others"_test = [] {
        bulk::inline_executor jobs;
        bulk::turns turns{jobs, 1};
        std::string order;
        const int one = 1, other = 2;
        const auto note = [&](char name) { return bulk::job{[&order, name] { order += name; }}; };
        turns.ask(&one, note('a'));
        for (const char name : {'b', 'c'}) turns.ask(&other, note(name));
        turns.ask(&one, note('d'));
        turns.hurry(&other);
        (void)jobs.run_until([] { return false; });
        expect(order == "abc") << "the first has not ended yet" << order;
        for (int i = 0; i < 3; ++i) turns.end();
        (void)jobs.run_until([] { return false; });
        expect(order == "abcd") << order;
    };
};

/// The machine's clock, which somebody has set.
struct set_clock {
    static inline std::atomic<std::chrono::microseconds> back{};
    [[nodiscard]] bulk::timestamp now() const { return bulk::system_clock{}.now() - back.load(); }
};

suite<"a clock that is set"> clocks = [] {
    "a step forward is doubted for as long as others may need to renew their leases"_test = [] {
        bulk::timestamp now{}, steady{};
        bulk::clock_doubt doubt{now, steady};
        const auto pass = [&](std::chrono::microseconds clock, std::chrono::microseconds time) {
            return doubt.look(now += clock, steady += time, 10s);
        };
        expect(pass(1s, 1s) == 0s and pass(60ms, 0s) == 0s) << "clocks differ by a little";
        expect(pass(1h + 1s, 1s) == 1h);
        expect(pass(5s, 5s) == 1h);
        expect(pass(1min, 0s) == 1h + 1min) << "once more";
        expect(pass(9s, 9s) == 1h + 1min);
        expect(pass(2s, 2s) == 0s);
        expect(pass(-1h, 1s) == 0s) << "back ends no lease";
    };

    "what is to be done later is not done at once, though it was set forward"_test = [] {
        set_clock::back = 2h;
        bulk::basic_thread_executor<set_clock> executor{2};
        std::binary_semaphore late{0}, soon{0};
        executor.submit_at(executor.now() + 1h, bulk::job{[&] { late.release(); }});
        set_clock::back = 0h;
        // The timer has looked at the clock once more when this one has run.
        executor.submit_at(executor.now() + 10ms, bulk::job{[&] { soon.release(); }});
        expect(soon.try_acquire_for(30s));
        expect(!late.try_acquire()) << "an hour has not passed";
    };

    "what is to be done in a moment is done in a moment, though it was set back"_test = [] {
        bulk::basic_thread_executor<set_clock> executor{2};
        std::binary_semaphore done{0};
        executor.submit_at(executor.now() + 50ms, bulk::job{[&] { done.release(); }});
        set_clock::back = 1h;
        expect(done.try_acquire_for(30s)) << "not in an hour";
        executor.submit_at(executor.now() + 10ms, bulk::job{[&] { done.release(); }});
        expect(done.try_acquire_for(30s));
    };
};

/// For a job of an executor with one thread: returns when the executor is being stopped. From then on
/// it drops what is submitted; before, nobody else could take it.
void wait_for_stop(bulk::thread_executor& executor) {
    for (bool is_dropped = false; !is_dropped; std::this_thread::yield()) {
        auto held = std::make_shared<int>();
        const std::weak_ptr<int> left = held;
        executor.submit(bulk::job{[held = std::move(held)] {}});
        is_dropped = left.expired();
    }
}

suite<"threads"> threads = [] {
    "a job in which memory runs out ends neither its thread nor the program"_test = [] {
        bulk::thread_executor executor{1};
        std::atomic<int> done{0};
        for (int i = 0; i < 100; ++i)
            executor.submit(bulk::job{[&done, i] {
                if (i % 2 == 0) throw std::bad_alloc{};
                ++done;
                done.notify_all();
            }});
        for (int seen = 0; seen < 50; seen = done.load()) done.wait(seen);
        expect(done.load() == 50_i and executor.thread_count() == 1_u);
    };

    "every job runs once, whoever submits it"_test = [] {
        constexpr int submitters = 8, each = 2000;
        std::vector<std::atomic<int>> runs(submitters * each);
        std::counting_semaphore<> done{0};
        bulk::thread_executor executor{8};
        {
            std::vector<std::jthread> all;
            for (int s = 0; s < submitters; ++s)
                all.emplace_back([&, s] {
                    for (int i = 0; i < each; ++i)
                        executor.submit(bulk::job{[&, at = s * each + i] {
                            ++runs[static_cast<std::size_t>(at)];
                            done.release();
                        }});
                });
        }
        int ran = 0;
        while (ran < submitters * each && done.try_acquire_for(30s)) ++ran;
        expect(ran == submitters * each);
        while (executor.queue_depth() > 0) std::this_thread::yield();
        executor.stop();  // what runs once more has run then
        for (const auto& count : runs) expect(count.load() == 1_i);
    };

    "jobs may submit jobs, and sleepers wake"_test = [] {
        std::counting_semaphore<> done{0};
        bulk::thread_executor executor{3};
        int all_done = 0;
        for (int round = 0; round < 300; ++round) {
            executor.submit(bulk::job{[&] {
                for (int i = 0; i < 4; ++i) executor.submit(bulk::job{[&] { done.release(); }});
                done.release();
            }});
            int here = 0;
            while (here < 1 + 4 && done.try_acquire_for(30s)) ++here;
            if (here < 1 + 4) break;  // somebody sleeps beside work
            ++all_done;
            if (round % 10 == 0) std::this_thread::yield();
        }
        expect(all_done == 300_i);
        expect(!done.try_acquire()) << "none ran twice";
    };

    "as many jobs block at once as there may be threads"_test = [] {
        std::latch go{1};
        std::counting_semaphore<> begun{0}, done{0};
        std::atomic<int> inside{0}, most{0};
        bulk::thread_executor executor{20};
        for (int i = 0; i < 30; ++i)
            executor.submit(bulk::job{[&] {
                const int now = ++inside;
                for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                begun.release();
                go.wait();
                --inside;
                done.release();
            }});
        int here = 0;
        while (here < 20 && begun.try_acquire_for(30s)) ++here;
        expect(here == 20_i) << "they are all there before the first one goes";
        go.count_down();
        int gone = 0;
        while (gone < 30 && done.try_acquire_for(30s)) ++gone;
        expect(gone == 30_i and most.load() == 20_i) << "and never one more" << most.load();
    };

    "idle threads end, and others begin when there is work"_test = [] {
        bulk::thread_executor executor{20, 1ms};
        for (int round = 0; round < 20; ++round) {
            std::latch all{20}, done{20};
            for (int i = 0; i < 20; ++i)
                executor.submit(bulk::job{[&] {
                    all.arrive_and_wait();  // one thread each
                    done.count_down();
                }});
            done.wait();
            const auto end = std::chrono::steady_clock::now() + 30s;
            while (round % 2 == 0 && executor.thread_count() > 1 &&
                   std::chrono::steady_clock::now() < end)
                std::this_thread::yield();
            expect(round % 2 == 1 or executor.thread_count() == 1_u) << "one stays";
        }
    };

    "deadlines are kept, in order"_test = [] {
        bulk::thread_executor executor{1};
        std::latch done{3};
        std::vector<int> order;
        const auto now = executor.now();
        executor.submit_at(now + 30ms, bulk::job{[&] {
                               order.push_back(3);
                               done.count_down();
                           }});
        executor.submit_at(now + 10ms, bulk::job{[&] {
                               order.push_back(2);
                               done.count_down();
                           }});
        executor.submit_at(now - 10ms, bulk::job{[&] {
                               order.push_back(1);
                               done.count_down();
                           }});
        done.wait();
        expect(order == std::vector{1, 2, 3});
        expect(executor.now() - now >= 30ms);
    };

    "the end waits for what has begun"_test = [] {
        for (int round = 0; round < 100; ++round) {
            std::atomic<bool> is_finished{false};
            {
                std::latch begun{1};
                bulk::thread_executor executor{1};
                executor.submit(bulk::job{[&] {
                    begun.count_down();
                    wait_for_stop(executor);
                    for (int i = 0; i < 100; ++i) std::this_thread::yield();
                    is_finished = true;
                }});
                begun.wait();
            }
            expect(is_finished.load()) << round;
        }
    };

    "what has not begun at the end is dropped"_test = [] {
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> ran{0};
            const auto held = std::make_shared<int>();
            // Whoever drops the first job is held up, while the thread could run the others.
            std::shared_ptr<void> slow{nullptr, [](void*) {
                                           for (int i = 0; i < 1000; ++i) std::this_thread::yield();
                                       }};
            {
                std::latch begun{1};
                bulk::thread_executor executor{1};
                executor.submit(bulk::job{[&] {
                    begun.count_down();
                    wait_for_stop(executor);
                }});
                begun.wait();
                executor.submit(bulk::job{[slow = std::move(slow)] {}});
                for (int i = 0; i < 100; ++i) executor.submit(bulk::job{[&ran, held] { ++ran; }});
                executor.submit_at(executor.now() + 1h, bulk::job{[&ran, held] { ++ran; }});
            }
            expect(ran.load() == 0_i) << round;
            expect(held.use_count() == 1) << "nothing of it is left";
        }
    };
};

suite<"inline"> inlined = [] {
    "jobs run in the calling thread until it is done"_test = [] {
        bulk::inline_executor executor;
        std::string order;
        executor.submit(bulk::job{[&] {
            order += 'a';
            executor.submit(bulk::job{[&] { order += 'c'; }});
            executor.submit_at(executor.now() + 5ms, bulk::job{[&] { order += 'd'; }});
        }});
        executor.submit(bulk::job{[&] { order += 'b'; }});
        expect(executor.run_until([&] { return order.size() == 4; }));
        expect(order == "abcd") << order;
        expect(!executor.run_until([] { return false; })) << "nothing is left";
    };
};

}  // namespace

int main() {}
