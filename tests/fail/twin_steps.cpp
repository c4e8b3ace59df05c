// expect: two steps of an operation have the same name
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")

    BULK_STEP(greet, "Greet")
    (const user&, const bulk::no_metadata&, bulk::context&) {}

#ifdef BULK_EXPECT_FAIL
    BULK_STEP(again, "GREET")
#else
    BULK_STEP(again, "Greet Again")
#endif
    (const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
