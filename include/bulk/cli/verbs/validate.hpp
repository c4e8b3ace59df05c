// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/input_file.hpp>
#include <bulk/cli/intake.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/summary.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/dry_run.hpp>
#include <bulk/service/reading_limits.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Says what a run would find wrong before its first step; runs and stores nothing.
class validate_verb final : public verb {
public:
    validate_verb()
        : verb{{.name = "validate",
                .summary = "check a file and its metadata; nothing is run or stored",
                .examples = "validate devices.csv --set requested_by=ops"}} {}

    void declare(flags& to) override { file_.declare(to); }

    int perform(invocation& program) override {
        const auto about = choose_operation(program.operations(), file_.operation);
        if (!about) return program.complain(about.error());
        const auto metadata = file_.metadata.text(program.operations(), **about);
        if (!metadata) return program.complain(metadata.error());
        auto opened = input_opener{program}.open(file_.path, file_.name);
        if (!opened) return program.complain(opened.error());
        const auto& service = program.settings().service;
        const auto most = static_cast<std::uint64_t>(service.max_file_size);
        const auto report =
            program.operations().validate((*about)->name, std::move(opened->content), *metadata,
                                          limited_reading({}, service), {.max_file_size = most});
        if (!report) return program.give_up(report.error());
        if (program.settings().json)
            program.print(json_of(*report, *about));
        else
            write(program.out(), *report, *about);
        const bool would_run = report->metadata_errors.empty() && report->file_error.empty() &&
                               report->operation_error.empty();
        if (!would_run) return exit_code::failed;
        return report->is_valid ? exit_code::success : exit_code::some_failed;
    }

private:
    [[nodiscard]] static json_line json_of(const dry_run_report& report,
                                           const operation_description* about) {
        std::vector<json_line> groups;
        for (const auto& each : report.groups) groups.push_back(cli::json_of(each, about));
        return line_of("validation")
            .add("is_valid", report.is_valid)
            .add("metadata_errors", report.metadata_errors)
            .add("file_error", report.file_error)
            .add("operation_error", report.operation_error)
            .add("rows", report.rows.total)
            .add("valid", report.rows.successful)
            .add("invalid", report.rows.failed)
            .add("errors", groups);
    }

    void write(const screen& on, const dry_run_report& report,
               const operation_description* about) const {
        on.stream << tinted(on, tint::strong, one_line(file_.path)) << ": "
                  << (report.is_valid ? tinted(on, tint::good, "valid")
                                      : tinted(on, tint::bad, "not valid"))
                  << ", " << count_text(report.rows.total, "row");
        if (report.rows.failed > 0)
            on.stream << ", " << grouped(report.rows.failed) << " would be refused";
        on.stream << '\n';
        for (const auto& each : report.metadata_errors)
            on.stream << "  metadata: " << one_line(each) << '\n';
        if (!report.file_error.empty())
            on.stream << "  file: " << one_line(report.file_error) << '\n';
        if (!report.operation_error.empty())
            on.stream << "  operation: " << one_line(report.operation_error) << '\n';
        if (report.groups.empty()) return;
        on.stream << '\n';
        write_groups(on, report.groups, about, 20);
    }

    file_flags file_;
};

}  // namespace bulk::cli
