// expect: BULK_FEED: a feed needs a name
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
#ifdef BULK_EXPECT_FAIL
    BULK_FEED(" ")
#else
    BULK_FEED("things", .page_size = 10)
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
