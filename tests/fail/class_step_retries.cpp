// expect: max_retries cannot be negative
#include <bulk/declare.hpp>

#include "pushing.hpp"

struct push {
#ifdef BULK_EXPECT_FAIL
    static constexpr bulk::step_options options{.name = "Push", .max_retries = -2};
#else
    static constexpr bulk::step_options options{.name = "Push", .max_retries = 2};
#endif
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
