// expect: an operation needs something to do
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")
#ifndef BULK_EXPECT_FAIL
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
#endif
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
