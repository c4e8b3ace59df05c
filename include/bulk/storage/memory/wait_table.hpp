// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/memory/kept_record.hpp>
#include <bulk/storage/memory/row_table.hpp>
#include <bulk/storage/memory/sorted_list.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/step_moves.hpp>
#include <bulk/storage/waits.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::memory {

/// The waits of one operation's rows, found by what they wait for. The keys themselves are in the records,
/// here are their hashes.
class wait_table {
public:
    void add(const row_record& record, wait_end end) {
        if (awaits_signal(record))
            waits_.insert(
                wait_of(record.signal_key, record.started_at, {record.row, record.step}, end));
    }
    void remove(const kept_record& record, record_place at) {
        if (record.is_waiting()) waits_.erase(wait_of(record, at));
    }
    /// Of a record that waits: it can be found no more.
    void set_end(kept_record& record, record_place at, wait_end end) {
        auto each = wait_of(record, at);
        if (record.end() == wait_end::none) {
            waits_.erase(each);
            each.key |= 1;
            waits_.insert(each);
        }
        record.set_end(end);
    }

    /// Those of a key that a signal can still find; `rows` has their records.
    template <typename Visit>
    void visit(const row_table& rows, std::string_view key, Visit visit) const {
        const wait first{.key = hash_of(key)};
        waits_.visit_from(first, [&](const wait& each) {
            if (each.key != first.key) return false;
            const kept_record& record = *rows.find(each.place);
            return record.signal_key() != key ||  // of the same hash
                   visit(each.place, record.wait_until());
        });
    }

    void move_steps(const step_moves& to) {
        const auto there = [&](record_place at) {
            return record_place{at.row(), moved(at.step(), to)};
        };
        sorted_list<wait> waits;
        waits_.visit_from({}, [&](wait each) {
            each.place = there(each.place);
            waits.insert(each);
            return true;
        });
        waits_ = std::move(waits);
    }

    /// Where a record that waits for the key can be, by row; none if there are more than so many.
    [[nodiscard]] std::optional<std::vector<record_place>> places_of(std::string_view key,
                                                                     std::size_t most) const {
        std::vector<record_place> found;
        const wait first{.key = hash_of(key)};
        waits_.visit_from(first, [&](const wait& each) {
            if ((each.key & ~std::uint64_t{1}) != first.key || found.size() > most) return false;
            found.push_back(each.place);
            return true;
        });
        if (found.size() > most) return std::nullopt;
        std::ranges::sort(found);
        return found;
    }

private:
    /// By key, then those that a signal can still find, then who waited longest.
    struct wait {
        std::uint64_t key = 0;  ///< the hash of what it waits for; odd: no signal finds it
        std::int64_t since = std::numeric_limits<std::int64_t>::min();
        record_place place{};

        auto operator<=>(const wait&) const = default;
    };

    static std::uint64_t hash_of(std::string_view key) {
        return std::uint64_t{std::hash<std::string_view>{}(key)} << 1;
    }
    static wait wait_of(std::string_view key, std::optional<timestamp> since, record_place place,
                        wait_end end) {
        wait made{.key = hash_of(key) | (end != wait_end::none ? 1 : 0), .place = place};
        if (since) made.since = since->time_since_epoch().count();
        return made;
    }
    static wait wait_of(const kept_record& record, record_place place) {
        return wait_of(record.signal_key(), record.started_at(), place, record.end());
    }

    sorted_list<wait> waits_;
};

}  // namespace bulk::memory
