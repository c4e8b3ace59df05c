// expect: Row is not declared; write BULK_ROW
#include <bulk/declare.hpp>

struct user {
    std::string name;
};
#ifndef BULK_EXPECT_FAIL
BULK_ROW(user, name);
#endif

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")
    void process(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
