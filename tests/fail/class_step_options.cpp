// expect: a step class needs
#include <bulk/declare.hpp>

#include "pushing.hpp"

struct push {
#ifndef BULK_EXPECT_FAIL
    static constexpr bulk::step_options options{.name = "Push"};
#endif
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
