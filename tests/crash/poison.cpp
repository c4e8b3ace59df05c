// A row that takes the process with it, again and again: it is given up after the third time, with the
// reason, and all others come to their end.
#include <bulk/bulk.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/child_process.hpp>
#include <support/crash_audit.hpp>
#include <support/effects.hpp>
#include <support/temporary_directory.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <csignal>

using namespace std::chrono_literals;
using support::child_process, support::crash_audit;

namespace {

struct item {
    std::uint64_t number = 0;
};
BULK_ROW(item, number);

constexpr std::uint64_t rows = 20, poison = 7;
const support::effects_file* effects = nullptr;
int life = 0;

void note(const bulk::context& ctx) {
    if (!effects->note(support::effect_of(ctx, 1, life)))
        throw std::runtime_error{"the effects cannot be written"};
}

struct aborting : bulk::operation<aborting, item> {
    BULK_OPERATION("aborting")
    BULK_STEP(first, "First", .order = 1)
    (const item&, const bulk::no_metadata&, bulk::context& ctx) { note(ctx); }
    BULK_STEP(second, "Second", .order = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) {
        note(ctx);
        if (row.number == poison) std::abort();
    }
};

struct crashing_validator : bulk::operation<crashing_validator, item> {
    BULK_OPERATION("crashing validator")
    bulk::result<> validate(const item& row, const bulk::no_metadata&) {
        if (row.number == poison) {
            (void)std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would tell of it
            (void)std::raise(SIGSEGV);
        }
        return {};
    }
    BULK_STEP(first, "First", .order = 1)
    (const item&, const bulk::no_metadata&, bulk::context& ctx) { note(ctx); }
    BULK_STEP(second, "Second", .order = 2)
    (const item&, const bulk::no_metadata&, bulk::context& ctx) { note(ctx); }
};

/// One row ends the first two processes at its first step, and the next two at its last.
struct moving_on : bulk::operation<moving_on, item> {
    BULK_OPERATION("moving on")
    BULK_STEP(first, "First", .order = 1)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) {
        note(ctx);
        if (row.number == poison && life <= 2) std::abort();
    }
    BULK_STEP(second, "Second", .order = 2, .max_retries = 9)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx)->bulk::outcome {
        note(ctx);
        if (ctx.attempt() == 1) return bulk::outcome::retry("the first step is recorded now", 1ms);
        if (row.number == poison && life <= 4) std::abort();
        return bulk::outcome::done();
    }
};

/// NAME DIRECTORY LIFE
int play_child(char** given) {
    life = std::atoi(given[3]);
    const std::string directory = given[2];
    const support::effects_file file{crash_audit::effects_in(directory)};
    effects = &file;
    auto storage = bulk::sqlite::storage::open(crash_audit::database_in(directory));
    if (!storage) return 1;
    const bool records_each_row = std::string_view{given[1]} == "moving on";
    bulk::service service{
        bulk::operations<aborting, crashing_validator, moving_on>, *storage,
        bulk::service_options{.flush_batch_size = records_each_row ? 1 : 5, .lease_time = 30s}};
    // Taken in by the first only: one that dies while it takes a file in leaves the file for a day.
    if (life > 1) {
        const auto known = storage->query(bulk::operation_query{});
        return known && service.wait(known->items.at(0).id, 1min) ? 0 : 1;
    }
    std::string text = "number\n";
    for (std::uint64_t row = 1; row <= rows; ++row) text += std::to_string(row) + '\n';
    const auto id =
        service.create(given[1], bulk::upload{"x.csv", bulk::bytes_of_text(std::move(text))});
    return id && service.wait(*id, 1min) ? 0 : 1;
}

/// What is wrong, a line each. `reason` is how the row is given up, at `step`; none if it is not.
std::string check(const std::string& name, int step, std::string_view reason,
                  int wanted_lives = 4) {
    const support::temporary_directory directory;
    const auto begin = std::chrono::steady_clock::now();
    int lives = 0;
    bool has_ended = false;
    while (!has_ended && lives < 10)
        has_ended = child_process{{name, directory.path(), std::to_string(++lives)}}.wait() == 0;
    if (!has_ended) return "it never came to its end\n";
    std::string problems;
    if (lives != wanted_lives) problems += "it took " + std::to_string(lives) + " processes\n";
    if (std::chrono::steady_clock::now() - begin > 10s * support::slower)
        problems += "somebody waited for a lease\n";
    crash_audit audit{directory.path(), 1, {}};
    const auto all = audit.operations();
    if (all.size() != 1) return "there is not one operation\n";
    const auto standings = audit.check(all.front(), rows);
    for (std::uint64_t row = 1; row <= rows; ++row) {
        const auto& at = standings[row - 1];
        const bool is_right = row == poison && !reason.empty()
                                  ? at.last == step && at.state == bulk::row_state::failed
                                  : at.last == 1 && at.state == bulk::row_state::completed;
        if (!is_right) problems += "row " + std::to_string(row) + " does not stand as it should\n";
    }
    const auto record = audit.storage().get(all.front().id, bulk::row_number{poison},
                                            static_cast<bulk::step_index>(step));
    if (const auto& found = record.value();
        !reason.empty() && (!found || found->error_message != reason))
        problems += "the reason is: " + (found ? found->error_message : "missing") + '\n';
    audit.check_files();
    return problems + audit.problems();
}

}  // namespace

int main(int, char** argv) {
    if (std::string_view{argv[0]} == "child") return play_child(argv);
    support::prefer_memory();
    const std::string problems =
        // At its first step, since that the row had done it was never written.
        check("aborting", 0,
              "the process ended 3 times while it worked on this row, last at step 'Second': it is "
              "not tried again; find out why before the operation is retried") +
        check("crashing validator", -1,
              "the process ended 3 times while it worked on this row, last at step 'validation': "
              "it is not tried again; find out why before the operation is retried") +
        check("moving on", 1, "", 5);
    std::printf("%s", problems.empty() ? "every row but the poisonous ones came to its end\n"
                                       : problems.c_str());
    return problems.empty() ? 0 : 1;
}
