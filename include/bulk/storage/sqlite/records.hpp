// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/own_presence.hpp>
#include <bulk/storage/sqlite/all_tables.hpp>
#include <bulk/storage/sqlite/database.hpp>
#include <bulk/storage/sqlite/feed_backend.hpp>
#include <bulk/storage/sqlite/operation_backend.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/transaction.hpp>
#include <bulk/storage/typed_records.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>

namespace bulk::sqlite {

/// Operations, rows and runs of feeds in one file that outlives the process; uploads are kept elsewhere:
/// `any_storage{records::open(path).value(), files::directory::open(folder).value()}`. A handle: copies share it.
/// Several of them, in this or another process, may have one file open.
class records : public operation_ledger<operation_backend> {
public:
    using connection = sqlite::connection;
    using transaction = sqlite::transaction;

    /// Creates the file if there is none, and brings an older one to this version. One of this version
    /// is opened without writing anything, so that it can be read on a disk that cannot be written.
    [[nodiscard]] static result<records> open(const std::string& path,
                                              const sqlite_options& options = {},
                                              std::span<const migration> steps = migrations) {
        auto opened = database::open(path, options, steps);
        if (!opened) return std::unexpected{opened.error()};
        auto present = std::make_shared<own_presence>(presence_prefix(path), unique_name());
        return records{std::move(*opened), std::move(present)};
    }

    /// Whether an operation has an upload, or may have it, as its own record is damaged.
    [[nodiscard]] result<bool> may_use(const std::string& file) {
        return database_->read(
            "looking for the operation of an upload",
            [&](session& look) -> result<bool> { return all_tables{look}.may_use(file); });
    }

    /// Whether a change fails because there is no space left for it.
    [[nodiscard]] bool is_full() const { return database_->is_full(); }

    [[nodiscard]] flight_recorder& flights() { return present_->flights(); }

    /// Runs of feeds, in the same file.
    [[nodiscard]] feed_ledger<feed_backend> feeds() {
        return feed_ledger{feed_backend{database_, present_}};
    }

    /// A transaction for a step of an operation that is held.
    [[nodiscard]] result<transaction> begin(const lease& held) {
        return transaction::begin(database_, held);
    }

private:
    records(std::shared_ptr<database> opened, std::shared_ptr<own_presence> present)
        : operation_ledger{operation_backend{opened, present}},
          database_{std::move(opened)},
          present_{std::move(present)} {}

    [[nodiscard]] static std::string unique_name() {
        std::random_device random;
        const auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
        return to_text(uuid{.high = word(), .low = word()});
    }

    std::shared_ptr<database> database_;
    std::shared_ptr<own_presence> present_;
};

static_assert(record_store<records> && transactional_store<records> && feed_storage<records>);

}  // namespace bulk::sqlite
