// The rules of a storage stand in the ledgers: tables that are plain maps, without an index, keep them all.
#include "../conformance/combinations.hpp"
#include "../conformance/events_and_files.hpp"
#include "../conformance/feeds.hpp"
#include "../conformance/operations.hpp"
#include "../conformance/read_limits.hpp"
#include "../conformance/removal.hpp"
#include "../conformance/retry.hpp"
#include "../conformance/rows.hpp"
#include "../conformance/signals.hpp"
#include "../conformance/steps.hpp"
#include "../conformance/workers.hpp"

#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/memory/records.hpp>
#include <bulk/storage/typed_records.hpp>

#include <support/naive/storage.hpp>
#include <support/ut.hpp>

#include <memory>

namespace {

boost::ut::suite<"naive"> naive_storage = [] {
    // Uploads are in memory: a backend of records needs none of its own.
    const auto make = [] {
        return std::make_unique<bulk::any_storage>(bulk::naive::storage{}, bulk::memory::records{});
    };
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
    conformance::check_feeds([] { return std::make_unique<bulk::naive::storage>(); }, 3000);
};

}  // namespace

int main() {}
