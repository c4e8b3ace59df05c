// expect: a step class must be movable
#include <bulk/declare.hpp>

struct user {
    std::string name;
};
BULK_ROW(user, name);

#include <mutex>

struct push {
    static constexpr bulk::step_options options{.name = "Push"};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
#ifdef BULK_EXPECT_FAIL
    std::mutex one_at_a_time;
#endif
};

struct greeting : bulk::operation<greeting, user> {
    BULK_OPERATION("greeting")
    auto steps() { return bulk::steps(push{}); }
};

int main() { return static_cast<int>(bulk::operations<greeting>.size) - 1; }
