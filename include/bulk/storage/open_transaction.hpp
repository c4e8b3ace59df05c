// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/row_batch.hpp>

#include <optional>

namespace bulk {

/// A transaction of a backend that a step writes in, without the backend's type. One that is destroyed
/// before `commit` has changed nothing.
class open_transaction {
public:
    open_transaction() = default;
    open_transaction(const open_transaction&) = delete;
    open_transaction& operator=(const open_transaction&) = delete;
    virtual ~open_transaction() = default;

    /// The backend's connection, of the type that `any_storage::connection_type` names.
    [[nodiscard]] virtual void* connection() = 0;
    [[nodiscard]] virtual result<> record(const row_batch& batch) = 0;
    [[nodiscard]] virtual result<> commit() = 0;
    /// Why it is not committed though the step succeeded: it was open for too long.
    [[nodiscard]] virtual std::optional<error> overdue() = 0;
};

}  // namespace bulk
