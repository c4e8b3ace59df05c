// Queries read page by page, as a client reads them.
#pragma once

#include <bulk/core/error.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <expected>

namespace conformance {

/// Gives every item of a query to `take`, and returns the total of the last page. Each page is also read
/// without its total, which must change nothing else.
template <typename Store, typename Query, typename Take>
bulk::result<std::uint64_t> read_counted_pages(Store& store, Query query, const Take& take) {
    using namespace boost::ut;
    while (true) {
        const auto page = store.query(query);
        if (!page) return std::unexpected{page.error()};
        for (const auto& each : page->items) take(each);
        auto alone = query;
        alone.with_total = false;
        const auto uncounted = store.query(alone).value();
        expect(uncounted.total == 0_u) << "the total was not requested";
        expect(uncounted.items == page->items and uncounted.next == page->next);
        query.after = page->next;
        if (page->next.empty()) return page->total;
        expect(page->items.size() == query.page_size) << "only the last page is short";
    }
}

}  // namespace conformance
