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

#include <bulk/storage/sqlite/storage.hpp>

#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <memory>
#include <string>
#include <utility>

using namespace boost::ut;

namespace {

/// A storage on a file of its own, which is gone with it.
class fresh_storage {
public:
    bulk::sqlite::storage* operator->() { return &storage_; }
    bulk::sqlite::storage& operator*() { return storage_; }

private:
    support::temporary_directory directory_;
    bulk::sqlite::storage storage_ =
        bulk::sqlite::storage::open(directory_.path("bulk.db")).value();
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
};

}  // namespace

int main() {}
