// expect: a feed has fetch(const partition&, std::uint64_t offset
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things", .page_size = 10)
#ifdef BULK_EXPECT_FAIL
    bulk::result<page> fetch(const partition&, std::uint64_t) { return page{}; }
#else
    bulk::result<page> fetch(const partition&, std::uint64_t, std::uint32_t, const window&) {
        return page{};
    }
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
