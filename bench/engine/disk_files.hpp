// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/bulk.hpp>
#include <bulk/storage/memory/records.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <utility>

/// Records in memory and one file on disk, which every upload stands for: a file in memory would be all that
/// is measured.
class disk_files : public bulk::memory::records {
public:
    explicit disk_files(std::string path) : path_{std::move(path)} {}
    bulk::result<bulk::stored_file> put_file(const std::string& name, const bulk::byte_pull&,
                                             std::uint64_t, bulk::timestamp now,
                                             const bulk::file_origin& = {}) {
        return bulk::stored_file{.id = path_, .name = name, .size = 1, .stored_at = now};
    }
    bulk::result<bulk::byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        auto bytes = bulk::bytes_of_file(id, offset);
        if (!bytes) return std::unexpected{bytes.error()};
        auto shared = std::make_shared<bulk::byte_source>(std::move(*bytes));
        return bulk::byte_pull{[shared](std::span<char> into) { return shared->read_some(into); }};
    }

private:
    std::string path_;
};
