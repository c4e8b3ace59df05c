// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/feed_work.hpp>
#include <bulk/cli/program.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/verbs/feed/bad.hpp>
#include <bulk/cli/verbs/feed/cancel.hpp>
#include <bulk/cli/verbs/feed/items.hpp>
#include <bulk/cli/verbs/feed/list.hpp>
#include <bulk/cli/verbs/feed/plan.hpp>
#include <bulk/cli/verbs/feed/revive.hpp>
#include <bulk/cli/verbs/feed/runs.hpp>
#include <bulk/cli/verbs/feed/start.hpp>
#include <bulk/cli/verbs/feed/status.hpp>
#include <bulk/cli/verbs/feed/watermark.hpp>
#include <bulk/cli/workplace.hpp>
#include <bulk/core/error.hpp>
#include <bulk/feed/any_feed_service.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/storage/feed_ledger.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace bulk::cli {

/// The verbs for feeds, in the order of their help.
[[nodiscard]] inline verb_group feed_verbs(const open_feeds& open) {
    verb_group group{.name = "feed",
                     .summary = "plan, start and look after runs of feeds, by verbs of its own"};
    group.verbs.push_back(std::make_unique<feed_list_verb>(open));
    group.verbs.push_back(std::make_unique<feed_plan_verb>(open));
    group.verbs.push_back(std::make_unique<feed_start_verb>(open));
    group.verbs.push_back(std::make_unique<feed_runs_verb>(open));
    group.verbs.push_back(std::make_unique<feed_status_verb>(open));
    group.verbs.push_back(std::make_unique<feed_retry_verb>(open));
    group.verbs.push_back(std::make_unique<feed_consolidate_verb>(open));
    group.verbs.push_back(std::make_unique<feed_bad_verb>(open));
    group.verbs.push_back(std::make_unique<feed_resume_verb>(open));
    group.verbs.push_back(std::make_unique<feed_cancel_verb>(open));
    group.verbs.push_back(std::make_unique<feed_remove_verb>(open));
    group.verbs.push_back(std::make_unique<feed_items_verb>(open));
    group.verbs.push_back(std::make_unique<feed_watermark_verb>(open));
    return group;
}

template <typename... Feeds>
struct feed_part {
    template <typename Storage>
    [[nodiscard]] static open_feeds opener(Storage& storage) {
        using storage_type = typename Storage::type;
        static_assert(
            feed_storage<storage_type>,
            "bulk::main<...>: the storage keeps no feeds: it needs feeds(), which gives a "
            "bulk::feed_ledger on its tables");
        if constexpr (feed_storage<storage_type>)
            return [&storage](const session& program,
                              scheduling where) -> result<std::unique_ptr<any_feed_service>> {
                const auto options = feeds_of(program.settings(), where);
                if (auto valid = validate(options); !valid)
                    return std::unexpected{std::move(valid).error()};
                auto opened = storage(program.settings().storage);
                if (!opened) return std::unexpected{std::move(opened).error()};
                auto service = std::make_unique<typed_feed_service<feed_service<storage_type>>>(
                    feed_list<Feeds...>{}, std::move(*opened), options, program.log());
                if (where != scheduling::none)  // else it would never do anything
                    if (auto usable = service->usable(); !usable)
                        return std::unexpected{std::move(usable).error()};
                return service;
            };
        else
            return {};
    }

    template <typename Storage>
    static void add(Storage& storage, std::vector<verb_group>& groups,
                    std::vector<open_workplace>& work) {
        const open_feeds open = opener(storage);
        groups.push_back(feed_verbs(open));
        work.push_back([open](const session& program) -> result<std::unique_ptr<workplace>> {
            auto service = open(program, scheduling::channels);
            if (!service) return std::unexpected{std::move(service).error()};
            return std::make_unique<feed_work>(std::move(*service));
        });
    }
};

}  // namespace bulk::cli
