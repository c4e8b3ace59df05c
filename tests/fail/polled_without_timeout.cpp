// expect: a polled step needs a time-out
#include <bulk/declare.hpp>

#include <chrono>

using namespace std::chrono_literals;

struct user {
    std::string name;
};
BULK_ROW(user, name);

struct push {
#ifdef BULK_EXPECT_FAIL
    static constexpr bulk::step_options options{.name = "Push"};
#else
    static constexpr bulk::step_options options{.name = "Push", .timeout = 9s};
#endif
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
    bool is_complete(const user&, const bulk::no_metadata&, bulk::context&) { return true; }
};

struct pushing : bulk::operation<pushing, user> {
    BULK_OPERATION("pushing")
    auto steps() { return bulk::steps(push{}); }
};

int main() { return static_cast<int>(bulk::operations<pushing>.size) - 1; }
