#include <bulk/http/server/wait_budget.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::http::wait_budget;

namespace {

auto left(const wait_budget& of) { return of.deadline({}).time_since_epoch(); }

}  // namespace

suite<"wait budget"> wait_budgets = [] {
    "waiting uses it up, and what comes gives it back"_test = [] {
        wait_budget one{10s, 1'000};
        expect(left(one) == 10s);
        one.waited(4s);
        expect(left(one) == 6s);
        one.moved(1'000);
        expect(left(one) == 7s);
        one.moved(1'000'000);
        expect(left(one) == 10s) << "but not more than there was";
        one.waited(11s);
        expect(left(one) == 0s);
    };

    "a byte now and then does not do"_test = [] {
        wait_budget one{10s, 1'000};
        for (int i = 0; i < 100; ++i) {
            one.waited(1s);
            one.moved(1);
        }
        expect(left(one) < 1s);
    };

    "the rate is enough, for any time"_test = [] {
        wait_budget one{10s, 1'000};
        for (int i = 0; i < 1'000'000; ++i) {
            one.waited(1s);
            one.moved(1'000);
        }
        expect(left(one) == 10s);
    };

    "without a rate any byte does"_test = [] {
        wait_budget one{10s, 0};
        one.waited(9s);
        one.moved(0);
        expect(left(one) == 1s);
        one.moved(1);
        expect(left(one) == 10s);
    };

    "nothing is too much"_test = [] {
        wait_budget one{std::chrono::hours{24 * 365}, std::numeric_limits<std::uint32_t>::max()};
        one.waited(1s);
        one.moved(std::numeric_limits<std::size_t>::max());
        expect(left(one) == std::chrono::hours{24 * 365});
    };
};

int main() {}
