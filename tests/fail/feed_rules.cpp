// expect: BULK_FEED("things"): min_success_ratio is from 0 to 1
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

struct thing {
    std::string id;
    int price = 0;
};
BULK_ROW(thing, (id, .row_id = true), price);

struct listing {
    std::string id;
};
BULK_ROW(listing, id);

struct things : bulk::feed<things, thing, listing> {
#ifdef BULK_EXPECT_FAIL
    BULK_FEED("things", .min_success_ratio = 70)
#else
    BULK_FEED("things", .min_success_ratio = 0.7)
#endif
    static constexpr range extent{0, 1000};
    bulk::result<std::uint64_t> count(const range&, const window&) { return 0; }
    bulk::result<page> fetch(const partition&, std::uint64_t, std::uint32_t, const window&) {
        return page{};
    }
    bulk::result<listing> map(const thing& raw) { return listing{raw.id}; }
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
