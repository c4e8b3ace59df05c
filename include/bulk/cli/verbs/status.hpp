// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/follow.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/operation_verb.hpp>
#include <bulk/cli/summary.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/service/service.hpp>

#include <utility>

namespace bulk::cli {

/// How far an operation is, and what came of it.
class status_verb final : public operation_verb {
public:
    status_verb()
        : operation_verb{{.name = "status",
                          .summary = "show how far an operation is, step by step",
                          .examples = "status\n"
                                      "status 0190163d-8694-739b-aea5-966c26f8ad90 --follow"},
                         id_word::optional} {}

private:
    void declare_own(flags& to) override {
        to.yes("--follow,-f", follow_, "watch it until its end; whoever runs it, this does not");
    }

    int perform(const invocation& program, bulk::service& service, operation_record of) override {
        const bool watched = follow_ && !is_final(of.state);
        if (watched) {
            auto now = follower{program, service}.follow(of.id);
            if (!now) return program.complain(now.error());
            of = std::move(*now);
        }
        auto report = cli::summary::of(program, service, std::move(of));
        if (!report) return program.complain(report.error());
        report->write();
        return watched && program.is_interrupted() ? exit_code::interrupted : exit_code::success;
    }

    bool follow_ = false;
};

}  // namespace bulk::cli
