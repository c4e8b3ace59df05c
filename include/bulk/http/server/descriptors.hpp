// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

namespace bulk::http {

/// How many connections there may be at once, each a descriptor of the process.
struct connection_limits {
    std::uint64_t served = 0;
    std::uint64_t turned_away = 0;  ///< that are told 503; more are just closed
};

/// What a process of so many descriptors has for connections. A quarter is left to the program around
/// them, as far as it is not plenty anyway: its files must open however many connect.
[[nodiscard]] constexpr connection_limits within(std::uint64_t descriptors,
                                                 connection_limits wanted) {
    constexpr std::uint64_t plenty = 256;
    const auto spare = std::min(plenty, descriptors / 4);
    const auto left = descriptors - spare;
    const auto turned_away = std::min(wanted.turned_away, left / 8);
    return {.served = std::max<std::uint64_t>(1, std::min(wanted.served, left - turned_away)),
            .turned_away = turned_away};
}

/// Has the process allowed as many descriptors as are wanted, as far as its own hard limit goes: most
/// begin with 1 024, which as many idle connections would use up. Gives what there is then.
[[nodiscard]] inline connection_limits allow(connection_limits wanted) {
    constexpr std::uint64_t for_the_program = 256;
    rlimit now{};
    if (::getrlimit(RLIMIT_NOFILE, &now) != 0) return wanted;
    const auto enough = static_cast<rlim_t>(wanted.served + wanted.turned_away + for_the_program);
    if (now.rlim_cur < enough && now.rlim_cur < now.rlim_max) {
        const rlimit more{.rlim_cur = std::min(enough, now.rlim_max), .rlim_max = now.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &more) == 0) now = more;
    }
    return within(now.rlim_cur, wanted);
}

}  // namespace bulk::http
