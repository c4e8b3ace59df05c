// expect: a source is cut along whole numbers, bulk::decimal, days or moments
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

#ifdef BULK_EXPECT_FAIL
using price = double;
#else
using price = std::int64_t;
#endif
struct things : empty_feed<things, thing, price> {
    BULK_FEED("things", .page_size = 10)
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
