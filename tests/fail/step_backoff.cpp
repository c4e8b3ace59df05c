// expect: BULK_STEP(greet): a back-off needs base >= 0
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")

#ifdef BULK_EXPECT_FAIL
    BULK_STEP(greet, "Greet", .backoff = {.factor = 0.5})
#else
    BULK_STEP(greet, "Greet", .backoff = {.factor = 1.5})
#endif
    (const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
