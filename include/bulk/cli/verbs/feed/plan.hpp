// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/cli/verbs/feed/start_flags.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/feed/histogram.hpp>
#include <bulk/feed/run_starter.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bulk::cli {

/// What a run would do, as a picture. Asks the source, and stores nothing.
class feed_plan_verb final : public feed_verb {
public:
    explicit feed_plan_verb(open_feeds open)
        : feed_verb{
              std::move(open),
              {.name = "plan",
               .summary = "show what a run would read and how it would be cut; nothing is stored",
               .examples = "feed plan diamonds\n"
                           "feed plan diamonds --full --max-records 10000"}} {}

    void declare(flags& to) override { wanted_.declare(to); }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        const auto options = wanted_.options();
        if (!options) return program.complain(options.error());
        const auto feed = choose_feed(service, wanted_.feed());
        if (!feed) return program.complain(feed.error());
        const auto made = service.plan((*feed)->options().name, *options);
        if (!made) return program.complain(made.error());
        if (program.settings().json)
            program.print(json_of(*made, **feed));
        else
            write(program, *made, **feed);
        return exit_code::success;
    }

    [[nodiscard]] static std::uint64_t records_of(const run_plan& made) {
        std::uint64_t records = 0;
        for (const auto& each : made.partitions) records += each.estimated;
        return records;
    }

    [[nodiscard]] static json_line json_of(const run_plan& made, const any_feed& feed) {
        std::vector<json_line> parts;
        for (const auto& each : made.partitions)
            parts.push_back(json_line{}
                                .add("partition", parts.size())
                                .add("first", feed.text_of(each.range.first))
                                .add("last", feed.text_of(each.range.last))
                                .add("estimated", each.estimated));
        return line_of("plan")
            .add("feed", made.feed)
            .add("run_type", made.outline.type)
            .add("window_from", made.outline.window.from)
            .add("window_to", made.outline.window.to)
            .add("watermark", made.watermark)
            .add("first", feed.text_of(made.extent.first))
            .add("last", feed.text_of(made.extent.last))
            .add("counted", made.found.total)
            .add("counts_asked", made.found.counts_asked)
            .add("estimated", records_of(made))
            .add("is_capped", made.is_capped)
            .add("partition_list", parts);
    }

    static void write(const invocation& program, const run_plan& made, const any_feed& feed) {
        const screen& on = program.out();
        on.stream << tinted(on, tint::strong, made.feed) << ": " << name_of(made.outline.type)
                  << " run of about " << count_text(records_of(made), "record") << " in "
                  << count_text(made.partitions.size(), "partition") << "\n\n";
        table facts{{{}, {}}, "  "};
        facts.add({"changes", concat("from ", moment_text(made.outline.window.from), " to ",
                                     moment_text(made.outline.window.to), " UTC")});
        facts.add(
            {"watermark", made.watermark ? concat(moment_text(*made.watermark), " UTC") : "none"});
        facts.add({"counted",
                   concat(count_text(made.found.total, "record"), " from ",
                          feed.text_of(made.extent.first), " to ", feed.text_of(made.extent.last),
                          ", asking ", count_text(made.found.counts_asked, "time"))});
        facts.write(on);
        if (made.partitions.empty()) return program.remark("the source has nothing for it");
        constexpr std::size_t buckets = 20;
        const std::size_t width = on.is_terminal ? on.width - 1 : 79;
        const auto show = [&](std::int64_t place) { return feed.text_of(place); };
        on.stream << "\nWhere the records are\n"
                  << histogram_of(made.found, made.extent, buckets, width, show)
                  << "\nHow they are cut\n"
                  << histogram_of(feed_plan{.partitions = made.partitions,
                                            .is_capped = made.is_capped,
                                            .total = records_of(made)},
                                  width, show);
    }

    start_flags wanted_;
};

}  // namespace bulk::cli
