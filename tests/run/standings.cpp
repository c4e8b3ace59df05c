#include <bulk/run/standings.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/memory/records.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <functional>
#include <vector>

using namespace boost::ut;
using bulk::row_number;

namespace {

/// Row n has made n tries; counts how often it is asked.
struct asked_storage : bulk::memory::records {
    int calls = 0;
    bool is_failing = false;
    std::uint32_t more_tries = 0;

    bulk::result<bulk::standings::known_rows> progress(bulk::operation_id, row_number first,
                                                       std::uint64_t count) {
        ++calls;
        if (is_failing) return bulk::fail(bulk::errc::unavailable, "the disk is gone");
        bulk::standings::known_rows rows(count);
        for (std::uint64_t i = 0; i < count; ++i)
            if (const auto row = to_number(first) + i; row <= 10'000)
                rows[i] =
                    bulk::row_progress{.attempt = static_cast<std::uint32_t>(row) + more_tries};
        return rows;
    }
};

suite<"standings"> all = [] {
    "a storage is asked once for the rows that it keeps together"_test = [] {
        asked_storage storage;
        bulk::any_storage any{std::ref(storage)};
        bulk::standings known;
        for (std::uint64_t row = 1; row <= 10'001; row += 4) {
            const auto found = known.of(any, {}, row_number{row}, 4);
            expect(fatal(found.has_value() && found->size() == 4_ul));
            for (std::uint64_t i = 0; i < 4; ++i) {
                const auto& each = (*found)[i];
                expect(each.has_value() == (row + i <= 10'000));
                expect(!each || each->attempt == row + i) << row;
            }
        }
        expect(storage.calls == 3_i);
    };

    "rows over several pages are one answer"_test = [] {
        asked_storage storage;
        bulk::any_storage any{std::ref(storage)};
        bulk::standings known;
        const auto found = known.of(any, {}, row_number{4000}, 5000);
        expect(fatal(found.has_value() && found->size() == 5000_ul));
        expect(found->front()->attempt == 4000_u && found->back()->attempt == 8999_u);
        expect(known.of(any, {}, row_number{1}, 0)->empty());
    };

    "who is behind the others is answered, too"_test = [] {
        asked_storage storage;
        bulk::any_storage any{std::ref(storage)};
        bulk::standings known;
        (void)known.of(any, {}, row_number{1}, 30'000);
        expect(known.of(any, {}, row_number{7}, 1)->front()->attempt == 7_u);
    };

    "what was forgotten is asked for again"_test = [] {
        asked_storage storage;
        bulk::any_storage any{std::ref(storage)};
        bulk::standings known;
        (void)known.of(any, {}, row_number{1}, 1);
        storage.more_tries = 5;
        expect(known.of(any, {}, row_number{1}, 1)->front()->attempt == 1_u);
        known.forget();
        expect(known.of(any, {}, row_number{1}, 1)->front()->attempt == 6_u);
    };

    "a storage that does not answer is asked again"_test = [] {
        asked_storage storage;
        storage.is_failing = true;
        bulk::any_storage any{std::ref(storage)};
        bulk::standings known;
        expect(known.of(any, {}, row_number{1}, 1).error().code == bulk::errc::unavailable);
        storage.is_failing = false;
        expect(known.of(any, {}, row_number{1}, 1)->front()->attempt == 1_u);
    };
};

}  // namespace

int main() {}
