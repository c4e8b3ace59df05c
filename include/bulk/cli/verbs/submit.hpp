// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/intake.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/options.hpp>

#include <string_view>

namespace bulk::cli {

/// Takes a file in and leaves the rest to a worker.
class submit_verb final : public verb {
public:
    [[nodiscard]] std::string_view name() const override { return "submit"; }
    [[nodiscard]] std::string_view summary() const override {
        return "take a file in for a worker, and print the id of the operation";
    }
    [[nodiscard]] std::string_view examples() const override {
        return "submit devices.csv --set requested_by=ops --created-by ops";
    }
    void declare(flags& to) override { intake_.declare(to); }

    int perform(session& program) override {
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
