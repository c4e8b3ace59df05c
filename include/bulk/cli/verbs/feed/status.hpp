// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/run_follow.hpp>
#include <bulk/cli/run_summary.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>

#include <string>
#include <utility>

namespace bulk::cli {

/// How far a run is, and what came of it.
class feed_status_verb final : public feed_verb {
public:
    explicit feed_status_verb(open_feeds open)
        : feed_verb{std::move(open),
                    {.name = "status",
                     .summary = "show how far a run is, partition by partition",
                     .examples = "feed status diamonds\n"
                                 "feed status 0190163d-8694-739b-aea5-966c26f8ad90 --failed\n"
                                 "feed status last --follow"}} {}

    void declare(flags& to) override {
        declare_optional_run(to, run_);
        to.yes("--failed", failed_, "only partitions that failed");
        to.yes("--unfinished", unfinished_, "only partitions that are not completed");
        to.yes("--follow,-f", follow_,
               "watch it until its end; whoever works on it, this does not");
    }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        if (failed_ && unfinished_)
            return program.complain("say either --failed or --unfinished", exit_code::usage);
        auto run = find_run(service, run_);
        if (!run) return program.complain(run.error());
        const bool watched = follow_ && is_active(*run);
        if (watched) {
            run = run_follower{program, service}.follow(run->id);
            if (!run) return program.complain(run.error());
        }
        const auto report = run_summary::of(program, service, run->id,
                                            failed_       ? shown_partitions::failed
                                            : unfinished_ ? shown_partitions::unfinished
                                                          : shown_partitions::all);
        if (!report) return program.complain(report.error());
        report->write();
        report->advise();
        return watched && is_active(*run) ? exit_code::interrupted : exit_code::success;
    }

    std::string run_ = "last";
    bool failed_ = false;
    bool unfinished_ = false;
    bool follow_ = false;
};

}  // namespace bulk::cli
