// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/follow.hpp>
#include <bulk/cli/intake.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/summary.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/options.hpp>

namespace bulk::cli {

/// Takes a file in and runs its operation here, to the end.
class run_verb final : public verb {
public:
    run_verb()
        : verb{{.name = "run",
                .summary = "run a file to its end; the same command again goes on where it was",
                .examples = "run devices.csv --set requested_by=ops --concurrency 8\n"
                            "run devices.csv --again --json"}} {}

    void declare(flags& to) override { intake_.declare(to); }

    int perform(invocation& program) override {
        const timestamp began = system_clock{}.now();
        auto service = program.open(scheduling::channels);
        if (!service) return program.complain(service.error());
        auto taken = intake_.take(program, **service);
        if (!taken) return program.give_up(taken.error());
        // One that ended since then was gone on with by this command, before it was asked for.
        if (!taken->is_new && is_final(taken->record.state) && taken->record.completed_at < began)
            return report_ended(program, **service, *taken);
        if (!taken->is_new)
            program.remark(concat("goes on with ", to_text(taken->record.id), ", created at ",
                                  moment_text(taken->record.created_at), " UTC"));
        return run_to_end(program, **service, taken->record.id, program.command_line());
    }

private:
    static int report_ended(const invocation& program, bulk::service& service,
                            const taken_in& taken) {
        auto report = cli::summary::of(program, service, taken.record);
        if (!report) return program.complain(report.error());
        report->write();
        program.remark(
            concat("this file has run already, with the same metadata; to run it once more: ",
                   program.command_line(), " --again"));
        return exit_code_of(taken.record.state);
    }

    intake intake_;
};

}  // namespace bulk::cli
