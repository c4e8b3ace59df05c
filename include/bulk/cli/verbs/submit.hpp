// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/intake.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/options.hpp>

namespace bulk::cli {

/// Takes a file in and leaves the rest to a worker.
class submit_verb final : public verb {
public:
    submit_verb()
        : verb{{.name = "submit",
                .summary = "take a file in for a worker, and print the id of the operation",
                .examples = "submit devices.csv --set requested_by=ops --created-by ops"}} {}

    void declare(flags& to) override { intake_.declare(to); }

    int perform(invocation& program) override {
        auto service = program.open(scheduling::none);
        if (!service) return program.complain(service.error());
        const auto taken = intake_.take(program, **service);
        if (!taken) return program.give_up(taken.error());
        if (program.settings().json)
            program.print(json_of(taken->record).add("is_new", taken->is_new));
        else
            program.out().stream << to_text(taken->record.id) << '\n';
        if (!taken->is_new)
            program.remark(concat(
                "the same file and metadata were taken in at ",
                moment_text(taken->record.created_at), " UTC; it is ", state_text(taken->record),
                is_final(taken->record.state) ? ", --again takes it in once more" : ""));
        return exit_code::success;
    }

private:
    intake intake_;
};

}  // namespace bulk::cli
