// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/operation/context.hpp>
#include <bulk/operation/task.hpp>
#include <bulk/run/owned_row.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace bulk {

/// A step that is a coroutine and has not come to its end, with all that it refers to: whoever holds
/// on to its waits holds on to its row and its context, too.
template <typename Row>
class coroutine_frame : public step_waits {
public:
    coroutine_frame(std::unique_ptr<owned_row<Row>> row, context ctx)
        : row_{std::move(row)}, ctx_{std::move(ctx)} {
        ctx_.take_transactions_from(nullptr);  // it could be held while the coroutine waits
    }

    [[nodiscard]] const Row& row() const { return row_->value(); }
    [[nodiscard]] context& ctx() { return ctx_; }

private:
    std::unique_ptr<owned_row<Row>> row_;
    context ctx_;
};

/// The same with the coroutine itself, whose type is the step's.
template <typename Row, typename T>
class task_frame final : public coroutine_frame<Row> {
public:
    using coroutine_frame<Row>::coroutine_frame;

    /// `begin(row, ctx)` makes the task.
    template <typename Begin>
    void begin(Begin make) {
        body_.emplace(make(this->row(), this->ctx()));
    }
    [[nodiscard]] task<T>& body() { return *body_; }

private:
    std::optional<task<T>> body_;
};

}  // namespace bulk
