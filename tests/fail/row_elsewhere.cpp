// expect: BULK_ROW(shop::user): stands outside of classes, in the namespace of shop::user
#include <bulk/declare.hpp>

namespace shop {
struct user {
    std::string name;
};
#ifndef BULK_EXPECT_FAIL
BULK_ROW(user, name);
#endif
}  // namespace shop

#ifdef BULK_EXPECT_FAIL
BULK_ROW(shop::user, name);
#endif

int main() {}
