// The loop of programs that kill processes: one seed after the other, some kills each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace crash {

struct kill_count {
    int done = 0;    ///< kills
    int failed = 0;  ///< seeds
};

/// Plays a `Killing` for each seed, at most `kills_per_seed` kills each, until there were `kills` or three
/// seeds failed; one that fails is printed as a call of `program`. `add(killing)` is called after each.
template <typename Killing, typename Add>
kill_count kill_by_seed(const char* program, int kills, int kills_per_seed, std::uint64_t seed,
                        int failed, const Add& add) {
    kill_count all{.failed = failed};
    for (; all.done < kills && all.failed < 3; ++seed) {
        const int now = std::min(kills_per_seed, kills - all.done);
        Killing once{seed, now};
        const auto problems = once.play();
        if (!problems.empty()) {
            std::printf("seed %llu (%s %d %llu): %s", static_cast<unsigned long long>(seed),
                        program, now, static_cast<unsigned long long>(seed), problems.c_str());
            ++all.failed;
        }
        all.done += once.killed();
        add(once);
    }
    return all;
}

}  // namespace crash
