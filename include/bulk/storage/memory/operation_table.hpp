// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/memory/operation_index.hpp>
#include <bulk/storage/memory/operation_rows.hpp>
#include <bulk/storage/operation_claims.hpp>
#include <bulk/storage/operation_filter.hpp>
#include <bulk/storage/operation_order.hpp>
#include <bulk/storage/operation_tables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace bulk::memory {

/// Operations and their owners. Not for several threads at once: the storage holds the lock.
class operation_table {
public:
    [[nodiscard]] const stored_operation* find_operation(operation_id id) const {
        const auto found = numbers_.find(id);
        return found == numbers_.end() ? nullptr : &at(found->second).stored;
    }
    [[nodiscard]] const stored_operation* find_first(std::string_view name,
                                                     std::string_view key) const {
        const auto found = keys_.find(key_of(name, key));
        return found == keys_.end() ? nullptr : &at(found->second).stored;
    }

    template <typename Wants>
    [[nodiscard]] const stored_operation* find_open(timestamp leased_until, Wants wants) const {
        const auto is_wanted = [&](const stored_operation& each) {
            return wants(candidate_of(each));
        };
        const stored_operation* found = nullptr;
        for (const auto& each : free_)
            if (is_wanted(at(each.number).stored)) {
                found = &at(each.number).stored;
                break;
            }
        for (const auto& each : leased_) {
            if (each.time > leased_until) break;
            const auto& stored = at(each.number).stored;
            if ((found == nullptr || is_older(stored, *found)) && is_wanted(stored))
                found = &stored;
        }
        return found;
    }

    [[nodiscard]] page<operation_record> find_operations(
        const operation_query& query, const std::optional<operation_order>& after) const {
        page<operation_record> found;
        const operation_filter filter{query};
        if (query.with_total) found.total = count(filter);
        if (const auto state = filter.only_state(); state && index_.count(*state) == 0)
            return found;
        index_.visit(query, after, [&](const operation_order& order) {
            const operation_record& record = find_operation(order.id)->record;
            if (filter.matches(record)) found.items.push_back(record);
            return found.items.size() < query.page_size;
        });
        return found;
    }

    void insert_operation(const operation_record& record) {
        if (unused_.empty()) {
            unused_.push_back(static_cast<std::int64_t>(all_.size()));
            all_.emplace_back();
        }
        const auto number = unused_.back();
        unused_.pop_back();
        auto& made = all_[static_cast<std::size_t>(number)];
        made = std::make_unique<entry>(
            stored_operation{.key = {.id = record.id, .number = number}, .record = record});
        numbers_.emplace(record.id, number);
        if (!record.idempotency_key.empty())
            keys_.emplace(key_of(record.name, record.idempotency_key), number);
        index_.insert(record);
        enter(made->stored);
    }

    void save_operation(const operation_key& key, const operation_record& record) {
        auto& stored = at(key.number).stored;
        leave(stored);
        index_.move(stored.record, record);
        stored.record = record;
        enter(stored);
    }

    void set_lease(const operation_key& key, std::optional<timestamp> until) {
        auto& stored = at(key.number).stored;
        leave(stored);
        stored.lease_until = until;
        enter(stored);
    }

    void set_owner(const operation_key& key, std::uint64_t fence, timestamp until,
                   const std::string& /*owner*/) {
        at(key.number).stored.fence = fence;
        set_lease(key, until);
    }

    void add_counts(const operation_key& key, const row_counters& counted, step_index /*last*/) {
        if (counted == row_counters{}) return;
        operation_record& record = at(key.number).stored.record;
        index_.move(operation_sort::total_rows, key.id, record.rows.total,
                    record.rows.total + counted.total);
        index_.move(operation_sort::processed_rows, key.id, record.rows.processed,
                    record.rows.processed + counted.processed);
        add(record.rows, counted);
        ++record.version;
    }

    [[nodiscard]] operation_rows& rows_of(const operation_key& key) {
        auto& rows = at(key.number).rows;
        if (!rows) rows = std::make_unique<operation_rows>(key.id);
        return *rows;
    }
    [[nodiscard]] const operation_rows& rows_of(const operation_key& key) const {
        const auto& rows = at(key.number).rows;
        return rows ? *rows : no_rows_;
    }

protected:
    void erase_operation(const operation_key& key) {
        const auto& stored = at(key.number).stored;
        if (!stored.record.idempotency_key.empty())
            keys_.erase(key_of(stored.record.name, stored.record.idempotency_key));
        index_.erase(stored.record);
        leave(stored);
        numbers_.erase(key.id);
        all_[static_cast<std::size_t>(key.number)].reset();
        unused_.push_back(key.number);
    }

private:
    struct entry {
        stored_operation stored{};
        std::unique_ptr<operation_rows> rows{};  ///< from the first one on
    };
    struct place {
        timestamp time{};  ///< of the creation, or the end of the lease
        operation_id id{};
        std::int64_t number = 0;

        auto operator<=>(const place&) const = default;
    };

    static std::pair<std::string, std::string> key_of(std::string_view name, std::string_view key) {
        return {folded(name), std::string{key}};
    }

    [[nodiscard]] static bool is_older(const stored_operation& a, const stored_operation& b) {
        return std::tie(a.record.created_at, a.key.id) < std::tie(b.record.created_at, b.key.id);
    }

    /// What it looks at changes between `leave` and `enter` only. A paused operation is left out, too: there
    /// can be many, and each claim would pass them by.
    void enter(const stored_operation& each) {
        if (!is_claimable(each.record)) return;
        if (each.lease_until)
            leased_.insert({*each.lease_until, each.key.id, each.key.number});
        else
            free_.insert({each.record.created_at, each.key.id, each.key.number});
    }
    void leave(const stored_operation& each) {
        if (!is_claimable(each.record)) return;
        if (each.lease_until)
            leased_.erase({*each.lease_until, each.key.id, each.key.number});
        else
            free_.erase({each.record.created_at, each.key.id, each.key.number});
    }

    [[nodiscard]] entry& at(std::int64_t number) { return *all_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] const entry& at(std::int64_t number) const {
        return *all_[static_cast<std::size_t>(number)];
    }

    [[nodiscard]] std::uint64_t count(const operation_filter& filter) const {
        if (filter.is_everything()) return numbers_.size();
        if (const auto state = filter.only_state()) return index_.count(*state);
        read_pulse pulse;
        return static_cast<std::uint64_t>(std::ranges::count_if(all_, [&](const auto& each) {
            return each != nullptr && !pulse.is_over() && filter.matches(each->stored.record);
        }));
    }

    std::vector<std::unique_ptr<entry>> all_;  ///< by number; null: not used
    std::vector<std::int64_t> unused_;
    std::map<operation_id, std::int64_t> numbers_;
    std::map<std::pair<std::string, std::string>, std::int64_t> keys_;
    std::set<place> free_;    ///< by age
    std::set<place> leased_;  ///< by when the lease ends
    operation_index index_;
    operation_rows no_rows_{operation_id{}};
};

}  // namespace bulk::memory
