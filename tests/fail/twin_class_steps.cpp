// expect: two steps of an operation have the same name
#include <bulk/declare.hpp>

#include "user.hpp"

template <int N>
struct push {
    static constexpr bulk::step_options options{.name = N == 1 ? "Push" : "Pull"};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
};

struct pushing : bulk::operation<pushing, user> {
    BULK_OPERATION("pushing")
#ifdef BULK_EXPECT_FAIL
    auto steps() { return bulk::steps(push<1>{}, push<1>{}); }
#else
    auto steps() { return bulk::steps(push<1>{}, push<2>{}); }
#endif
};

int main() { return static_cast<int>(bulk::operations<pushing>.size) - 1; }
