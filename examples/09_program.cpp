// A declaration is a whole program: run files, see what became of every row, try failures again.
// Everything is kept in one SQLite file. Try: 09_program --help
#include <bulk/main.hpp>

struct transfer {
    std::string account;
    int amount = 0;
};
BULK_ROW(transfer, (account, .row_id = true), amount);

struct request {
    std::string requested_by;
};
BULK_METADATA(request, requested_by);

struct transfers : bulk::operation<transfers, transfer, request> {
    BULK_OPERATION("transfers", .description = "Books transfers", .retryable = true)

    bulk::result<> validate(const transfer& t, const request&) {
        if (t.amount <= 0) return bulk::fail("an amount is more than 0");
        return {};
    }

    BULK_STEP(book, "Book", .order = 1)
    (const transfer& t, const request&, bulk::context&)->bulk::result<> {
        if (t.account == "DE-2") return bulk::fail("account '" + t.account + "' is locked");
        return {};
    }

    BULK_STEP(notify, "Notify", .order = 2)(const transfer&, const request&, bulk::context&) {}
};

int main(int argc, char** argv) { return bulk::main<transfers>(argc, argv); }
