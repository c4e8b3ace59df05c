// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/query.hpp>
#include <bulk/storage/first_places.hpp>
#include <bulk/storage/row_order.hpp>
#include <bulk/storage/sqlite/page_walk.hpp>
#include <bulk/storage/sqlite/row_scope.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/seal.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// The records that come first by row id or by when they began, for which there is no index: all of
/// the scope go by.
class row_pick {
public:
    row_pick(row_table& rows, const row_query& query, const row_scope& scope)
        : rows_{rows}, query_{query}, scope_{scope} {}

    /// Behind a place.
    [[nodiscard]] std::vector<row_order> first(const std::optional<row_order>& after,
                                               std::size_t most) {
        first_places best{after, query_.descending, most};
        page_walk{rows_, scope_, false}.each_page(std::nullopt, [&](const found_rows& found) {
            const auto ids = query_.sort == row_sort::row_id ? ids_in(found.page) : row_names{};
            found.each(false, [&](const record_place& place) {
                best.add(order_of(found, ids, place));
                return true;
            });
            return true;
        });
        return std::move(best).take();
    }

private:
    using row_names = std::map<row_number, std::string>;

    [[nodiscard]] row_names ids_in(std::uint64_t page) {
        row_names ids;
        static const auto sql =
            concat("SELECT row, id, seal IS ", seals::row_id,
                   " FROM bulk_row_ids WHERE operation = ?1 AND row BETWEEN ?2 AND ?3");
        auto row = rows_.database().rows(sql, rows_.operation(), first_row_of(page),
                                         first_row_of(page + 1) - 1);
        while (row.next()) {
            row_number number{};
            std::string id;
            bool is_intact = false;
            row.read(number, id, is_intact);
            if (!is_intact) rows_.note_damage(number, "row id");
            ids.emplace_hint(ids.end(), number, std::move(id));
        }
        return ids;
    }

    [[nodiscard]] row_order order_of(const found_rows& found, const row_names& ids,
                                     const record_place& place) const {
        row_order order{.place = place};
        if (query_.sort == row_sort::row_id) {
            if (const auto id = ids.find(place.row()); id != ids.end()) order.text = id->second;
            return order;
        }
        order.number = bulk::order_of(found.started_at(place));
        return order;
    }

    row_table& rows_;
    const row_query& query_;
    const row_scope& scope_;
};

}  // namespace bulk::sqlite
