// expect: a step is polled or signalled, not both
#include <bulk/declare.hpp>

#include <chrono>

#include "pushing.hpp"

struct push {
    static constexpr bulk::step_options options{.name = "Push", .timeout = std::chrono::seconds{9}};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
    bool is_complete(const user&, const bulk::no_metadata&, bulk::context&) { return true; }
#ifdef BULK_EXPECT_FAIL
    std::string signal_key(const user& row, const bulk::no_metadata&) { return row.name; }
#endif
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
