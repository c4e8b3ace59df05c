// expect: an operation cannot be final
#include <bulk/declare.hpp>

#include "user.hpp"

#ifdef BULK_EXPECT_FAIL
struct greeting final : bulk::operation<greeting, user> {
#else
struct greeting : bulk::operation<greeting, user> {
#endif
    BULK_OPERATION("greeting")
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
