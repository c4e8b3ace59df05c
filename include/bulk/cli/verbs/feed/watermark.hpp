// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>

#include <optional>
#include <string>
#include <utility>

namespace bulk::cli {

/// Up to when the changes of a source are in the canonical set; by hand, too.
class feed_watermark_verb final : public feed_verb {
public:
    explicit feed_watermark_verb(open_feeds open)
        : feed_verb{std::move(open),
                    {.name = "watermark",
                     .summary = "show or set up to when a feed has the changes of its source",
                     .examples = "feed watermark diamonds\n"
                                 "feed watermark diamonds --set 2026-06-01T12:30:00Z --by ops\n"
                                 "feed watermark diamonds --clear"}} {}

    void declare(flags& to) override {
        to.word("NAME", feed_, "of the feed");
        to.moment("--set", value_, "the next run reads what has changed since then");
        to.yes("--clear", clear_, "the next run is a full one");
        to.text("--by", who_, "who sets it, for whoever looks at the events", "NAME");
    }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        if (value_ && clear_)
            return program.complain("say either --set or --clear", exit_code::usage);
        const auto feed = choose_feed(service, feed_);
        if (!feed) return program.complain(feed.error());
        const auto name = (*feed)->options().name;
        const bool changes = value_ || clear_;
        auto standing =
            changes ? service.set_watermark(name, value_, who_) : service.watermark_of(name);
        if (!standing) return program.complain(standing.error());
        standing->feed = name;
        if (program.settings().json)
            program.print(json_of(*standing));
        else
            program.out().stream << text_of(*standing) << '\n';
        return exit_code::success;
    }

    [[nodiscard]] static std::string text_of(const watermark& standing) {
        std::string text =
            concat(standing.feed, ": ",
                   standing.value ? concat(moment_text(*standing.value), " UTC")
                                  : std::string{"no watermark, the next run is a full one"});
        if (standing.moved_at)
            text += concat("; moved at ", moment_text(*standing.moved_at), " UTC ",
                           standing.run ? concat("by run ", to_text(*standing.run)) : "by hand");
        return concat(text, "; version ", grouped(standing.version), " of the set");
    }

    std::string feed_;
    std::optional<timestamp> value_;
    bool clear_ = false;
    std::string who_;
};

}  // namespace bulk::cli
