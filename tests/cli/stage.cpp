#include "stage.hpp"

#include "run_with.hpp"

#include <bulk/bulk.hpp>

namespace stage {

using namespace std::chrono_literals;

struct transfer {
    std::string account;
    int amount = 0;
};
BULK_ROW(transfer, (account, .row_id = true), amount);

struct request {
    std::string by;
    std::optional<int> batch;
};
BULK_METADATA(request, by, (batch, .description = "which of the day"));

struct transfers : bulk::operation<transfers, transfer, request> {
    BULK_OPERATION("transfers", .description = "Books transfers", .track_row_data = true,
                   .retryable = true)
    bulk::result<> validate(const request& about) {
        if (about.by == "nobody") return bulk::fail("nobody may book");
        return {};
    }
    bulk::result<> validate(const transfer& row, const request&) {
        if (row.amount <= 0) return bulk::fail("an amount is more than 0");
        return {};
    }
    BULK_STEP(check, "Check", .order = 1)
    (const transfer&, const request&, bulk::context&) { return bulk::outcome::done(); }
    BULK_STEP(book_it, "Book", .order = 2)
    (const transfer& row, const request&, bulk::context& ctx) {
        if (book) return book(row.account, ctx.stop_token());
        if (row.account == "A-2")
            return bulk::outcome::fail("account '" + row.account + "' is locked");
        return bulk::outcome::done();
    }
};

struct number {
    int value = 0;
};
BULK_ROW(number, value);

struct approval {
    static constexpr bulk::step_options options{.name = "Approval", .timeout = 1h};
    void execute(const number&, const bulk::no_metadata&, bulk::context&) {}
    std::string signal_key(const number& row, const bulk::no_metadata&) const {
        return "key-" + std::to_string(row.value);
    }
};

struct approvals : bulk::operation<approvals, number> {
    BULK_OPERATION("approvals")
    auto steps() { return bulk::steps(approval{}); }
};

answer program::run(words command) { return run_with<transfers>(*this, std::move(command)); }
answer program::run_both(words command) {
    return run_with<transfers, approvals>(*this, std::move(command));
}

}  // namespace stage
