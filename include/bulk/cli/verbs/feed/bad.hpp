// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/listing.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/page.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
        declare_optional_run(to, run_);
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
        const std::string next = found->size() == limit_ ? found->back().key : std::string{};
        return print_list(program, *found, next, json_of, [&] { write(program, *found, next); });
    }

    [[nodiscard]] static json_line json_of(const bad_item& item) {
        return line_of("bad_item")
            .add("key", item.key)
            .add("reason", item.reason)
            .add("item", item.payload);
    }

    static void write(const invocation& program, const std::vector<bad_item>& found,
                      std::string_view next) {
        if (found.empty()) return program.remark("no item is bad");
        table lines{{{"key"}, {"reason"}, {"item"}}};
        for (const auto& each : found)
            lines.add({each.key, {each.reason, tint::bad}, each.payload});
        lines.write(program.out());
        if (!next.empty()) program.remark(concat("there may be more: --after '", next, '\''));
    }

    std::string run_ = "last";
    std::uint32_t limit_ = 100;
    std::string after_;
};

}  // namespace bulk::cli
