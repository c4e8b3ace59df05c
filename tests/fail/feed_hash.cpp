// expect: hash takes (const Raw&), returns a text or a whole number
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things", .page_size = 10)
#ifdef BULK_EXPECT_FAIL
    double hash(const thing&) { return 0.5; }
#else
    std::uint64_t hash(const thing&) { return 5; }
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
