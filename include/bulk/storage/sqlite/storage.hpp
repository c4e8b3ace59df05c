// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/file_port.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/own_presence.hpp>
#include <bulk/storage/sqlite/database.hpp>
#include <bulk/storage/sqlite/feed_transactions.hpp>
#include <bulk/storage/sqlite/operation_session.hpp>
#include <bulk/storage/sqlite/operation_transactions.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/transaction.hpp>
#include <bulk/storage/typed_records.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Everything in one file that outlives the process, and uploads in a directory beside it. A handle:
/// copies share it. Several storages, in this or another process, may have one file open.
class storage : public operation_ledger<operation_transactions> {
public:
    using connection = sqlite::connection;
    using transaction = sqlite::transaction;

    /// Creates the file if there is none, and brings an older one to this version. One of this version
    /// is opened without writing anything, so that it can be read on a disk that cannot be written.
    [[nodiscard]] static result<storage> open(const std::string& path,
                                              const sqlite_options& options = {},
                                              std::span<const migration> steps = migrations) {
        auto opened = database::open(path, options, steps);
        if (!opened) return std::unexpected{opened.error()};
        auto present = std::make_shared<own_presence>(presence_prefix(path), unique_name());
        const std::string folder =
            options.files_directory.empty() ? path + "-files" : options.files_directory;
        auto uploads = bulk::files::directory::open(folder);
        // On a disk that cannot be written there is still something to read.
        if (!uploads && uploads.error().code == errc::unavailable)
            uploads = bulk::files::directory::attach(folder);
        if (!uploads) return std::unexpected{uploads.error()};
        return storage{std::move(*opened), std::move(present), std::move(*uploads)};
    }

    /// Whether an operation has an upload, or may have it, as its own record is damaged.
    [[nodiscard]] result<bool> may_use(const std::string& file) {
        return database_->read(
            "looking for the operation of an upload",
            [&](session& look) -> result<bool> { return operation_session{look}.may_use(file); });
    }

    /// Whether a change fails because there is no space left for it.
    [[nodiscard]] bool is_full() const { return database_->is_full(); }

    [[nodiscard]] flight_recorder& flights() { return present_->flights(); }

    /// Runs of feeds, in the same file.
    [[nodiscard]] feed_ledger<feed_transactions> feeds() {
        return feed_ledger{feed_transactions{database_, present_}};
    }

    /// A transaction for a step of an operation that is held.
    [[nodiscard]] result<transaction> begin(const lease& held) {
        return transaction::begin(database_, held);
    }

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now,
                                               file_origin from = {}) {
        return files_.put_file(std::move(name), pull, most, now, std::move(from));
    }
    [[nodiscard]] result<stored_file> file(const std::string& id) { return files_.file(id); }
    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        return files_.open_file(id, offset);
    }
    [[nodiscard]] result<> remove_file(const std::string& id) { return files_.remove_file(id); }
    [[nodiscard]] result<std::vector<stored_file>> files(const std::string& after,
                                                         std::uint32_t limit,
                                                         std::string_view prefix = {}) {
        return files_.files(after, limit, prefix);
    }

private:
    storage(std::shared_ptr<database> opened, std::shared_ptr<own_presence> present,
            bulk::files::directory uploads)
        : operation_ledger{operation_transactions{opened, present}},
          database_{std::move(opened)},
          present_{std::move(present)},
          files_{std::move(uploads)} {}

    [[nodiscard]] static std::string unique_name() {
        std::random_device random;
        const auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
        return to_text(uuid{.high = word(), .low = word()});
    }

    std::shared_ptr<database> database_;
    std::shared_ptr<own_presence> present_;
    bulk::files::directory files_;
};

static_assert(bulk::storage<storage> && transactional_store<storage> && feed_storage<storage>);

}  // namespace bulk::sqlite

#ifdef BULK_COMPILED  // src/sqlite.cpp has them
namespace bulk {

extern template class typed_records<sqlite::storage>;
extern template class typed_files<sqlite::storage>;

}  // namespace bulk
#endif
