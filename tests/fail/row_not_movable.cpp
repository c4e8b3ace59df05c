// expect: BULK_ROW(user): user must be movable
#include <bulk/declare.hpp>

struct user {
#ifdef BULK_EXPECT_FAIL
    user() = default;
    user(user&&) = delete;
#endif
    std::string name;
};
BULK_ROW(user, name);

int main() {}
