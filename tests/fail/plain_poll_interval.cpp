// expect: poll_interval is for polled steps
#include <bulk/declare.hpp>

#include <chrono>

#include "pushing.hpp"

using namespace std::chrono_literals;

struct push {
#ifdef BULK_EXPECT_FAIL
    static constexpr bulk::step_options options{.name = "Push", .poll_interval = 2s};
#else
    static constexpr bulk::step_options options{.name = "Push"};
#endif
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
