// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace bench {

/// How long `run` takes.
template <typename Run>
double seconds(const Run& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct contender {
    std::string name;
    std::function<void()> run;
    double best = std::numeric_limits<double>::infinity();  ///< seconds
};

/// Runs the contenders in turns, so that a slow moment of the machine hits all of them, and keeps
/// each one's best time.
inline void race(std::vector<contender>& contenders, int rounds) {
    for (int round = 0; round < rounds; ++round)
        for (auto& each : contenders) each.best = std::min(each.best, seconds(each.run));
}

inline void figure(const std::string& name, double value) {
    std::printf("figure %s %.2f\n", name.c_str(), value);
}

}  // namespace bench
