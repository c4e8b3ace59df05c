// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/page.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/file_port.hpp>
#include <bulk/storage/memory/all_tables.hpp>
#include <bulk/storage/memory/feed_backend.hpp>
#include <bulk/storage/memory/operation_backend.hpp>
#include <bulk/storage/operation_ledger.hpp>
#include <bulk/storage/typed_records.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::memory {

/// The backend behind `memory::storage`, and the reference for every other backend. A handle: copies share what
/// they hold, as two processes share a database. One lock, which reads share; each call holds it for as long as
/// it takes to find or put its records.
class records : public operation_ledger<operation_backend> {
public:
    records() : records{std::make_shared<all_tables>()} {}

    [[nodiscard]] flight_recorder& flights() { return all_->flights(); }

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now,
                                               file_origin from = {}) {
        auto read = read_upload(std::move(name), pull, most, now, std::move(from));
        if (!read) return std::unexpected{read.error()};
        return files_.write("storing an upload",
                            [&](auto& in) { return in.files.put(std::move(*read)); });
    }

    [[nodiscard]] result<stored_file> file(const std::string& id) {
        return files_.read("reading an upload", [&](auto& in) { return in.files.about(id); });
    }

    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        return files_.read("reading an upload",
                           [&](auto& in) { return in.files.open(id, offset); });
    }

    /// The content itself, to be read where it is; null if there is no such file.
    [[nodiscard]] std::shared_ptr<const std::string> file_memory(const std::string& id) {
        return files_.read("reading an upload", [&](auto& in) { return in.files.content(id); });
    }

    [[nodiscard]] result<> remove_file(const std::string& id) {
        return files_.write("removing an upload", [&](auto& in) { return in.files.remove(id); });
    }

    [[nodiscard]] result<std::vector<stored_file>> files(const std::string& after,
                                                         std::uint32_t limit,
                                                         std::string_view prefix = {}) {
        return files_.search("listing uploads", [&](auto& in) -> result<std::vector<stored_file>> {
            return in.files.list(after, std::clamp(limit, 1U, largest_page), prefix);
        });
    }

    /// Runs of feeds. A handle, too: it shares what this one holds, and its events are among the others.
    [[nodiscard]] feed_ledger<feed_backend> feeds() {
        return feed_ledger{feed_backend{{all_, &all_->lock}, {all_, &all_->feeds}}};
    }

private:
    explicit records(const std::shared_ptr<all_tables>& all)
        : operation_ledger{operation_backend{all}}, all_{all}, files_{all} {}

    std::shared_ptr<all_tables> all_;
    operation_backend files_;
};
static_assert(bulk::storage<records> && feed_storage<records>);

}  // namespace bulk::memory
