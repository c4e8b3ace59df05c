// expect: handlers(): a handler is called with (const bulk::event&), or has some of on_created
#include <bulk/bulk.hpp>

struct row {
    int value = 0;
};
BULK_ROW(row, value);

struct audit {
#ifdef BULK_EXPECT_FAIL
    void on_complete(const bulk::event&) {}
#else
    void on_completed(const bulk::event&) {}
#endif
};

struct audited : bulk::operation<audited, row> {
    BULK_OPERATION("audited")
    auto handlers() { return std::tuple{audit{}}; }
    void process(const row&, const bulk::no_metadata&, bulk::context&) {}
};

void use() {
    bulk::subscriptions* events = nullptr;
    bulk::subscribe_declared<audited>(*events);
}

int main() {}
