// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/feed/any_feed.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace bulk {

/// One page from the source, and whether it can be trusted.
///
/// A source that is paged by number moves up when a record leaves it, and the record that moves
/// across the border between two pages is in none of them. So the records of a partition are counted
/// when a pass through it begins, before its first page, and again after its last one: when there are
/// fewer, the partition is read once more. A record that comes meanwhile does no harm. The same is done
/// once when fewer different records have come than were counted, as from a source whose order changes.
class page_fetch {
public:
    page_fetch(any_feed& feed, const page_work& work) : feed_{feed}, work_{work} {}

    [[nodiscard]] result<fetched_page> run() {
        std::optional<std::uint64_t> counted = work_.counted;
        if (work_.offset == 0 && !counted && looks_twice()) {
            auto now = feed_.count(work_.range, work_.window);
            if (!now) return std::unexpected{std::move(now).error()};
            counted = *now;
        }
        auto page = feed_.fetch(work_, limit());
        if (!page) return page;
        page->counted = counted;
        if (page->received == 0 && page->has_more)
            return fail(errc::unavailable,
                        concat("the source says that there is more behind offset ", work_.offset,
                               ", but gives nothing"));
        if (page->has_more && work_.offset + page->received > most(counted))
            return fail(errc::invalid_argument,
                        concat("the source has given ", work_.offset + page->received,
                               " records where ", std::max(work_.estimated, counted.value_or(0)),
                               " were expected, and does not end: does fetch() heed the offset?"));
        if (!page->has_more && work_.offset > 0 && page->token.empty() && work_.token.empty())
            return checked(std::move(*page));
        return page;
    }

    /// Where to go on if `run` has failed for good: a source that lost records is read anew.
    [[nodiscard]] retry_from goes_on_from() const { return goes_on_from_; }

private:
    [[nodiscard]] bool looks_twice() const { return feed_.options().max_passes > 1; }

    [[nodiscard]] std::uint32_t limit() const {
        const auto size = feed_.options().page_size;
        if (!work_.most_records || *work_.most_records <= work_.offset) return size;
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(size, *work_.most_records - work_.offset));
    }

    /// A source may grow while it is read; not without end.
    [[nodiscard]] std::uint64_t most(std::optional<std::uint64_t> counted) const {
        return 10 * std::max(work_.estimated, counted.value_or(0)) +
               std::uint64_t{1000} * feed_.options().page_size;
    }

    /// The last page of a pass.
    [[nodiscard]] result<fetched_page> checked(fetched_page page) {
        if (!page.counted || !looks_twice()) return page;
        page.may_begin_again = true;
        const auto now = feed_.count(work_.range, work_.window);
        if (!now) return std::unexpected{now.error()};
        if (*now >= *page.counted) return page;
        if ((work_.pass + 1) % feed_.options().max_passes == 0) {  // since it was last retried
            goes_on_from_ = retry_from::begin;
            return fail(
                errc::invalid_argument,
                concat("the source lost records while it was read, ", feed_.options().max_passes,
                       " times (from ", *page.counted, " to ", *now,
                       " at last), so some may be missing: page by a mark (page.next), or "
                       "retry when it is quiet"));
        }
        page.begin_again = true;
        page.counted = *now;
        return page;
    }

    any_feed& feed_;
    const page_work& work_;
    retry_from goes_on_from_ = retry_from::page;
};

}  // namespace bulk
