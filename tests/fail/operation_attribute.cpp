// expect: BULK_OPERATION("greeting"): an attribute is unknown
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
#ifdef BULK_EXPECT_FAIL
    BULK_OPERATION("greeting", .is_retryable = true)
#else
    BULK_OPERATION("greeting", .retryable = true)
#endif
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
