// expect: an operation needs BULK_OPERATION
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
#ifndef BULK_EXPECT_FAIL
    BULK_OPERATION("greeting")
#endif
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
