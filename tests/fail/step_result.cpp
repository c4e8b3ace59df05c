// expect: BULK_STEP(greet): a step takes (const row&, const metadata&, bulk::context&) and returns void, bulk::result<> or bulk::outcome
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")

    BULK_STEP(greet, "Greet")
    (const user&, const bulk::no_metadata&, bulk::context&) {
#ifdef BULK_EXPECT_FAIL
        return 7;
#endif
    }
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
