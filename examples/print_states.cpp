// Prints docs/state-machines.md from the state tables, so that the document cannot be wrong.
#include <bulk/core/feed_run.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/row_state.hpp>

#include <iostream>
#include <string_view>

template <typename State, std::size_t N>
void describe(std::string_view title, std::string_view text,
              const bulk::transition_table<State, N>& table) {
    std::cout << "\n## " << title << "\n\n" << text << "\n\n```mermaid\nstateDiagram-v2\n";
    std::cout << "    [*] --> " << bulk::enumerators_of<State>.front().name << '\n';
    for (const auto& [from, to] : table)
        std::cout << "    " << name_of(from) << " --> " << name_of(to) << '\n';
    std::cout << "```\n\n| from \\ to |";
    for (const auto& to : bulk::enumerators_of<State>) std::cout << ' ' << to.name << " |";
    std::cout << "\n|---|";
    for (std::size_t i = 0; i < bulk::enumerators_of<State>.size(); ++i) std::cout << ":-:|";
    for (const auto& from : bulk::enumerators_of<State>) {
        std::cout << "\n| " << (is_final(from.value) ? "**" : "") << from.name
                  << (is_final(from.value) ? "**" : "") << " |";
        for (const auto& to : bulk::enumerators_of<State>)
            std::cout << (allows(from.value, to.value) ? " yes |" : " |");
    }
    std::cout << "\n\nBold states are final: nothing follows but a retry.\n";
}

/// What a run says, and what follows from it.
void describe_runs() {
    using namespace std::chrono_literals;
    const bulk::timestamp start{}, now = start + 1h;
    const auto print = [&](std::string_view when, bulk::feed_run run) {
        std::cout << "| " << when << " | " << name_of(bulk::state_of(run, now, 30min)) << " | "
                  << name_of(bulk::status_of(run)) << " | "
                  << (bulk::is_active(run) ? "yes |\n" : "|\n");
    };
    const bulk::feed_run created{.started_at = now, .partitions = 3};
    auto running = created;
    running.active_at = now;
    running.completed = 1;
    auto skipped = running;
    skipped.completed = 2;
    skipped.failed = 1;
    auto partial = skipped;
    partial.consolidate_at = now + 5min;
    auto consolidating = running;
    consolidating.completed = 3;
    consolidating.consolidate_at = now;
    auto silent = running;
    silent.started_at = start;
    silent.active_at = start;
    auto completed = consolidating;
    completed.completed_at = now;
    auto failed = consolidating;
    failed.failed_at = now;
    auto cancelled = running;
    cancelled.cancelled_at = now;

    std::cout
        << "\n## Run of a feed\n\n"
           "The state of a run is not stored. `state_of` in `include/bulk/core/feed_run.hpp`\n"
           "derives it from what is, so that no two things can disagree. While a run is active,\n"
           "no other run of its feed can start.\n\n"
           "| what is stored | state | in short | active |\n|---|---|---|:-:|\n";
    print("partitions, and nobody has begun", created);
    print("partitions are left", running);
    print("all partitions completed", consolidating);
    print("all partitions finished, some failed", skipped);
    print("the same, but enough completed: consolidated soon", partial);
    print("everything is consolidated", completed);
    print("everything is consolidated, but items are bad", failed);
    print("somebody cancelled it", cancelled);
    print("any active one of which nothing was heard for `stall_after`", silent);
    std::cout
        << "\nWhat was skipped goes on when its failed partitions are retried or its "
           "consolidation is\nforced; what failed, when its consolidation is resumed; what is "
           "stalled, when a worker comes.\nCompleted and cancelled are final.\n";
}

int main() {
    std::cout
        << "# State machines\n\n"
           "Printed by `examples/print_states.cpp` from the tables in\n"
           "`include/bulk/core/operation_state.hpp` and `row_state.hpp`; a test keeps it so.\n"
           "An arrow that is not here is refused with `errc::illegal_transition` and changes\n"
           "nothing. The one exception: failing an operation that has ended does nothing.\n";
    describe(
        "Operation",
        "An operation is one file on its way through one declared operation. A worker takes it\n"
        "from `pending`, validates every row, then runs the valid ones. What failed can be "
        "retried.",
        bulk::operation_transitions);
    describe("Row",
             "A row has one record for its validation and one for each step that it reached. Each\n"
             "record goes through these states.",
             bulk::row_transitions);
    describe_runs();
}
