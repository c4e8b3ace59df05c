// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/progress.hpp>
#include <bulk/cli/progress_display.hpp>
#include <bulk/cli/summary.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/service/service.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::cli {

/// Watches an operation until it is at rest or the program is interrupted, and shows how far it is.
class follower {
public:
    follower(const invocation& program, bulk::service& service)
        : program_{program}, service_{service} {}

    /// The operation as it is when nothing is to be waited for any more: it has ended, somebody
    /// interrupts, or this process, which `runs` it, refuses to go on with it.
    [[nodiscard]] result<operation_record> follow(operation_id id, bool runs = false) {
        progress_display<progress> display{program_};
        const auto began = program_.now();
        while (true) {
            auto record = service_.wait(id, std::chrono::milliseconds{100});
            display.tell(program_.take_log());
            if (!record && record.error().code != errc::timed_out) return record;
            if (record && is_final(record->state)) return record;
            record = service_.get(id);
            if (!record || program_.is_interrupted()) return record;
            if (runs && is_refused(*record, program_.now() - began)) return record;
            display.show(progress_of(*record, began));
        }
    }

private:
    /// An error on an operation that has not ended says why it was not gone on with. One that may
    /// be moved to the steps of now still has the one of before for a moment.
    [[nodiscard]] bool is_refused(const operation_record& record,
                                  std::chrono::microseconds waited) const {
        constexpr std::chrono::seconds longest_wait{5};
        return !record.error_message.empty() && has_other_steps(program_.operations(), record) &&
               (program_.settings().service.on_changed_steps == changed_steps::refuse ||
                waited > longest_wait);
    }

    [[nodiscard]] progress progress_of(const operation_record& record, timestamp began) {
        const auto now = program_.now();
        if (record.validated) meter_.add(now, record.rows.processed);
        progress at{.title = record.file_name,
                    .id = record.id,
                    .state = record.state,
                    .paused = record.paused,
                    .total_known = record.validated,
                    .rows = record.rows,
                    .rate = meter_.rate(),
                    .elapsed = now - began};
        // Counted in this process: nothing is asked of the storage ten times a second.
        for (const auto& each : service_.metrics().operations)
            if (same_name(each.name, record.name)) {
                at.waiting = each.waiting_rows;
                for (const auto& step : each.steps)
                    at.steps.emplace_back(step.name, step.durations.count);
            }
        return at;
    }

    const invocation& program_;
    bulk::service& service_;
    rate_meter meter_;
};

/// Runs an operation that this process has taken in or taken up until its end, and reports. When it
/// is interrupted it says how to go on: `again` is the command for that.
inline int run_to_end(const invocation& program, bulk::service& service, operation_id id,
                      std::string_view again) {
    auto ended = follower{program, service}.follow(id, true);
    if (!ended) return program.complain(ended.error());
    if (!is_final(ended->state) && !program.is_interrupted())
        return program.complain(
            concat(ended->error_message,
                   "; run it with the program that began it, or with --changed-steps by_name"));
    if (!is_final(ended->state)) {
        program.remark("interrupted: rows in flight are finishing; once more to stop at once");
        if (auto closed = service.shutdown(); !closed) program.remark(closed.error().message);
        if (auto now = service.get(id)) ended = std::move(now);
    }
    auto report = summary::of(program, service, *ended);
    if (!report) return program.complain(report.error());
    report->write();
    if (!is_final(ended->state)) {
        program.remark(concat("nothing is lost; go on with: ", again));
        return exit_code::interrupted;
    }
    if (ended->rows.failed > 0 && !program.settings().json) {
        program.remark(
            concat("each failed row: ", program.program(), " errors ", to_text(id), " --rows"));
        if (const auto retry = service.can_retry(id); retry && retry->is_eligible)
            program.remark(concat("try them again: ", program.program(), " retry ", to_text(id)));
        else
            program.remark(concat("to correct and run them again: ", program.program(), " export ",
                                  to_text(id), " --kind data --rows failed --output FILE"));
    }
    return exit_code_of(ended->state);
}

}  // namespace bulk::cli
