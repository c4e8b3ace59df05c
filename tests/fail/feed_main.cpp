// expect: bulk::main<...>: a program with feeds includes <bulk/feed_main.hpp> instead of <bulk/main.hpp>
#ifndef BULK_EXPECT_FAIL
#include <bulk/cli/feed_program.hpp>
#endif
#include <bulk/cli/program.hpp>
#include <bulk/feed/declare.hpp>
#include <bulk/storage/memory/storage.hpp>

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

int main() {
    return bulk::cli::run_program<things>(
        [](const bulk::cli::storage_settings&) -> bulk::result<bulk::memory::storage> {
            return bulk::memory::storage{};
        },
        {"app"}, {.out = {.stream = std::cout}, .err = {.stream = std::cerr}});
}
