// What steps do to the world, kept where a kill does not reach it: lines of a plain file, written before
// anything is recorded, and entries of a ledger, written in the transaction that records the step.
#pragma once

#include <bulk/operation/context.hpp>
#include <bulk/storage/sqlite/connection.hpp>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace support {

/// A step was executed.
struct effect {
    std::string operation{};
    std::uint64_t row = 0;
    int step = 0;
    std::uint32_t attempt = 1;
    int run = 1;   ///< of the operation: a retry is the second
    int life = 1;  ///< of the process: each one that is killed is followed by another
};

inline effect effect_of(const bulk::context& ctx, int run, int life) {
    return {.operation = to_text(ctx.operation()),
            .row = to_number(ctx.row()),
            .step = to_number(ctx.step()),
            .attempt = ctx.attempt(),
            .run = run,
            .life = life};
}

/// Appends lines to a file. A kill can cut a write where a page of the file ends: each line begins with its own
/// line feed and ends with a mark, so a line that was cut spoils no other and is not read.
class effects_file {
public:
    explicit effects_file(const std::string& path)
        : file_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)} {}
    effects_file(const effects_file&) = delete;
    effects_file& operator=(const effects_file&) = delete;
    ~effects_file() { ::close(file_); }

    /// Whether it could be written.
    [[nodiscard]] bool note(const effect& done) const {
        std::ostringstream line;
        line << '\n'
             << done.operation << ' ' << done.row << ' ' << done.step << ' ' << done.attempt << ' '
             << done.run << ' ' << done.life << " end";
        const std::string text = line.str();
        return ::write(file_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    }

    [[nodiscard]] static std::vector<effect> read(const std::string& path) {
        std::vector<effect> all;
        std::ifstream file{path};
        for (std::string line; std::getline(file, line);) {
            std::istringstream words{line};
            effect each;
            std::string mark;
            if (words >> each.operation >> each.row >> each.step >> each.attempt >> each.run >>
                    each.life >> mark &&
                mark == "end")
                all.push_back(std::move(each));
        }
        return all;
    }

private:
    int file_;
};

/// In the transaction of the step at hand.
[[nodiscard]] inline bulk::result<> enter_in_ledger(bulk::context& ctx, const effect& done) {
    const auto database = ctx.transaction<bulk::sqlite::connection>();
    if (!database) return std::unexpected{database.error()};
    if (auto made = (*database)->execute(
            "CREATE TABLE IF NOT EXISTS ledger (operation TEXT, row INTEGER, step INTEGER, attempt "
            "INTEGER, run INTEGER, life INTEGER)");
        !made)
        return made;
    return (*database)->execute("INSERT INTO ledger VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                                done.operation, done.row, done.step, done.attempt, done.run,
                                done.life);
}

[[nodiscard]] inline std::vector<effect> read_ledger(bulk::sqlite::connection& database) {
    std::vector<effect> all;
    const auto is_there = database.value<int>("SELECT 1 FROM sqlite_master WHERE name = 'ledger'");
    if (!is_there.value()) return all;
    for (auto found = database
                          .rows<std::string, std::uint64_t, int, std::uint32_t, int, int>(
                              "SELECT operation, row, step, attempt, run, life FROM ledger")
                          .value();
         auto& [operation, row, step, attempt, run, life] : found)
        all.push_back({operation, row, step, attempt, run, life});
    return all;
}

}  // namespace support
