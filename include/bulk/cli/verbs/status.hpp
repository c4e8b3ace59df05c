// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/follow.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/summary.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/options.hpp>

#include <string>
#include <utility>

namespace bulk::cli {

/// How far an operation is, and what came of it.
class status_verb final : public verb {
public:
    status_verb()
        : verb{{.name = "status",
                .summary = "show how far an operation is, step by step",
                .examples = "status\n"
                            "status 0190163d-8694-739b-aea5-966c26f8ad90 --follow"}} {}

    void declare(flags& to) override {
        to.optional_word("ID", id_, "of the operation; without it, the newest");
        to.yes("--follow,-f", follow_, "watch it until its end; whoever runs it, this does not");
    }

    int perform(invocation& program) override {
        auto service = program.open(scheduling::none);
        if (!service) return program.complain(service.error());
        auto found = find_operation(**service, id_);
        if (!found) return program.complain(found.error());
        const bool watched = follow_ && !is_final(found->state);
        if (watched) {
            found = follower{program, **service}.follow(found->id);
            if (!found) return program.complain(found.error());
        }
        auto report = cli::summary::of(program, **service, std::move(*found));
        if (!report) return program.complain(report.error());
        report->write();
        return watched && program.is_interrupted() ? exit_code::interrupted : exit_code::success;
    }

private:
    std::string id_ = "last";
    bool follow_ = false;
};

}  // namespace bulk::cli
