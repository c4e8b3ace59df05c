// expect: a polled step needs a time-out
#include <bulk/declare.hpp>

#include <chrono>

#include "pushing.hpp"

using namespace std::chrono_literals;

struct push {
#ifdef BULK_EXPECT_FAIL
    static constexpr bulk::step_options options{.name = "Push"};
#else
    static constexpr bulk::step_options options{.name = "Push", .timeout = 9s};
#endif
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
    bool is_complete(const user&, const bulk::no_metadata&, bulk::context&) { return true; }
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
