// Two services of eight workers on one storage, and threads that create, signal, pause, cancel, retry,
// query and subscribe, all at once. Whatever the order, every row must be in one place at the end. For
// ThreadSanitizer above all.
#include <bulk/bulk.hpp>

#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state, bulk::row_number;

namespace {

struct item {
    std::uint64_t number = 0;
    std::string_view name;
};
BULK_ROW(item, (number, .row_id = true, .unique = true), name);

struct asked {
    static constexpr bulk::step_options options{.name = "Asked", .order = 2, .timeout = 50ms};
    void execute(const item&, const bulk::no_metadata&, bulk::context&) {}
    std::string signal_key(const item& i, const bulk::no_metadata&) {
        return "k" + std::to_string(i.number % 4);
    }
};

struct busy : bulk::operation<busy, item> {
    BULK_OPERATION("busy", .retryable = true)
    auto steps() { return bulk::steps(asked{}); }
    BULK_STEP(first, "First", .order = 1, .max_retries = 1, .backoff = {.base = 1ms, .cap = 1ms})
    (const item& i, const bulk::no_metadata&, bulk::context& ctx)->bulk::outcome {
        if (i.number % 7 == 0 && ctx.attempt() == 1) return bulk::outcome::retry("again");
        if (i.number % 11 == 0) return bulk::outcome::fail("no");
        return bulk::outcome::done();
    }
    BULK_STEP(last, "Last", .order = 3)
    (const item& i, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<> {
        if (i.number % 5 == 0) co_await ctx.sleep(1ms);
    }
};

using known = std::remove_const_t<decltype(bulk::operations<busy>)>;

suite<"races"> races = [] {
    "everything at once, by several threads and two services"_test = [] {
        bulk::memory::storage storage;
        const bulk::service_options options{.flush_batch_size = 7,
                                            .max_row_concurrency = 4,
                                            .worker_count = 8,
                                            .pending_poll_interval = 20ms,
                                            .lease_time = 5s};
        bulk::service one{known{}, storage, options};
        bulk::service two{known{}, storage, options};
        std::mutex mutex;
        std::vector<bulk::operation_id> ids;
        std::atomic<bool> is_over = false;
        std::atomic<std::uint64_t> told = 0;
        const auto number = two.subscribe([&](const bulk::event&) { ++told; });
        const auto pick = [&](std::mt19937& random) {
            const std::scoped_lock lock{mutex};
            return ids.empty() ? bulk::operation_id{} : ids[random() % ids.size()];
        };
        constexpr int operations = 12;
        {
            std::vector<std::jthread> threads;
            for (unsigned seed = 0; seed < 2; ++seed)
                threads.emplace_back([&, seed] {
                    for (int i = 0; i < operations / 2; ++i) {
                        std::string file = "number,name\n";
                        for (int row = 1; row <= 150; ++row)
                            file += std::to_string(row) + ",somebody\n";
                        const auto id =
                            (seed == 0 ? one : two)
                                .create("busy", bulk::upload{"x.csv", bulk::bytes_of_text(file)});
                        const std::scoped_lock lock{mutex};
                        ids.push_back(id.value());
                    }
                });
            for (unsigned seed = 10; seed < 12; ++seed)
                threads.emplace_back([&, seed] {
                    std::mt19937 random{seed};
                    while (!is_over) {
                        auto& service = random() % 2 == 0 ? one : two;
                        const auto id = pick(random);
                        const auto key = "k" + std::to_string(random() % 4);
                        switch (random() % 16) {
                            case 0:
                                (void)service.pause(id);
                                break;
                            case 1:
                            case 2:
                                (void)service.resume(id);
                                break;
                            case 3:
                                (void)service.fail_signal(id, key, "no");
                                break;
                            case 4:
                                (void)service.errors(id);
                                (void)service.metrics();
                                break;
                            case 5:
                                (void)service.retry(id);
                                break;
                            case 6:
                                if (random() % 64 == 0) (void)service.cancel(id);
                                break;
                            default:
                                (void)service.signal(id, key);
                        }
                        std::this_thread::yield();
                    }
                });
            threads[0].join();
            threads[1].join();
            for (const auto id : ids)
                while (true) {
                    (void)one.resume(id);
                    if (const auto done = one.wait(id, 100ms)) break;
                }
            is_over = true;
        }
        for (const auto id : ids) {
            (void)one.resume(id);
            const auto done = one.wait(id, 60s);  // a retry may have begun at the last moment
            expect(fatal(done.has_value())) << done.error().message;
            if (done->validated) {
                expect(done->rows.total == 150_u);
                expect(done->rows.processed == done->rows.successful + done->rows.failed);
            }
            if (done->state != operation_state::cancelled)
                expect(done->rows.processed == done->rows.total);
            const auto errors =
                storage.query(bulk::row_query{.operation = id, .errors_only = true}).value();
            expect(errors.total == done->rows.failed);
        }
        two.unsubscribe(number);
        expect(one.shutdown().has_value() and two.shutdown().has_value());
        expect(told.load() > 0_u);
    };
};

}  // namespace

int main() {}
