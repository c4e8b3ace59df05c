// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/operation_verb.hpp>
#include <bulk/cli/output_file.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/service.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::cli {

/// Writes rows out: a report about them, or the rows themselves.
class export_verb final : public operation_verb {
public:
    export_verb()
        : operation_verb{
              {.name = "export",
               .summary = "write a report about rows, or the rows themselves to be run again",
               .examples = "export last --rows failed --output failed.csv\n"
                           "export last --kind data --rows failed --guard --output to-correct.csv"},
              id_word::optional} {}

private:
    void declare_own(flags& to) override {
        to.choice("--kind", options_.kind, "about the rows, or the rows themselves (report)");
        to.choice("--format", options_.format, "of the file (csv)");
        to.choice("--rows", options_.rows, "which ones (all)");
        to.yes("--guard", options_.guard,
               "with --kind data: keep spreadsheets from computing cells; undone when it is run");
        to.choice("--state", options_.state, "only rows in this state");
        to.choice("--failure", options_.failure, "only rows that failed like this");
        to.text("--step", options_.step, "only rows that are at this step", "NAME");
        to.numbers("--row", only_, "only this row; may be given several times");
        to.text("--output,-O", path_, "a file instead of the standard output", "FILE");
    }

    [[nodiscard]] result<> check(const invocation& program) const override {
        if (path_.empty() && program.settings().json)
            return fail(errc::invalid_argument,
                        "--json describes the export: write that to a file with --output");
        return {};
    }

    int perform(const invocation& program, bulk::service& service, operation_record of) override {
        for (const auto row : only_) options_.only.push_back(row_number{row});
        auto file = output_file::open(path_, program);
        if (!file) return program.give_up(file.error());
        const auto written = service.export_rows(
            of.id, options_, [&](std::string_view part) { return file->write(part); });
        if (!written) return program.give_up(written.error());
        if (auto kept = file->keep(); !kept) return program.give_up(kept.error());
        report(program, *written);
        return written->file_error.empty() ? exit_code::success : exit_code::failed;
    }

    void report(const invocation& program, const export_summary& written) const {
        if (program.settings().json) {
            program.print(line_of("export")
                              .add("rows", written.rows)
                              .add("left_out", written.left_out)
                              .add("content_type", written.content_type)
                              .add("file", path_)
                              .add("file_error", written.file_error));
            return;
        }
        program.remark(concat(count_text(written.rows, "row"), " exported",
                              path_.empty() ? "" : concat(" to ", path_)));
        if (written.left_out > 0)
            program.remark(concat(count_text(written.left_out, "row"),
                                  " left out: this format cannot hold them"));
        if (!written.file_error.empty())
            program.remark(concat("what follows is missing: ", written.file_error));
    }

    std::string path_;
    std::vector<std::uint64_t> only_;
    export_options options_;
};

}  // namespace bulk::cli
