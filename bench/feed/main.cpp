// What does it cost to keep a copy of a big source so that it can be trusted? Half a million records in
// 30 partitions, fetched and consolidated on SQLite, next to a bare loop of the same upserts.
// `feed DIRECTORY`; with `bulk` or `hand` behind it, one run of that alone, to be looked at, and the most
// memory that it took, in KiB.
#include "../peak_memory.hpp"
#include "../support.hpp"
#include "hand.hpp"
#include "ours.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    namespace fs = std::filesystem;
    const fs::path directory = argv[1];
    int next = 0;
    const auto fresh = [&] {
        for (const auto& each : fs::directory_iterator{directory}) fs::remove_all(each.path());
        return (directory / (std::to_string(next++) + ".db")).string();
    };
    if (argc > 2) {
        if (std::string_view{argv[2]} == "hand")
            hand_written::run(fresh());
        else
            (void)run_ours(fresh());
        std::printf("%ld\n", bench::peak_memory());
        return 0;
    }
    double spread = 0;
    std::vector<bench::contender> both{
        {"bulk", [&] { spread = std::max(spread, run_ours(fresh())); }},
        {"by hand", [&] { hand_written::run(fresh()); }},
    };
    bench::race(both, 7);  // mostly waiting for the disk, which is noisy
    const double records = workload::record_count;
    for (const auto& each : both)
        std::printf("feed %s: %.0f records/s\n", each.name.c_str(), records / each.best);
    std::printf("figure feed.records_per_s %.0f\n", records / both[0].best);
    bench::figure("feed.vs_hand_upsert", both[1].best / both[0].best);
    bench::figure("feed.partition_spread", spread);
}
