#include "../conformance/events_and_files.hpp"
#include "../conformance/operations.hpp"
#include "../conformance/retry.hpp"
#include "../conformance/rows.hpp"
#include "../conformance/signals.hpp"

#include <bulk/storage/memory/storage.hpp>

#include <support/ut.hpp>

#include <memory>

using namespace boost::ut;

namespace {

suite<"memory"> memory = [] {
    const auto make = [] { return std::make_unique<bulk::memory::storage>(); };
    conformance::check_operations(make);
    conformance::check_rows(make);
    conformance::check_signals(make);
    conformance::check_retry(make);
    conformance::check_events(make);
    conformance::check_files(make);
};

}  // namespace

int main() {}
