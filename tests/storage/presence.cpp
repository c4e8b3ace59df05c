// Files that say which processes live: who has died is found, and nothing is left of anybody.
#include <bulk/storage/presence.hpp>

#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <array>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace boost::ut;
using bulk::presence;

namespace {

/// A process that does this and is killed.
template <typename Do>
void die_after(Do work) {
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
}

suite<"presence"> presences = [] {
    using names = std::vector<std::string>;

    "a process that lives is not dead, and leaves nothing"_test = [] {
        const support::temporary_directory directory;
        {
            const auto one = presence::begin(directory.path("x-"), "one").value();
            expect(directory.names() == names{"x-one"});
            expect(presence::find_dead(directory.path("x-")).empty());
        }
        expect(directory.names().empty());
    };

    "one that was killed is found with its rows until it is buried"_test = [] {
        const support::temporary_directory directory;
        const bulk::operation_id id{{.high = 1, .low = 2}};
        die_after([&] {
            const auto one = presence::begin(directory.path("x-"), "one").value();
            one->flights().take(id)->show(bulk::row_number{7}, bulk::step_index{3});
            ::kill(::getpid(), SIGKILL);
        });
        const auto dead = presence::find_dead(directory.path("x-"));
        expect(fatal(dead.size() == 1_ul));
        expect(dead.front().name() == "one");
        expect(dead.front().rows() ==
               std::vector{bulk::row_in_flight{id, bulk::row_number{7}, bulk::step_index{3}}});
        expect(presence::find_dead(directory.path("x-")).empty()) << "somebody sees to it already";
        dead.front().bury();
        expect(directory.names().empty());
    };

    "what was killed while it began is removed, what begins is not"_test = [] {
        const support::temporary_directory directory;
        std::ofstream{directory.path(".x-one")} << "half";
        std::ofstream{directory.path(".y-two")};
        bulk::detail::locked_file beginning{
            ::open(directory.path(".x-three").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
        expect(beginning.lock());
        expect(presence::find_dead(directory.path("x-")).empty());
        expect(directory.names() == names{".x-three", ".y-two"});
    };

    "whoever begins while another looks for the dead is not taken for one of them"_test = [] {
        const support::temporary_directory directory;
        std::array<int, 2> ends{};
        expect(fatal(::pipe(ends.data()) == 0_i));
        const pid_t child = ::fork();
        if (child == 0) {
            (void)presence::find_dead(directory.path("x-"));
            (void)!::write(ends[1], "x", 1);
            while (true) (void)presence::find_dead(directory.path("x-"));
        }
        char looks = 0;
        expect(fatal(::read(ends[0], &looks, 1) == 1_l)) << "nobody begins before it looks";
        ::close(ends[0]);
        ::close(ends[1]);
        int failed = 0;
        for (int i = 0; i < 300; ++i)
            failed += !presence::begin(directory.path("x-"), std::to_string(i)).has_value();
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        expect(failed == 0_i);
        expect(directory.names().empty());
    };
};

}  // namespace

int main() {}
