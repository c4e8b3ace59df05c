// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/listing.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace bulk::cli {

/// Runs, newest first.
class feed_runs_verb final : public feed_verb {
public:
    explicit feed_runs_verb(open_feeds open)
        : feed_verb{std::move(open),
                    {.name = "runs",
                     .summary = "list runs, newest first",
                     .examples = "feed runs diamonds --state consolidation_skipped\n"
                                 "feed runs --active\n"
                                 "feed runs --from 2026-06-01 --type full --limit 100"}} {}

    void declare(flags& to) override {
        to.optional_word("NAME", feed_, "of a feed; without it, runs of all");
        to.choice("--state", query_.state, "in this state");
        to.choice("--type", query_.type, "of this type");
        to.yes("--active", query_.active_only, "that somebody works on, or should");
        to.moment("--from", query_.started_from, "started then or later");
        to.moment("--to", query_.started_to, "started then or earlier");
        declare_page(to, query_.page_size, query_.after);
    }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        if (!feed_.empty()) {
            const auto feed = choose_feed(service, feed_);
            if (!feed) return program.complain(feed.error());
            query_.feed = (*feed)->options().name;
        }
        const auto found = service.query(query_);
        if (!found) return program.complain(found.error());
        return print_list(
            program, found->items, found->next,
            [&](const feed_run& each) { return json_of(each, service.state_of(each)); },
            [&] { write(program, service, *found); });
    }

    static void write(const invocation& program, const bulk::feed_service& service,
                      const page<feed_run>& found) {
        if (found.items.empty()) return program.remark("no run is like that");
        table lines{{{"run"},
                     {"feed"},
                     {"type"},
                     {"started (UTC)"},
                     {"took", align::right},
                     {"partitions", align::right},
                     {"failed", align::right},
                     {"records", align::right},
                     {"changed", align::right},
                     {"bad", align::right},
                     {"state"}}};
        const auto bad_if = [](std::uint64_t count) {
            return table::cell{grouped(count), count > 0 ? tint::bad : tint::plain};
        };
        for (const auto& each : found.items) {
            const auto state = service.state_of(each);
            lines.add({to_text(each.id),
                       each.feed,
                       name_of(each.type),
                       moment_text(each.started_at),
                       end_of(each) ? span_text(duration_of(each, program.now())) : "-",
                       grouped(each.partitions),
                       bad_if(each.failed),
                       grouped(each.records),
                       grouped(each.changed),
                       bad_if(each.bad_items),
                       {spaced_name(state), tint_of(state)}});
        }
        lines.write(program.out());
        if (!found.next.empty()) program.remark(concat("there are more: --after ", found.next));
    }

    std::string feed_;
    run_query query_;
};

}  // namespace bulk::cli
