// expect: BULK_ROW(user): user must be default-constructible
#include <bulk/declare.hpp>

struct user {
#ifdef BULK_EXPECT_FAIL
    explicit user(int) {}
#endif
    std::string name;
};
BULK_ROW(user, name);

int main() {}
