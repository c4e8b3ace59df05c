// A step that somebody outside completes: approved, refused, or answered before it was even waiting.
#include <bulk/bulk.hpp>

#include <functional>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

struct expense {
    std::string number;
    int amount = 0;
};
BULK_ROW(expense, (number, .row_id = true), amount);

/// Where requests for approval go.
std::function<void(bulk::operation_id, const expense&)> ask;

struct approval {
    static constexpr bulk::step_options options{.name = "Approval", .order = 1, .timeout = 1h};
    void execute(const expense& e, const bulk::no_metadata&, bulk::context& ctx) {
        ask(ctx.operation(), e);
    }
    std::string signal_key(const expense& e, const bulk::no_metadata&) const {
        return "expense-" + e.number;
    }
};

struct pay_expenses : bulk::operation<pay_expenses, expense> {
    BULK_OPERATION("pay-expenses")

    auto steps() { return bulk::steps(approval{}); }

    BULK_STEP(pay, "Pay", .order = 2)
    (const expense&, const bulk::no_metadata&, bulk::context&) { /* transfer the money */ }
};

constexpr std::string_view file =
    "number,amount\n"
    "lunch,12\n"
    "train,140\n"
    "yacht,900000\n";

int main() {
    bulk::service service{
        bulk::operations<pay_expenses>, bulk::memory::storage{}, {.flush_interval = 5ms}};

    ask = [&](bulk::operation_id id, const expense& e) {
        if (e.amount >= 100) return;  // somebody has to look at it
        const auto receipt = service.signal(id, "expense-" + e.number).value();
        std::cout << e.number << " is small: approved "
                  << (receipt.is_kept ? "before it waits, and kept for it" : "while it waits")
                  << '\n';
    };
    const auto id =
        service.create("pay-expenses", bulk::upload{"expenses.csv", bulk::bytes_of_text(file)})
            .value();

    for (const std::string key : {"expense-train", "expense-yacht"}) {
        const bulk::row_query waiting{.operation = id, .signal_key = key};
        while (service.query(waiting).value().total == 0) std::this_thread::sleep_for(1ms);
        std::cout << "a row waits for '" << key << "'\n";
    }
    const auto full_key = bulk::full_signal_key(id, "expense-train", bulk::row_number{2});
    std::cout << "row 2 was waiting: " << std::boolalpha << service.try_signal(full_key) << '\n';
    (void)service.fail_signal(id, "expense-yacht", "the boss has one already");

    const auto done = service.wait(id).value();
    std::cout << name_of(done.state) << ": " << done.rows.successful << " of " << done.rows.total
              << " rows\n";
    for (const auto found = service.errors(id).value(); const auto& error : found.items)
        std::cout << error.row_id << ": " << name_of(*error.failure) << ", " << error.error_message
                  << '\n';
}
