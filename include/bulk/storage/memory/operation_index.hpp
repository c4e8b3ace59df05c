// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/memory/operation_filter.hpp>

#include <array>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace bulk::memory {

/// Operations in every order that can be asked for, and how many there are in each state.
class operation_index {
public:
    /// Sorts by the number, then by the text, one of which is not used; then by the id.
    struct key {
        std::uint64_t number = 0;
        std::string text{};
        operation_id id{};

        auto operator<=>(const key&) const = default;
    };

    void insert(const operation_record& record) {
        for (std::size_t i = 0; i < sorts; ++i)
            sorted_[i].insert(key_of(record, static_cast<operation_sort>(i)));
        ++states_[std::to_underlying(record.state)];
    }

    void erase(const operation_record& record) {
        for (std::size_t i = 0; i < sorts; ++i)
            sorted_[i].erase(key_of(record, static_cast<operation_sort>(i)));
        --states_[std::to_underlying(record.state)];
    }

    void move(const operation_record& before, const operation_record& after) {
        for (std::size_t i = 0; i < sorts; ++i) {
            const auto sort = static_cast<operation_sort>(i);
            move(sort, key_of(before, sort), key_of(after, sort));
        }
        --states_[std::to_underlying(before.state)];
        ++states_[std::to_underlying(after.state)];
    }

    void move(operation_sort sort, operation_id id, std::uint64_t from, std::uint64_t to) {
        move(sort, key{.number = from, .id = id}, key{.number = to, .id = id});
    }

    [[nodiscard]] std::uint64_t count(operation_state state) const {
        return states_[std::to_underlying(state)];
    }

    /// In the order of a query, behind a place, until `visit` says false.
    template <typename Visit>
    void visit(const operation_query& query, const std::optional<key>& after, Visit visit) const {
        const auto& order = sorted_[std::to_underlying(query.sort)];
        const bool is_by_time = query.sort == operation_sort::created_at;
        auto first = order.begin(), end = order.end();
        if (is_by_time && query.created_from)
            first = order.lower_bound({.number = number_of(*query.created_from)});
        if (is_by_time && query.created_to)
            end = order.lower_bound({.number = number_of(*query.created_to) + 1});
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

    [[nodiscard]] static std::string cursor_of(const operation_record& record,
                                               operation_sort sort) {
        const key at = key_of(record, sort);
        return to_text(
            cursor{.key = sort == operation_sort::name ? at.text : std::to_string(at.number),
                   .id = to_text(at.id)});
    }

    [[nodiscard]] static result<key> parse(std::string_view text, operation_sort sort) {
        auto at = parse_cursor(text);
        if (!at) return std::unexpected{at.error()};
        const auto id = parse_operation_id(at->id);
        if (!id) return std::unexpected{id.error()};
        if (sort == operation_sort::name) return key{.text = std::move(at->key), .id = *id};
        key place{.id = *id};
        const char* const end = at->key.data() + at->key.size();
        const auto [last, status] = std::from_chars(at->key.data(), end, place.number);
        if (status != std::errc{} || last != end)
            return fail(errc::invalid_argument,
                        concat("cursor '", text.substr(0, 64), "' is of another order"));
        return place;
    }

private:
    static constexpr std::size_t sorts = enumerators_of<operation_sort>.size();

    static std::uint64_t number_of(timestamp time) {
        return static_cast<std::uint64_t>(time.time_since_epoch().count());
    }

    static key key_of(const operation_record& record, operation_sort sort) {
        switch (sort) {
            case operation_sort::name:
                return {.text = lowered(record.name), .id = record.id};
            case operation_sort::state:
                return {.number = std::to_underlying(record.state), .id = record.id};
            case operation_sort::total_rows:
                return {.number = record.rows.total, .id = record.id};
            case operation_sort::processed_rows:
                return {.number = record.rows.processed, .id = record.id};
            default:
                return {.number = number_of(record.created_at), .id = record.id};
        }
    }

    /// The entry is moved, not made anew: rows are counted all the time.
    void move(operation_sort sort, const key& from, key to) {
        if (from == to) return;
        auto& order = sorted_[std::to_underlying(sort)];
        auto node = order.extract(from);
        node.value() = std::move(to);
        order.insert(std::move(node));
    }

    std::array<std::set<key>, sorts> sorted_;
    std::array<std::uint64_t, enumerators_of<operation_state>.size()> states_{};
};

}  // namespace bulk::memory
