// expect: BULK_FEED("things"): min_success_ratio is from 0 to 1
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
#ifdef BULK_EXPECT_FAIL
    BULK_FEED("things", .min_success_ratio = 70)
#else
    BULK_FEED("things", .min_success_ratio = 0.7)
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
