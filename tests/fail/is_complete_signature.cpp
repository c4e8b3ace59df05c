// expect: is_complete takes (const row&, const metadata&, bulk::context&)
#include <bulk/declare.hpp>

#include <chrono>

struct user {
    std::string name;
};
BULK_ROW(user, name);

struct push {
    static constexpr bulk::step_options options{.name = "Push", .timeout = std::chrono::seconds{9}};
    void execute(const user&, const bulk::no_metadata&, bulk::context&) {}
#ifdef BULK_EXPECT_FAIL
    bool is_complete(const user&) { return true; }
#else
    bool is_complete(const user&, const bulk::no_metadata&, bulk::context&) { return true; }
#endif
};

struct pushing : bulk::operation<pushing, user> {
    BULK_OPERATION("pushing")
    auto steps() { return bulk::steps(push{}); }
};

int main() { return static_cast<int>(bulk::operations<pushing>.size) - 1; }
