// expect: BULK_STEP(greet): an attribute is unknown
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")

#ifdef BULK_EXPECT_FAIL
    BULK_STEP(greet, "Greet", .max_retry = 2)
#else
    BULK_STEP(greet, "Greet", .max_retries = 2)
#endif
    (const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
