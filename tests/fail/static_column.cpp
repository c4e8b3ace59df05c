// expect: BULK_ROW(user): 'count' is not a data member of user
#include <bulk/declare.hpp>

struct user {
    std::string name;
#ifdef BULK_EXPECT_FAIL
    static inline int count = 0;
#else
    int count = 0;
#endif
};
BULK_ROW(user, name, count);

int main() {}
