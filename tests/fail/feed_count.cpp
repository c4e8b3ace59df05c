// expect: a feed has count(range, window), public
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things", .page_size = 10)
#ifdef BULK_EXPECT_FAIL
    bulk::result<std::uint64_t> count(const range&) { return 0; }
#else
    bulk::result<std::uint64_t> count(const range&, const window&) { return 0; }
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
