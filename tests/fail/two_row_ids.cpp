// expect: BULK_ROW(user): only one column can be the row_id
#include <bulk/declare.hpp>

struct user {
    std::string name;
    std::string email;
};
#ifdef BULK_EXPECT_FAIL
BULK_ROW(user, (name, .row_id = true), (email, .row_id = true));
#else
BULK_ROW(user, (name, .row_id = true), email);
#endif

int main() {}
