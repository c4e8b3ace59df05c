// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/memory/claim_queue.hpp>
#include <bulk/storage/memory/operation_filter.hpp>
#include <bulk/storage/memory/operation_index.hpp>
#include <bulk/storage/operation_changes.hpp>
#include <bulk/storage/operation_claims.hpp>
#include <bulk/storage/operation_order.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::memory {

/// Operations and who works on them. Not for several threads at once: the storage holds the lock.
class operation_table {
public:
    [[nodiscard]] const operation_record* find_key(std::string_view name, std::string_view key) {
        const auto found = keys_.find(key_of(name, key));
        return found == keys_.end() ? nullptr : &all_.at(found->second).record;
    }

    [[nodiscard]] result<operation_record> insert(operation_record record) {
        if (all_.contains(record.id)) return operation_exists(record.id);
        record.version = 1;
        if (!record.idempotency_key.empty())
            keys_.emplace(key_of(record.name, record.idempotency_key), record.id);
        entry& made = all_[record.id];
        made.record = std::move(record);
        index_.insert(made.record);
        queue_.enter(made.record, made.lease_until);
        return made.record;
    }

    /// Null if there is none.
    [[nodiscard]] const operation_record* find(operation_id id) const {
        const auto found = all_.find(id);
        return found == all_.end() ? nullptr : &found->second.record;
    }

    [[nodiscard]] result<operation_record> get(operation_id id) const {
        const operation_record* found = find(id);
        if (found == nullptr) return operation_not_found(id);
        return *found;
    }

    /// Of one that has ended.
    [[nodiscard]] result<> remove(operation_id id) {
        const auto found = all_.find(id);
        if (found == all_.end()) return operation_not_found(id);
        const operation_record& record = found->second.record;
        if (auto can = check_removable(record); !can) return can;
        if (!record.idempotency_key.empty())
            keys_.erase(key_of(record.name, record.idempotency_key));
        index_.erase(record);
        queue_.leave(record, found->second.lease_until);
        all_.erase(found);
        return {};
    }

    /// By anybody: with the version that they have read.
    [[nodiscard]] result<operation_record> update(const operation_record& record) {
        if (auto current = check_version(record); !current) return std::unexpected{current.error()};
        return operation_record{replace(all_.at(record.id), record)};
    }

    [[nodiscard]] result<> check_version(const operation_record& record) const {
        const auto found = all_.find(record.id);
        if (found == all_.end()) return operation_not_found(record.id);
        return bulk::check_version(found->second.record, record);
    }

    /// Begins an operation once more, of the right version, without so many rows that had failed.
    void retry(const operation_record& record, std::uint64_t rows) {
        entry& stored = all_.at(record.id);
        set_lease(stored, std::nullopt);
        (void)replace(stored, retry_update(stored.record, record, rows));
    }

    /// By its owner: what others ask for and what was counted stays.
    [[nodiscard]] result<operation_record> update(const lease& held,
                                                  const operation_record& record) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        return operation_record{replace(**owned, owner_update((*owned)->record, record))};
    }

    /// Adds what was counted, under a lease.
    [[nodiscard]] result<> count(const lease& held, const row_counters& counted) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        if (counted == row_counters{}) return {};
        operation_record& record = (*owned)->record;
        index_.move(operation_sort::total_rows, record.id, record.rows.total,
                    record.rows.total + counted.total);
        index_.move(operation_sort::processed_rows, record.id, record.rows.processed,
                    record.rows.processed + counted.processed);
        record.rows.total += counted.total;
        record.rows.processed += counted.processed;
        record.rows.successful += counted.successful;
        record.rows.failed += counted.failed;
        ++record.version;
        return {};
    }

    [[nodiscard]] std::optional<claimed_operation> claim(const claim_request& request) {
        const auto find = [&](operation_id id) -> const operation_record& {
            return all_.at(id).record;
        };
        const auto is_wanted = [&](const operation_record& record) {
            return wants(request, record.id, record.name);
        };
        const auto id = queue_.oldest(request.lapsed_by(), find, is_wanted);
        if (!id) return std::nullopt;
        return take(all_.at(*id), request);
    }

    [[nodiscard]] std::optional<claimed_operation> claim(operation_id id,
                                                         const claim_request& request) {
        const auto found = all_.find(id);
        if (found == all_.end()) return std::nullopt;
        entry& each = found->second;
        if (is_leased(each.lease_until, request) || !is_claimable(each.record)) return std::nullopt;
        return take(each, request);
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        set_lease(**owned, now + time);
        return (*owned)->record;
    }

    /// Whether a lease is still good.
    [[nodiscard]] result<> check(const lease& held) {
        if (auto owned = find_owned(held); !owned) return std::unexpected{owned.error()};
        return {};
    }

    [[nodiscard]] result<> release(const lease& held) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        set_lease(**owned, std::nullopt);
        return {};
    }

    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) const {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        std::optional<operation_order> after;
        if (!query.after.empty()) {
            auto at = parse_operation_order(query.after, query.sort);
            if (!at) return std::unexpected{at.error()};
            after = std::move(*at);
        }
        page<operation_record> found;
        const operation_filter filter{query};
        if (query.with_total) found.total = count(filter);
        if (const auto state = filter.only_state(); state && index_.count(*state) == 0)
            return found;
        index_.visit(query, after, [&](const operation_order& key) {
            const operation_record& record = all_.at(key.id).record;
            if (!filter.matches(record)) return true;
            if (found.items.size() == query.page_size) {
                found.next = cursor_of(found.items.back(), query.sort);
                return false;
            }
            found.items.push_back(record);
            return true;
        });
        return found;
    }

private:
    struct entry {
        operation_record record{};
        std::uint64_t fence = 0;
        std::optional<timestamp> lease_until{};  ///< none: nobody has it
    };

    static std::pair<std::string, std::string> key_of(std::string_view name, std::string_view key) {
        return {folded(name), std::string{key}};
    }

    [[nodiscard]] std::uint64_t count(const operation_filter& filter) const {
        if (filter.is_everything()) return all_.size();
        if (const auto state = filter.only_state()) return index_.count(*state);
        read_pulse pulse;
        return static_cast<std::uint64_t>(std::ranges::count_if(all_, [&](const auto& each) {
            return !pulse.is_over() && filter.matches(each.second.record);
        }));
    }

    const operation_record& replace(entry& stored, const operation_record& record) {
        queue_.leave(stored.record, stored.lease_until);
        const operation_record before = std::exchange(stored.record, record);
        stored.record.version = before.version + 1;
        index_.move(before, stored.record);
        if (is_final(record.state)) stored.lease_until.reset();  // at rest it has no owner
        queue_.enter(stored.record, stored.lease_until);
        return stored.record;
    }

    void set_lease(entry& each, std::optional<timestamp> until) {
        queue_.leave(each.record, each.lease_until);
        each.lease_until = until;
        queue_.enter(each.record, each.lease_until);
    }

    claimed_operation take(entry& each, const claim_request& request) {
        const bool was_lapsed = each.lease_until.has_value();  // given back, it would have none
        ++each.fence;
        set_lease(each, request.now + request.lease_time);
        return {.held = {.operation = each.record.id, .fence = each.fence},
                .operation = each.record,
                .was_lapsed = was_lapsed};
    }

    [[nodiscard]] result<entry*> find_owned(const lease& held) {
        const auto found = all_.find(held.operation);
        if (found == all_.end()) return operation_not_found(held.operation);
        if (!is_owner(held, found->second.fence, found->second.lease_until))
            return not_owner(held.operation);
        return &found->second;
    }

    std::map<operation_id, entry> all_;
    std::map<std::pair<std::string, std::string>, operation_id> keys_;
    claim_queue queue_;
    operation_index index_;
};

}  // namespace bulk::memory
