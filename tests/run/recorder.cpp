#include <bulk/run/recorder.hpp>
#include <bulk/storage/memory/storage.hpp>

#include <support/seeded_executor.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;

namespace {

/// Writing takes as long as it is told to, or fails.
class slow_storage : public bulk::memory::storage {
public:
    [[nodiscard]] bulk::result<> record(const bulk::lease&, const bulk::row_batch& batch) {
        clock->advance(takes);
        if (fails) return bulk::fail(bulk::errc::unavailable, "no");
        for (const auto& each : batch.completed) sizes.push_back(each.rows);
        return {};
    }

    support::seeded_executor* clock = nullptr;
    std::chrono::microseconds takes{};
    bool fails = false;
    std::vector<std::uint64_t> sizes;
};

struct fixture {
    support::seeded_executor clock{1};
    slow_storage storage;
    bulk::observer watch{1, {}};
    bulk::recorder<slow_storage> recorder{storage, clock, watch, {}, 10};
    std::uint64_t next_row = 1;

    fixture() { storage.clock = &clock; }

    /// So many rows were done in that time.
    auto add(std::uint64_t rows, std::chrono::microseconds in) {
        clock.advance(in);
        bulk::row_batch batch{
            .completed = {{.first_row = bulk::row_number{next_row}, .rows = rows}}};
        next_row += rows;
        return recorder.add(batch, rows, clock.now());
    }
};

suite<"recorder"> recorder = [] {
    "a batch is written when it is full"_test = [] {
        fixture on;
        expect(on.add(6, 1ms).has_value() && on.storage.sizes.empty());
        expect(on.add(4, 1ms).has_value());
        expect(on.storage.sizes == std::vector<std::uint64_t>{6, 4});
        expect(!on.recorder.has_pending());
    };

    "a clock that is set back holds nothing up"_test = [] {
        fixture on;
        on.storage.takes = 1ms;
        expect(on.add(10, 1ms).has_value());
        on.clock.advance(-1h);
        expect(on.add(10, 1ms).has_value());
        expect(!on.recorder.has_pending());
    };

    "while writing is slow and rows are quick, a batch grows"_test = [] {
        fixture on;
        on.storage.takes = 5ms;
        expect(on.add(10, 1ms).has_value());
        for (int i = 0; i < 9; ++i) expect(on.add(10, 1ms).has_value());
        expect(on.storage.sizes.size() == 1_ul) << "less than 10 ms have passed";
        expect(on.add(10, 1ms).has_value());
        expect(on.storage.sizes.size() == 11_ul);
    };

    "rows that take longer than the writing do not notice"_test = [] {
        fixture on;
        on.storage.takes = 5ms;
        for (int i = 0; i < 10; ++i) expect(on.add(10, 10ms).has_value());
        expect(on.storage.sizes.size() == 10_ul);
    };

    "whoever wants everything written gets it"_test = [] {
        fixture on;
        on.storage.takes = 1h;
        expect(on.add(10, 1ms).has_value());
        expect(on.add(3, 1ms).has_value());
        expect(on.recorder.flush().has_value());
        expect(on.storage.sizes == std::vector<std::uint64_t>{10, 3});
    };

    "what could not be written is kept"_test = [] {
        fixture on;
        on.storage.fails = true;
        expect(!on.add(10, 1ms).has_value());
        expect(on.recorder.has_pending());
        on.storage.fails = false;
        expect(on.add(1, 1ms).has_value());
        expect(on.storage.sizes == std::vector<std::uint64_t>{10, 1});
    };
};

}  // namespace

int main() {}
