// expect: hash takes (const Raw&), returns a text or a whole number
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
    BULK_FEED("things", .page_size = 10)
    static constexpr range extent{0, 1000};
    bulk::result<std::uint64_t> count(const range&, const window&) { return 0; }
    bulk::result<page> fetch(const partition&, std::uint64_t, std::uint32_t, const window&) {
        return page{};
    }
    bulk::result<listing> map(const thing& raw) { return listing{raw.id}; }
#ifdef BULK_EXPECT_FAIL
    double hash(const thing&) { return 0.5; }
#else
    std::uint64_t hash(const thing&) { return 5; }
#endif
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
