// expect: a step class must be movable
#include <bulk/declare.hpp>

#include <mutex>

#include "pushing.hpp"

struct push {
    static constexpr bulk::step_options options{.name = "Push"};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
#ifdef BULK_EXPECT_FAIL
    std::mutex one_at_a_time;
#endif
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
