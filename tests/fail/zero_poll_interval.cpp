// expect: poll_interval must be longer than 0
#include <bulk/declare.hpp>

#include <chrono>

#include "pushing.hpp"

using namespace std::chrono_literals;

struct push {
#ifdef BULK_EXPECT_FAIL
    static constexpr bulk::step_options options{.name = "Push", .poll_interval = 0s, .timeout = 9s};
#else
    static constexpr bulk::step_options options{.name = "Push", .poll_interval = 1s, .timeout = 9s};
#endif
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
    bool is_complete(const user&, const bulk::no_metadata&, bulk::context&) { return true; }
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
