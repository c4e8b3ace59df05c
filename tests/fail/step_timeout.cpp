// expect: BULK_STEP(greet): a method cannot be polled or signalled
#include <bulk/declare.hpp>

#include <chrono>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")

#ifdef BULK_EXPECT_FAIL
    BULK_STEP(greet, "Greet", .timeout = std::chrono::seconds{3})
#else
    BULK_STEP(greet, "Greet", .order = 3)
#endif
    (const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
