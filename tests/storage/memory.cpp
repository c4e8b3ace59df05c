#include "../conformance/events_and_files.hpp"
#include "../conformance/feeds.hpp"
#include "../conformance/operations.hpp"
#include "../conformance/removal.hpp"
#include "../conformance/retry.hpp"
#include "../conformance/rows.hpp"
#include "../conformance/signals.hpp"
#include "../conformance/steps.hpp"

#include <bulk/storage/memory/storage.hpp>

#include <support/ut.hpp>

#include <memory>

using namespace boost::ut;

namespace {

/// Waits that nobody ends cost each signal nothing, once one has found that they are over.
void check_waits_long_over() {
    "waits that are long over are passed by once"_test = [] {
        using conformance::at, conformance::waiting, conformance::signal_for;
        bulk::memory::storage store;
        (void)store.create(conformance::operation(1), {});
        const auto held = store.claim(conformance::request(0)).value().value().held;
        bulk::row_batch batch;
        for (std::uint64_t i = 1; i <= 100'000; ++i) {
            batch.records.push_back(waiting(i, 0, "k"));
            batch.records.back().wait_until = at(10);
        }
        expect(store.record(held, batch).has_value());
        for (int i = 0; i < 5000; ++i)
            expect(store.send(signal_for("k", 500), at(500)).value().is_kept);
        batch.records.back().wait_until = at(900);  // the same wait, longer
        (void)store.record(held, batch);
        expect(store.send(signal_for("k", 501), at(600)).value().row == conformance::row(100'000));
    };
}

suite<"memory"> memory = [] {
    const auto make = [] { return std::make_unique<bulk::memory::storage>(); };
    conformance::check_operations(make);
    conformance::check_rows(make);
    conformance::check_signals(make);
    check_waits_long_over();
    conformance::check_retry(make);
    conformance::check_steps(make);
    conformance::check_removal(make);
    conformance::check_events(make);
    conformance::check_files(make);
    conformance::check_feeds(make, 3000);
};

}  // namespace

int main() {}
