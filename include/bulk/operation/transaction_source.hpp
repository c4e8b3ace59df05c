// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>

#include <typeinfo>

namespace bulk {

/// Lets a step into the transaction that records it. The engine has one for each of its tasks.
class transaction_source {
public:
    transaction_source() = default;
    transaction_source(const transaction_source&) = delete;
    transaction_source& operator=(const transaction_source&) = delete;
    virtual ~transaction_source() = default;

    /// The storage's connection, if it is of that type, inside a transaction that has begun.
    [[nodiscard]] virtual result<void*> begin(const std::type_info& connection) = 0;
    [[nodiscard]] bool is_open() const { return is_open_; }
    /// Whether the step at hand has asked for it, with or without success. Looked at after every step,
    /// so it is no call.
    [[nodiscard]] bool is_asked() const { return is_asked_; }

protected:
    void set_open(bool is_open) { is_open_ = is_asked_ = is_open; }
    void set_asked(bool is_asked) { is_asked_ = is_asked; }

private:
    bool is_open_ = false;
    bool is_asked_ = false;
};

}  // namespace bulk
