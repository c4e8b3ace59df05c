// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/output_file.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/options.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/retention.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Removes operations that have ended, with everything of them.
class prune_verb final : public verb {
public:
    prune_verb()
        : verb{{.name = "prune",
                .summary = "remove operations that ended long ago, with everything of them",
                .examples = "prune --older-than 90d --dry-run\n"
                            "prune --older-than 90d --state completed --export archive"}} {}

    void declare(flags& to) override {
        to.optional_word("ID", id_, "only this operation");
        to.span("--older-than", older_than_, "that have ended so long ago");
        to.choices("--state", options_.states, "only in this state; may be given several times");
        to.text("--export", directory_, "write a report of each there before", "DIRECTORY");
        to.yes("--dry-run", dry_run_, "only say which");
    }

    int perform(invocation& program) override {
        if (id_.empty() == !older_than_.has_value())
            return program.complain("say which operations: --older-than TIME, or the id of one",
                                    exit_code::usage);
        auto service = program.open(scheduling::none);
        if (!service) return program.complain(service.error());
        options_.before = [&](const operation_record& each) {
            return begin(program, **service, each);
        };
        prune_report report;
        if (id_.empty()) {
            options_.older_than = *older_than_;
            auto pruned = (*service)->prune(options_);
            if (!pruned) return program.complain(pruned.error());
            report = std::move(*pruned);
        } else {
            const auto found = find_operation(**service, id_);
            if (!found) return program.complain(found.error());
            auto gone = begin(program, **service, *found);
            if (gone) gone = (*service)->remove(found->id);
            if (gone) report.removed = 1;
            if (!gone && !dry_run_) return program.complain(gone.error());
        }
        write(program, report);
        return dry_run_ || report.kept.empty() ? exit_code::success : exit_code::failed;
    }

private:
    /// What comes before an operation is removed; a dry run keeps it.
    [[nodiscard]] result<> begin(const invocation& program, bulk::service& service,
                                 const operation_record& record) {
        named_.push_back(record);
        if (dry_run_) return fail(errc::invalid_argument, "this is a dry run");
        if (directory_.empty()) return {};
        const std::string path = concat(directory_, '/', to_text(record.id), ".csv");
        auto file = output_file::open(path, program);
        if (!file) return std::unexpected{std::move(file).error()};
        auto written = service.export_rows(
            record.id, {}, [&](std::string_view part) { return file->write(part); });
        if (!written) return std::unexpected{std::move(written).error()};
        if (!written->file_error.empty())
            return fail(errc::unavailable,
                        concat("its report is not whole: ", written->file_error));
        return file->keep();
    }

    void write(const invocation& program, const prune_report& report) const {
        for (const auto& each : named_)
            if (program.settings().json)
                program.print(json_of(each).add("is_removed", is_removed(report, each.id)));
            else if (dry_run_)
                program.out().stream << to_text(each.id) << "  " << moment_text(each.created_at)
                                     << "  " << state_text(each) << "  " << one_line(each.file_name)
                                     << '\n';
        if (program.settings().json) return;
        if (dry_run_)
            return program.remark(
                concat(count_text(named_.size(), "operation"), " would be removed"));
        program.out().stream << count_text(report.removed, "operation") << " removed\n";
        for (const auto& [id, why] : report.kept)
            program.complain(concat("kept ", to_text(id), ": ", why));
    }

    [[nodiscard]] bool is_removed(const prune_report& report, operation_id id) const {
        for (const auto& [kept, why] : report.kept)
            if (kept == id) return false;
        return !dry_run_;
    }

    std::string id_, directory_;
    std::optional<std::chrono::milliseconds> older_than_;
    prune_options options_;
    bool dry_run_ = false;
    std::vector<operation_record> named_;
};

}  // namespace bulk::cli
