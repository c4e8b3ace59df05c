// Processes that keep the canonical set of one feed together and are killed at random moments, from one
// seed, while they plan a run, fetch, consolidate and end it, and are started again until it is
// completed; round after round, full and incremental in turn. After each the set must be the source.
// `crash_feed_kills KILLS SEED` runs other seeds, 50 kills each; one that fails is printed.
#include "goods.hpp"

#include <support/child_process.hpp>
#include <support/feed_audit.hpp>
#include <support/raw_database.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using support::child_process;

namespace {

constexpr int kills_per_seed = 50;
constexpr std::size_t fewest_rounds = 3;

std::string database_in(const std::string& directory) { return directory + "/bulk.db"; }
std::string marks_in(const std::string& directory) { return directory + "/marks"; }
std::string moments_in(const std::string& directory) { return directory + "/moments"; }
std::string trace_of(std::size_t round) { return "round-" + std::to_string(round); }

std::vector<std::int64_t> read_moments(const std::string& directory) {
    std::vector<std::int64_t> all;
    std::ifstream file{moments_in(directory)};
    for (std::int64_t each = 0; file >> each;) all.push_back(each);
    return all;
}

// --- what the children do ------------------------------------------------------------------------

int complain(const std::string& what) {
    std::printf("%s\n", what.c_str());
    return 1;
}

/// The newest run, if it is the one of that round.
bulk::result<std::optional<bulk::feed_run>> run_of(support::sqlite_backend& storage,
                                                   std::size_t round) {
    const auto newest = storage.feeds().runs({.feed = "goods", .page_size = 1});
    if (!newest) return std::unexpected{newest.error()};
    if (newest->items.empty() || newest->items.front().trace != trace_of(round))
        return std::nullopt;
    return newest->items.front();
}

/// DIRECTORY SEED ROUND: starts the run of that round unless somebody has, and works on it.
int play_child(char** given) {
    const std::string directory = given[1];
    const auto round = static_cast<std::size_t>(std::atoi(given[3]));
    crash::world here{.source = {std::strtoull(given[2], nullptr, 10), read_moments(directory)},
                      .begun = crash::marks{marks_in(directory)}};
    crash::now_in = &here;
    auto storage = support::sqlite_backend::open(database_in(directory));
    if (!storage) return complain(storage.error().message);
    bulk::feed_service service{bulk::feeds<crash::goods>, *storage,
                               bulk::feed_service_options{.workers = 2, .poll_interval = 20ms}};
    while (true) {
        const auto there = run_of(*storage, round);
        if (!there) return complain(there.error().message);
        if (*there) {
            const auto ended = service.wait((*there)->id, 1min * support::slower);
            if (!ended) return complain(ended.error().message);
            return ended->completed_at ? 0 : complain("the run ended otherwise: " + ended->reason);
        }
        const auto type = crash::goods_of_round::is_full(round) ? bulk::run_type::full
                                                                : bulk::run_type::incremental;
        const auto started = service.start("goods", {.type = type, .trace = trace_of(round)});
        // Another process may have been faster.
        if (!started && started.error().code != bulk::errc::conflict)
            return complain(started.error().message);
        if (started && !*started) return complain("there was nothing to read");
    }
}

// --- what the parent does ------------------------------------------------------------------------

enum stage { planning, fetching, consolidating, ended };
constexpr std::array<const char*, 4> stage_names{"planning", "fetching", "consolidating",
                                                 "at the end"};

/// All the kills of one seed.
class killing {
public:
    killing(std::uint64_t seed, int kills)
        : seed_{seed}, kills_{kills}, random_{seed}, begun_{marks_in(directory_.path())} {}

    /// What is wrong, a line each.
    std::string play() {
        while (problems_.empty() && (killed_ < kills_ || round_ < fewest_rounds)) {
            begin_round();
            for (int most = 20; most > 0 && killed_ < kills_ && problems_.empty(); --most)
                if (!live_and_die()) break;
            finish_round();
            if (problems_.empty()) check_round();
            ++round_;
        }
        if (problems_.empty()) check_rest();
        return problems_;
    }

    [[nodiscard]] int killed() const { return killed_; }
    [[nodiscard]] std::size_t rounds() const { return round_; }
    [[nodiscard]] int killed(stage when) const { return tally_[when]; }

private:
    void begin_round() {
        const auto now = bulk::system_clock{}.now().time_since_epoch().count();
        std::ofstream{moments_in(directory_.path()), std::ios::app} << now << '\n';
    }

    void start_child() {
        children_.push_back(std::make_unique<child_process>(std::vector<std::string>{
            directory_.path(), std::to_string(seed_), std::to_string(round_)}));
    }

    [[nodiscard]] stage stage_now() {
        if (!storage_) {
            auto opened = support::sqlite_backend::open(database_in(directory_.path()));
            if (!opened) return planning;  // a child has it for itself while it makes it
            storage_.emplace(std::move(*opened));
        }
        const auto run = run_of(*storage_, round_);
        if (!run || !*run) return planning;
        if ((*run)->completed_at) return ended;
        return (*run)->consolidate_at ? consolidating : fetching;
    }

    /// Takes those away that have ended, which they must not do before the run has. False: one has.
    [[nodiscard]] bool all_alive() {
        for (const auto& each : children_)
            if (each->has_ended()) {
                if (each->status() != 0) problems_ += "a process failed by itself\n";
                return false;
            }
        return true;
    }

    /// Lets one to three of them work for a while, then kills one, or all. False: the run has ended.
    [[nodiscard]] bool live_and_die() {
        const std::size_t wanted = std::array{1U, 1U, 2U, 3U}[random_() % 4];
        while (children_.size() < wanted) start_child();
        const auto [what, most] = next_target();
        const auto until = begun_.get(what) + 1 + random_() % most;
        const auto end = std::chrono::steady_clock::now() + 250ms * support::slower;
        while (begun_.get(what) < until && std::chrono::steady_clock::now() < end) {
            if (!all_alive()) return false;
            support::pass_time(100us);
        }
        support::pass_time(std::chrono::microseconds{random_() % 3'000});
        if (!all_alive()) return false;
        const int before = killed_;
        if (random_() % 4 == 0)
            while (children_.size() > 1) kill_one();
        kill_one();
        tally_[stage_now()] += killed_ - before;
        return true;
    }

    void kill_one() {
        const auto at =
            children_.begin() + static_cast<std::ptrdiff_t>(random_() % children_.size());
        (void)(*at)->kill();
        children_.erase(at);
        ++killed_;
    }

    /// What they are killed at, and how many of it they may begin before.
    [[nodiscard]] std::pair<crash::marks::kind, std::uint64_t> next_target() {
        switch (stage_now()) {
            case planning:
                if (random_() % 3 != 0) return {crash::marks::count, 20};
                return {crash::marks::fetch, 5};
            case fetching:
                if (random_() % 2 == 0) return {crash::marks::fetch, 25};
                return {crash::marks::map, 400};
            default:
                if (random_() % 3 == 0) return {crash::marks::last_map, 40};
                return {crash::marks::map, 400};
        }
    }

    void finish_round() {
        if (children_.empty()) start_child();
        const auto end = std::chrono::steady_clock::now() + 1min * support::slower;
        for (const auto& each : children_) {
            while (!each->has_ended() && std::chrono::steady_clock::now() < end)
                support::pass_time(500us);
            if (!each->has_ended())
                problems_ += "a process does not come to its end\n";
            else if (each->status() != 0)
                problems_ += "the last process of a round failed\n";
        }
        children_.clear();
    }

    void check_round() {
        if (stage_now() != ended) return void(problems_ += "the run is not completed\n");
        const crash::goods_of_round source{seed_, read_moments(directory_.path())};
        support::feed_audit audit{*storage_, "goods"};
        std::map<std::string, std::string> wanted;
        for (const auto& [id, each] : source.all())
            bulk::json::write_row(wanted[id], crash::offer_of(each), {.reveal_pii = true});
        audit.check_set(wanted, source.removed());
        audit.check_runs();
        const auto runs = audit.runs();
        if (runs.size() != round_ + 1)
            audit.wrong(std::to_string(runs.size()) + " runs in " + std::to_string(round_ + 1) +
                        " rounds");
        const auto& run = runs.back();
        const auto expect = [&](const char* what, std::uint64_t is, std::uint64_t right) {
            if (is != right)
                audit.wrong(std::to_string(is) + ' ' + what + ", not " + std::to_string(right));
        };
        expect("records", run.records, source.count(run.window));
        expect("changed", run.changed, source.changed_now());
        expect("consolidated", run.consolidated, source.changed_now());
        expect("removed", run.removed, source.removed_now());
        expect("partitions", run.completed, run.partitions);
        const auto standing = storage_->feeds().watermark_of("goods").value();
        if (standing.value != run.window.to) audit.wrong("the watermark is not where it must be");
        expect("versions", standing.version, round_ + 1);
        if (!audit.problems().empty())
            problems_ += "round " + std::to_string(round_) + ":\n" + audit.problems();
    }

    /// Whoever looks for work buries the dead; then nothing of them is left.
    void check_rest() {
        (void)storage_->feeds().claim_page(
            {.feeds = {"goods"}, .now = bulk::system_clock{}.now(), .lease_time = 1s});
        storage_.reset();
        {
            support::raw_database raw{database_in(directory_.path())};
            if (raw.run("PRAGMA integrity_check") != "ok") problems_ += "the database is damaged\n";
            for (const std::string of :
                 {"bulk_feed_partitions WHERE leased_until IS NOT NULL OR state <> 2",
                  "bulk_feed_batches", "bulk_feed_raw", "bulk_feed_bad"})
                if (const auto count = raw.run("SELECT count(*) FROM " + of); count != "0")
                    problems_ += count + " left in " + of + '\n';
        }
        const std::set<std::string> known{"bulk.db", "bulk.db-files", "marks", "moments"};
        for (const auto& name : directory_.names())
            if (!known.contains(name)) problems_ += "left behind: " + name + '\n';
    }

    std::uint64_t seed_;
    int kills_;
    std::mt19937_64 random_;
    support::temporary_directory directory_;
    crash::marks begun_;
    std::optional<support::sqlite_backend> storage_;
    std::vector<std::unique_ptr<child_process>> children_;
    std::size_t round_ = 0;
    int killed_ = 0;
    std::array<int, 4> tally_{};
    std::string problems_;
};

}  // namespace

int main(int argc, char** argv) {
    if (std::string_view{argv[0]} == "child") return play_child(argv);
    support::prefer_memory();
    const int kills = argc > 1 ? std::atoi(argv[1]) : kills_per_seed;
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    int failed = 0, done = 0;
    std::size_t rounds = 0;
    std::array<int, 4> tally{};
    for (; done < kills && failed < 3; ++seed) {
        const int now = std::min(kills_per_seed, kills - done);
        killing once{seed, now};
        const auto problems = once.play();
        if (!problems.empty()) {
            std::printf("seed %llu (crash_feed_kills %d %llu): %s",
                        static_cast<unsigned long long>(seed), now,
                        static_cast<unsigned long long>(seed), problems.c_str());
            ++failed;
        }
        done += once.killed();
        rounds += once.rounds();
        for (const auto each : {planning, fetching, consolidating, ended})
            tally[each] += once.killed(each);
    }
    std::printf("%d kills in %zu runs:", done, rounds);
    for (std::size_t i = 0; i < tally.size(); ++i)
        std::printf(" %d %s%s", tally[i], stage_names[i], i + 1 < tally.size() ? "," : "");
    std::printf("; %d failed\n", failed);
    // Moments at which nobody is killed are not tested, whatever the seeds say.
    const bool is_everywhere =
        tally[planning] > 0 && tally[fetching] > 0 && tally[consolidating] > 0;
    if (kills >= kills_per_seed && failed == 0 && !is_everywhere)
        return complain("not all stages of a run were hit");
    return failed == 0 ? 0 : 1;
}
