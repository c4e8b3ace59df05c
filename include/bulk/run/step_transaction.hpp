// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/transaction_source.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/open_transaction.hpp>
#include <bulk/storage/row_batch.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>

namespace bulk {

/// The transaction of the step that a task is at, if the step has requested it.
class step_transaction final : public transaction_source {
public:
    /// `flush` writes what is known of rows so far: the order of a row's records is that of its
    /// steps.
    step_transaction(any_storage& storage, const lease& held, std::function<result<>()> flush)
        : storage_{storage}, held_{held}, flush_{std::move(flush)} {}

    [[nodiscard]] result<void*> begin(const std::type_info& connection) override {
        const std::type_info* const own = storage_.connection_type();
        if (own == nullptr)
            return fail(
                errc::invalid_argument,
                "the storage of this service has no transaction that a step could write in: "
                "open it on SQLite, or make the step safe to repeat by its idempotency_key()");
        if (connection != *own)
            return fail(errc::invalid_argument,
                        "the storage of this service has no connection of that type: "
                        "ask for the one of the storage that it was opened with");
        if (!open_) {
            if (auto written = flush_(); !written) return refuse(std::move(written).error());
            auto begun = storage_.begin(held_);
            if (!begun) return refuse(std::move(begun).error());
            open_ = std::move(*begun);
            set_open(true);
        }
        return open_->connection();
    }

    /// Writes records in it and ends it; on failure nothing of it is stored, and it has ended, too.
    [[nodiscard]] result<> commit(const row_batch& earlier, const row_batch& own) {
        auto done = open_->record(earlier);
        if (done) done = open_->record(own);
        if (done) done = open_->commit();
        roll_back();  // unless it is committed
        return done;
    }
    void roll_back() {
        open_.reset();
        set_open(false);
    }
    /// Why the step could not have it, if the storage did not give it; reported once.
    [[nodiscard]] std::optional<error> take_refusal() {
        if (!refusal_) return std::nullopt;
        set_asked(open_ != nullptr);
        return std::exchange(refusal_, std::nullopt);
    }
    /// Why it is not kept though the step succeeded, if it was open for too long.
    [[nodiscard]] std::optional<error> overdue() { return open_ ? open_->overdue() : std::nullopt; }

private:
    [[nodiscard]] std::unexpected<error> refuse(error why) {
        set_asked(true);
        refusal_ = why;
        return std::unexpected{std::move(why)};
    }

    any_storage& storage_;
    lease held_;
    std::function<result<>()> flush_;
    std::unique_ptr<open_transaction> open_;
    std::optional<error> refusal_;
};

}  // namespace bulk
