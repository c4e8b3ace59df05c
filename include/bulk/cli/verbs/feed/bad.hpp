// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/page.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace bulk::cli {

/// Items that have no key or could not be mapped, and why.
class feed_bad_verb final : public feed_verb {
public:
    explicit feed_bad_verb(open_feeds open)
        : feed_verb{std::move(open),
                    {.name = "bad",
                     .summary =
                         "show the items of a run that have no key or could not be mapped, and why",
                     .examples = "feed bad diamonds\n"
                                 "feed bad last --limit 1000 --json"}} {}

    void declare(flags& to) override {
        to.optional_word("RUN", run_,
                         "its id, or a feed for the newest of it; without it, the newest of all");
        to.number("--limit", limit_, "how many, at most 1000 (100)");
        to.text("--after", after_, "go on behind this key", "KEY");
    }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        if (auto valid = check_page_size(limit_); !valid) return program.complain(valid.error());
        const auto run = find_run(service, run_);
        if (!run) return program.complain(run.error());
        const auto found = service.bad_items(run->id, after_, limit_);
        if (!found) return program.complain(found.error());
        const bool has_more = found->size() == limit_;
        if (program.settings().json) {
            for (const auto& each : *found)
                program.print(json_line{}
                                  .add("type", "bad_item")
                                  .add("key", each.key)
                                  .add("reason", each.reason)
                                  .add("item", each.payload));
            if (has_more)
                program.print(json_line{}.add("type", "next").add("after", found->back().key));
            return exit_code::success;
        }
        if (found->empty()) {
            program.remark("no item is bad");
            return exit_code::success;
        }
        table lines{{{"key"}, {"reason"}, {"item"}}};
        for (const auto& each : *found)
            lines.add({each.key, {each.reason, tint::bad}, each.payload});
        lines.write(program.out());
        if (has_more)
            program.remark(concat("there may be more: --after '", found->back().key, '\''));
        return exit_code::success;
    }

    std::string run_ = "last";
    std::uint32_t limit_ = 100;
    std::string after_;
};

}  // namespace bulk::cli
