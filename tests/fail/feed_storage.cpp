// expect: bulk::main<...>: the storage keeps no feeds: it needs feeds()
#include <bulk/cli/feed_program.hpp>
#include <bulk/feed/declare.hpp>
#include <bulk/storage/memory/records.hpp>

#include <iostream>

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
    BULK_FEED("things")
    static constexpr range extent{0, 1000};
    bulk::result<std::uint64_t> count(const range&, const window&) { return 0; }
    bulk::result<page> fetch(const partition&, std::uint64_t, std::uint32_t, const window&) {
        return page{};
    }
    bulk::result<listing> map(const thing& raw) { return listing{raw.id}; }
};

struct custom : bulk::memory::records {
#ifdef BULK_EXPECT_FAIL
    void feeds() = delete;
#endif
};

int main() {
    return bulk::cli::run_program<things>(
        [](const bulk::cli::storage_settings&) -> bulk::result<custom> { return custom{}; },
        {"app"}, {.out = {.stream = std::cout}, .err = {.stream = std::cerr}});
}
