// expect: BULK_STEP(greet): a step takes (const row&, const metadata&, bulk::context&)
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")

    BULK_STEP(greet, "Greet")
#ifdef BULK_EXPECT_FAIL
    (const user&){}
#else
    (const user&, const bulk::no_metadata&, bulk::context&) {}
#endif
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
