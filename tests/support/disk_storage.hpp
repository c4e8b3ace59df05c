// Records in memory, uploads on disk.
#pragma once

#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/memory/records.hpp>

#include <string>
#include <utility>
#include <vector>

namespace support {

class disk_storage : public bulk::memory::records {
public:
    explicit disk_storage(const std::string& path)
        : files_{bulk::files::directory::open(path).value()} {}

    bulk::result<bulk::stored_file> put_file(std::string name, const bulk::byte_pull& pull,
                                             std::uint64_t most, bulk::timestamp now,
                                             bulk::file_origin from = {}) {
        return files_.put_file(std::move(name), pull, most, now, std::move(from));
    }
    bulk::result<bulk::stored_file> file(const std::string& id) { return files_.file(id); }
    bulk::result<bulk::byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        return files_.open_file(id, offset);
    }
    bulk::result<> remove_file(const std::string& id) { return files_.remove_file(id); }
    bulk::result<std::vector<bulk::stored_file>> files(const std::string& after,
                                                       std::uint32_t limit,
                                                       std::string_view prefix = {}) {
        return files_.files(after, limit, prefix);
    }

private:
    bulk::files::directory files_;
};
static_assert(bulk::storage<disk_storage>);

}  // namespace support
