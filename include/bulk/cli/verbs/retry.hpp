// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/follow.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/operation_verb.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/service/error_groups.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/service.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Tries failed rows again.
class retry_verb final : public operation_verb {
public:
    retry_verb()
        : operation_verb{
              {.name = "retry",
               .summary = "try failed rows again, from the step at which they failed",
               .examples = "retry last\n"
                           "retry last --failure timeout --step 'Carrier Approval' --submit\n"
                           "retry last --error-group 'the account is closed'"},
              id_word::required} {}

private:
    void declare_own(flags& to) override {
        to.numbers("--row", rows_, "only this row; may be given several times");
        to.text("--step", step_, "only rows that failed at this step", "NAME");
        to.choice("--failure", filter_.failure, "only rows that failed like this");
        to.text(
            "--error-group", group_,
            "only rows with this error, as `errors` shows it; numbers and quoted text may differ",
            "ERROR");
        to.yes("--submit", submit_, "leave it to a worker instead of running it here");
    }

    [[nodiscard]] bool works() const override { return !submit_; }

    int perform(const invocation& program, bulk::service& service, operation_record of) override {
        if (!rows_.empty()) {
            filter_.rows.emplace();
            for (const auto row : rows_) filter_.rows->push_back(row_number{row});
        }
        if (const auto* about = description_for(program.operations(), of.name)) {
            const auto step = find_step(*about, step_);
            if (!step) return program.complain(step.error());
            filter_.step = *step;
        }
        if (auto read = read_group(service, of.id); !read) return program.complain(read.error());
        const auto answer = service.retry(of.id, filter_, {});
        if (!answer) return program.complain(answer.error());
        report(program, *answer, of.id);
        if (submit_) return exit_code::success;
        return run_to_end(program, service, of.id, concat(program.program(), " worker --drain"));
    }

    [[nodiscard]] result<> read_group(bulk::service& service, operation_id id) {
        if (!group_) return {};
        if (filter_.rows)
            return fail(errc::invalid_argument, "--row and --error-group cannot be combined");
        const auto pattern = pattern_of_group(service, id);
        if (!pattern) return std::unexpected{pattern.error()};
        auto rows = service.rows_of_group(id, filter_, *pattern);
        if (!rows && rows.error().code == errc::invalid_argument)
            return fail(errc::invalid_argument,
                        concat("--error-group: no failed row has the error \"", *group_,
                               "\"; `errors --json` lists the errors of the operation"));
        if (!rows) return std::unexpected{std::move(rows).error()};
        filter_.rows = std::move(*rows);
        return {};
    }

    /// `errors` shows a group by its pattern, or by the message of its only row, and each on one line.
    [[nodiscard]] result<std::string> pattern_of_group(bulk::service& service,
                                                       operation_id id) const {
        const auto groups = service.error_groups(id);
        if (!groups) return std::unexpected{groups.error()};
        const auto is_shown_as = [&](const error_group& each) {
            return *group_ == each.pattern || *group_ == one_line(each.pattern) ||
                   *group_ == one_line(each.sample);
        };
        const auto found = std::ranges::find_if(*groups, is_shown_as);
        return found != groups->end() ? found->pattern : error_pattern(*group_);
    }

    static void report(const invocation& program, const retry_answer& answer, operation_id id) {
        if (program.settings().json) {
            program.print(line_of("retry")
                              .add("id", to_text(id))
                              .add("submitted", answer.submitted)
                              .add("resumed", answer.resumed)
                              .add("skipped", answer.skipped)
                              .add("reasons", answer.reasons));
            return;
        }
        auto& out = program.out().stream;
        out << count_text(answer.submitted, "row") << " to be tried again";
        if (answer.resumed > 0) out << ", " << grouped(answer.resumed) << " for the first time";
        if (answer.skipped > 0) out << ", " << grouped(answer.skipped) << " left out";
        out << '\n';
        for (const auto& why : answer.reasons) out << "  " << one_line(why) << '\n';
        out.flush();
    }

    std::string step_;
    std::optional<std::string> group_;
    std::vector<std::uint64_t> rows_;
    retry_filter filter_;
    bool submit_ = false;
};

}  // namespace bulk::cli
