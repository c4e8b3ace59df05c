// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/listing.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>

#include <string>
#include <utility>

namespace bulk::cli {

/// The canonical set of a feed, by key.
class feed_items_verb final : public feed_verb {
public:
    explicit feed_items_verb(open_feeds open)
        : feed_verb{std::move(open),
                    {.name = "items",
                     .summary = "show the canonical set of a feed, by key",
                     .examples = "feed items diamonds --limit 10\n"
                                 "feed items diamonds --key D-1007\n"
                                 "feed items diamonds --since 41 --deleted --json"}} {}

    void declare(flags& to) override {
        to.word("NAME", feed_, "of the feed");
        to.text("--key", key_, "only this item, even if it is deleted");
        to.yes("--deleted", query_.with_deleted, "those, too, that the source has no more");
        to.number("--since", query_.changed_since, "only what has changed after that version");
        declare_page(to, query_.page_size, query_.after);
    }

private:
    int perform(const invocation& program, bulk::feed_service& service) override {
        const auto feed = choose_feed(service, feed_);
        if (!feed) return program.complain(feed.error());
        query_.feed = (*feed)->options().name;
        const auto found = key_.empty() ? service.items(query_) : only(service);
        if (!found) return program.complain(found.error());
        return print_list(program, found->items, found->next, json_of,
                          [&] { write(program, *found); });
    }

    [[nodiscard]] result<page<canonical_item>> only(bulk::feed_service& service) const {
        auto found = service.item(query_.feed, key_);
        if (!found) return std::unexpected{std::move(found).error()};
        if (!*found)
            return fail(errc::not_found,
                        concat("feed '", query_.feed, "' has no item '", key_, '\''));
        page<canonical_item> one;
        one.items.push_back(std::move(**found));
        return one;
    }

    [[nodiscard]] static json_line json_of(const canonical_item& item) {
        return line_of("item")
            .add("key", item.key)
            .add("is_deleted", item.is_deleted)
            .add("version", item.version)
            .add("changed_at", item.changed_at)
            .add_raw("item", item.payload.empty() ? "null" : item.payload);
    }

    static void write(const invocation& program, const page<canonical_item>& found) {
        if (found.items.empty()) return program.remark("no item is like that");
        table lines{{{"key"}, {"version", align::right}, {"changed (UTC)"}, {"item"}}};
        for (const auto& each : found.items)
            lines.add({each.key,
                       grouped(each.version),
                       moment_text(each.changed_at),
                       {each.is_deleted ? "deleted: " + each.payload : each.payload,
                        each.is_deleted ? tint::warning : tint::plain}});
        lines.write(program.out());
        if (!found.next.empty()) program.remark(concat("there are more: --after ", found.next));
    }

    std::string feed_;
    std::string key_;
    item_query query_;
};

}  // namespace bulk::cli
