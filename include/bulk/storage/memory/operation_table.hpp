// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/storage/lease.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
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
        if (all_.contains(record.id))
            return fail(errc::conflict,
                        concat("operation ", to_text(record.id), " exists already"));
        record.version = 1;
        if (!record.idempotency_key.empty())
            keys_.emplace(key_of(record.name, record.idempotency_key), record.id);
        entry& made = all_[record.id];
        made.record = std::move(record);
        enter(made);
        return made.record;
    }

    [[nodiscard]] result<operation_record> get(operation_id id) const {
        const auto found = all_.find(id);
        if (found == all_.end()) return not_found(id);
        return found->second.record;
    }

    /// By anybody: with the version that they have read.
    [[nodiscard]] result<operation_record> update(const operation_record& record) {
        const auto found = all_.find(record.id);
        if (found == all_.end()) return not_found(record.id);
        if (found->second.record.version != record.version)
            return fail(errc::conflict,
                        concat("operation ", to_text(record.id), " was changed by somebody else"));
        return operation_record{replace(found->second, record)};
    }

    /// By its owner: what others ask for and what was counted stays.
    [[nodiscard]] result<operation_record> update(const lease& held, operation_record record) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        const operation_record& stored = (*owned)->record;
        const auto total = record.rows.total;
        record.rows = stored.rows;
        record.rows.total = total;
        record.paused = stored.paused;
        record.cancel_requested = stored.cancel_requested;
        return operation_record{replace(**owned, record)};
    }

    /// Adds what was counted, under a lease.
    [[nodiscard]] result<> count(const lease& held, const row_counters& counted) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        if (counted == row_counters{}) return {};
        operation_record& record = (*owned)->record;
        move_key(operation_sort::total_rows, record.id, record.rows.total,
                 record.rows.total + counted.total);
        move_key(operation_sort::processed_rows, record.id, record.rows.processed,
                 record.rows.processed + counted.processed);
        record.rows.total += counted.total;
        record.rows.processed += counted.processed;
        record.rows.successful += counted.successful;
        record.rows.failed += counted.failed;
        ++record.version;
        return {};
    }

    [[nodiscard]] std::optional<claimed_operation> claim(const claim_request& request) {
        const auto is_known = [&](const entry& each) {
            return std::ranges::any_of(request.names, [&](const std::string& name) {
                return same_name(name, each.record.name);
            });
        };
        entry* oldest = nullptr;
        for (const auto& [created, id] : waiting_)
            if (entry& each = all_.at(id); is_known(each)) {
                oldest = &each;
                break;
            }
        for (const auto& [until, id] : leased_) {
            if (until > request.now) break;
            entry& each = all_.at(id);
            if (is_free(each.record) && is_known(each) &&
                (oldest == nullptr || age(each) < age(*oldest)))
                oldest = &each;
        }
        if (oldest == nullptr) return std::nullopt;
        return take(*oldest, request);
    }

    [[nodiscard]] std::optional<claimed_operation> claim(operation_id id,
                                                         const claim_request& request) {
        const auto found = all_.find(id);
        if (found == all_.end()) return std::nullopt;
        entry& each = found->second;
        const bool is_held = each.lease_until && *each.lease_until > request.now;
        if (is_held || !is_free(each.record)) return std::nullopt;
        return take(each, request);
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        leave(**owned);
        (*owned)->lease_until = now + time;
        enter(**owned);
        return (*owned)->record;
    }

    [[nodiscard]] result<> release(const lease& held) {
        auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        leave(**owned);
        (*owned)->lease_until.reset();
        enter(**owned);
        return {};
    }

    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) const {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        const auto& order = sorted_[static_cast<std::size_t>(query.sort)];
        page<operation_record> found;
        std::optional<index_key> after;
        if (!query.after.empty()) {
            const auto at = parse_cursor(query.after).value();
            const auto id = parse_operation_id(at.id);
            if (!id) return std::unexpected{id.error()};
            after = index_key{.text = at.key, .id = *id};
            if (query.sort != operation_sort::name) {
                after->text.clear();
                std::from_chars(at.key.data(), at.key.data() + at.key.size(), after->number);
            }
        }
        bool has_more = false;
        const auto visit = [&](const index_key& key) {
            const operation_record& record = all_.at(key.id).record;
            if (!matches(record, query)) return;
            ++found.total;
            if (after && (query.descending ? !(key < *after) : !(*after < key))) return;
            if (found.items.size() < query.page_size) {
                found.items.push_back(record);
                const bool by_text = query.sort == operation_sort::name;
                found.next = to_text(
                    cursor{by_text ? key.text : std::to_string(key.number), to_text(key.id)});
            } else {
                has_more = true;
            }
        };
        if (query.descending)
            for (const auto& each : std::views::reverse(order)) visit(each);
        else
            for (const auto& each : order) visit(each);
        if (!has_more) found.next.clear();
        return found;
    }

private:
    struct entry {
        operation_record record{};
        std::uint64_t fence = 0;
        std::optional<timestamp> lease_until{};  ///< none: nobody has it
    };
    /// Sorts by the number, then by the text, one of which is not used; then by the id.
    struct index_key {
        std::uint64_t number = 0;
        std::string text{};
        operation_id id{};

        auto operator<=>(const index_key&) const = default;
    };
    static constexpr std::size_t sorts = enumerators_of<operation_sort>.size();

    static std::unexpected<error> not_found(operation_id id) {
        return fail(errc::not_found, concat("there is no operation ", to_text(id)));
    }

    static std::string lower(std::string_view text) {
        std::string all{text};
        for (char& c : all) c = lower_case(c);
        return all;
    }
    static std::pair<std::string, std::string> key_of(std::string_view name, std::string_view key) {
        return {lower(name), std::string{key}};
    }

    static index_key key_for(const operation_record& record, operation_sort sort) {
        index_key key{.id = record.id};
        switch (sort) {
            case operation_sort::name:
                key.text = lower(record.name);
                break;
            case operation_sort::state:
                key.number = static_cast<std::uint64_t>(record.state);
                break;
            case operation_sort::total_rows:
                key.number = record.rows.total;
                break;
            case operation_sort::processed_rows:
                key.number = record.rows.processed;
                break;
            default:
                key.number =
                    static_cast<std::uint64_t>(record.created_at.time_since_epoch().count());
        }
        return key;
    }

    [[nodiscard]] static bool matches(const operation_record& record,
                                      const operation_query& query) {
        const auto contains = [](std::string_view text, std::string_view part) {
            return part.empty() || lower(text).contains(lower(part));
        };
        return contains(record.name, query.name_contains) &&
               contains(record.created_by, query.created_by_contains) &&
               (!query.state || record.state == *query.state) &&
               (!query.created_from || record.created_at >= *query.created_from) &&
               (!query.created_to || record.created_at <= *query.created_to);
    }

    /// Whether somebody should work on it, if nobody does.
    [[nodiscard]] static bool is_free(const operation_record& record) {
        return !is_final(record.state) && (!record.paused || record.cancel_requested);
    }

    [[nodiscard]] static std::pair<timestamp, operation_id> age(const entry& each) {
        return {each.record.created_at, each.record.id};
    }

    /// Into the indexes, and out of them. Everything that an index looks at changes in between.
    void enter(const entry& each) {
        for (std::size_t i = 0; i < sorts; ++i)
            sorted_[i].insert(key_for(each.record, static_cast<operation_sort>(i)));
        enter_work(each);
    }
    void leave(const entry& each) {
        for (std::size_t i = 0; i < sorts; ++i)
            sorted_[i].erase(key_for(each.record, static_cast<operation_sort>(i)));
        leave_work(each);
    }
    void enter_work(const entry& each) {
        if (each.lease_until)
            leased_.emplace(*each.lease_until, each.record.id);
        else if (is_free(each.record))
            waiting_.insert(age(each));
    }
    void leave_work(const entry& each) {
        if (each.lease_until) leased_.erase({*each.lease_until, each.record.id});
        waiting_.erase(age(each));
    }

    const operation_record& replace(entry& stored, const operation_record& record) {
        const operation_record before = std::exchange(stored.record, record);
        stored.record.version = before.version + 1;
        for (std::size_t i = 0; i < sorts; ++i)
            reindex(static_cast<operation_sort>(i), before, stored.record);
        waiting_.erase({before.created_at, before.id});
        if (is_final(record.state) && stored.lease_until) {  // an operation at rest has no owner
            leased_.erase({*stored.lease_until, record.id});
            stored.lease_until.reset();
        }
        if (!stored.lease_until) enter_work(stored);
        return stored.record;
    }

    void reindex(operation_sort sort, const operation_record& before,
                 const operation_record& after) {
        move_key(sort, key_for(before, sort), key_for(after, sort));
    }

    void move_key(operation_sort sort, operation_id id, std::uint64_t from, std::uint64_t to) {
        move_key(sort, index_key{.number = from, .id = id}, index_key{.number = to, .id = id});
    }

    /// The entry is moved, not made anew: rows are counted all the time.
    void move_key(operation_sort sort, const index_key& from, index_key to) {
        if (from == to) return;
        auto& order = sorted_[static_cast<std::size_t>(sort)];
        auto node = order.extract(from);
        node.value() = std::move(to);
        order.insert(std::move(node));
    }

    claimed_operation take(entry& each, const claim_request& request) {
        leave_work(each);
        ++each.fence;
        each.lease_until = request.now + request.lease_time;
        enter_work(each);
        return {.held = {.operation = each.record.id, .fence = each.fence},
                .operation = each.record};
    }

    [[nodiscard]] result<entry*> find_owned(const lease& held) {
        const auto found = all_.find(held.operation);
        if (found == all_.end()) return not_found(held.operation);
        if (found->second.fence != held.fence || !found->second.lease_until)
            return fail(errc::conflict, concat("operation ", to_text(held.operation),
                                               " is not ours any more: another worker has it"));
        return &found->second;
    }

    std::map<operation_id, entry> all_;
    std::map<std::pair<std::string, std::string>, operation_id> keys_;
    std::set<std::pair<timestamp, operation_id>> waiting_;  ///< by age: nobody has them
    std::set<std::pair<timestamp, operation_id>> leased_;   ///< by when the lease ends
    std::array<std::set<index_key>, sorts> sorted_;
};

}  // namespace bulk::memory
