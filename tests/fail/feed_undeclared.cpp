// expect: bulk::feed<Self, Raw, Canonical>: Raw is not declared
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct offer {
    std::string id;
    int price = 0;
};
#ifndef BULK_EXPECT_FAIL
BULK_ROW(offer, (id, .row_id = true), price);
#endif

struct things : empty_feed<things, offer> {
    BULK_FEED("things", .page_size = 10)
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
