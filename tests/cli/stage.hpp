// A program on a storage in memory: what it is told, and what it says. Compiled once, in stage.cpp.
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/operation/outcome.hpp>
#include <bulk/rows/json/object.hpp>
#include <bulk/storage/memory/storage.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage {

/// What the step "Book" of the operation "transfers" does with an account; unset: it succeeds.
inline std::function<bulk::outcome(std::string_view account, const std::stop_token&)> book;

struct answer {
    int code = 0;
    std::string out{};
    std::string err{};

    [[nodiscard]] bool says(std::string_view text) const { return out.contains(text); }
    [[nodiscard]] bool complains(std::string_view text) const { return err.contains(text); }
};

/// What surrounds a program, and the storage that it opens.
struct program {
    using words = std::vector<std::string>;

    explicit program(bulk::memory::storage on = {}) : storage{std::move(on)} {
        std::filesystem::remove_all(directory);
        std::filesystem::create_directories(directory);
        book = {};
    }
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program() {
        std::filesystem::remove_all(directory);
        book = {};
    }

    /// With the one operation "transfers".
    answer run(words command);
    /// With "approvals" as well, whose rows wait for a signal `key-N`.
    answer run_both(words command);

    /// A file in a directory of its own; its path.
    std::string file(const std::string& name, std::string_view content) const {
        const auto path = directory / name;
        std::ofstream{path, std::ios::binary} << content;
        return path.string();
    }
    /// Three transfers: one succeeds, one fails at its second step, one is refused.
    std::string three() const {
        return file("june.csv", "account,amount\nA-1,10\nA-2,20\nA-3,-5\n");
    }
    std::string good() const { return file("good.csv", "account,amount\nA-1,10\nA-4,20\n"); }

    std::filesystem::path directory =
        std::filesystem::temp_directory_path() /
        ("bulk-cli-" + std::to_string(static_cast<std::uint64_t>(
                           std::chrono::steady_clock::now().time_since_epoch().count())));
    bulk::memory::storage storage;
    std::map<std::string, std::string> environment;
    bool is_terminal = false;
    bool has_color = false;
    std::size_t width = 80;
    std::atomic<bool> interrupted = false;
    std::function<void()> before_interruption;  ///< called when a verb asks whether there is one
    std::function<bulk::timestamp()> now = [] { return bulk::system_clock{}.now(); };
    std::optional<bulk::error> broken;  ///< what opening the storage fails with
    bool is_output_broken = false;
    int opened = 0;
    std::string opened_path;
};

/// One line of JSON by its names; nested values as they are written.
class parsed {
public:
    explicit parsed(std::string_view line) {
        auto read = bulk::json::read_members(line);
        is_object = read.has_value();
        if (read)
            for (auto& [name, value] : *read) members_[name] = value.text;
    }
    [[nodiscard]] std::string operator[](const std::string& name) const {
        const auto found = members_.find(name);
        return found == members_.end() ? "(none)" : found->second;
    }
    bool is_object = false;

private:
    std::map<std::string, std::string> members_;
};

[[nodiscard]] inline std::vector<std::string> lines(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        all.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

/// The words of a command line, as a shell splits it; only single quotes quote.
[[nodiscard]] inline program::words words_of(std::string_view line) {
    program::words all{""};
    bool is_quoted = false;
    for (const char c : line)
        if (c == '\'')
            is_quoted = !is_quoted;
        else if (c == ' ' && !is_quoted)
            all.emplace_back();
        else
            all.back() += c;
    return all;
}

/// The id that stands in an answer.
[[nodiscard]] inline std::string id_in(std::string_view text) {
    for (std::size_t i = 0; i + 36 <= text.size(); ++i)
        if (bulk::parse_operation_id(text.substr(i, 36))) return std::string{text.substr(i, 36)};
    return {};
}

}  // namespace stage
