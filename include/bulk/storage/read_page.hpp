// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/page.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace bulk {

/// One page of what a table finds. Tables know positions and no cursors: `parse` reads the cursor of the
/// query, `find(query, after)` returns the first `query.page_size` items behind a position, and `cursor_of`
/// writes the cursor of the last item. The table is asked for one item more than the page has: if it
/// comes, there is a next page. Nothing of it is read, so a table may leave it empty.
template <typename Query, typename Parse, typename Find, typename CursorOf>
[[nodiscard]] auto read_page(Query query, Parse parse, Find find, CursorOf cursor_of) {
    using position = std::invoke_result_t<Parse&, const std::string&>::value_type;
    using found_page = std::invoke_result_t<Find&, const Query&, const std::optional<position>&>;
    using page_or_error = result<found_page>;
    std::optional<position> after;
    if (!query.after.empty()) {
        auto parsed = parse(query.after);
        if (!parsed) return page_or_error{std::unexpect, std::move(parsed).error()};
        after = std::move(*parsed);
    }
    const auto size = query.page_size++;
    page_or_error found{find(std::as_const(query), std::as_const(after))};
    if constexpr (requires { query.with_total; })
        if (!query.with_total) found->total = 0;  // of a table that counts in any case
    if (found->items.size() > size) {
        found->items.pop_back();
        found->next = cursor_of(found->items.back());
    }
    return found;
}

}  // namespace bulk
