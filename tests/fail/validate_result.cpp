// expect: validate takes (const metadata&) or (const row&, const metadata&), returns void or bulk::result<>
#include <bulk/declare.hpp>

#include "user.hpp"

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")
    bulk::result<> validate(const bulk::no_metadata&) { return {}; }
#ifdef BULK_EXPECT_FAIL
    bool validate(const user&, const bulk::no_metadata&) { return true; }
#else
    void validate(const user&, const bulk::no_metadata&) {}
#endif
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
