// expect: bulk::feeds<...>: two feeds have the same name
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things", .page_size = 10)
};

struct more : empty_feed<more> {
#ifdef BULK_EXPECT_FAIL
    BULK_FEED("THINGS")
#else
    BULK_FEED("more")
#endif
};

int main() { return static_cast<int>(bulk::feeds<things, more>.size) - 2; }
