// expect: BULK_ROW(user): column 'name' is unique but not the row_id
#include <bulk/declare.hpp>

struct user {
    std::string name;
};
#ifdef BULK_EXPECT_FAIL
BULK_ROW(user, (name, .unique = true));
#else
BULK_ROW(user, (name, .row_id = true, .unique = true));
#endif

int main() {}
