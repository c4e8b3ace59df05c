// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/core/error.hpp>

#include <string>
#include <utility>

namespace bulk::cli {

/// Ends a run, wherever it is worked on.
class feed_cancel_verb final : public feed_verb {
public:
    explicit feed_cancel_verb(open_feeds open)
        : feed_verb{std::move(open),
                    {.name = "cancel",
                     .summary = "end a run; pages in flight are thrown away, the watermark is kept",
                     .examples = "feed cancel diamonds --reason 'the source is being moved'"}} {}

    void declare(flags& to) override {
        declare_run(to, run_);
        to.text("--reason", reason_, "why, for whoever looks at it");
    }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        const auto run = find_run(service, run_);
        if (!run) return program.complain(run.error());
        const auto cancelled = service.cancel(run->id, reason_, {});
        if (!cancelled) return program.complain(cancelled.error());
        if (program.settings().json)
            program.print(json_of(*cancelled, service.state_of(*cancelled)));
        else
            program.out().stream << to_text(run->id) << " is cancelled; the watermark of '"
                                 << run->feed << "' is kept\n";
        return exit_code::success;
    }

    std::string run_;
    std::string reason_;
};

/// Forgets a run that nobody works on.
class feed_remove_verb final : public feed_verb {
public:
    explicit feed_remove_verb(open_feeds open)
        : feed_verb{std::move(open),
                    {.name = "remove",
                     .summary = "forget a run that has ended; the canonical set stays as it is",
                     .examples = "feed remove 0190163d-8694-739b-aea5-966c26f8ad90"}} {}

    void declare(flags& to) override { declare_run(to, run_); }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        const auto run = find_run(service, run_);
        if (!run) return program.complain(run.error());
        if (auto removed = service.remove(run->id); !removed)
            return program.complain(removed.error());
        if (program.settings().json)
            program.print(line_of("removed_run")
                              .add("id", to_text(run->id))
                              .add("feed", run->feed)
                              .add("is_removed", true));
        else
            program.out().stream << to_text(run->id) << " is removed\n";
        return exit_code::success;
    }

    std::string run_;
};

}  // namespace bulk::cli
