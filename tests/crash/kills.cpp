// Processes that are killed at random moments, from one seed, and started again until all is done:
// afterwards every row must be accounted for, what steps wrote in their transactions must be there
// exactly once, and what they did besides must have been done again for few rows only.
// `crash_kills KILLS SEED` runs other seeds, 50 kills each; one that fails is printed.
#include "kill_seeds.hpp"
#include "run_again.hpp"
#include "transfer.hpp"

#include <bulk/storage/sqlite/storage.hpp>

#include <support/child_process.hpp>
#include <support/crash_audit.hpp>
#include <support/seeded_executor.hpp>
#include <support/temporary_directory.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using support::child_process, support::crash_audit;

namespace {

using operations =
    std::remove_const_t<decltype(bulk::operations<crash::transfer, crash::strides, crash::uneven>)>;
constexpr int kills_per_seed = 50;

int complain(const std::string& what) {
    std::printf("%s\n", what.c_str());
    return 1;
}

bulk::upload file(std::string text) { return {"x.csv", bulk::bytes_of_text(std::move(text))}; }

// --- what the children do ------------------------------------------------------------------------

/// Takes so many files in, runs them, and retries every second one when it has ended.
int run(const std::string& directory, std::uint64_t seed, int count) {
    auto storage = bulk::sqlite::storage::open(crash_audit::database_in(directory));
    if (!storage) return complain(storage.error().message);
    bulk::service service{operations{}, *storage, crash::options()};
    const auto there = service.query(bulk::operation_query{.page_size = 1000});
    if (!there) return complain(there.error().message);
    std::map<std::string, bulk::operation_id> known;
    for (const auto& each : there->items) known.emplace(each.idempotency_key, each.id);
    std::vector<bulk::operation_id> ids;
    for (int i = 0; i < count; ++i) {
        const auto key = std::to_string(i);
        // The last one is asked for once more: whoever was killed does not know what became of it.
        if (known.contains(key) && i + 1 != static_cast<int>(known.size())) {
            ids.push_back(known[key]);
            continue;
        }
        const auto id =
            service.create<crash::batch>("transfer", file(crash::file_of(crash::kinds_of(seed, i))),
                                         {.metadata = {i}, .idempotency_key = key});
        if (!id) return complain(id.error().message);
        ids.push_back(*id);
    }
    for (int i = 0; i < count; ++i) {
        const auto id = ids[static_cast<std::size_t>(i)];
        const auto done = service.wait(id, 2min);
        if (!done) return complain(done.error().message);
        if (i % 2 != 0 || done->retry_count > 0) continue;
        const auto possible = service.can_retry(id);
        if (!possible) return complain(possible.error().message);
        if (!possible->is_eligible) continue;
        std::ofstream{crash::retry_note(directory, i)};
        if (const auto again = service.retry(id); !again) return complain(again.error().message);
        if (const auto end = service.wait(id, 2min); !end) return complain(end.error().message);
    }
    return 0;
}

/// Sends what rows wait for, or will wait for, until it is killed.
int send(const std::string& directory, std::uint64_t seed, int life) {
    auto storage = bulk::sqlite::storage::open(crash_audit::database_in(directory));
    if (!storage) return complain(storage.error().message);
    auto options = crash::options();
    options.scheduler = bulk::scheduling::none;
    bulk::service service{operations{}, *storage, options};
    std::mt19937_64 random{seed + static_cast<std::uint64_t>(life)};
    std::set<std::tuple<std::string, std::uint32_t, std::uint64_t>> sent;
    while (true) {
        const auto there = service.query(bulk::operation_query{.page_size = 1000});
        if (!there) return complain(there.error().message);
        std::optional<bulk::operation_id> active;
        for (const auto& each : there->items) {
            if (is_final(each.state)) continue;
            active = each.id;
            const int index = std::atoi(each.idempotency_key.c_str());
            const auto kinds = crash::kinds_of(seed, index);
            for (std::uint64_t row = 1; row <= kinds.size(); ++row) {
                if (random() % 5 != 0) continue;
                if (!sent.emplace(each.idempotency_key, each.retry_count, row).second) continue;
                const auto key = bulk::full_signal_key(
                    each.id, crash::key_of(row, static_cast<int>(each.retry_count) + 1),
                    bulk::row_number{row});
                // A second one is refused, and so is one to a row that has ended.
                if (kinds[row - 1] == "refused" && each.retry_count == 0)
                    (void)service.fail_signal(key, "no");
                else
                    (void)service.signal(key);
            }
        }
        if (active)
            (void)service.wait(*active, 2ms);
        else
            support::pass_time(2ms);
    }
}

/// Runs one operation whose rows all go well.
int stride(const std::string& directory, const std::string& name, std::size_t rows,
           const bulk::service_options& options) {
    auto storage = bulk::sqlite::storage::open(crash_audit::database_in(directory));
    if (!storage) return complain(storage.error().message);
    bulk::service service{operations{}, *storage, options};
    const auto id = service.create<crash::batch>(
        name, file(crash::file_of(std::vector<std::string>(rows, "good"))),
        {.idempotency_key = name});
    if (!id) return complain(id.error().message);
    return service.wait(*id, 5min) ? 0 : complain("it did not end");
}

/// ROLE DIRECTORY SEED LIFE COUNT
int play_child(char** given) {
    const std::string role = given[1], directory = given[2];
    const std::uint64_t seed = std::strtoull(given[3], nullptr, 10);
    const int life = std::atoi(given[4]), count = std::atoi(given[5]);
    crash::world here{.directory = directory,
                      .life = life,
                      .effects = support::effects_file{crash_audit::effects_in(directory)}};
    crash::now_in = &here;
    if (role == "send") return send(directory, seed, life);
    if (role == "stride") return stride(directory, "strides", 5'000, crash::options());
    if (role == "again")
        return stride(directory, "uneven", crash::run_again::rows, crash::options_of(count));
    return run(directory, seed, count);
}

// --- what the parent does ------------------------------------------------------------------------

std::uintmax_t size_of(const std::string& path) {
    std::error_code none;
    const auto size = std::filesystem::file_size(path, none);
    return none ? 0 : size;
}

/// Waits until steps have done so much more; whether they did in time.
bool sees_effects(const std::string& directory, std::uintmax_t since, std::uintmax_t bytes,
                  std::chrono::milliseconds most, child_process& child) {
    const auto path = crash_audit::effects_in(directory);
    const auto end = std::chrono::steady_clock::now() + most;
    while (size_of(path) < since + bytes) {
        if (child.has_ended() || std::chrono::steady_clock::now() > end) return false;
        support::pass_time(200us);
    }
    return true;
}

/// All the kills of one seed.
class killing {
public:
    killing(std::uint64_t seed, int kills) : seed_{seed}, kills_{kills}, random_{seed} {}
    [[nodiscard]] int killed() const { return kills_; }

    /// What is wrong, a line each.
    std::string play() {
        for (; life_ <= kills_ && problems_.empty(); ++life_) live_and_die();
        if (problems_.empty()) finish();
        if (problems_.empty()) check();
        return problems_;
    }

    [[nodiscard]] std::size_t executed() const { return executed_; }
    [[nodiscard]] std::size_t redone() const { return redone_; }

private:
    [[nodiscard]] child_process start(const std::string& role, int count) const {
        return child_process{{role, directory_.path(), std::to_string(seed_), std::to_string(life_),
                              std::to_string(count)}};
    }
    [[nodiscard]] int files_by_now() const { return 2 + life_ / 4; }

    /// From 0.3 to 40 ms, half of them below 4 ms: so long it takes to begin.
    std::chrono::microseconds random_delay() {
        const double share = std::uniform_real_distribution{0.0, 1.0}(random_);
        return std::chrono::microseconds{static_cast<std::int64_t>(300 * std::pow(133, share)) *
                                         support::slower};
    }

    void live_and_die() {
        const auto before = size_of(crash_audit::effects_in(directory_.path()));
        auto child = start("run", files_by_now());
        if (!sender_) sender_.emplace(start("send", 0));
        // Half of the kills are counted from the first thing that a step does, if there is any.
        const auto delay = random_delay();
        const bool is_at_work = random_() % 2 == 0;
        if (is_at_work) (void)sees_effects(directory_.path(), before, 1, 200ms, child);
        support::pass_time(delay);
        if (sender_->has_ended()) problems_ += "a process that sends signals ended by itself\n";
        if (random_() % 2 == 0) sender_.reset();
        if (child.has_ended() && child.status() != 0) problems_ += "a process failed by itself\n";
        (void)child.kill();
    }

    void finish() {
        auto child = start("run", files_by_now());
        if (!sender_) sender_.emplace(start("send", 0));
        if (child.wait() != 0) problems_ += "the last process did not come to its end\n";
        sender_.reset();
        // What processes have left that died while they took a file in goes when another begins.
        auto storage = bulk::sqlite::storage::open(crash_audit::database_in(directory_.path()));
        if (!storage) return void(problems_ += storage.error().message + '\n');
        support::seeded_executor jobs{seed_};
        jobs.advance(bulk::system_clock{}.now() - jobs.now() + 1s);
        auto options = crash::options();
        options.unused_upload_age = 1ms;
        const bulk::service service{operations{}, *storage, options, {}, &jobs};
        for (int i = 0; i < 100; ++i) (void)jobs.step();
    }

    void check() {
        crash_audit audit{
            directory_.path(), crash::close_step, {crash::pay_step, crash::close_step}};
        const auto all = audit.operations();
        if (all.size() != static_cast<std::size_t>(files_by_now()))
            audit.wrong("files are missing");
        for (const auto& each : all) check(audit, each);
        audit.check_files();
        problems_ += audit.problems();
    }

    void check(crash_audit& audit, const bulk::operation_record& operation) {
        const int index = std::atoi(operation.idempotency_key.c_str());
        const auto kinds = crash::kinds_of(seed_, index);
        const auto standings = audit.check(operation, kinds.size());
        const bool has_failed = std::ranges::any_of(kinds, [](const auto& each) {
            return crash::end_of(each, false) >= 0 &&
                   crash::end_of(each, false) <= crash::close_step;
        });
        const bool is_retried = index % 2 == 0 && has_failed;
        if (is_retried != (operation.retry_count == 1)) audit.wrong("retried, or not, wrongly");
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const int end = crash::end_of(kinds[i], is_retried);
            const auto& at = standings[i];
            const bool is_right =
                end > crash::close_step
                    ? at.last == crash::close_step && at.state == bulk::row_state::completed
                    : at.last == end && at.state == bulk::row_state::failed;
            if (!is_right)
                audit.wrong("file " + std::to_string(index) + ", row " + std::to_string(i + 1) +
                            " (" + kinds[i] + ") is " + std::string{bulk::name_of(at.state)} +
                            " at step " + std::to_string(at.last));
        }
        check_executions(audit, operation, index, kinds);
    }

    /// How often steps were executed, and in which lives.
    void check_executions(crash_audit& audit, const bulk::operation_record& operation, int index,
                          const std::vector<std::string>& kinds) {
        std::map<int, std::set<std::uint64_t>> redone;  // rows, by the life that did them in vain
        int first_step_life = life_;
        std::vector<const support::effect*> validations;
        for (const auto& [key, lines] : audit.effects()) {
            const auto& [name, row, step] = key;
            const bool is_validation = step == crash::validation;
            if (name != (is_validation ? std::to_string(index) : to_text(operation.id))) continue;
            std::map<std::pair<int, std::uint32_t>, std::set<int>> lives;  // of a try
            for (const auto& each : lines) {
                ++executed_;
                if (!lives[{each.run, each.attempt}].insert(each.life).second)
                    audit.wrong("row " + std::to_string(row) + ", step " + std::to_string(step) +
                                " was executed twice in life " + std::to_string(each.life));
                if (each.attempt > crash::most_attempts) audit.wrong("tried too often");
                if (is_validation)
                    validations.push_back(&each);
                else
                    first_step_life = std::min(first_step_life, each.life);
            }
            for (const auto& [which, all] : lives) {
                for (auto at = all.begin(); std::next(at) != all.end(); ++at)
                    redone[*at].insert(row);
                redone_ += all.size() - 1;
            }
            if (step == crash::send_step && kinds[row - 1] == "hopeless")
                for (std::uint32_t attempt = 1; attempt <= crash::most_attempts; ++attempt)
                    if (!lives.contains({1, attempt}))
                        audit.wrong("row " + std::to_string(row) + " was not tried so often");
        }
        for (const auto* each : validations)
            if (each->life > first_step_life)
                audit.wrong("row " + std::to_string(each->row) +
                            " was validated when its file had been");
        for (const auto& [life, rows] : redone)
            if (rows.size() > crash::most_rows_redone())
                audit.wrong(std::to_string(rows.size()) + " rows of file " + std::to_string(index) +
                            " were done again after the kill of life " + std::to_string(life));
    }

    std::uint64_t seed_;
    int kills_;
    std::mt19937_64 random_;
    support::temporary_directory directory_;
    int life_ = 1;
    std::optional<child_process> sender_;
    std::size_t executed_ = 0, redone_ = 0;
    std::string problems_;
};

/// Whoever comes after a kill goes on at once, however long the lease would have lasted.
std::string take_over() {
    const support::temporary_directory directory;
    for (int life = 1; life <= 6; ++life) {
        const auto before = size_of(crash_audit::effects_in(directory.path()));
        child_process child{{"stride", directory.path(), "1", std::to_string(life), "1"}};
        const auto most = life == 1 ? 1min : 2s * support::slower;  // the first one has to begin
        if (!sees_effects(directory.path(), before, 1, most, child))
            return "life " + std::to_string(life) + " moved no row in time\n";
        (void)sees_effects(directory.path(), before, 5'000, 2s, child);
        (void)child.kill();
    }
    crash_audit audit{directory.path(), 0, {}};
    const auto all = audit.operations();
    if (all.size() != 1 || is_final(all.front().state)) return "there was nothing to take over\n";
    return {};
}

/// Rows that run again, by how many run at once. What is wrong, a line each.
std::string count_rows_again(int kills, std::uint64_t seed) {
    std::string problems;
    for (const int concurrency : {1, 4, 8, 16}) {
        crash::run_again trial{concurrency, kills, seed};
        const auto start = [&](const std::string& directory, int life) {
            return child_process{{"again", directory, std::to_string(seed), std::to_string(life),
                                  std::to_string(concurrency)}};
        };
        const auto sees = [](const std::string& directory, std::uintmax_t bytes,
                             child_process& child) {
            const auto before = size_of(crash_audit::effects_in(directory));
            return sees_effects(directory, before, bytes, 1min, child);
        };
        if (const auto wrong = trial.play(start, sees); !wrong.empty())
            problems += "concurrency " + std::to_string(concurrency) + ": " + wrong;
        std::printf("%zu rows ran again at most after %d kills, at concurrency %d\n", trial.worst(),
                    kills, concurrency);
    }
    return problems;
}

}  // namespace

int main(int argc, char** argv) {
    if (std::string_view{argv[0]} == "child") return play_child(argv);
    support::prefer_memory();
    const int kills = argc > 1 ? std::atoi(argv[1]) : kills_per_seed;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    int failed_before = 0;
    if (const auto problems = take_over(); !problems.empty()) {
        std::printf("a takeover: %s", problems.c_str());
        ++failed_before;
    }
    if (const auto problems = count_rows_again(std::max(kills / 5, 1), seed); !problems.empty()) {
        std::printf("rows that run again: %s", problems.c_str());
        ++failed_before;
    }
    std::size_t executed = 0, redone = 0;
    const auto [done, failed] = crash::kill_by_seed<killing>(
        "crash_kills", kills, kills_per_seed, seed, failed_before, [&](const killing& once) {
            executed += once.executed();
            redone += once.redone();
        });
    std::printf("%d kills, %zu steps and validations executed, %zu of them again, %d failed\n",
                done, executed, redone, failed);
    return failed == 0 ? 0 : 1;
}
