// Prints docs/state-machines.md from the state tables, so that the document cannot be wrong.
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
}
