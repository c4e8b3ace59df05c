// expect: max_retries cannot be negative
#include <bulk/declare.hpp>

#include <chrono>

using namespace std::chrono_literals;

struct user {
    std::string name;
};
BULK_ROW(user, name);

struct push {
#ifdef BULK_EXPECT_FAIL
    static constexpr bulk::step_options options{.name = "Push", .max_retries = -2};
#else
    static constexpr bulk::step_options options{.name = "Push", .max_retries = 2};
#endif
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
};

struct pushing : bulk::operation<pushing, user> {
    BULK_OPERATION("pushing")
    auto steps() { return bulk::steps(push{}); }
};

int main() { return static_cast<int>(bulk::operations<pushing>.size) - 1; }
