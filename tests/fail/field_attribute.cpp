// expect: BULK_METADATA(request): field 'by' has an attribute that is unknown
#include <bulk/declare.hpp>

struct request {
    std::string by;
};
#ifdef BULK_EXPECT_FAIL
BULK_METADATA(request, (by, .column = "By"));
#else
BULK_METADATA(request, (by, .name = "By"));
#endif

int main() {}
