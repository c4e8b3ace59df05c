// expect: bulk::main<...>: the storage keeps no feeds: it needs feeds()
#define BULK_COMPILED  // as dependency('bulk-main') has it
#include <bulk/cli/feed_program.hpp>
#include <bulk/feed/declare.hpp>
#include <bulk/storage/memory/records.hpp>

#include <iostream>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things")
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
