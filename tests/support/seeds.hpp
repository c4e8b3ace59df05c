// The main function of programs that simulate one run for each seed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace support {

/// Which seeds the command line asks for: `PROGRAM FIRST COUNT`.
struct seed_range {
    seed_range(int argc, char** argv, std::uint64_t usual_count)
        : first{argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1},
          count{argc > 2 ? std::strtoull(argv[2], nullptr, 10) : usual_count} {}

    std::uint64_t first;
    std::uint64_t count;
};

/// Runs a `Simulation` for each seed until three have failed, and every hundredth seed twice, which must
/// give the same trace. `report(simulation, problem)` makes what is printed of a seed that failed, and
/// `done(simulation)` is called after each. Returns the exit code of the program.
template <typename Simulation, typename Report, typename Done>
int simulate_seeds(const seed_range& seeds, const Report& report, const Done& done) {
    int failed = 0;
    for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count && failed < 3; ++seed) {
        Simulation once{seed};
        const auto problem = once.run();
        if (!problem.empty()) {
            const std::string text = report(once, problem);
            std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), text.c_str());
            ++failed;
        }
        done(once);
        if (seed % 100 == 0) {
            Simulation again{seed};
            (void)again.run();
            if (again.trace() != once.trace()) {
                std::printf("seed %llu is not the same twice\n",
                            static_cast<unsigned long long>(seed));
                ++failed;
            }
        }
    }
    std::printf("%llu seeds, %d failed\n", static_cast<unsigned long long>(seeds.count), failed);
    return failed == 0 ? 0 : 1;
}

}  // namespace support
