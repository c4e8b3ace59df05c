// expect: two operations have the same name
#include <bulk/declare.hpp>

#include "user.hpp"

struct first : bulk::operation<first, user> {
    BULK_OPERATION("import")
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

struct second : bulk::operation<second, user> {
#ifdef BULK_EXPECT_FAIL
    BULK_OPERATION("Import")
#else
    BULK_OPERATION("export")
#endif
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<first, second>.size) - 2; }
