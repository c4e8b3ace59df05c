#include <bulk/core/row_state.hpp>

#include <support/ut.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

using namespace boost::ut;
using bulk::row_state;

namespace {

enum class forgotten { first, second, third };
BOOST_DESCRIBE_ENUM(forgotten, first, second)
enum class swapped { first, second };
BOOST_DESCRIBE_ENUM(swapped, second, first)

inline constexpr auto forgotten_arrows =
    std::to_array<bulk::transition<row_state>>({{row_state::pending, row_state::running}});

//                                      P R W C F T
constexpr std::string_view arrows[] = {".+....",   // pending
                                       "..++++",   // running
                                       "...+++",   // waiting_for_completion
                                       "......",   // completed
                                       "+.....",   // failed
                                       "+....."};  // timed_out

suite<"row state"> row_states = [] {
    "all 36 arrows are as drawn"_test = [] {
        const auto& states = bulk::enumerators_of<row_state>;
        expect(fatal(states.size() == 6_ul));
        for (std::size_t from = 0; from < states.size(); ++from)
            for (std::size_t to = 0; to < states.size(); ++to)
                expect(bulk::allows(states[from].value, states[to].value) ==
                       (arrows[from][to] == '+'))
                    << states[from].name << "->" << states[to].name;
    };

    "a step is over in three states"_test = [] {
        std::string final;
        for (const auto& [state, name] : bulk::enumerators_of<row_state>)
            if (is_final(state)) final.append(name).append(" ");
        expect(final == std::string{"completed failed timed_out "});
    };

    "a row has failed in two states"_test = [] {
        std::string failed;
        for (const auto& [state, name] : bulk::enumerators_of<row_state>)
            if (is_failed(state)) failed.append(name).append(" ");
        expect(failed == std::string{"failed timed_out "});
    };

    "a state that is not described, or has no arrow, is noticed"_test = [] {
        expect(bulk::describes_all<row_state>());
        expect(not bulk::describes_all<forgotten>());
        expect(not bulk::describes_all<swapped>());
        expect(bulk::unreached(forgotten_arrows, row_state::pending) ==
               row_state::waiting_for_completion);
    };
};

}  // namespace

int main() {}
