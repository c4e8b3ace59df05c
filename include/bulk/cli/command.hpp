// SPDX-License-Identifier: MIT
#pragma once

// The only header that includes CLI11, which splits the command line and the file into words. What
// the words mean is ours: see flags.hpp.

#include <bulk/cli/flags.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// A command line, understood and done: settings, then a verb, maybe behind its group, and what it
/// takes.
class command {
public:
    command(invocation& program, std::span<const verb_group> groups)
        : program_{program}, app_{purpose(program.contents()), program.program()} {
        app_.require_subcommand(1)->fallthrough()->allow_config_extras(
            CLI::config_extras_mode::error);
        app_.set_config("--config", "bulk.ini", "a file with settings, such as workers=2")
            ->type_name("FILE");
        app_.get_formatter()->label("SUBCOMMAND", "VERB");
        app_.get_formatter()->label("Subcommands", "Verbs");
        flags global;
        declare(global, program.settings(), program.contents());
        add(app_, global);
        for (auto* option : settings_of(app_))
            option->description(concat(option->get_description(), " [", variable_of(*option), "]"));
        app_.footer(
            concat("Settings come from flags, else from the environment, else from the file.\n",
                   "What a verb takes, with examples: ", program.program(), " VERB --help"));
        for (const auto& each : groups) add(each);
    }

    /// The program's exit code.
    int run(const std::vector<std::string>& words) {
        if (words.empty()) {
            program_.err().stream << app_.help();
            return exit_code::usage;
        }
        // CLI11 and whatever a storage brings along may throw; nothing else does.
        try {
            auto all = with_environment(words);
            std::ranges::reverse(all);  // as CLI11 wants them
            app_.parse(std::move(all));
            return verbs_.at(chosen().back())->perform(program_);
        } catch (const CLI::CallForHelp&) {
            program_.out().stream << app_.help();
            return exit_code::success;
        } catch (const CLI::ParseError& why) {
            return refuse(why, words);
        } catch (const std::bad_alloc&) {
            return program_.complain("out of memory; free memory or raise the limit (ulimit -v)");
        } catch (const std::exception& why) {
            return program_.complain(why.what());
        }
    }

private:
    [[nodiscard]] static std::string purpose(const program_contents& has) {
        if (!has.operations)
            return "Keeps up with sources too large for one file: nothing is lost, and every "
                   "record "
                   "is accounted for.";
        return concat("Processes files of rows ", has.feeds ? "and feeds " : "",
                      "in bulk: nothing is lost, and every row is accounted for.");
    }

    void add(const verb_group& group) {
        CLI::App* in = &app_;
        if (!group.name.empty()) {
            in = app_.add_subcommand(std::string{group.name}, std::string{group.summary});
            in->require_subcommand(1);
            in->footer(concat(
                "What a verb takes, with examples: ", program_.program(), ' ', group.name,
                " VERB --help\nSettings that every verb takes: ", program_.program(), " --help"));
        }
        for (const auto& each : group.verbs) add(*in, *each);
    }

    void add(CLI::App& in, verb& each) {
        auto* sub =
            in.add_subcommand(std::string{each.text().name}, std::string{each.text().summary});
        flags own;
        each.declare(own);
        add(*sub, own);
        std::string footer = "Examples:\n";
        for (auto rest = each.text().examples; !rest.empty();) {
            const auto end = std::min(rest.find('\n'), rest.size());
            footer += concat("  ", program_.program(), ' ', rest.substr(0, end), '\n');
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        sub->footer(
            concat(footer, "\nSettings that every verb takes: ", program_.program(), " --help"));
        verbs_[sub] = &each;
    }

    static void add(CLI::App& to, const flags& declared) {
        for (const auto& each : declared.all()) {
            if (each.is_on != nullptr) {
                to.add_flag(each.name, *each.is_on, each.help);
                continue;
            }
            auto* option = to.add_option(each.name);
            option->description(each.help)->type_name(each.kind)->required(each.is_required);
            option->expected(1)->take_last();
            // One value a flag: `--set a=1 FILE` must leave the file alone.
            if (each.is_repeated) option->take_all()->allow_extra_args(false);
            // CLI11 runs a check for each value that was given, and shows what it returns.
            option->check(CLI::Validator{[take = each.take](std::string& text) {
                                             const auto fits = take(text);
                                             return fits ? std::string{} : fits.error().message;
                                         },
                                         ""});
        }
    }

    /// What the words have named so far: the program, maybe a group, and a verb.
    [[nodiscard]] std::vector<CLI::App*> chosen() {
        std::vector<CLI::App*> path{&app_};
        while (!path.back()->get_subcommands().empty())
            path.push_back(path.back()->get_subcommands().front());
        return path;
    }

    /// All options but --help.
    [[nodiscard]] static std::vector<CLI::Option*> settings_of(CLI::App& app) {
        auto all = app.get_options();
        std::erase(all, app.get_help_ptr());
        return all;
    }

    /// `--max-file-size` is BULK_MAX_FILE_SIZE.
    [[nodiscard]] static std::string variable_of(const CLI::Option& option) {
        std::string name = concat("BULK_", option.get_lnames().front());
        for (char& c : name) {
            if (c == '-') c = '_';
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        }
        return name;
    }

    [[nodiscard]] static bool is_given(std::string_view name,
                                       const std::vector<std::string>& words) {
        return std::ranges::any_of(words, [&](std::string_view word) {
            if (!word.starts_with("--")) return false;
            word.remove_prefix(2);
            return word.substr(0, word.find('=')) == name;
        });
    }

    /// What the environment says and no flag does, as flags: CLI11 itself would let the file win.
    [[nodiscard]] std::vector<std::string> with_environment(const std::vector<std::string>& words) {
        std::vector<std::string> all;
        if (!program_.around().variable) return words;
        for (const auto* option : settings_of(app_)) {
            const auto& name = option->get_lnames().front();
            const auto said = program_.around().variable(variable_of(*option));
            if (!said || said->empty() || is_given(name, words)) continue;
            all.push_back(concat("--", name, '=', *said));
            from_environment_.push_back(concat("--", name));
        }
        all.insert(all.end(), words.begin(), words.end());
        return all;
    }

    int refuse(const CLI::ParseError& why, const std::vector<std::string>& words) {
        program_.settings().json |= is_given("json", words);
        const auto path = chosen();
        std::string help = "; see:";
        for (const auto* each : path) help += concat(' ', each->get_name());
        help += " --help";
        auto unexpected = app_.remaining(true);
        if (!unexpected.empty()) {
            const auto flag = std::ranges::find_if(unexpected, is_flag);
            const auto& word = flag == unexpected.end() ? unexpected.front() : *flag;
            return program_.complain(unknown(word, path, help), exit_code::usage);
        }
        if (!verbs_.contains(path.back()) &&
            why.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
            return program_.complain(concat("no verb is given", help), exit_code::usage);
        std::string what = why.what();
        for (const auto& name : from_environment_)
            if (what.starts_with(concat(name, ':')))
                what +=
                    concat(", and the environment says so: ", variable_of(*app_.get_option(name)));
        return program_.complain(concat(what, help), exit_code::usage);
    }

    [[nodiscard]] static bool is_flag(std::string_view word) { return word.starts_with('-'); }

    /// A word that nobody expects, and what was probably meant.
    [[nodiscard]] std::string unknown(const std::string& word, const std::vector<CLI::App*>& path,
                                      const std::string& help) {
        std::vector<std::string> names;
        const bool is_verb = !is_flag(word) && !verbs_.contains(path.back());
        if (is_verb)
            for (const auto* each : path.back()->get_subcommands({}))
                names.push_back(each->get_name());
        if (is_flag(word))
            for (auto* app : path)
                for (const auto* option : app->get_options())
                    for (const auto& name : option->get_lnames())
                        names.push_back(concat("--", name));
        const std::vector<std::string_view> known{names.begin(), names.end()};
        const auto near = nearest_name(word.substr(0, word.find('=')), known);
        const std::string_view kind = is_flag(word) ? "flag" : is_verb ? "verb" : "word";
        return concat(kind == "word" ? "more words than expected, from '"
                                     : concat("there is no ", kind, " '"),
                      word, '\'', near ? concat("; did you mean '", *near, "'?") : help);
    }

    invocation& program_;
    CLI::App app_;
    std::map<const CLI::App*, verb*> verbs_;
    std::vector<std::string> from_environment_;
};

}  // namespace bulk::cli
