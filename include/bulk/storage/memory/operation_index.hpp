// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/operation_order.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

namespace bulk::memory {

/// Operations in every order that can be asked for, and how many there are in each state.
class operation_index {
public:
    void insert(const operation_record& record) {
        for (std::size_t i = 0; i < sorts; ++i)
            sorted_[i].insert(order_of(record, static_cast<operation_sort>(i)));
        ++states_[std::to_underlying(record.state)];
    }

    void erase(const operation_record& record) {
        for (std::size_t i = 0; i < sorts; ++i)
            sorted_[i].erase(order_of(record, static_cast<operation_sort>(i)));
        --states_[std::to_underlying(record.state)];
    }

    void move(const operation_record& before, const operation_record& after) {
        for (std::size_t i = 0; i < sorts; ++i) {
            const auto sort = static_cast<operation_sort>(i);
            move(sort, order_of(before, sort), order_of(after, sort));
        }
        --states_[std::to_underlying(before.state)];
        ++states_[std::to_underlying(after.state)];
    }

    void move(operation_sort sort, operation_id id, std::uint64_t from, std::uint64_t to) {
        move(sort, operation_order{.number = static_cast<std::int64_t>(from), .id = id},
             operation_order{.number = static_cast<std::int64_t>(to), .id = id});
    }

    [[nodiscard]] std::uint64_t count(operation_state state) const {
        return states_[std::to_underlying(state)];
    }

    /// In the order of a query, behind a place, until `visit` says false.
    template <typename Visit>
    void visit(const operation_query& query, const std::optional<operation_order>& after,
               Visit visit) const {
        const auto& order = sorted_[std::to_underlying(query.sort)];
        const bool is_by_time = query.sort == operation_sort::created_at;
        auto first = order.begin(), end = order.end();
        if (is_by_time && query.created_from)
            first = order.lower_bound({.number = order_of(*query.created_from)});
        if (is_by_time && query.created_to)
            end = order.upper_bound({.number = order_of(*query.created_to), .id = last_id});
        const auto is_before = [&](auto a, auto b) {
            return a != order.end() && (b == order.end() || *a < *b);
        };
        if (after && query.descending) {
            if (const auto at = order.lower_bound(*after); is_before(at, end)) end = at;
        } else if (after) {
            if (const auto at = order.upper_bound(*after); is_before(first, at)) first = at;
        }
        if (!is_before(first, end)) return;
        const std::ranges::subrange part{first, end};
        read_pulse pulse;
        if (query.descending) {
            for (const auto& each : std::views::reverse(part))
                if (pulse.is_over() || !visit(each)) return;
        } else {
            for (const auto& each : part)
                if (pulse.is_over() || !visit(each)) return;
        }
    }

private:
    static constexpr operation_id last_id{{.high = ~std::uint64_t{0}, .low = ~std::uint64_t{0}}};
    static constexpr std::size_t sorts = enumerators_of<operation_sort>.size();

    /// The entry is moved, not made anew: rows are counted all the time.
    void move(operation_sort sort, const operation_order& from, operation_order to) {
        if (from == to) return;
        auto& order = sorted_[std::to_underlying(sort)];
        auto node = order.extract(from);
        node.value() = std::move(to);
        order.insert(std::move(node));
    }

    std::array<std::set<operation_order>, sorts> sorted_;
    std::array<std::uint64_t, enumerators_of<operation_state>.size()> states_{};
};

}  // namespace bulk::memory
