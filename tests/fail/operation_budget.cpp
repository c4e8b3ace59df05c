// expect: BULK_OPERATION("greeting"): max_failed_ratio is from 0 to 1
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
#ifdef BULK_EXPECT_FAIL
    BULK_OPERATION("greeting", .max_failed_ratio = 5)
#else
    BULK_OPERATION("greeting", .max_failed_ratio = 0.05)
#endif
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

static_assert(bulk::description_of<greeting>.max_failed_ratio.has_value());

int main() {}
