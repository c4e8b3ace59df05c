// SPDX-License-Identifier: MIT
#pragma once

// The storage in a file: see core/linkage.hpp for who includes this.

#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/sqlite/records.hpp>
#include <bulk/storage/sqlite/storage.hpp>
#include <bulk/storage/typed_records.hpp>

#include <string>
#include <utility>

namespace bulk::sqlite {

// NOLINTNEXTLINE(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
BULK_INLINE result<storage> storage::open(const std::string& path, const sqlite_options& options) {
    auto opened = records::open(path, options);
    if (!opened) return std::unexpected{std::move(opened).error()};
    const std::string folder =
        options.files_directory.empty() ? path + "-files" : options.files_directory;
    auto uploads = bulk::files::directory::open(folder);
    // On a disk that cannot be written there is still something to read.
    if (!uploads && uploads.error().code == errc::unavailable)
        uploads = bulk::files::directory::attach(folder);
    if (!uploads) return std::unexpected{std::move(uploads).error()};
    return storage{any_storage{std::move(*opened), std::move(*uploads)}};
}

}  // namespace bulk::sqlite
