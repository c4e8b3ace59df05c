#include <bulk/core/operation_state.hpp>

#include <support/ut.hpp>

#include <string_view>

using namespace boost::ut;
using bulk::operation_state;

namespace {

// Written by hand, apart from the library's table: a row is where the operation is, a column where
// it wants to go, in the order of the enumeration.
//                                      P V R C E F X T
constexpr std::string_view arrows[] = {".+....+.",   // pending
                                       "..+..++.",   // validating
                                       "...++++.",   // running
                                       "........",   // completed
                                       ".......+",   // completed_with_errors
                                       ".......+",   // failed
                                       ".......+",   // cancelled
                                       "..+..++."};  // retrying

suite<"operation state"> operation_states = [] {
    "all 64 arrows are as drawn"_test = [] {
        const auto& states = bulk::enumerators_of<operation_state>;
        expect(fatal(states.size() == 8_ul));
        for (std::size_t from = 0; from < states.size(); ++from)
            for (std::size_t to = 0; to < states.size(); ++to)
                expect(bulk::allows(states[from].value, states[to].value) ==
                       (arrows[from][to] == '+'))
                    << states[from].name << "->" << states[to].name;
    };

    "an operation rests in four states"_test = [] {
        std::string final;
        for (const auto& [state, name] : bulk::enumerators_of<operation_state>)
            if (is_final(state)) final.append(name).append(" ");
        expect(final == std::string{"completed completed_with_errors failed cancelled "});
    };

    "names round-trip"_test = [] {
        for (const auto& [state, name] : bulk::enumerators_of<operation_state>)
            expect(bulk::from_name<operation_state>(bulk::name_of(state)) == state) << name;
        expect(!bulk::from_name<operation_state>("Pending").has_value());
        expect(bulk::name_of(static_cast<operation_state>(99)).empty());
    };
};

}  // namespace

int main() {}
