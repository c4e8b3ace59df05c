// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/feed/service.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::cli {

/// A feed of this program by its name, in any case.
[[nodiscard]] inline result<any_feed*> choose_feed(bulk::feed_service& service,
                                                   std::string_view name) {
    auto found = find_feed(service.feeds(), name);
    if (!found) return fail(errc::invalid_argument, std::move(found).error().message);
    return found;
}

/// None for a run of a feed that this program does not have.
[[nodiscard]] inline const any_feed* feed_for(const bulk::feed_service& service,
                                              std::string_view name) {
    const auto found = find_feed(service.feeds(), name);
    return found ? *found : nullptr;
}

/// Of one feed, or of all.
[[nodiscard]] inline result<std::optional<feed_run>> newest_run(bulk::feed_service& service,
                                                                std::string_view feed = {}) {
    auto newest = service.query({.feed = std::string{feed}, .page_size = 1});
    if (!newest) return std::unexpected{std::move(newest).error()};
    if (newest->items.empty()) return std::nullopt;
    return std::move(newest->items.front());
}

/// The run that somebody means: by its id, the newest of a feed by the feed's name, or the newest of
/// all by the word `last`.
[[nodiscard]] inline result<feed_run> find_run(bulk::feed_service& service, std::string_view word) {
    if (const auto id = parse_run_id(word)) {
        auto found = service.get(*id);
        if (!found && found.error().code == errc::not_found)
            return fail(errc::not_found, concat("there is no run ", word,
                                                " in this database; `feed runs` shows them"));
        return found;
    }
    std::string_view feed;
    if (const auto named = find_feed(service.feeds(), word); named) {
        feed = (*named)->options().name;
    } else if (word != "last") {
        return fail(
            errc::invalid_argument,
            concat('\'', word, "' is neither the id of a run nor a feed: ", named.error().message,
                   "; `feed runs` shows them, and `last` is the "
                   "newest"));
    }
    auto newest = newest_run(service, feed);
    if (!newest) return std::unexpected{std::move(newest).error()};
    if (!*newest)
        return fail(errc::not_found,
                    feed.empty() ? std::string{"there is no run yet; `feed start NAME` makes one"}
                                 : concat("feed '", feed, "' has no run yet; `feed start ", feed,
                                          "` makes one"));
    return std::move(**newest);
}

}  // namespace bulk::cli
