#include <bulk/http/server/descriptors.hpp>

#include <support/ut.hpp>

using namespace boost::ut;
using bulk::http::within;

suite<"http descriptors"> descriptors = [] {
    "connections leave some to the program"_test = [] {
        const auto plenty = within(20'000, {.served = 4'096, .turned_away = 256});
        expect(plenty.served == 4'096_u and plenty.turned_away == 256_u);
        const auto usual = within(1'024, {.served = 4'096, .turned_away = 256});
        expect(usual.served + usual.turned_away <= 768_u);
        expect(usual.served > 600_u and usual.turned_away > 0_u);
        const auto few = within(16, {.served = 4'096, .turned_away = 256});
        expect(few.served + few.turned_away <= 12_u and few.served > 0_u);
        expect(within(0, {.served = 1, .turned_away = 1}).served == 1_u);
        const auto modest = within(1'024, {.served = 10, .turned_away = 5});
        expect(modest.served == 10_u and modest.turned_away == 5_u);
    };
};

int main() {}
