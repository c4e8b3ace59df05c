// Rows through several steps: one is tried again when it fails, one says what became of it.
#include <bulk/bulk.hpp>

#include <iostream>

using namespace std::chrono_literals;

struct order {
    std::string number;
    int quantity = 0;
};
BULK_ROW(order, (number, .row_id = true), quantity);

struct fulfil : bulk::operation<fulfil, order> {
    BULK_OPERATION("fulfil-orders")

    BULK_STEP(reserve, "Reserve", .order = 1, .max_retries = 2,
              .backoff = {.base = 1ms, .cap = 5ms})
    (const order& o, const bulk::no_metadata&, bulk::context& ctx)->bulk::result<> {
        if (o.number == "B" && ctx.attempt() < 3) return bulk::fail("the stock is locked");
        if (o.quantity > 100) return bulk::fail("there are not that many");
        return {};
    }

    BULK_STEP(ship, "Ship", .order = 2)
    (const order& o, const bulk::no_metadata&, bulk::context&) {
        return o.quantity == 0 ? bulk::outcome::skip("nothing to ship") : bulk::outcome::done();
    }
};

constexpr std::string_view file = R"({"number": "A", "quantity": 3}
{"number": "B", "quantity": 1}
{"number": "C", "quantity": 500}
{"number": "D", "quantity": 0}
)";

int main() {
    bulk::service service{
        bulk::operations<fulfil>, bulk::memory::storage{}, {.max_row_concurrency = 2}};
    const auto id =
        service.create("fulfil-orders", bulk::upload{"orders.ndjson", bulk::bytes_of_text(file)})
            .value();
    const auto done = service.wait(id).value();

    std::cout << name_of(done.state) << '\n';
    for (const auto found = service.query(bulk::row_query{.operation = id}).value();
         const auto& row : found.items)
        if (row.step != bulk::validation_step)
            std::cout << row.row_id << ' ' << bulk::description_of<fulfil>.step_name(row.step)
                      << ": " << name_of(row.state) << ", attempt " << row.attempt
                      << (row.error_message.empty() ? "" : ", " + row.error_message) << '\n';
}
