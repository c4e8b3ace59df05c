#include "../conformance/combinations.hpp"
#include "../conformance/events_and_files.hpp"
#include "../conformance/operations.hpp"
#include "../conformance/read_limits.hpp"
#include "../conformance/removal.hpp"
#include "../conformance/retry.hpp"
#include "../conformance/rows.hpp"
#include "../conformance/signals.hpp"
#include "../conformance/steps.hpp"
#include "../conformance/workers.hpp"

#include <support/raw_database.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;

namespace {

/// A storage on a file of its own, which is gone with it.
class fresh_storage {
public:
    support::sqlite_backend* operator->() { return &storage_; }
    support::sqlite_backend& operator*() { return storage_; }

private:
    support::temporary_directory directory_;
    support::sqlite_backend storage_ =
        support::sqlite_backend::open(directory_.path("bulk.db")).value();
};

suite<"sqlite"> sqlite = [] {
    const auto make = [] { return fresh_storage{}; };
    conformance::check_operations(make);
    conformance::check_rows(make);
    conformance::check_read_limits(make);
    conformance::check_combinations(make);
    conformance::check_signals(make);
    conformance::check_retry(make);
    conformance::check_steps(make);
    conformance::check_removal(make);
    conformance::check_events(make);
    conformance::check_workers(make);
    conformance::check_files(make);

    "rows that are written one by one do not make each write as large as their page"_test = [] {
        support::temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = support::sqlite_backend::open(path).value();
        expect(store.create(conformance::operation(1), {}).has_value());
        const auto held = store.claim(conformance::request(0)).value().value().held;
        support::raw_database other{path};
        bulk::timestamp now{24h};
        std::size_t bytes = 0, writes = 0;  // of pages
        for (const int last : {-1, 1})      // validation, then two steps
            for (std::uint64_t row = 1; row <= bulk::rows_per_page; ++row, now += 300us) {
                bulk::row_batch batch;
                batch.completed.push_back(
                    {.first_row = bulk::row_number{row},
                     .rows = 1,
                     .first_step = static_cast<bulk::step_index>(std::min(last, 0)),
                     .last_step = static_cast<bulk::step_index>(last),
                     .started_at = now,
                     .completed_at = now + 5us});
                expect(fatal(store.record(held, batch).has_value()));
                if (row % 64 != 0) continue;
                bytes += std::stoul(other.run("SELECT max(length(windows)) FROM bulk_pages"));
                ++writes;
            }
        expect(bytes / writes < 4096_u) << bytes / writes << "bytes for each row";
        for (const int row : {1, 2000, 4096})
            for (const int step : {-1, 0, 1}) {
                const auto record =
                    store.get(held.operation, bulk::row_number{static_cast<std::uint64_t>(row)},
                              static_cast<bulk::step_index>(step));
                expect(fatal(record.has_value() and record->has_value()));
                const auto began =
                    bulk::timestamp{24h} + (row - 1) * 300us + (step < 0 ? 0 : 4096) * 300us;
                expect((*record)->started_at <= began and (*record)->completed_at >= began + 5us and
                       *(*record)->completed_at - *(*record)->started_at <= 10ms)
                    << "its times are known to 10 ms";
            }
    };
};

}  // namespace

int main() {}
