// A step that is a coroutine: it waits for time and for signals where it stands, and holds no thread.
#include <bulk/bulk.hpp>

#include <iostream>

using namespace std::chrono_literals;

struct parcel {
    std::string number;
};
BULK_ROW(parcel, (number, .row_id = true));

struct shipping : bulk::operation<shipping, parcel> {
    BULK_OPERATION("shipping")

    BULK_STEP(ship, "Ship", .order = 1)
    (const parcel& p, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<bulk::result<>> {
        const auto paid = co_await ctx.signal("paid-" + p.number, 1h);
        if (!paid) co_return bulk::fail("not sent: " + paid.error().message);

        co_await ctx.sleep(20ms);  // on its way

        const auto claimed = co_await ctx.signal("lost-" + p.number, 50ms);
        if (claimed) co_return bulk::fail("sent, and lost");
        co_return bulk::result<>{};  // nobody said so in time: it has arrived
    }
};

constexpr std::string_view file =
    "number\n"
    "A\n"
    "B\n"
    "C\n";

int main() {
    bulk::service service{
        bulk::operations<shipping>, bulk::memory::storage{}, {.flush_interval = 5ms}};
    const auto id =
        service.create("shipping", bulk::upload{"parcels.csv", bulk::bytes_of_text(file)}).value();

    // Whether the rows wait already or not: what was sent is found.
    for (const std::string key : {"lost-B", "paid-A", "paid-B"}) (void)service.signal(id, key);
    (void)service.fail_signal(id, "paid-C", "the card was refused");

    const auto done = service.wait(id).value();
    std::cout << name_of(done.state) << ": " << done.rows.successful << " of " << done.rows.total
              << " rows\n";
    for (const auto found = service.errors(id).value(); const auto& error : found.items)
        std::cout << error.row_id << ": " << error.error_message << '\n';
}
