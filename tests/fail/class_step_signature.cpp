// expect: a step class needs execute(const row&, const metadata&, bulk::context&)
#include <bulk/declare.hpp>

struct user {
    std::string name;
};
BULK_ROW(user, name);

struct push {
    static constexpr bulk::step_options options{.name = "Push"};
#ifdef BULK_EXPECT_FAIL
    void execute(user&, bulk::context&) {}
#else
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
#endif
};

struct pushing : bulk::operation<pushing, user> {
    BULK_OPERATION("pushing")
    auto steps() { return bulk::steps(push{}); }
};

int main() { return static_cast<int>(bulk::operations<pushing>.size) - 1; }
