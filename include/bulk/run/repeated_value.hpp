// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

/// A row whose value an earlier row of the file has, too.
struct repeated_value {
    row_number row{};
    row_number first{};
    std::string_view column{};  ///< the row_id

    bool operator==(const repeated_value&) const = default;
};

[[nodiscard]] std::string to_text(const repeated_value& repeated);

/// 128 bits that stand for a row's business key if it must be unique: as good as the key itself, and
/// they say nothing about it.
struct key_hash {
    std::uint64_t high = 0, low = 0;

    /// Of the text of a key.
    [[nodiscard]] static key_hash of(std::string_view text);

    auto operator<=>(const key_hash&) const = default;
};

/// Finds keys that occur twice, whatever the order in which rows are seen, and by several threads.
/// Keeps 24 bytes for each.
class seen_keys {
public:
    void add(key_hash key, row_number row);

    /// Every row but the first of those that share a key, once, in the order of the file.
    [[nodiscard]] std::vector<repeated_value> take_repeated(std::string_view column);

private:
    struct entry {
        key_hash key{};
        std::uint64_t row = 0;

        auto operator<=>(const entry&) const = default;
    };

    std::mutex mutex_;
    std::vector<entry> seen_;
};

/// The same for rows that come in the order of the file, at once.
class seen_keys_in_order {
public:
    /// The first row with this key, if there was one.
    [[nodiscard]] std::optional<row_number> add(key_hash key, row_number row);

private:
    std::map<key_hash, row_number> seen_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/run/implementation.hpp>
#endif
