// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/read_limit.hpp>
#include <bulk/storage/memory/all_tables.hpp>
#include <bulk/storage/operation_ledger.hpp>

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::memory {

/// The tables of a storage, under its lock. Each call is a transaction.
class operation_backend {
public:
    using tables = all_tables;

    explicit operation_backend(std::shared_ptr<tables> all) : all_{std::move(all)} {}

    template <typename Change>
    [[nodiscard]] auto write(std::string_view /*doing*/, Change change) {
        const auto lock = all_->lock.write();
        return change(*all_);
    }

    /// Several threads read at once.
    template <typename Look>
    [[nodiscard]] auto read(std::string_view /*doing*/, Look look) {
        const auto lock = all_->lock.read();
        return look(std::as_const(*all_));
    }

    /// Loops over records end early when the limit of this thread's reads is reached: what they found by
    /// then is not the result.
    template <typename Look>
    [[nodiscard]] auto search(std::string_view /*doing*/, Look look)
        -> std::invoke_result_t<Look, const tables&> {
        const auto lock = all_->lock.search();
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        auto found = look(std::as_const(*all_));
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        return found;
    }

private:
    std::shared_ptr<tables> all_;
};
static_assert(bulk::operation_backend<operation_backend>);

}  // namespace bulk::memory
