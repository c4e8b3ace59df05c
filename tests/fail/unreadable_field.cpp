// expect: BULK_METADATA(request): the field 'when' has a type that cannot be read from text
#include <bulk/declare.hpp>

struct request {
    std::string by;
#ifdef BULK_EXPECT_FAIL
    void* when = nullptr;
#else
    int when = 0;
#endif
};
BULK_METADATA(request, by, when);

int main() {}
