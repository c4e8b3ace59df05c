// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/files/content_reader.hpp>
#include <bulk/storage/files/disk_file.hpp>
#include <bulk/storage/files/incoming_upload.hpp>
#include <bulk/storage/files/system_calls.hpp>
#include <bulk/storage/files/upload_description.hpp>
#include <bulk/storage/files/upload_folder.hpp>
#include <bulk/storage/stored_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace bulk::files {

/// Uploads in a directory of this machine, for any number of threads and processes at once. A
/// handle: copies share the directory.
///
/// An upload that `put_file` has returned survives the loss of power; of one that failed, or whose
/// process died, nothing is left after the next `open`. Paths are made of ids of our own making only:
/// the name that a user gave is kept as text, and an id that does not look like ours is not found.
template <typename System>
class basic_directory {
public:
    /// Makes the directory if need be, and removes what processes that died have left in it.
    [[nodiscard]] static result<basic_directory> open(const directory_options& options,
                                                      const System& system = {}) {
        if (auto valid = validate(options); !valid) return std::unexpected{valid.error()};
        std::error_code code;
        const auto base = std::filesystem::absolute(options.base_path, code);  // none may chdir
        if (code) return failed_call("find", options.base_path, code.value());
        basic_directory opened{base.lexically_normal().string(), system};
        if (auto usable = opened.prepare(); !usable) return std::unexpected{usable.error()};
        return opened;
    }
    [[nodiscard]] static result<basic_directory> open(std::string base_path,
                                                      const System& system = {}) {
        return open(directory_options{.base_path = std::move(base_path)}, system);
    }

    /// For one who only reads: makes and removes nothing, and whatever is wrong with the directory is
    /// found out by the first call that needs it.
    [[nodiscard]] static result<basic_directory> attach(const std::string& base_path,
                                                        const System& system = {}) {
        std::error_code code;
        const auto base = std::filesystem::absolute(base_path, code);
        if (code) return failed_call("find", base_path, code.value());
        return basic_directory{base.lexically_normal().string(), system};
    }

    [[nodiscard]] const std::string& base_path() const { return base_; }

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now,
                                               file_origin from = {}) {
        const auto refuse = [&](const error& why) {
            return fail(errc::unavailable,
                        concat("the file '", name, "' was not stored: ", why.message));
        };
        auto upload = incoming_upload<System>::begin(system_, base_, now);
        if (!upload) return refuse(upload.error());
        stored_file about{.name = name,
                          .stored_at = now,
                          .content_type = std::move(from.content_type),
                          .uploaded_by = std::move(from.uploaded_by)};
        checksum sum;
        std::vector<char> block(block_size);
        for (bool has_ended = false; !has_ended;) {
            std::size_t have = 0;
            while (have < block.size() && !has_ended) {
                const auto got = pull(std::span{block}.subspan(have));
                if (!got) return std::unexpected{got.error()};
                have += *got;
                has_ended = *got == 0;
                if (most > 0 && about.size + have > most)
                    return fail(errc::invalid_argument,
                                concat("the file '", name, "' is larger than ", most,
                                       " bytes, the most that is taken"));
            }
            about.size += have;
            const std::span<const char> part{block.data(), have};
            sum.add(part);
            if (auto written = upload->write(part); !written) return refuse(written.error());
        }
        about.checksum = sum.value();
        auto stored = upload->publish(std::move(about));
        if (!stored) return refuse(stored.error());
        return stored;
    }

    [[nodiscard]] result<stored_file> file(const std::string& id) {
        auto found = find(id);
        if (!found) return std::unexpected{std::move(found).error()};
        return std::move(found->about);
    }

    /// Straight from the disk, in blocks as large as the caller's. Fails with `conflict` when the
    /// content is not what was stored; whoever reads from the beginning learns it from the checksum
    /// before the last bytes.
    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        auto found = find(id);
        if (!found) return std::unexpected{std::move(found).error()};
        auto opened = content_reader<System>::open(std::move(found->content),
                                                   std::move(found->about), offset);
        if (!opened) return std::unexpected{std::move(opened).error()};
        auto reader = std::make_shared<content_reader<System>>(std::move(*opened));
        return byte_pull{[reader](std::span<char> into) { return reader->read(into); }};
    }

    /// Reads all of it: whether it is what was stored.
    [[nodiscard]] result<> verify(const std::string& id) {
        const auto pull = open_file(id, 0);
        if (!pull) return std::unexpected{pull.error()};
        std::vector<char> block(block_size);
        while (true) {
            const auto got = (*pull)(block);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) return {};
        }
    }

    /// Gone at once for all who look for it; who has it open reads it to its end. After a loss of
    /// power it may be back, as an upload that nobody refers to.
    [[nodiscard]] result<> remove_file(const std::string& id) {
        if (!is_id(id)) return no_file(id);
        const std::string removed = concat(base_, '/', removed_prefix, id);
        const std::string folder = folder_of(base_, id) + '/';  // never a file of that name
        if (system_.rename(folder.c_str(), removed.c_str()) != 0) {
            if (is_not_found(errno)) return no_file(id);
            return failed_call("remove", folder_of(base_, id), errno);
        }
        return remove_folder(system_, removed);
    }

    /// By the moment that the ids begin with. One whose description cannot be made out is passed
    /// over. Each call looks at the ids of all, and with a prefix at the descriptions of all up to
    /// the last one that it returns.
    [[nodiscard]] result<std::vector<stored_file>> files(const std::string& after,
                                                         std::uint32_t limit,
                                                         std::string_view prefix = {}) {
        auto ids = names_in(base_);
        if (!ids) return std::unexpected{ids.error()};
        std::erase_if(*ids, [&](const std::string& id) { return !is_id(id) || id <= after; });
        std::ranges::sort(*ids);
        std::vector<stored_file> found;
        for (const auto& id : *ids) {
            if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
            auto about = read_description(id);
            if (about) {
                if (about->name.starts_with(prefix)) found.push_back(std::move(*about));
            } else if (about.error().code == errc::unavailable) {
                return std::unexpected{std::move(about).error()};
            }
            if (found.size() >= std::clamp<std::uint32_t>(limit, 1, largest_page)) break;
        }
        return found;
    }

private:
    /// Large enough that the calls do not count, small enough to stay in the cache.
    static constexpr std::size_t block_size = std::size_t{256} * 1024;

    struct found_upload {
        stored_file about;
        disk_file<System> content;
    };

    basic_directory(std::string base, const System& system)
        : base_{std::move(base)}, system_{system} {}

    [[nodiscard]] result<> prepare() const {
        namespace fs = std::filesystem;
        std::error_code code;
        if (fs::exists(base_, code) && !fs::is_directory(base_, code))
            return fail(errc::invalid_argument,
                        concat("base_path ", base_, " is not a directory: choose another"));
        std::vector<fs::path> made;
        for (fs::path each = base_; !fs::exists(each, code) && each.has_relative_path();
             each = each.parent_path())
            made.push_back(each);
        if (fs::create_directories(base_, code); code)
            return failed_call("create the directory", base_, code.value());
        for (const auto& each : made)
            if (auto synced = sync_folder(system_, each.parent_path().string()); !synced)
                return synced;
        if (::access(base_.c_str(), R_OK | W_OK | X_OK) != 0)
            return failed_call("write to the directory", base_, errno);
        return remove_leftovers(system_, base_);
    }

    [[nodiscard]] result<found_upload> find(const std::string& id) const {
        if (!is_id(id)) return no_file(id);
        auto about = read_description(id);
        if (!about) return std::unexpected{std::move(about).error()};
        auto content = disk_file<System>::open(system_, content_of(folder_of(base_, id)), O_RDONLY);
        if (content) return found_upload{std::move(*about), std::move(*content)};
        if (content.error().code != errc::not_found) return std::unexpected{content.error()};
        return fail(errc::not_found,
                    concat("file '", about->name, "' (id ", id,
                           ") was deleted since it was stored: put its ", about->size,
                           " bytes back, or upload it as a new operation"));
    }

    [[nodiscard]] result<stored_file> read_description(const std::string& id) const {
        const std::string path = description_of(folder_of(base_, id));
        const auto file = disk_file<System>::open(system_, path, O_RDONLY);
        if (!file) {
            if (file.error().code == errc::not_found) return no_file(id);
            return std::unexpected{file.error()};
        }
        std::string text;
        std::vector<char> block(4096);
        while (true) {
            const auto got = file->read(block, text.size());
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) break;
            text.append(block.data(), *got);
        }
        if (auto about = description_reader::read(id, text)) return std::move(*about);
        return fail(errc::conflict,
                    concat("the description of file ", id,
                           " is damaged, or from a newer version of this program: put back what "
                           "was stored, or upload the file as a new operation"));
    }

    /// As `put_file` makes them: no letter of a path is among them.
    [[nodiscard]] static bool is_id(std::string_view id) {
        const auto parsed = parse_uuid(id);
        return parsed && to_text(*parsed) == id;
    }

    [[nodiscard]] static std::unexpected<error> no_file(std::string_view id) {
        return fail(errc::not_found, concat("there is no file '", id.substr(0, 64), '\''));
    }

    std::string base_;
    [[no_unique_address]] System system_;
};

using directory = basic_directory<system_calls>;
static_assert(file_store<directory>);

}  // namespace bulk::files
