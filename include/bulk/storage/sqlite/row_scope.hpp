// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/storage/row_filter.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/record_columns.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Numbers as a list that `json_each` reads.
template <typename Numbers>
[[nodiscard]] std::string json_of(const Numbers& numbers) {
    std::string text{'['};
    for (const auto each : numbers) {
        if (text.size() > 1) text += ',';
        text += concat(std::to_underlying(each));
    }
    return text + ']';
}

/// Which records one walk over an operation's rows is about: what a query asks for, or a part of it.
class row_scope {
public:
    explicit row_scope(const row_query& query)
        : step_{query.step},
          failure_{query.failure},
          least_retries_{query.min_retry_attempt},
          key_{query.signal_key},
          awaits_signal_{is_for_waits(query)},
          id_part_{folded(query.row_id_contains)},
          rows_{query.rows},
          first_{std::max<std::uint64_t>(to_number(query.from_row.value_or(row_number{1})), 1)},
          last_{std::min(to_number(query.to_row.value_or(row_number{last_of_all})), last_of_all)} {
        for (const auto& [state, name] : enumerators_of<row_state>)
            states_[std::to_underlying(state)] = allows_state(query, state);
        std::ranges::sort(rows_);
        const auto twice = std::ranges::unique(rows_);
        rows_.erase(twice.begin(), twice.end());
        if (!rows_.empty()) {
            rows_json_ = json_of(rows_);
            first_ = std::max(first_, to_number(rows_.front()));
            last_ = std::min(last_, to_number(rows_.back()));
        }
    }

    // A part of it.
    [[nodiscard]] row_scope at_step(step_index step) const {
        row_scope part = *this;
        part.step_ = step;
        return part;
    }
    [[nodiscard]] row_scope in_state(row_state state) const {
        row_scope part = *this;
        part.states_ = {};
        part.states_[std::to_underlying(state)] = true;
        return part;
    }
    [[nodiscard]] row_scope failed_by(std::optional<error_type> failure) const {
        row_scope part = *this;
        part.failure_ = failure;
        part.has_no_failure_ = !failure;
        return part;
    }

    [[nodiscard]] bool has(row_state state) const { return states_[std::to_underlying(state)]; }

    /// Whether its filters exclude each other, such as errors that wait for a signal. SQL must not be
    /// asked for it then: SQLite drops a condition that cannot hold, and with it the index that the
    /// statement names.
    [[nodiscard]] bool is_empty() const {
        return first_ > last_ || std::ranges::find(states_, true) == states_.end();
    }
    [[nodiscard]] std::optional<step_index> step() const { return step_; }
    [[nodiscard]] std::optional<error_type> failure() const { return failure_; }
    [[nodiscard]] const std::vector<row_number>& rows() const { return rows_; }  ///< empty: all
    [[nodiscard]] bool has_id_part() const { return !id_part_.empty(); }
    [[nodiscard]] std::uint64_t first() const { return first_; }
    [[nodiscard]] std::uint64_t last() const { return last_; }

    /// The first and the last row from one on, in the direction of a walk.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> rows_behind(
        std::optional<row_number> from, bool is_descending) const {
        if (!from) return {first_, last_};
        if (is_descending) return {first_, std::min(last_, to_number(*from))};
        return {std::max(first_, to_number(*from)), last_};
    }

    /// Whether rows that completed at their first try can be among them.
    [[nodiscard]] bool has_packed() const {
        return has(row_state::completed) && !failure_ && least_retries_ == 0 && !awaits_signal_;
    }

    /// Of a record apart, as SQL; `ask` knows the parameters.
    [[nodiscard]] std::string condition() const {
        std::string sql = "true";
        if (std::ranges::find(states_, false) != states_.end()) sql += concat(" AND ", in_states());
        if (step_) sql += concat(" AND step = ", to_number(*step_));
        if (failure_) sql += concat(" AND failure = ", std::to_underlying(*failure_));
        if (has_no_failure_) sql += " AND failure IS NULL";
        if (least_retries_ > 0) sql += " AND retry_attempt >= ?7";
        if (!key_.empty()) sql += " AND signal_key = ?4";
        if (awaits_signal_) sql += concat(" AND ", record_columns::waiting);
        if (has_id_part())
            sql += concat(
                " AND instr(lower((SELECT id FROM bulk_row_ids AS named WHERE named.operation = "
                "bulk_records.operation AND named.row = bulk_records.row)), ?5) > 0");
        if (!rows_.empty()) sql += " AND row IN (SELECT value FROM json_each(?6))";
        return sql;
    }

    /// The index that finds most of it, if none of it is packed.
    [[nodiscard]] std::string_view index() const {
        if (awaits_signal_) return " INDEXED BY bulk_records_waiting";
        if (!rows_.empty()) return "";
        if (failure_) return " INDEXED BY bulk_records_by_failure";
        if (std::ranges::find(states_, false) != states_.end())
            return " INDEXED BY bulk_records_by_state";
        return "";
    }

    /// ?1 is the operation, ?2 and ?3 the first and last row, ?8 and on what else is given.
    template <typename... More>
    [[nodiscard]] row_stream ask(session& database, std::string_view sql, std::int64_t operation,
                                 std::uint64_t first, std::uint64_t last,
                                 const More&... more) const {
        return database.rows(sql, operation, first, last, key_, id_part_, rows_json_,
                             least_retries_, more...);
    }

private:
    static constexpr std::uint64_t last_of_all = std::numeric_limits<std::int64_t>::max() >> 1;

    [[nodiscard]] std::string in_states() const {
        std::string list;
        std::size_t count = 0;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            if (!states_[i]) continue;
            if (count++ > 0) list += ", ";
            list += concat(i);
        }
        return count == 1 ? concat("state = ", list) : concat("state IN (", list, ")");
    }

    std::array<bool, enumerators_of<row_state>.size()> states_{};
    std::optional<step_index> step_;
    std::optional<error_type> failure_;
    bool has_no_failure_ = false;
    std::uint32_t least_retries_;
    std::string key_;
    bool awaits_signal_;
    std::string id_part_;
    std::vector<row_number> rows_;
    std::string rows_json_{};
    std::uint64_t first_;
    std::uint64_t last_;
};

}  // namespace bulk::sqlite
