// expect: is_complete takes (const row&, const metadata&, bulk::context&)
#include <bulk/declare.hpp>

#include <chrono>

#include "pushing.hpp"

struct push {
    static constexpr bulk::step_options options{.name = "Push", .timeout = std::chrono::seconds{9}};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
#ifdef BULK_EXPECT_FAIL
    bool is_complete(const user&) { return true; }
#else
    bool is_complete(const user&, const bulk::no_metadata&, bulk::context&) { return true; }
#endif
};

int main() { return static_cast<int>(bulk::operations<pushing<push>>.size) - 1; }
