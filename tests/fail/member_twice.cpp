// expect: BULK_ROW(user): two columns have the same name (case and spaces do not count) or are one member
#include <bulk/declare.hpp>

struct user {
    std::string name;
    std::string city;
};
#ifdef BULK_EXPECT_FAIL
BULK_ROW(user, name, (name, .column = "City"));
#else
BULK_ROW(user, name, (city, .column = "City"));
#endif

int main() {}
