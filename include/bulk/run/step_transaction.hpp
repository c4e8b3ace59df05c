// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/operation/transaction_source.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/row_batch.hpp>

#include <functional>
#include <optional>
#include <typeinfo>
#include <utility>

namespace bulk {

/// The transaction of the step that a task is at, if the step has asked for it.
class step_transaction : public transaction_source {
public:
    /// Writes records in it and ends it; on failure nothing of it is stored, and it has ended, too.
    [[nodiscard]] virtual result<> commit(const row_batch& earlier, const row_batch& own) = 0;
    virtual void roll_back() = 0;
    /// Why the step could not have it, if the storage did not give it; asked once.
    [[nodiscard]] virtual std::optional<error> take_refusal() = 0;
    /// Why it is not kept though the step did well, if it was open for too long.
    [[nodiscard]] virtual std::optional<error> overdue() = 0;
};

/// For storages that have no transactions to share.
class no_step_transaction final : public step_transaction {
public:
    [[nodiscard]] result<void*> begin(const std::type_info&) override {
        return fail(errc::invalid_argument,
                    "the storage of this service has no transaction that a step could write in: "
                    "open it on SQLite, or make the step safe to repeat by its idempotency_key()");
    }
    [[nodiscard]] result<> commit(const row_batch&, const row_batch&) override { return {}; }
    void roll_back() override {}
    [[nodiscard]] std::optional<error> take_refusal() override { return std::nullopt; }
    [[nodiscard]] std::optional<error> overdue() override { return std::nullopt; }
};

template <transactional_store Storage>
class stored_step_transaction final : public step_transaction {
public:
    /// `flush` writes what is known of rows so far: the order of a row's records is that of its
    /// steps.
    stored_step_transaction(Storage& storage, const lease& held, std::function<result<>()> flush)
        : storage_{storage}, held_{held}, flush_{std::move(flush)} {}

    [[nodiscard]] result<void*> begin(const std::type_info& connection) override {
        using own = typename Storage::connection;
        if (connection != typeid(own))
            return fail(errc::invalid_argument,
                        concat("the storage of this service has no connection of that type: ",
                               "ask for the one of the storage that it was opened with"));
        if (!open_) {
            if (auto written = flush_(); !written) return refuse(std::move(written).error());
            auto begun = storage_.begin(held_);
            if (!begun) return refuse(std::move(begun).error());
            open_.emplace(std::move(*begun));
            set_open(true);
        }
        return static_cast<void*>(&open_->connection());
    }

    [[nodiscard]] result<> commit(const row_batch& earlier, const row_batch& own) override {
        auto done = open_->record(earlier);
        if (done) done = open_->record(own);
        if (done) done = open_->commit();
        roll_back();  // unless it is committed
        return done;
    }
    void roll_back() override {
        open_.reset();
        set_open(false);
    }
    [[nodiscard]] std::optional<error> take_refusal() override {
        if (!refusal_) return std::nullopt;
        set_asked(open_.has_value());
        return std::exchange(refusal_, std::nullopt);
    }

    [[nodiscard]] std::optional<error> overdue() override {
        if constexpr (requires { open_->overdue(); })
            if (open_) return open_->overdue();
        return std::nullopt;
    }

private:
    [[nodiscard]] std::unexpected<error> refuse(error why) {
        set_asked(true);
        refusal_ = why;
        return std::unexpected{std::move(why)};
    }

    Storage& storage_;
    lease held_;
    std::function<result<>()> flush_;
    std::optional<typename Storage::transaction> open_;
    std::optional<error> refusal_;
};

/// The right one for a storage.
template <typename Storage>
struct step_transaction_for {
    using type = no_step_transaction;
};
template <transactional_store Storage>
struct step_transaction_for<Storage> {
    using type = stored_step_transaction<Storage>;
};

}  // namespace bulk
