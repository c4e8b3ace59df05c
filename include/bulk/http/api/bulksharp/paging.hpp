// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/page.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/parameters.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace bulk::http::api::bulksharp {

/// Pages by number, as BulkSharp's clients ask for them: sizes are brought between 1 and 200, numbers
/// below 1 are the first.
struct page_request {
    std::uint64_t number = 1;
    std::uint32_t size = 20;

    [[nodiscard]] static or_problem<page_request> of(const call& asked, std::uint32_t usual) {
        const auto number = number_parameter<std::int32_t>(asked, "page");
        if (!number) return std::unexpected{number.error()};
        const auto size = number_parameter<std::int32_t>(asked, "pageSize");
        if (!size) return std::unexpected{size.error()};
        page_request page{.size = usual};
        if (*number) page.number = static_cast<std::uint64_t>(std::max(**number, 1));
        if (*size) page.size = static_cast<std::uint32_t>(std::clamp(**size, 1, 200));
        return page;
    }

    /// What is in front of it.
    [[nodiscard]] std::uint64_t passed() const { return (number - 1) * size; }

    template <typename Item>
    [[nodiscard]] response answer(std::vector<Item> items, std::uint64_t total) const {
        return bulksharp::answer(
            bodies::paged_result<Item>{.items = std::move(items),
                                       .total_count = bodies::int_of(total),
                                       .page = bodies::int_of(number),
                                       .page_size = bodies::int_of(size),
                                       .has_next_page = number * size < total});
    }
    template <typename Item>
    [[nodiscard]] response empty() const {
        return answer(std::vector<Item>{}, 0);
    }
};

/// The items of a page, and how many there are in all. We have cursors, so what is in front of it is
/// passed over, a thousand at a time.
template <typename T, typename Query, typename Ask>
[[nodiscard]] or_problem<page<T>> numbered_page(const page_request& wanted, Query query, Ask ask) {
    constexpr std::uint64_t furthest = 1'000'000;
    std::uint64_t passed = wanted.passed();
    page<T> found;
    if (passed > furthest) {
        query.page_size = 1;
        auto first = http::asked(ask(query));
        if (!first) return std::unexpected{std::move(first).error()};
        found.total = first->total;
        if (passed >= found.total) return found;
        return refuse(problems::invalid_argument,
                      concat("page is too far: at most ", furthest,
                             " items can be skipped here; /api/v1 has cursors"),
                      "page");
    }
    while (true) {
        query.page_size =
            passed > 0 ? static_cast<std::uint32_t>(std::min<std::uint64_t>(passed, largest_page))
                       : wanted.size;
        auto next = http::asked(ask(query));
        if (!next) return std::unexpected{std::move(next).error()};
        found.total = std::max(found.total, next->total);
        if (passed == 0) {
            found.items = std::move(next->items);
            return found;
        }
        passed -= query.page_size;
        query.after = std::move(next->next);
        if (query.after.empty()) return found;
    }
}

}  // namespace bulk::http::api::bulksharp
