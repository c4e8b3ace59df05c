// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/storage/files/disk_file.hpp>
#include <bulk/storage/files/upload_description.hpp>
#include <bulk/storage/files/upload_folder.hpp>
#include <bulk/storage/stored_file.hpp>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>

namespace bulk::files {

/// An upload on its way: a folder under a temporary name, which becomes the upload's by one rename.
/// What does not come to that is removed; if the process dies before, by `remove_leftovers`, which
/// the lock on the content tells that nobody is writing any more.
template <typename System>
class incoming_upload {
public:
    [[nodiscard]] static result<incoming_upload> begin(const System& system,
                                                       const std::string& base, timestamp now) {
        while (true) {
            std::string id = to_text(make_uuid(now, random_bits(), random_bits()));
            incoming_upload upload{system, base, std::move(id)};
            auto begun = upload.create();
            if (begun) return upload;
            if (begun.error().code != errc::conflict) return std::unexpected{begun.error()};
        }
    }

    incoming_upload(incoming_upload&& other) noexcept
        : system_{other.system_},
          base_{std::move(other.base_)},
          id_{std::move(other.id_)},
          path_{std::exchange(other.path_, {})},
          content_{std::move(other.content_)} {}
    incoming_upload& operator=(incoming_upload&&) = delete;
    ~incoming_upload() {
        if (!path_.empty()) (void)remove_folder(system_, path_);
    }

    [[nodiscard]] result<> write(std::span<const char> bytes) { return content_->write(bytes); }

    /// Makes it an upload that everybody sees, and that a loss of power leaves as it is. Until then
    /// there is none.
    [[nodiscard]] result<stored_file> publish(stored_file about) {
        about.id = id_;
        if (auto synced = content_->sync(); !synced) return std::unexpected{synced.error()};
        if (auto kept = write_description(about); !kept) return std::unexpected{kept.error()};
        if (auto synced = sync_folder(system_, path_); !synced)
            return std::unexpected{synced.error()};
        const std::string published = folder_of(base_, id_);
        if (system_.rename(path_.c_str(), published.c_str()) != 0)
            return failed_call(concat("rename ", path_, " to"), published, errno);
        if (auto synced = sync_folder(system_, base_); !synced) {
            if (system_.rename(published.c_str(), path_.c_str()) != 0) path_ = published;
            return std::unexpected{synced.error()};
        }
        path_.clear();
        return about;
    }

private:
    incoming_upload(const System& system, std::string base, std::string id)
        : system_{system}, base_{std::move(base)}, id_{std::move(id)} {}

    /// `conflict` when somebody else took the folder, by chance or for a leftover: the next one is
    /// ours.
    [[nodiscard]] result<> create() {
        const std::string path = concat(base_, '/', incoming_prefix, id_);
        if (system_.mkdir(path.c_str(), 0750) != 0) {
            if (errno == EEXIST) return fail(errc::conflict, path);
            return failed_call("create", path, errno);
        }
        path_ = path;
        auto content =
            disk_file<System>::open(system_, content_of(path), O_WRONLY | O_CREAT | O_EXCL);
        if (!content) {
            const bool is_taken = content.error().code == errc::not_found;
            return fail(is_taken ? errc::conflict : errc::unavailable, content.error().message);
        }
        // A file system without locks has no `remove_leftovers` either: nobody takes it away.
        if (const auto locked = content->lock(); !locked && locked.error().code == errc::conflict)
            return locked;
        const auto now = content->about();
        if (!now) return std::unexpected{now.error()};
        if (now->st_nlink == 0) return fail(errc::conflict, path);
        content_.emplace(std::move(*content));
        return {};
    }

    [[nodiscard]] result<> write_description(const stored_file& about) {
        const auto file =
            disk_file<System>::open(system_, description_of(path_), O_WRONLY | O_CREAT | O_EXCL);
        if (!file) return std::unexpected{file.error()};
        if (auto written = file->write(description_text(about)); !written) return written;
        return file->sync();
    }

    [[nodiscard]] static std::uint64_t random_bits() {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }

    [[no_unique_address]] System system_;
    std::string base_;
    std::string id_;
    std::string path_;  ///< of what is removed unless all goes well
    std::optional<disk_file<System>> content_;
};

}  // namespace bulk::files
