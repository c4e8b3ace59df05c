// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/program_parts.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <functional>
#include <string>
#include <utility>

namespace bulk::cli {

/// Where uploads are, which are no part of a copy.
[[nodiscard]] inline std::string uploads_of(const storage_settings& settings) {
    const auto& given = settings.options.files_directory;
    return given.empty() ? settings.path + "-files" : given;
}

/// Copies the database while others use it.
class backup_verb final : public verb {
public:
    explicit backup_verb(copy_function copy)
        : verb{{.name = "backup",
                .summary = "copy the database to a new file, while workers run",
                .examples = "backup /backup/monday.db"}},
          copy_{std::move(copy)} {}

    void declare(flags& to) override { to.word("COPY", file_, "a file that does not exist yet"); }

    int perform(invocation& program) override {
        const auto& settings = program.settings().storage;
        if (auto done = copy_(settings, file_); !done) return program.complain(done.error());
        if (program.settings().json)
            program.print(line_of("backup").add("copy", file_));
        else
            program.out().stream << "copied " << settings.path << " to " << file_ << '\n';
        program.remark(concat("uploads are not in the copy: copy ", uploads_of(settings),
                              " as well, after this"));
        return exit_code::success;
    }

private:
    copy_function copy_;
    std::string file_;
};

/// Puts a copy in the place of the database, which nobody may have open.
class restore_verb final : public verb {
public:
    explicit restore_verb(copy_function copy)
        : verb{{.name = "restore",
                .summary = "replace the database by a copy; stop every other process first",
                .examples = "restore /backup/monday.db"}},
          copy_{std::move(copy)} {}

    void declare(flags& to) override { to.word("COPY", file_, "made by backup"); }

    int perform(invocation& program) override {
        const auto& settings = program.settings().storage;
        const auto before = copy_(settings, file_);
        if (!before) return program.complain(before.error());
        if (program.settings().json)
            program.print(line_of("restore").add("copy", file_).add("before", *before));
        else
            program.out().stream << "restored " << settings.path << " from " << file_ << '\n';
        if (!before->empty())
            program.remark(concat("the database of before is ", *before,
                                  ": delete it when you do not need it"));
        program.remark(concat("put the uploads back as well: ", uploads_of(settings)));
        return exit_code::success;
    }

private:
    copy_function copy_;
    std::string file_;
};

}  // namespace bulk::cli
