// expect: a step class needs execute(const row&, const metadata&, bulk::context&)
#include <bulk/declare.hpp>

#include "pushing.hpp"

struct push {
    static constexpr bulk::step_options options{.name = "Push"};
#ifdef BULK_EXPECT_FAIL
    void execute(user&, bulk::context&) {}
#else
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
#endif
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
