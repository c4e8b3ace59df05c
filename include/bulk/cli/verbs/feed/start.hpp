// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_follow.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/cli/verbs/feed/start_flags.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>

#include <string_view>
#include <utility>

namespace bulk::cli {

/// Starts a run for workers, or works on it here.
class feed_start_verb final : public feed_verb {
public:
    explicit feed_start_verb(open_feeds open)
        : feed_verb{
              std::move(open),
              {.name = "start",
               .summary = "start a run for a worker, or with --wait work on it here",
               .examples = "feed start diamonds --wait --feed-workers 8\n"
                           "feed start diamonds --full --trace nightly-42 --started-by ops"}} {}

    void declare(flags& to) override {
        wanted_.declare(to);
        wanted_.declare_labels(to);
        to.yes("--wait", wait_, "work on it here and show how far it is, until its end");
    }

private:
    [[nodiscard]] bool works() const override { return wait_; }

    int perform(const invocation& program, bulk::feed_service& service) override {
        const auto options = wanted_.options();
        if (!options) return program.complain(options.error());
        const auto feed = choose_feed(service, wanted_.feed());
        if (!feed) return program.complain(feed.error());
        const auto name = (*feed)->options().name;
        const auto started = service.start(name, *options);
        if (!started) return refuse(program, service, name, started.error());
        if (!*started) return report_nothing(program, name);
        const feed_run& run = **started;
        if (wait_) return work_to_end(program, service, run.id);
        if (program.settings().json) {
            program.print(json_of(run, service.state_of(run)));
            return exit_code::success;
        }
        program.out().stream << to_text(run.id) << '\n';
        program.remark(concat(name_of(run.type), " run of about ",
                              count_text(run.estimated, "record"), " in ",
                              count_text(run.partitions, "partition"),
                              "; work on it: ", program.program(), " worker"));
        return exit_code::success;
    }

    static int refuse(const invocation& program, bulk::feed_service& service, std::string_view feed,
                      const error& why) {
        const int code = program.complain(why);
        const auto newest = newest_run(service, feed);
        if (why.code == errc::conflict && newest && *newest && is_active(**newest))
            program.remark(concat("how far it is: ", program.program(), " feed status ", feed,
                                  "; work on it: ", program.program(), " worker --drain"));
        return code;
    }

    static int report_nothing(const invocation& program, std::string_view feed) {
        if (program.settings().json) program.print(line_of("no_run").add("feed", feed));
        program.remark(concat("the source has nothing for feed '", feed, "': no run is started"));
        return exit_code::success;
    }

    start_flags wanted_;
    bool wait_ = false;
};

}  // namespace bulk::cli
