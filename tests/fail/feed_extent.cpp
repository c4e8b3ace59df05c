// expect: a feed has an extent, the first and the last position
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things", .page_size = 10)
#ifdef BULK_EXPECT_FAIL
    static constexpr int extent = 1000;
#else
    static constexpr range extent{0, 1000};
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
