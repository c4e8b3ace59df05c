// expect: BULK_STEP: the method is public, the only one of its name, and no template
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")
    BULK_STEP(greet, "Greet")
    (const user&, const bulk::no_metadata&, bulk::context&) {}
#ifdef BULK_EXPECT_FAIL
    void greet(const std::string&) {}
#endif
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
