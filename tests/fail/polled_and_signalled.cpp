// expect: a step is polled or signalled, not both
#include <bulk/declare.hpp>

#include <chrono>

struct user {
    std::string name;
};
BULK_ROW(user, name);

struct push {
    static constexpr bulk::step_options options{.name = "Push", .timeout = std::chrono::seconds{9}};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
    bool is_complete(const user&, const bulk::no_metadata&, bulk::context&) { return true; }
#ifdef BULK_EXPECT_FAIL
    std::string signal_key(const user& row, const bulk::no_metadata&) { return row.name; }
#endif
};

struct pushing : bulk::operation<pushing, user> {
    BULK_OPERATION("pushing")
    auto steps() { return bulk::steps(push{}); }
};

int main() { return static_cast<int>(bulk::operations<pushing>.size) - 1; }
