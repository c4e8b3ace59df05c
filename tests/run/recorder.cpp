#include <bulk/run/recorder.hpp>
#include <bulk/storage/memory/records.hpp>

#include <support/seeded_executor.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

using namespace boost::ut;

namespace {

/// Notes what is written, or fails.
class noting_storage : public bulk::memory::records {
public:
    [[nodiscard]] bulk::result<> record(const bulk::lease&, const bulk::row_batch& batch) {
        if (fails) return bulk::fail(bulk::errc::unavailable, "no");
        for (const auto& each : batch.completed) {
            sizes.push_back(each.rows);
            rows += each.rows;
        }
        ++writes;
        if (on_record) on_record();
        return {};
    }

    std::function<void()> on_record;

    bool fails = false;
    std::vector<std::uint64_t> sizes;
    std::uint64_t rows = 0, writes = 0;
};

struct fixture {
    support::seeded_executor clock{1};
    noting_storage storage;
    bulk::observer watch{1, {}};
    bulk::any_storage erased{std::ref(storage)};
    bulk::recorder recorder{erased, clock, watch, {}, 10, 1};
    std::uint64_t next_row = 1;
    std::uint64_t lent = recorder.lend();

    /// So many rows were done.
    auto add(std::uint64_t rows) {
        bulk::row_batch batch{
            .completed = {{.first_row = bulk::row_number{next_row}, .rows = rows}}};
        next_row += rows;
        return recorder.add(batch, rows, lent);
    }
};

/// Tasks that do rows in an order from a seed, some of them much slower than others, and that end and
/// begin anew now and then.
struct trial {
    trial(std::uint64_t batch_size, std::size_t most_tasks, std::uint64_t seed) {
        support::seeded_executor clock{1};
        noting_storage storage;
        bulk::observer watch{1, {}};
        bulk::any_storage erased{std::ref(storage)};
        bulk::recorder recorder{erased, clock, watch, {}, batch_size, most_tasks};
        struct task {
            std::uint64_t lent = 0;
            std::uint64_t rows = 0;
        };
        std::vector<task> tasks(most_tasks);
        for (auto& each : tasks) each.lent = recorder.lend();
        std::mt19937_64 random{seed};
        std::uint64_t done = 0;
        for (int row = 0; row < 100'000; ++row) {
            const auto dice = random() % 10 == 0 ? most_tasks : (most_tasks + 1) / 2;
            task& at = tasks[random() % dice];
            ++done;
            ++at.rows;
            most_unwritten = std::max(most_unwritten, done - storage.rows);
            const bool ends = random() % 50 == 0;
            if (at.rows < at.lent && !ends) continue;
            bulk::row_batch batch{
                .completed = {{.first_row = bulk::row_number{1}, .rows = at.rows}}};
            (void)recorder.add(batch, std::exchange(at.rows, 0), at.lent);
            if (!ends) continue;
            recorder.give_back(at.lent);
            at.lent = recorder.lend();
        }
        writes = storage.writes;
    }

    std::uint64_t most_unwritten = 0, writes = 0;
};

suite<"recorder"> recorder = [] {
    "a clock that is set while it writes does not change how long that took"_test = [] {
        using std::chrono::hours, std::chrono::milliseconds;
        for (const auto step : {hours{-1}, hours{1}}) {
            fixture at;
            at.storage.on_record = [&] {
                at.clock.advance(milliseconds{3});
                at.clock.set_forward(step);
            };
            expect(at.add(10).has_value());
            expect(at.watch.flushes().sum == milliseconds{3});
        }
    };

    "a batch is written when it is full"_test = [] {
        fixture on;
        expect(on.add(6).has_value() && on.storage.sizes.empty());
        expect(on.add(4).has_value());
        expect(on.storage.sizes == std::vector<std::uint64_t>{10});
        expect(!on.recorder.has_pending());
    };

    "whoever wants everything written gets it"_test = [] {
        fixture on;
        expect(on.add(10).has_value());
        expect(on.add(3).has_value());
        expect(on.recorder.flush().has_value());
        expect(on.storage.sizes == std::vector<std::uint64_t>{10, 3});
    };

    "what could not be written is kept"_test = [] {
        fixture on;
        on.storage.fails = true;
        expect(!on.add(10).has_value());
        expect(on.recorder.has_pending());
        on.storage.fails = false;
        expect(on.add(1).has_value());
        expect(on.storage.sizes.empty()) << "whoever waits for the storage tries it, not each task";
        expect(on.recorder.flush().has_value());
        expect(on.storage.sizes == std::vector<std::uint64_t>{11});
        expect(on.add(10).has_value());
        expect(on.storage.sizes.size() == 2_ul);
    };

    "neighbours that were quick are written as one, whoever did them, and slow ones apart"_test =
        [] {
            fixture on;
            const auto add = [&](std::uint64_t first, std::uint64_t rows, std::int64_t from,
                                 std::int64_t to) {
                const auto at = [](std::int64_t time) {
                    return bulk::timestamp{std::chrono::microseconds{time}};
                };
                bulk::row_batch batch{.completed = {{.first_row = bulk::row_number{first},
                                                     .rows = rows,
                                                     .started_at = at(from),
                                                     .completed_at = at(to)}}};
                expect(on.recorder.add(batch, 1, on.lent).has_value());
            };
            add(5, 2, 30, 40);
            add(9, 1, 50, 51);  // no neighbour
            add(1, 4, 10, 20);
            add(7, 1, 60, 2'000);
            expect(on.recorder.flush().has_value());
            expect(on.storage.sizes == std::vector<std::uint64_t>{6, 1, 1});
        };

    "no more is done and not written than a batch and what each task has in hand"_test = [] {
        for (const std::uint64_t batch_size : {1U, 4U, 100U, 1'000U})
            for (const std::size_t most_tasks : {1U, 4U, 8U, 16U, 300U})
                for (std::uint64_t seed = 0; seed < 3; ++seed) {
                    const trial found{batch_size, most_tasks, seed};
                    expect(found.most_unwritten < batch_size + most_tasks)
                        << found.most_unwritten << "of" << batch_size << "with" << most_tasks;
                    // Of 100 000 rows; what is with other tasks is left for the next batch.
                    expect(found.writes <= 100'000 / batch_size * 5 / 4 + 1)
                        << found.writes << "batches of" << batch_size << "with" << most_tasks;
                }
    };
};

}  // namespace

int main() {}
