// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/stored_file.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::memory {

/// An upload on its way into the table.
struct upload {
    stored_file about{};
    std::shared_ptr<const std::string> content{};
};

/// Reads what is to be stored; needs no table, so nobody waits for a slow source.
[[nodiscard]] inline result<upload> read_upload(std::string name, const byte_pull& pull,
                                                std::uint64_t most, timestamp now,
                                                file_origin from) {
    auto content = std::make_shared<std::string>();
    checksum sum;
    std::array<char, 64 * 1024> part;
    while (true) {
        const auto got = pull(part);
        if (!got) return std::unexpected{got.error()};
        if (*got == 0) break;
        if (most > 0 && content->size() + *got > most)
            return fail(errc::invalid_argument, concat("the file '", name, "' is larger than ",
                                                       most, " bytes, the most that is taken"));
        sum.add({part.data(), *got});
        content->append(part.data(), *got);
    }
    return upload{.about = {.name = std::move(name),
                            .size = content->size(),
                            .checksum = sum.value(),
                            .stored_at = now,
                            .content_type = std::move(from.content_type),
                            .uploaded_by = std::move(from.uploaded_by)},
                  .content = std::move(content)};
}

/// Uploads. Not for several threads at once: the storage holds the lock.
class file_table {
public:
    [[nodiscard]] stored_file put(upload file) {
        file.about.id = concat(prefix, ++last_);
        return all_.emplace(last_, file).first->second.about;
    }

    [[nodiscard]] result<stored_file> about(const std::string& id) const {
        const auto found = all_.find(number_of(id));
        if (found == all_.end()) return no_file(id);
        return found->second.about;
    }

    [[nodiscard]] result<byte_pull> open(const std::string& id, std::uint64_t offset) const {
        const auto found = all_.find(number_of(id));
        if (found == all_.end()) return no_file(id);
        return byte_pull{[content = found->second.content, at = static_cast<std::size_t>(offset)](
                             std::span<char> into) mutable -> result<std::size_t> {
            const std::size_t left = content->size() - std::min(at, content->size());
            const std::size_t count = std::min(into.size(), left);
            std::copy_n(content->data() + (content->size() - left), count, into.data());
            at += count;
            return count;
        }};
    }

    [[nodiscard]] std::shared_ptr<const std::string> content(const std::string& id) const {
        const auto found = all_.find(number_of(id));
        return found == all_.end() ? nullptr : found->second.content;
    }

    [[nodiscard]] result<> remove(const std::string& id) {
        if (all_.erase(number_of(id)) == 0) return no_file(id);
        return {};
    }

    [[nodiscard]] std::vector<stored_file> list(const std::string& after, std::uint32_t limit,
                                                std::string_view prefix) const {
        std::vector<stored_file> found;
        read_pulse pulse;
        for (auto each = all_.upper_bound(number_of(after));
             each != all_.end() && found.size() < limit && !pulse.is_over(); ++each)
            if (each->second.about.name.starts_with(prefix)) found.push_back(each->second.about);
        return found;
    }

private:
    static constexpr std::string_view prefix = "memory-";

    /// 0, which none has, for what is no id of ours.
    [[nodiscard]] static std::uint64_t number_of(std::string_view id) {
        std::uint64_t number = 0;
        if (id.starts_with(prefix))
            std::from_chars(id.data() + prefix.size(), id.data() + id.size(), number);
        return concat(prefix, number) == id ? number : 0;
    }

    static std::unexpected<error> no_file(const std::string& id) {
        return fail(errc::not_found, concat("there is no file '", id, '\''));
    }

    std::map<std::uint64_t, upload> all_;  ///< in the order in which they came
    std::uint64_t last_ = 0;
};

}  // namespace bulk::memory
