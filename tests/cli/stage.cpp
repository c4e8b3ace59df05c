#include "stage.hpp"

#include <bulk/bulk.hpp>
#include <bulk/cli/program.hpp>

#include <sstream>

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

namespace {

template <typename... Ops>
answer run_with(program& on, program::words command) {
    std::ostringstream out, err;
    if (on.is_output_broken) out.setstate(std::ios::badbit);
    command.insert(command.begin(), "/usr/bin/app");
    const auto open =
        [&](const bulk::cli::storage_settings& settings) -> bulk::result<bulk::memory::storage> {
        ++on.opened;
        on.opened_path = settings.path;
        if (on.broken) return std::unexpected{*on.broken};
        return on.storage;
    };
    const auto screen = [&](std::ostream& stream) {
        return bulk::cli::screen{.stream = stream,
                                 .is_terminal = on.is_terminal,
                                 .has_color = on.has_color,
                                 .width = on.width};
    };
    const int code = bulk::cli::run_program<Ops...>(
        open, command,
        {.out = screen(out),
         .err = screen(err),
         .variable = [&](const std::string& name) -> std::optional<std::string> {
             const auto found = on.environment.find(name);
             if (found == on.environment.end()) return std::nullopt;
             return found->second;
         },
         .now = on.now,
         .is_interrupted = [&] { return on.interrupted.load(); }});
    return {.code = code, .out = out.str(), .err = err.str()};
}

}  // namespace

answer program::run(words command) { return run_with<transfers>(*this, std::move(command)); }
answer program::run_both(words command) {
    return run_with<transfers, approvals>(*this, std::move(command));
}

}  // namespace stage
