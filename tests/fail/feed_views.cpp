// expect: their texts are std::string, not std::string_view
#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>

struct thing {
#ifdef BULK_EXPECT_FAIL
    std::string_view id;
#else
    std::string id;
#endif
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
    bulk::result<listing> map(const thing& raw) { return listing{std::string{raw.id}}; }
};

int main() { return static_cast<int>(bulk::feeds<things>.size) - 1; }
