// expect: a feed has map(const Raw&), public
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things", .page_size = 10)
#ifdef BULK_EXPECT_FAIL
    bulk::result<thing> map(const thing& raw) { return raw; }
#else
    bulk::result<listing> map(const thing& raw) { return listing{raw.id}; }
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
