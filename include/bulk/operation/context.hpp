// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/operation/task.hpp>
#include <bulk/operation/transaction_source.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace bulk {

/// Where a step finds itself: which row of which operation, at which step, for which time.
class context {
public:
    struct place {
        operation_id operation{};
        row_number row{};
        step_index step{};
        std::string_view step_name{};
        std::uint32_t attempt = 1;  ///< 1 is the first try
    };

    explicit context(place place, std::stop_token stop = {})
        : place_{place}, stop_{std::move(stop)} {}

    /// The engine goes on to the next step, maybe of another row.
    void enter(row_number row, step_index step, std::string_view step_name, std::uint32_t attempt) {
        place_.row = row;
        place_.step = step;
        place_.step_name = step_name;
        place_.attempt = attempt;
    }

    [[nodiscard]] operation_id operation() const { return place_.operation; }
    [[nodiscard]] row_number row() const { return place_.row; }
    [[nodiscard]] step_index step() const { return place_.step; }
    [[nodiscard]] std::string_view step_name() const { return place_.step_name; }
    [[nodiscard]] std::uint32_t attempt() const { return place_.attempt; }

    /// Asks to stop when the operation is cancelled or the process shuts down. A step that takes
    /// long looks at it now and then, or passes it on.
    [[nodiscard]] const std::stop_token& stop_token() const { return stop_; }

    /// What the engine asks the step to stop by, from now on.
    void stop_by(std::stop_token stop) { stop_ = std::move(stop); }

    /// For steps that are coroutines: `co_await ctx.sleep(30s)`.
    [[nodiscard]] static sleep_request sleep(std::chrono::milliseconds time) { return {time}; }

    /// For steps that are coroutines: `co_await ctx.signal("approved-7", 1h)` is a `result<>`,
    /// failed when a failure was signalled, or nothing in time (`errc::timed_out`).
    [[nodiscard]] static signal_request signal(
        std::string key, std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
        return {std::move(key), timeout};
    }

    /// The same text every time this step is tried for this row, in this process or after a
    /// restart: hand it to systems that can refuse to do a thing twice.
    [[nodiscard]] std::string idempotency_key() const {
        return concat(to_text(place_.operation), ':', to_number(place_.row), ':',
                      to_number(place_.step));
    }

    /// The storage's own connection, inside the transaction that records this step: what the step
    /// writes there and that it is done are stored together, exactly once. What fails, or throws, has
    /// written nothing. Others wait meanwhile, so do it last and do not dawdle. Not for coroutines.
    template <typename Connection>
    [[nodiscard]] result<Connection*> transaction() {
        if (transactions_ == nullptr)
            return fail(
                errc::invalid_argument,
                "a transaction cannot be had here: only a step that is no coroutine has one");
        auto connection = transactions_->begin(typeid(Connection));
        if (!connection) return std::unexpected{std::move(connection).error()};
        return static_cast<Connection*>(*connection);
    }
    [[nodiscard]] bool is_in_transaction() const {
        return transactions_ != nullptr && transactions_->is_open();
    }

    /// Where the engine takes transactions from; null: there are none.
    void take_transactions_from(transaction_source* transactions) { transactions_ = transactions; }

private:
    place place_;
    std::stop_token stop_;
    transaction_source* transactions_ = nullptr;
};

}  // namespace bulk
