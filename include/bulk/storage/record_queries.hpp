// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/operation_order.hpp>
#include <bulk/storage/read_page.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/retry_order.hpp>
#include <bulk/storage/row_order.hpp>

#include <optional>
#include <string>

namespace bulk {

// One page of a valid query, within one transaction: the cursors of `read_page` for each kind of record.

template <typename Tables>
[[nodiscard]] result<page<operation_record>> find_operations(Tables& in,
                                                             const operation_query& query) {
    return read_page(
        query, [&](const std::string& text) { return parse_operation_order(text, query.sort); },
        [&](const operation_query& asked, const std::optional<operation_order>& after) {
            return in.find_operations(asked, after);
        },
        [&](const operation_record& last) { return cursor_of(last, query.sort); });
}

template <typename Rows>
[[nodiscard]] result<page<row_record>> find_records(Rows& rows, const row_query& query) {
    return read_page(
        query, [&](const std::string& text) { return parse_row_order(text, query.sort); },
        [&](const row_query& asked, const std::optional<row_order>& after) {
            return rows.query(asked, after);
        },
        [&](const row_record& last) { return to_text(order_of(last, query.sort)); });
}

template <typename Rows>
[[nodiscard]] result<page<row_number>> find_row_numbers(Rows& rows, const row_query& query) {
    return read_page(
        query, [](const std::string& text) { return parse_row_order(text, row_sort::row); },
        [&](const row_query& asked, const std::optional<row_order>& after) {
            const auto row = after ? std::optional{after->place.row()} : std::nullopt;
            return rows.row_numbers(asked, row);
        },
        [](row_number last) { return to_text(row_order{.place = {last, validation_step}}); });
}

template <typename Rows>
[[nodiscard]] result<page<retry_entry>> find_history(Rows& rows, const retry_history_query& query) {
    return read_page(
        query, [](const std::string& text) { return parse_retry_order(text); },
        [&](const retry_history_query& asked, const std::optional<retry_order>& after) {
            return rows.history(asked, after);
        },
        [](const retry_entry& last) { return cursor_of(last); });
}

}  // namespace bulk
