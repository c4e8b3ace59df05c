// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/any_storage.hpp>

#include <string>
#include <utility>

namespace bulk::sqlite {

/// Everything in one file that outlives the process, and uploads in a directory beside it. A handle: copies share
/// it. Several storages, in this or another process, may have one file open. Records alone: `sqlite::records`.
class storage final : public any_storage {
public:
    /// Creates the file if there is none, and brings an older one to this version. One of this version is opened
    /// without writing anything, so that it can be read on a disk that cannot be written.
    [[nodiscard]] static result<storage> open(const std::string& path,
                                              const sqlite_options& options = {});

private:
    explicit storage(any_storage opened) : any_storage{std::move(opened)} {}
};

}  // namespace bulk::sqlite

#ifndef BULK_COMPILED
#include <bulk/storage/sqlite/implementation.hpp>
#endif
