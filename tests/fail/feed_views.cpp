// expect: their texts are std::string, not std::string_view
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

#include "empty_feed.hpp"

struct offer {
#ifdef BULK_EXPECT_FAIL
    std::string_view id;
#else
    std::string id;
#endif
    int price = 0;
};
BULK_ROW(offer, (id, .row_id = true), price);

struct things : empty_feed<things, offer> {
    BULK_FEED("things", .page_size = 10)
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
