// What does it cost that nothing is lost? A million rows, validated and through three steps, with
// every record in SQLite, next to what a user would write by hand. `durable DIRECTORY`
#include "../engine/ours.hpp"
#include "../support.hpp"
#include "hand.hpp"

#include <bulk/storage/sqlite/storage.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

namespace {

struct measured {
    double seconds = std::numeric_limits<double>::infinity();
    double bytes = 0;  ///< of the database, when it was closed
};

/// From the moment when the operation is begun to its last record, with as many rows in a transaction
/// as one takes who wants to be quick.
measured run_ours(const std::string& path, const std::string& text, bulk::durability durability) {
    measured found;
    {
        bulk::service service{bulk::operations<three_steps>,
                              bulk::sqlite::storage::open(path, {.durability = durability}).value(),
                              {.max_file_size = 0, .flush_batch_size = 10'000}};
        const auto id =
            service.create("three-steps", bulk::upload{"rows.csv", bulk::bytes_of_text(text)});
        if (!id) std::abort();
        const auto done = service.wait(*id);
        if (!done || done->rows.successful != done->rows.total) std::abort();
        found.seconds =
            std::chrono::duration<double>(*done->completed_at - *done->started_at).count();
    }
    found.bytes = static_cast<double>(std::filesystem::file_size(path));
    return found;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    namespace fs = std::filesystem;
    const fs::path directory = argv[1];
    const std::string text = workload::million_rows();
    int next = 0;
    const auto fresh = [&] {
        for (const auto& each : fs::directory_iterator{directory}) fs::remove_all(each.path());
        return (directory / (std::to_string(next++) + ".db")).string();
    };
    measured normal, full;
    double last = normal.seconds, steps = normal.seconds;
    const auto keep = [](measured& best, const measured& now) {
        if (now.seconds < best.seconds) best = now;
    };
    for (int round = 0; round < 5; ++round) {
        keep(normal, run_ours(fresh(), text, bulk::durability::normal));
        last = std::min(last, bench::seconds([&] { hand_written::final_status(fresh(), text); }));
        keep(full, run_ours(fresh(), text, bulk::durability::full));
        if (round < 2)
            steps =
                std::min(steps, bench::seconds([&] { hand_written::every_step(fresh(), text); }));
    }
    std::printf("durable bulk: %.0f rows/s, with full durability %.0f\n", 1e6 / normal.seconds,
                1e6 / full.seconds);
    std::printf("durable by hand, the final status: %.0f rows/s\n", 1e6 / last);
    std::printf("durable by hand, every step: %.0f rows/s\n", 1e6 / steps);
    bench::figure("durable.vs_hand_final", last / normal.seconds);
    bench::figure("durable.vs_hand_steps", steps / normal.seconds);
    bench::figure("durable.full_vs_normal", full.seconds / normal.seconds);
    std::printf("figure durable.bytes_per_row %.3f\n", normal.bytes / 1e6);
}
