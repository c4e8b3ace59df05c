#pragma once

#include <bulk/core/read_limit.hpp>
#include <bulk/storage/first_places.hpp>
#include <bulk/storage/row_filter.hpp>
#include <bulk/storage/row_order.hpp>
#include <bulk/storage/row_tables.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bulk::naive {

/// Everything about the rows of one operation, in maps that are searched from end to end. In the order of
/// the concept `row_tables`, which says what each function does.
class row_maps {
public:
    explicit row_maps(operation_id operation) : operation_{operation} {}

    /// Rows that completed at the first try have plain records, too.
    void add(std::span<const rows_completed> completed) {
        for (const auto& each : completed)
            for (std::uint64_t i = 0; i < each.rows; ++i)
                for (auto slot = slot_of(each.first_step); slot <= slot_of(each.last_step); ++slot)
                    add(row_number{to_number(each.first_row) + i}, step_of(slot), each);
    }
    void put_record(const row_record& record, wait_end end) {
        if (!record.row_id.empty()) put_id(record.row, record.row_id);
        auto& kept = records_[{record.row, record.step}];
        waits_.erase(order_of_wait(kept.record));
        kept = {record, end};
        kept.record.operation = operation_;
        kept.record.row_id = ids_[record.row];
        add_wait(kept);
    }
    void put_id(row_number row, std::string_view id) {
        ids_[row] = id;
        visit_records(row, [&](kept_record& each) { each.record.row_id = id; });
    }
    std::optional<row_record> get(row_number row, step_index step) {
        const auto found = records_.find({row, step});
        return found == records_.end() ? std::nullopt : std::optional{found->second.record};
    }
    void progress(row_number first, std::span<std::optional<row_progress>> into) {
        for (std::size_t i = 0; i < into.size(); ++i)
            visit_records(row_number{to_number(first) + i}, [&](const kept_record& each) {
                const auto& record = each.record;
                into[i] = {record.step, record.state, record.attempt, record.retry_attempt};
            });
    }
    page<row_record> query(const row_query& query, const std::optional<row_order>& after) {
        page<row_record> found;
        first_places places{after, query.descending, query.page_size};
        visit_matches(query, [&](const row_record& record) {
            ++found.total;
            places.add(order_of(record, query.sort));
        });
        for (const auto& each : std::move(places).take())
            found.items.push_back(records_.at(each.place).record);
        return found;
    }
    page<row_number> row_numbers(const row_query& query, std::optional<row_number> after) {
        page<row_number> found;
        first_places rows{after, query.descending, query.page_size};
        row_number last{0};
        visit_matches(query, [&](const row_record& record) {
            if (record.row == std::exchange(last, record.row)) return;
            ++found.total;
            rows.add(record.row);
        });
        found.items = std::move(rows).take();
        return found;
    }
    void move_steps(const step_moves& to) {
        waits_.clear();
        for (auto& [place, each] : std::exchange(records_, {})) {
            each.record.step = moved(place.step(), to);
            add_wait(records_[{place.row(), each.record.step}] = std::move(each));
        }
        for (auto& [order, each] : std::exchange(history_, {})) {
            each.step = moved(each.step, to);
            history_[{{each.row, each.step}, each.retry_attempt}] = std::move(each);
        }
        for (auto& each : given_) each.step = moved(each.step, to);
    }

    struct kept_record {
        row_record record{};
        wait_end ended{};
        const std::string& signal_key() const { return record.signal_key; }
        const std::string& journal() const { return record.journal; }
        std::uint32_t retry_attempt() const { return record.retry_attempt; }
        wait_end end() const { return ended; }
    };
    const kept_record* find_wait(row_number row, step_index step) {
        const auto found = records_.find({row, step});
        const bool is_waiting = found != records_.end() && awaits_signal(found->second.record);
        return is_waiting ? &found->second : nullptr;
    }
    void visit_row(row_number row, std::string_view key,
                   std::function<bool(const row_wait&)> visit) {
        visit_records(row, [&](const kept_record& each) {
            const auto& record = each.record;
            const bool has_waited = awaits_signal(record) || record.state == row_state::completed;
            if (visit && has_waited && record.signal_key == key &&
                !visit({record.step, record.state, each.ended, record.wait_until}))
                visit = nullptr;
        });
    }
    void visit_waits(std::string_view key,
                     const std::function<bool(record_place, std::optional<timestamp>)>& visit) {
        auto each = waits_.lower_bound(
            {std::string{key}, {.number = order_of(std::optional<timestamp>{})}});
        for (; each != waits_.end() && each->first == key; ++each)
            if (const auto at = each->second.place; !visit(at, records_.at(at).record.wait_until))
                return;
    }
    void set_wait_end(record_place at, wait_end end) {
        records_.at(at).ended = end;
        waits_.erase(order_of_wait(records_.at(at).record));
        add_wait(records_.at(at));
    }

    void give(record_place to, std::string_view key, const std::optional<std::string>& failure) {
        given_.push_back({++last_signal_, to.row(), to.step(), std::string{key}, failure});
    }
    std::optional<given_signal> given_to(row_number row, step_index step) {
        for (const auto& each : given_)
            if (each.row == row && each.step == step) return each;
        return std::nullopt;
    }
    std::vector<given_signal> given(std::uint64_t behind, std::uint32_t limit) {
        std::vector<given_signal> found;
        for (const auto& each : given_)
            if (each.sequence > behind && found.size() < limit) found.push_back(each);
        return found;
    }
    void remove_given(row_number row, step_index step) {
        std::erase_if(given_, [&](auto& each) { return each.row == row && each.step == step; });
    }
    void keep_early(const signal& sent, timestamp until) { early_[++last_signal_] = {sent, until}; }
    std::optional<early_signal> find_early(row_number row, step_index /*step*/,
                                           std::string_view key, bool is_for_any_row) {
        const auto to = is_for_any_row ? std::nullopt : std::optional{row};
        for (const auto& [number, each] : early_)
            if (const auto& sent = each.first; sent.key == key && sent.row == to)
                return early_signal{number, sent.failure};
        return std::nullopt;
    }
    void remove_early(std::uint64_t number) { early_.erase(number); }
    void end_early(timestamp now) {
        std::erase_if(early_, [&](const auto& each) { return each.second.second <= now; });
    }

    retry_submission reset_failed(const retry_selection& selection) {
        retry_submission made;
        for (auto& [place, each] : records_) {
            auto& record = each.record;
            if (!selection.resets(record, made)) continue;
            history_[{place, record.retry_attempt}] = {
                operation_,     record.row,           record.step,         record.retry_attempt,
                record.failure, record.error_message, record.completed_at, record.row_data};
            (void)reset_for_retry(record, {});
            each.ended = wait_end::none;
        }
        return made;
    }
    page<retry_entry> history(const retry_history_query& query,
                              const std::optional<retry_order>& after) {
        page<retry_entry> found;
        for (auto [order, each] : history_) {
            if (!matches(query, order)) continue;
            ++found.total;
            if ((after && order <= *after) || found.items.size() == query.page_size) continue;
            if (const auto validated = get(each.row, validation_step);
                validated && each.row_data.empty())
                each.row_data = validated->row_data;
            found.items.push_back(std::move(each));
        }
        return found;
    }

private:
    void add(row_number row, step_index step, const rows_completed& run) {
        row_record record{operation_, row, step, row_state::completed, 1};
        record.row_id = ids_[row];
        record.started_at = run.started_at;
        record.completed_at = run.completed_at;
        records_.try_emplace({row, step}, std::move(record));  // another record of the step wins
    }
    static std::pair<std::string, row_order> order_of_wait(const row_record& record) {
        return {record.signal_key, order_of(record, row_sort::started_at)};
    }
    void add_wait(const kept_record& each) {
        if (awaits_signal(each.record) && each.ended == wait_end::none)
            waits_.insert(order_of_wait(each.record));
    }
    template <typename Visit>
    void visit_records(row_number row, Visit visit) {
        auto each = records_.lower_bound({row, validation_step});
        for (; each != records_.end() && each->first.row() == row; ++each) visit(each->second);
    }
    template <typename Visit>
    void visit_matches(const row_query& query, Visit visit) {
        read_pulse pulse;
        for (const auto& [place, each] : records_)
            if (!pulse.is_over() && matches(query, each.record)) visit(each.record);
    }

    operation_id operation_;
    std::map<record_place, kept_record> records_;
    std::map<row_number, std::string> ids_;
    /// What a signal can find. The one index: the suites have a key with 200 000 waits and 5000 signals.
    std::set<std::pair<std::string, row_order>> waits_;
    std::vector<given_signal> given_;
    std::map<std::uint64_t, std::pair<signal, timestamp>> early_;
    std::map<retry_order, retry_entry> history_;
    std::uint64_t last_signal_ = 0;
};
static_assert(row_tables<row_maps>);

}  // namespace bulk::naive
