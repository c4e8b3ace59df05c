// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/json_line.hpp>
#include <bulk/cli/log_queue.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/surroundings.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/options.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/service.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// What the shell is told.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int failed = 1;  ///< the operation, or what was asked for
inline constexpr int usage = 2;
inline constexpr int some_failed = 3;    ///< rows, partitions or items; all else is done
inline constexpr int interrupted = 130;  ///< as shells do: 128 and the number of SIGINT
}  // namespace exit_code

[[nodiscard]] constexpr int exit_code_of(operation_state state) {
    if (state == operation_state::completed) return exit_code::success;
    if (state == operation_state::completed_with_errors) return exit_code::some_failed;
    return exit_code::failed;
}

/// A program at work: what it was told, and all that a verb needs to do it.
class invocation {
public:
    using open_service =
        std::function<result<std::unique_ptr<bulk::service>>(const program_settings&, log_handler)>;

    /// Of a program that has operations, and maybe feeds.
    invocation(std::vector<std::string> command, surroundings around, const catalog& operations,
               open_service open, bool has_feeds = false)
        : command_{std::move(command)},
          around_{std::move(around)},
          contents_{.operations = true, .feeds = has_feeds},
          operations_{&operations},
          open_{std::move(open)} {}
    /// Of a program that has feeds alone: nobody asks it for operations.
    invocation(std::vector<std::string> command, surroundings around)
        : command_{std::move(command)},
          around_{std::move(around)},
          contents_{.operations = false, .feeds = true} {}

    [[nodiscard]] const screen& out() const { return around_.out; }
    [[nodiscard]] const screen& err() const { return around_.err; }
    [[nodiscard]] timestamp now() const { return around_.now(); }
    [[nodiscard]] bool is_interrupted() const { return around_.is_interrupted(); }
    [[nodiscard]] const surroundings& around() const { return around_; }
    [[nodiscard]] const program_contents& contents() const { return contents_; }
    [[nodiscard]] const catalog& operations() const { return *operations_; }
    [[nodiscard]] const program_settings& settings() const { return settings_; }
    [[nodiscard]] program_settings& settings() { return settings_; }

    /// The name that the program was called by.
    [[nodiscard]] std::string program() const {
        if (command_.empty()) return "bulk";
        return command_[0].substr(command_[0].find_last_of('/') + 1);
    }
    /// How to call it again in the same way, for a shell.
    [[nodiscard]] std::string command_line() const {
        std::string line = program();
        for (std::size_t i = 1; i < command_.size(); ++i) line += ' ' + quoted(command_[i]);
        return line;
    }

    /// A service that runs operations, or one that only takes them in and answers.
    [[nodiscard]] result<std::unique_ptr<bulk::service>> open(scheduling where) const {
        auto options = settings_;
        options.service.scheduler = where;
        if (auto valid = validate(options.service); !valid)
            return std::unexpected{std::move(valid).error()};
        auto opened = open_(options, log());
        if (opened && where != scheduling::none)  // else it would never do anything
            if (auto usable = (*opened)->usable(); !usable)
                return std::unexpected{std::move(usable).error()};
        return opened;
    }
    /// For services: `take_log` gives what they say.
    [[nodiscard]] log_handler log() const {
        return log_queue::handler(log_, settings_.verbose ? log_level::debug : log_level::warning);
    }

    /// Says what is wrong; the exit code for it.
    int complain(std::string_view what, int code = exit_code::failed) const {
        if (settings_.json) {
            const auto line = line_of("error").add("message", what);
            err().stream << line.json() << '\n';
        } else {
            say(what);
        }
        return code;
    }
    int complain(const error& what) const {
        const bool is_usage = what.code == errc::invalid_argument;
        return complain(what.message, is_usage ? exit_code::usage : exit_code::failed);
    }
    /// The same of what was being read or written, which an interruption may have ended.
    int give_up(const error& what) const {
        return is_interrupted() ? complain(what.message, exit_code::interrupted) : complain(what);
    }
    /// Something worth knowing that is not the answer: machines do not want it.
    void remark(std::string_view what) const {
        if (!settings_.json) say(what);
    }
    /// What the service had to say meanwhile.
    [[nodiscard]] std::vector<std::string> take_log() const { return log_->take(); }
    void write_log() const {
        for (const auto& line : take_log()) remark(line);
    }
    void print(const json_line& line) const { out().stream << line.json() << '\n'; }

private:
    /// In one piece, so that lines of several processes do not mix.
    void say(std::string_view what) const {
        err().stream << concat(program(), ": ", one_line(what), '\n') << std::flush;
    }

    [[nodiscard]] static std::string quoted(const std::string& word) {
        constexpr std::string_view safe =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+";
        if (!word.empty() && word.find_first_not_of(safe) == std::string::npos) return word;
        std::string text{'\''};
        for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
        return text + '\'';
    }

    std::vector<std::string> command_;
    surroundings around_;
    program_contents contents_;
    const catalog* operations_ = nullptr;
    open_service open_;
    program_settings settings_;
    std::shared_ptr<log_queue> log_ = std::make_shared<log_queue>();
};

}  // namespace bulk::cli
