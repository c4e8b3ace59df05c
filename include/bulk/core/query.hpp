// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/row_state.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

enum class operation_sort : std::uint8_t { created_at, name, state, total_rows, processed_rows };
BOOST_DESCRIBE_ENUM(operation_sort, created_at, name, state, total_rows, processed_rows)

/// Which operations, in which order. What is not set does not restrict; what is set must all hold.
struct operation_query {
    std::string name_contains{};        ///< in any case
    std::string created_by_contains{};  ///< in any case
    std::string source{};               ///< exactly; the service that created the operation
    std::optional<operation_state> state{};
    std::optional<timestamp> created_from{};  ///< inclusive
    std::optional<timestamp> created_to{};    ///< inclusive
    operation_sort sort = operation_sort::created_at;
    bool descending = true;
    std::uint32_t page_size = 20;
    std::string after{};     ///< `next` of the page before
    bool with_total = true;  ///< counting costs more than the page when filters are many
};

enum class row_sort : std::uint8_t { row, row_id, step, state, failure, started_at };
BOOST_DESCRIBE_ENUM(row_sort, row, row_id, step, state, failure, started_at)

/// Which row records of one operation, in which order. Ties are broken by row, then step.
struct row_query {
    operation_id operation{};
    std::vector<row_number> rows{};        ///< any of these; empty means all
    std::optional<row_number> from_row{};  ///< inclusive
    std::optional<row_number> to_row{};    ///< inclusive
    std::string row_id_contains{};         ///< in any case
    std::string signal_key{};              ///< exactly; what a row waits for
    bool awaits_signal = false;            ///< waits for a signal, whatever its key
    std::optional<step_index> step{};
    std::optional<row_state> state{};
    std::optional<error_type> failure{};
    bool errors_only = false;  ///< failed or timed out
    std::uint32_t min_retry_attempt = 0;
    row_sort sort = row_sort::row;
    bool descending = false;
    std::uint32_t page_size = 100;
    std::string after{};     ///< `next` of the page before
    bool with_total = true;  ///< counting costs more than the page when filters are many
};

namespace detail {

template <typename Query>
[[nodiscard]] result<> check_paging(const Query& query) {
    if (auto size = check_page_size(query.page_size); !size) return size;
    if (query.after.empty()) return {};
    if (auto at = parse_cursor(query.after); !at) return std::unexpected{at.error()};
    return {};
}

}  // namespace detail

[[nodiscard]] inline result<> validate(const operation_query& query) {
    if (query.created_from && query.created_to && *query.created_from > *query.created_to)
        return fail(errc::invalid_argument,
                    "created_from is later than created_to: nothing is between");
    return detail::check_paging(query);
}

[[nodiscard]] inline result<> validate(const row_query& query) {
    if (query.from_row && query.to_row && *query.from_row > *query.to_row)
        return fail(errc::invalid_argument, "from_row is greater than to_row: nothing is between");
    return detail::check_paging(query);
}

}  // namespace bulk
