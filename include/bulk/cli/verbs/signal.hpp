// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/signal.hpp>

#include <optional>
#include <string>

namespace bulk::cli {

/// Tells a row that waits what it waits for.
class signal_verb final : public verb {
public:
    signal_verb()
        : verb{{.name = "signal",
                .summary = "complete a step that waits for somebody, or fail it",
                .examples =
                    "signal last carrier-490154203237518\n"
                    "signal last carrier-490154203237518 --fail 'the carrier refused'\n"
                    "signal 0190163d-8694-739b-aea5-966c26f8ad90:carrier-490154203237518:17"}} {}

    void declare(flags& to) override {
        to.word("ID", target_, "of the operation, or all of operation:key:row for one row");
        to.optional_word("KEY", key_, "what the row waits for; of several, the longest waiting");
        to.text("--fail", failure_, "fail the step, for this reason", "WHY");
    }

    int perform(invocation& program) override {
        auto service = program.open(scheduling::none);
        if (!service) return program.complain(service.error());
        const auto sent = send(**service);
        if (!sent) return program.complain(sent.error());
        if (program.settings().json)
            program.print(
                line_of("signal")
                    .add("is_kept", sent->is_kept)
                    .add("row", sent->row ? std::optional{to_number(*sent->row)} : std::nullopt)
                    .add("step_index",
                         sent->step ? std::optional{to_number(*sent->step)} : std::nullopt));
        else if (sent->is_kept)
            program.out().stream
                << "nobody waits for it yet; it is kept for the next row that does\n";
        else
            program.out().stream << "row " << (sent->row ? to_number(*sent->row) : 0)
                                 << (failure_.empty() ? " goes on\n" : " has failed\n");
        return exit_code::success;
    }

private:
    [[nodiscard]] result<signal_receipt> send(bulk::service& service) const {
        if (key_.empty() && target_.find(':') != std::string::npos)
            return failure_.empty() ? service.signal(target_)
                                    : service.fail_signal(target_, failure_);
        if (key_.empty())
            return fail(errc::invalid_argument, concat("no key is given; write `signal ", target_,
                                                       " KEY`, or operation:key:row in one word"));
        const auto found = find_operation(service, target_);
        if (!found) return std::unexpected{found.error()};
        return failure_.empty() ? service.signal(found->id, key_)
                                : service.fail_signal(found->id, key_, failure_);
    }

    std::string target_, key_, failure_;
};

}  // namespace bulk::cli
