// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/transaction_source.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/open_transaction.hpp>
#include <bulk/storage/row_batch.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>

namespace bulk {

class any_storage;

/// The transaction of the step that a task is at, if the step has requested it.
class step_transaction final : public transaction_source {
public:
    /// `flush` writes what is known of rows so far: the order of a row's records is that of its
    /// steps.
    step_transaction(any_storage& storage, const lease& held, std::function<result<>()> flush)
        : storage_{storage}, held_{held}, flush_{std::move(flush)} {}

    [[nodiscard]] result<void*> begin(const std::type_info& connection) override;

    /// Writes records in it and ends it; on failure nothing of it is stored, and it has ended, too.
    [[nodiscard]] result<> commit(const row_batch& earlier, const row_batch& own);
    void roll_back();
    /// Why the step could not have it, if the storage did not give it; reported once.
    [[nodiscard]] std::optional<error> take_refusal();
    /// Why it is not kept though the step succeeded, if it was open for too long.
    [[nodiscard]] std::optional<error> overdue();

private:
    [[nodiscard]] std::unexpected<error> refuse(error why);

    any_storage& storage_;
    lease held_;
    std::function<result<>()> flush_;
    std::unique_ptr<open_transaction> open_;
    std::optional<error> refusal_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/run/implementation.hpp>
#endif
