// expect: BULK_STEP stands in a public place
#include <bulk/declare.hpp>

#include "user.hpp"

class greeting : public bulk::operation<greeting, user> {
public:
    BULK_OPERATION("greeting")
#ifdef BULK_EXPECT_FAIL
private:
#endif
    BULK_STEP(greet, "Greet")
    (const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
