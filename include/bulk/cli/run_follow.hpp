// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/progress.hpp>
#include <bulk/cli/progress_display.hpp>
#include <bulk/cli/run_progress.hpp>
#include <bulk/cli/run_summary.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/service.hpp>

#include <chrono>
#include <string_view>

namespace bulk::cli {

/// Watches a run until nobody works on it any more or the program is interrupted, and shows how far
/// it is.
class run_follower {
public:
    run_follower(const invocation& program, bulk::feed_service& service)
        : program_{program}, service_{service} {}

    [[nodiscard]] result<feed_run> follow(run_id id) {
        progress_display<run_progress> display{program_};
        const auto began = program_.now();
        while (true) {
            auto run = service_.wait(id, std::chrono::milliseconds{100});
            display.tell(program_.take_log());
            if (run || run.error().code != errc::timed_out) return run;
            run = service_.get(id);
            if (!run || program_.is_interrupted()) return run;
            display.show(progress_of(*run, began));
        }
    }

private:
    [[nodiscard]] run_progress progress_of(const feed_run& run, timestamp began) {
        const auto now = program_.now();
        run_progress at{.run = run, .state = service_.state_of(run), .elapsed = now - began};
        auto& meter = at.is_fetched() ? items_ : records_;
        meter.add(now, at.done());
        at.rate = meter.rate();
        if (run.consolidate_at && *run.consolidate_at > now)
            at.waits = std::chrono::ceil<std::chrono::seconds>(*run.consolidate_at - now);
        return at;
    }

    const invocation& program_;
    bulk::feed_service& service_;
    rate_meter records_;
    rate_meter items_;
};

/// The feed that follows one whose run has completed is started before the service is shut down.
inline void report_following(const invocation& program, bulk::feed_service& service,
                             std::string_view feed) {
    if (feed.empty()) return;
    if (auto closed = service.shutdown(); !closed) return program.remark(closed.error().message);
    const auto next = newest_run(service, feed);
    if (next && *next && is_active(**next))
        program.remark(concat("feed '", feed, "' follows with run ", to_text((*next)->id),
                              "; work on it: ", program.program(), " worker --drain"));
}

/// Works on a run in this process until its end, and reports. When it is interrupted it says how to
/// go on.
inline int work_to_end(const invocation& program, bulk::feed_service& service, run_id id) {
    auto ended = run_follower{program, service}.follow(id);
    if (!ended) return program.complain(ended.error());
    const bool is_interrupted = is_active(*ended);
    if (is_interrupted) {
        program.remark("interrupted: pages in flight are finishing; once more to stop at once");
        if (auto closed = service.shutdown(); !closed) program.remark(closed.error().message);
    }
    const auto report = run_summary::of(program, service, id);
    if (!report) return program.complain(report.error());
    report->write();
    if (is_interrupted) {
        program.remark(
            concat("nothing is lost; go on with: ", program.program(), " worker --drain"));
        return exit_code::interrupted;
    }
    report->advise();
    if (const auto* feed = feed_for(service, ended->feed); feed != nullptr && ended->completed_at)
        report_following(program, service, feed->options().then);
    return exit_code_of(*ended);
}

}  // namespace bulk::cli
