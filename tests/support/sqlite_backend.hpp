// SQLite with the uploads in a directory beside it, as `sqlite::storage` puts them together, for tests that
// derive from the backend or call what only the backend has.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/sqlite/records.hpp>

#include <string>
#include <utility>

namespace support {

class sqlite_backend : public bulk::sqlite::records, public bulk::files::directory {
public:
    static bulk::result<sqlite_backend> open(const std::string& path,
                                             const bulk::sqlite_options& options = {}) {
        auto records = bulk::sqlite::records::open(path, options);
        if (!records) return std::unexpected{std::move(records).error()};
        auto files = bulk::files::directory::open(path + "-files");
        if (!files) return std::unexpected{std::move(files).error()};
        return sqlite_backend{std::move(*records), std::move(*files)};
    }

private:
    sqlite_backend(bulk::sqlite::records records, bulk::files::directory files)
        : bulk::sqlite::records{std::move(records)}, bulk::files::directory{std::move(files)} {}
};

}  // namespace support
