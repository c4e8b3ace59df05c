// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/row_tables.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace bulk::memory {

/// Signals that came before anybody waited for them, in the order in which they came.
class early_signals {
public:
    void keep(const signal& sent, timestamp until) {
        const auto number = ++last_;
        const auto& kept =
            all_.emplace(number, early{sent.key, sent.row.value_or(any_row), sent.failure, until})
                .first->second;
        by_key_.emplace(kept.key, kept.row, number);
        by_end_.emplace(until, number);
    }

    /// The oldest of a key, for this row or for any.
    [[nodiscard]] std::optional<early_signal> find(std::string_view key, row_number row,
                                                   bool is_for_any_row) const {
        if (all_.empty()) return std::nullopt;
        if (is_for_any_row) row = any_row;
        const auto at = by_key_.lower_bound({key, row, 0});
        if (at == by_key_.end() || std::get<0>(*at) != key || std::get<1>(*at) != row)
            return std::nullopt;
        const auto number = std::get<2>(*at);
        return early_signal{.number = number, .failure = all_.at(number).failure};
    }

    void remove(std::uint64_t number) {
        const auto at = all_.find(number);
        by_key_.erase({at->second.key, at->second.row, number});
        by_end_.erase({at->second.until, number});
        all_.erase(at);
    }

    void end(timestamp now) {
        while (!by_end_.empty() && by_end_.begin()->first <= now) remove(by_end_.begin()->second);
    }

private:
    struct early {
        std::string key;
        row_number row;
        std::optional<std::string> failure;
        timestamp until;
    };

    std::map<std::uint64_t, early> all_;
    std::set<std::tuple<std::string_view, row_number, std::uint64_t>> by_key_;  ///< views of `all_`
    std::set<std::pair<timestamp, std::uint64_t>> by_end_;
    std::uint64_t last_ = 0;
};

}  // namespace bulk::memory
