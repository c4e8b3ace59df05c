// How many rows of one operation run again after a kill, whose steps ask for no transaction: a batch of
// `flush_batch_size`, and the row that each task has in hand, however many tasks there are.
#pragma once

#include "transfer.hpp"

#include <support/child_process.hpp>
#include <support/crash_audit.hpp>
#include <support/temporary_directory.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>

namespace crash {

/// Rows that are quick but for a few, so that tasks are in the middle of their batches when one of them
/// is held up.
struct uneven : bulk::operation<uneven, item, batch> {
    BULK_OPERATION("uneven")
    bulk::result<> process(const item& row, const batch& of, bulk::context& ctx) {
        note(ctx, of);
        if (row.number % 97 == 0) support::pass_time(500us);
        return {};
    }
};

/// As a user has it who says nothing but how many rows run at once.
inline bulk::service_options options_of(int concurrency) {
    return {.max_row_concurrency = concurrency, .max_crashes = 0, .worker_count = 1};
}

class run_again {
public:
    static constexpr std::size_t rows = 20'000;

    run_again(int concurrency, int kills, std::uint64_t seed)
        : concurrency_{concurrency}, kills_{kills}, random_{seed} {}

    /// What is wrong, a line each. `start` begins a process in a directory, in that life of it, and
    /// `sees_effects` waits until it has done so much.
    template <typename Start, typename SeesEffects>
    std::string play(Start start, SeesEffects sees_effects) {
        int life = 1;
        for (; life <= kills_; ++life) {
            auto child = start(directory_.path(), life);
            const auto lines = 1 + random_() % (rows / static_cast<std::size_t>(kills_));
            if (!sees_effects(directory_.path(), lines * bytes_per_line, child))
                return "life " + std::to_string(life) + " did not come far enough\n";
            (void)child.kill();
        }
        if (start(directory_.path(), life).wait() != 0) return "the last life did not end well\n";
        return check();
    }

    /// After one kill.
    [[nodiscard]] std::size_t worst() const { return worst_; }

private:
    static constexpr std::size_t bytes_per_line = 50;

    [[nodiscard]] std::string check() {
        const auto path = support::crash_audit::effects_in(directory_.path());
        std::map<std::uint64_t, std::set<int>> lives;  // of a row
        for (const auto& each : support::effects_file::read(path))
            lives[each.row].insert(each.life);
        std::string problems;
        if (lives.size() != rows)
            problems += std::to_string(lives.size()) + " of all rows were executed\n";
        std::map<int, std::size_t> redone;  // by the life after which they were
        for (const auto& [row, all] : lives)
            for (auto at = all.begin(); std::next(at) != all.end(); ++at) ++redone[*at];
        const auto promised =
            static_cast<std::size_t>(options_of(concurrency_).flush_batch_size + concurrency_);
        for (const auto& [life, count] : redone) {
            worst_ = std::max(worst_, count);
            if (count > promised)
                problems += std::to_string(count) + " rows ran again after the kill of life " +
                            std::to_string(life) + ", at most " + std::to_string(promised) +
                            " are promised\n";
        }
        return problems;
    }

    int concurrency_;
    int kills_;
    std::mt19937_64 random_;
    support::temporary_directory directory_;
    std::size_t worst_ = 0;
};

}  // namespace crash
