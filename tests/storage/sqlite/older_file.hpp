// A database as an older version of this program has left it.
#pragma once

#include <bulk/storage/sqlite/records.hpp>

#include <support/raw_database.hpp>

#include <span>
#include <string>

namespace support {

/// With one operation in it, and nothing else. Leaves the file that it is taken from beside it.
inline void make_older_file(const std::string& path, std::span<const bulk::sqlite::migration> steps,
                            const bulk::operation_record& record) {
    const auto newer = path + ".newer";
    (void)bulk::sqlite::records::open(newer).value().create(record, {}).value();
    (void)bulk::sqlite::records::open(path, {}, steps).value();
    raw_database older{path};
    const auto columns =
        older.run("SELECT group_concat(name) FROM pragma_table_info('bulk_operations')");
    older.run("ATTACH '" + newer + "' AS newer; INSERT INTO bulk_operations (" + columns +
              ") SELECT " + columns + " FROM newer.bulk_operations");
}

}  // namespace support
