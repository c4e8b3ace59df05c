// expect: validate takes (const metadata&) or (const row&, const metadata&), returns void or bulk::result<>
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")
    bulk::result<> validate(const bulk::no_metadata&) { return {}; }
#ifdef BULK_EXPECT_FAIL
    bulk::result<> validate(const bulk::no_metadata&, const user&) { return {}; }
#else
    bulk::result<> validate(const user&, const bulk::no_metadata&) { return {}; }
#endif
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
