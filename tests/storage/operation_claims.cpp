#include <bulk/storage/operation_claims.hpp>

#include <support/ut.hpp>

#include <chrono>

using namespace boost::ut;
using namespace std::chrono_literals;
using enum bulk::operation_state;

namespace {

bulk::timestamp at(int seconds) { return bulk::timestamp{std::chrono::seconds{seconds}}; }

suite<"operation claims"> claims = [] {
    "an operation that has ended is not claimable"_test = [](bulk::operation_state state) {
        expect(bulk::is_claimable(state, false, false) == !bulk::is_final(state));
        expect(not bulk::is_claimable(state, true, false)) << "paused";
        expect(bulk::is_claimable(state, true, true) == !bulk::is_final(state)) << "cancelled";
    } | std::vector{pending, validating, running, completed, completed_with_errors,
                    failed,  cancelled,  retrying};

    "a lease is valid until its time, and longer after the clock was set forward"_test = [] {
        const bulk::claim_request request{.now = at(10)};
        expect(not bulk::is_leased(std::nullopt, request));
        expect(not bulk::is_leased(at(10), request));
        expect(bulk::is_leased(at(11), request));
        expect(bulk::is_leased(at(10), {.now = at(10), .clock_doubt = 1s}));
    };

    "a worker gets operations that it knows and can run"_test = [] {
        const bulk::operation_id one{{.low = 1}}, two{{.low = 2}};
        const bulk::claim_request request{.names = {"import", "export"}, .except = {two}};
        expect(bulk::wants(request, one, "EXPORT"));
        expect(not bulk::wants(request, one, "delete"));
        expect(not bulk::wants(request, two, "import"));
    };

    "an older fence is refused, and so is a lease that was given back"_test = [] {
        const bulk::lease held{.fence = 2};
        expect(bulk::is_owner(held, 2, at(1)));
        expect(not bulk::is_owner(held, 3, at(1)));
        expect(not bulk::is_owner(held, 2, std::nullopt));
        expect(bulk::not_owner({}).error().code == bulk::errc::conflict);
    };

    "a lease of a slice that the storage does not have is refused"_test = [] {
        expect(not bulk::is_owner({.slice = bulk::slice_number{1}, .fence = 2}, 2, at(1)));
    };
};

}  // namespace

int main() {}
