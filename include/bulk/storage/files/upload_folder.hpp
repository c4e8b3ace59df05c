// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/files/disk_file.hpp>
#include <bulk/storage/files/system_calls.hpp>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace bulk::files {

// An upload is a folder of two files, named by its id. Under any other name it is none: one rename
// makes it, and one rename undoes it, so that a process that dies leaves it whole or not at all.

inline constexpr std::string_view incoming_prefix = ".incoming-";
inline constexpr std::string_view removed_prefix = ".removed-";

[[nodiscard]] inline std::string folder_of(std::string_view base, std::string_view id) {
    return concat(base, '/', id);
}
[[nodiscard]] inline std::string content_of(std::string_view folder) {
    return concat(folder, "/content");
}
[[nodiscard]] inline std::string description_of(std::string_view folder) {
    return concat(folder, "/description");
}

/// What was created, renamed or removed in a folder survives a loss of power.
template <typename System>
[[nodiscard]] result<> sync_folder(const System& system, const std::string& path) {
    const auto folder = disk_file<System>::open(system, path, O_RDONLY | O_DIRECTORY);
    if (!folder) return std::unexpected{folder.error()};
    return folder->sync();
}

/// Removes the folder of what is no upload. Two may do it at once.
template <typename System>
[[nodiscard]] result<> remove_folder(const System& system, const std::string& folder) {
    for (const auto& file : {content_of(folder), description_of(folder)})
        if (system.unlink(file.c_str()) != 0 && errno != ENOENT)
            return failed_call("remove", file, errno);
    if (system.rmdir(folder.c_str()) != 0 && errno != ENOENT)
        return failed_call("remove", folder, errno);
    return {};
}

/// The names of what is in the folder of all uploads, in no order. A folder that is gone holds no
/// answer: uploads may be in it when it is back.
[[nodiscard]] inline result<std::vector<std::string>> names_in(const std::string& folder) {
    std::error_code code;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator each{folder, code}, end; !code && each != end;
         each.increment(code))
        names.push_back(each->path().filename().string());
    if (code)
        return fail(errc::unavailable, failed_call("list", folder, code.value()).error().message);
    return names;
}

/// Removes what processes that died have left in the middle of an upload or a removal, and nothing
/// that somebody is still writing. What cannot be removed now is tried again the next time.
template <typename System>
[[nodiscard]] result<> remove_leftovers(const System& system, const std::string& base) {
    const auto names = names_in(base);
    if (!names) return std::unexpected{names.error()};
    for (const auto& name : *names) {
        const std::string folder = concat(base, '/', name);
        if (name.starts_with(incoming_prefix)) {
            const auto content = disk_file<System>::open(system, content_of(folder), O_RDWR);
            const bool is_nobodys =
                content ? content->lock().has_value() : content.error().code == errc::not_found;
            if (is_nobodys) (void)remove_folder(system, folder);
        } else if (name.starts_with(removed_prefix)) {
            (void)remove_folder(system, folder);
        }
    }
    return {};
}

}  // namespace bulk::files
