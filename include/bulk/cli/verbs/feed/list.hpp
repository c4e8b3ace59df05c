// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/any_feed.hpp>

#include <optional>
#include <utility>

namespace bulk::cli {

/// The feeds of the program, and where each stands.
class feed_list_verb final : public feed_verb {
public:
    explicit feed_list_verb(open_feeds open)
        : feed_verb{
              std::move(open),
              {.name = "list",
               .summary =
                   "list the feeds of this program, each with its watermark and its newest run",
               .examples = "feed list"}} {}

    void declare(flags&) override {}

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        table lines{{{"feed"},
                     {"watermark (UTC)"},
                     {"version", align::right},
                     {"newest run"},
                     {"started (UTC)"},
                     {"state"}}};
        for (const auto& feed : service.feeds()) {
            const auto& about = feed->options();
            const auto standing = service.watermark_of(about.name);
            if (!standing) return program.complain(standing.error());
            const auto newest = newest_run(service, about.name);
            if (!newest) return program.complain(newest.error());
            if (program.settings().json)
                program.print(json_of(*feed, *standing, *newest, service));
            else if (*newest)
                lines.add({about.name,
                           moment_text(standing->value),
                           grouped(standing->version),
                           to_text((*newest)->id),
                           moment_text((*newest)->started_at),
                           {spaced_name(service.state_of(**newest)),
                            tint_of(service.state_of(**newest))}});
            else
                lines.add({about.name, moment_text(standing->value), grouped(standing->version),
                           "-", "-", "-"});
        }
        if (!program.settings().json) lines.write(program.out());
        return exit_code::success;
    }

    [[nodiscard]] static json_line json_of(const any_feed& feed, const watermark& standing,
                                           const std::optional<feed_run>& newest,
                                           const bulk::feed_service& service) {
        json_line line = line_of("feed")
                             .add("feed", feed.options().name)
                             .add("description", feed.options().description)
                             .add("position", feed.position_type())
                             .add("watermark", standing.value)
                             .add("version", standing.version);
        if (newest)
            line.add("newest_run", cli::json_of(*newest, service.state_of(*newest)));
        else
            line.add_raw("newest_run", "null");
        return line;
    }
};

}  // namespace bulk::cli
