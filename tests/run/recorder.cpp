#include <bulk/run/recorder.hpp>
#include <bulk/storage/memory/storage.hpp>

#include <support/seeded_executor.hpp>
#include <support/ut.hpp>

#include <cstdint>
#include <vector>

using namespace boost::ut;

namespace {

/// Notes what is written, or fails.
class noting_storage : public bulk::memory::storage {
public:
    [[nodiscard]] bulk::result<> record(const bulk::lease&, const bulk::row_batch& batch) {
        if (fails) return bulk::fail(bulk::errc::unavailable, "no");
        for (const auto& each : batch.completed) sizes.push_back(each.rows);
        return {};
    }

    bool fails = false;
    std::vector<std::uint64_t> sizes;
};

struct fixture {
    support::seeded_executor clock{1};
    noting_storage storage;
    bulk::observer watch{1, {}};
    bulk::recorder<noting_storage> recorder{storage, clock, watch, {}, 10};
    std::uint64_t next_row = 1;

    /// So many rows were done.
    auto add(std::uint64_t rows) {
        bulk::row_batch batch{
            .completed = {{.first_row = bulk::row_number{next_row}, .rows = rows}}};
        next_row += rows;
        return recorder.add(batch, rows);
    }
};

suite<"recorder"> recorder = [] {
    "a batch is written when it is full"_test = [] {
        fixture on;
        expect(on.add(6).has_value() && on.storage.sizes.empty());
        expect(on.add(4).has_value());
        expect(on.storage.sizes == std::vector<std::uint64_t>{6, 4});
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
        expect(on.storage.sizes == std::vector<std::uint64_t>{10, 1});
    };
};

}  // namespace

int main() {}
