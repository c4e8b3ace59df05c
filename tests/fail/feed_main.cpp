// expect: bulk::main<...>: a program with feeds includes <bulk/feed_main.hpp> instead of <bulk/main.hpp>
#define BULK_COMPILED  // as dependency('bulk-main') has it
#ifndef BULK_EXPECT_FAIL
#include <bulk/cli/feed_program.hpp>
#endif
#include <bulk/cli/program.hpp>
#include <bulk/feed/declare.hpp>
#include <bulk/storage/memory/storage.hpp>

#include <iostream>

#include "empty_feed.hpp"

struct things : empty_feed<things> {
    BULK_FEED("things")
};

int main() {
    return bulk::cli::run_program<things>(
        [](const bulk::cli::storage_settings&) -> bulk::result<bulk::memory::storage> {
            return bulk::memory::storage{};
        },
        {"app"}, {.out = {.stream = std::cout}, .err = {.stream = std::cerr}});
}
