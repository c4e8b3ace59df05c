#include <bulk/storage/operation_changes.hpp>

#include <support/ut.hpp>

using namespace boost::ut;

namespace {

const bulk::operation_record stored{
    .name = "import",
    .state = bulk::operation_state::running,
    .paused = true,
    .cancel_requested = true,
    .rows = {.total = 10, .processed = 5, .successful = 3, .failed = 2},
    .version = 7};

suite<"operation changes"> changes = [] {
    "an update of an older version is a conflict"_test = [] {
        auto update = stored;
        expect(bulk::check_version(stored, update).has_value());
        update.version = 6;
        const auto refused = bulk::check_version(stored, update);
        expect(fatal(not refused.has_value()));
        expect(refused.error().code == bulk::errc::conflict);
    };

    "an owner changes neither counters nor the requests of others"_test = [] {
        const auto merged = bulk::owner_update(
            stored,
            {.name = "import", .rows = {.total = 20, .processed = 1}, .error_message = "x"});
        expect(merged.paused and merged.cancel_requested and merged.error_message == "x");
        expect(merged.rows ==
               bulk::row_counters{.total = 20, .processed = 5, .successful = 3, .failed = 2});
    };

    "rows that are retried are not counted"_test = [] {
        expect(bulk::retry_update(stored, {}, 1).rows ==
               bulk::row_counters{.total = 10, .processed = 4, .successful = 3, .failed = 1});
        expect(bulk::retry_update(stored, {}, 9).rows ==
               bulk::row_counters{.total = 10, .successful = 3})
            << "more than there are";
    };

    "only an operation that has ended can be removed, only another one gets signals"_test = [] {
        expect(not bulk::check_removable(stored).has_value());
        expect(bulk::check_signallable(stored).has_value());
        auto ended = stored;
        ended.state = bulk::operation_state::cancelled;
        expect(bulk::check_removable(ended).has_value());
        expect(not bulk::check_signallable(ended).has_value());
    };
};

}  // namespace

int main() {}
