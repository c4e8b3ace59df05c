// expect: BULK_ROW(user): column 'name' has an attribute that is unknown
#include <bulk/declare.hpp>

struct user {
    std::string name;
};
#ifdef BULK_EXPECT_FAIL
BULK_ROW(user, (name, .colum = "Name"));
#else
BULK_ROW(user, (name, .column = "Name"));
#endif

int main() {}
