// expect: an operation needs something to do
#include <bulk/declare.hpp>

#include "user.hpp"

struct push {
    static constexpr bulk::step_options options{.name = "Push"};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
};

struct pushing : bulk::operation<pushing, user> {
    BULK_OPERATION("pushing")
#ifdef BULK_EXPECT_FAIL
    auto steps() { return bulk::steps(); }
#else
    auto steps() { return bulk::steps(push{}); }
#endif
};

int main() { return static_cast<int>(bulk::operations<pushing>.size) - 1; }
