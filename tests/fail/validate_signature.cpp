// expect: validate takes (const metadata&) or (const row&, const metadata&)
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")
#ifdef BULK_EXPECT_FAIL
    bulk::result<> validate(const user&) { return {}; }
#else
    bulk::result<> validate(const user&, const bulk::no_metadata&) { return {}; }
#endif
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
