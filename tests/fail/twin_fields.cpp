// expect: BULK_METADATA(request): two fields have the same name
#include <bulk/declare.hpp>

struct request {
    std::string by;
    std::string owner;
};
#ifdef BULK_EXPECT_FAIL
BULK_METADATA(request, by, (owner, .name = "By"));
#else
BULK_METADATA(request, by, (owner, .name = "Owner"));
#endif

int main() {}
