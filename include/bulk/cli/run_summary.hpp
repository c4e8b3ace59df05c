// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/service.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Which partitions of a run are shown.
enum class shown_partitions : std::uint8_t { all, failed, unfinished };

/// All there is to say about one run, for people or for machines.
class run_summary {
public:
    [[nodiscard]] static result<run_summary> of(const invocation& program,
                                                bulk::feed_service& service, run_id id,
                                                shown_partitions shown = shown_partitions::all) {
        auto report = service.report(id);
        if (!report) return std::unexpected{std::move(report).error()};
        std::erase_if(report->partitions, [&](const feed_partition& each) {
            if (shown == shown_partitions::failed) return each.state != partition_state::failed;
            return shown == shown_partitions::unfinished &&
                   each.state == partition_state::completed;
        });
        const auto* feed = feed_for(service, report->run.feed);
        return run_summary{program, std::move(*report), feed};
    }

    void write() const {
        if (program_.settings().json)
            program_.print(json());
        else
            write_text();
    }

    /// What can be done about a run that did not end well.
    void advise() const {
        const auto id = to_text(report_.run.id);
        const auto say = [&](std::string_view what, std::string_view verb, std::string_view more) {
            program_.remark(concat(what, ": ", program_.program(), " feed ", verb, ' ', id, more));
        };
        if (report_.state == run_state::consolidation_skipped) {
            say("try the failed partitions again", "retry", "");
            say("or go on without them", "consolidate", " --force");
        }
        if (report_.run.bad_items > 0) say("each bad item", "bad", "");
        if (report_.state == run_state::failed) say("try them again", "resume", "");
        if (is_active(report_.run))
            program_.remark(concat("work on it: ", program_.program(), " worker"));
    }

private:
    run_summary(const invocation& program, run_report report, const any_feed* feed)
        : program_{program}, report_{std::move(report)}, feed_{feed} {}

    [[nodiscard]] json_line json() const {
        std::vector<json_line> parts;
        for (const auto& each : report_.partitions) parts.push_back(json_of(each, feed_));
        return json_of(report_.run, report_.state).add("partition_list", parts);
    }

    void write_text() const {
        const screen& on = program_.out();
        const auto& run = report_.run;
        on.stream << tinted(on, tint::strong, one_line(run.feed)) << ": "
                  << tinted(on, tint_of(report_.state), spaced_name(report_.state))
                  << time_text(run, program_.now()) << '\n';
        if (!run.reason.empty()) on.stream << "  " << one_line(run.reason) << '\n';
        on.stream << '\n';
        write_facts(on);
        on.stream << '\n';
        write_counts(on);
        if (report_.partitions.empty()) return;
        on.stream << '\n';
        write_partitions(on);
    }

    /// None for a run that waits for somebody: that it does so for long is not its doing.
    [[nodiscard]] static std::string time_text(const feed_run& run, timestamp now) {
        const auto span = span_text(duration_of(run, now));
        if (end_of(run)) return concat(" in ", span);
        return is_active(run) ? concat(", ", span, " since its start") : "";
    }

    void write_facts(const screen& on) const {
        const auto& run = report_.run;
        table facts{{{}, {}}, "  "};
        facts.add({"run", to_text(run.id)});
        facts.add({"type", concat(name_of(run.type), run.is_capped ? ", capped" : "",
                                  run.is_forced ? ", forced" : "")});
        facts.add({"changes", concat("from ", moment_text(run.window.from), " to ",
                                     moment_text(run.window.to), " UTC")});
        if (run.trace != to_text(run.id)) facts.add({"trace", run.trace});
        if (!run.started_by.empty()) facts.add({"started by", run.started_by});
        facts.add({"started", concat(moment_text(run.started_at), " UTC")});
        if (const auto end = end_of(run)) facts.add({"ended", concat(moment_text(*end), " UTC")});
        if (is_active(run) && run.consolidate_at && *run.consolidate_at > program_.now())
            facts.add({"consolidates", concat(moment_text(*run.consolidate_at), " UTC")});
        facts.add({"watermark", mark_text(run)});
        facts.write(on);
    }

    [[nodiscard]] static std::string mark_text(const feed_run& run) {
        const auto text = [](const std::optional<timestamp>& at) {
            return at ? concat(moment_text(*at), " UTC") : std::string{"none"};
        };
        if (run.watermark_after && run.watermark_after != run.watermark_before)
            return concat(text(run.watermark_before), ", then ", text(run.watermark_after));
        return concat(text(run.watermark_before), end_of(run) ? ", kept" : "");
    }

    void write_counts(const screen& on) const {
        const auto& run = report_.run;
        const auto bad_if = [](std::uint64_t count) { return count > 0 ? tint::bad : tint::plain; };
        table counts{{{}, {{}, align::right}, {}}, "  "};
        counts.add(
            {"partitions", grouped(run.partitions),
             concat(grouped(run.completed), " completed, ", grouped(run.failed), " failed")});
        counts.add({"records", grouped(run.records), concat("of about ", grouped(run.estimated))});
        counts.add({"changed", grouped(run.changed)});
        counts.add({"consolidated", grouped(run.consolidated)});
        counts.add({"bad", {grouped(run.bad_items), bad_if(run.bad_items)}});
        counts.add({"deleted", grouped(run.removed)});
        counts.write(on);
    }

    void write_partitions(const screen& on) const {
        std::vector<table::heading> headings{{"partition", align::right},
                                             {"from", align::right},
                                             {"to", align::right},
                                             {"records", align::right},
                                             {"about", align::right},
                                             {"pages", align::right},
                                             {"state"},
                                             {"worker"}};
        const bool has_errors = std::ranges::any_of(
            report_.partitions, [](const feed_partition& each) { return !each.error.empty(); });
        if (has_errors) headings.push_back({"error"});
        table lines{std::move(headings), "  "};
        for (const auto& each : report_.partitions)
            lines.add({std::to_string(each.number), place_text(feed_, each.range.first),
                       place_text(feed_, each.range.last), grouped(each.records),
                       grouped(each.estimated), grouped(each.pages), state_of(each), each.worker,
                       each.error});
        lines.write(on);
    }

    [[nodiscard]] static table::cell state_of(const feed_partition& each) {
        std::string text{name_of(each.state)};
        std::ranges::replace(text, '_', ' ');
        if (!is_finished(each.state) && each.attempt > 1)
            text += concat(", attempt ", each.attempt);
        return {std::move(text), tint_of(each.state)};
    }

    const invocation& program_;
    run_report report_;
    const any_feed* feed_;
};

}  // namespace bulk::cli
