// expect: BULK_ROW(user): two columns have the same name
#include <bulk/declare.hpp>

struct user {
    std::string first_name;
    std::string given_name;
};
#ifdef BULK_EXPECT_FAIL
BULK_ROW(user, (first_name, .column = "First Name"), (given_name, .column = "FirstName"));
#else
BULK_ROW(user, (first_name, .column = "First Name"), (given_name, .column = "GivenName"));
#endif

int main() {}
