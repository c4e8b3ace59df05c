// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/pii.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/to_text.hpp>

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

[[nodiscard]] inline std::string to_text(const repeated_value& repeated) {
    return concat("column '", repeated.column, "' must be unique, and row ",
                  to_number(repeated.first), " has the same value");
}

/// 128 bits that stand for a row's business key if it must be unique: as good as the key itself, and
/// they say nothing about it. None for a key that is an empty optional.
struct key_hash {
    std::uint64_t high = 0, low = 0;

    auto operator<=>(const key_hash&) const = default;
};

namespace detail {

/// Multiplies and folds eight bytes at a time.
[[nodiscard]] inline std::uint64_t mixed_hash(std::string_view text, std::uint64_t seed) {
    std::uint64_t mixed = seed ^ (text.size() * 0xff51afd7ed558ccdULL);
    for (std::size_t at = 0; at < text.size(); at += 8) {
        std::uint64_t part = 0;
        std::memcpy(&part, text.data() + at, std::min<std::size_t>(8, text.size() - at));
        mixed = (mixed ^ part) * (seed | 1);
        mixed ^= std::rotl(mixed, 31) * 0x9fb21c651e98df25ULL;
    }
    mixed ^= mixed >> 32;
    return mixed * 0xc4ceb9fe1a85ec53ULL;
}

template <typename Value>
[[nodiscard]] std::optional<key_hash> hash_of_value(const Value& value) {
    if constexpr (is_optional<Value>) {
        return value ? hash_of_value(*value) : std::nullopt;
    } else if constexpr (is_pii<Value>) {
        return hash_of_value(value.reveal());
    } else {
        const std::string text{to_text(value)};
        return key_hash{mixed_hash(text, 0x9e3779b97f4a7c15ULL),
                        mixed_hash(text, 0xd1b54a32d192ed03ULL)};
    }
}

}  // namespace detail

template <declared_row Row>
inline constexpr const column_description* unique_column = [] {
    const auto& columns = column_descriptions<Row>;
    const auto found = std::ranges::find(columns, true, &column_description::unique);
    return found == columns.end() ? nullptr : &*found;
}();

template <declared_row Row>
[[nodiscard]] std::optional<key_hash> unique_key_of(const Row& row) {
    std::optional<key_hash> found;
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t column) {
        if (column_descriptions<Row>[column].unique) found = detail::hash_of_value(row.*Pointer);
    });
    return found;
}

/// Finds keys that are in a file twice and must not be, whatever the order in which rows are seen,
/// and by several threads. Keeps 24 bytes for each.
template <declared_row Row>
class unique_values {
public:
    static constexpr bool is_needed = unique_column<Row> != nullptr;

    void add(const Row& row, row_number number) {
        if constexpr (is_needed)
            if (const auto key = unique_key_of(row)) {
                const std::scoped_lock lock{mutex_};
                seen_.push_back({*key, to_number(number)});
            }
    }

    /// Every row but the first of those that share a key, once, in the order of the file.
    [[nodiscard]] std::vector<repeated_value> take_repeated() {
        std::vector<repeated_value> found;
        if constexpr (is_needed) {
            const std::scoped_lock lock{mutex_};
            std::ranges::sort(seen_);
            std::size_t first = 0;
            for (std::size_t i = 1; i < seen_.size(); ++i) {
                if (seen_[i].key == seen_[first].key)
                    found.push_back({.row = row_number{seen_[i].row},
                                     .first = row_number{seen_[first].row},
                                     .column = unique_column<Row>->name});
                else
                    first = i;
            }
            seen_ = {};
            std::ranges::sort(found, {}, &repeated_value::row);
        }
        return found;
    }

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
template <declared_row Row>
class unique_in_order {
public:
    [[nodiscard]] std::optional<repeated_value> add(const Row& row, row_number number) {
        if constexpr (unique_column<Row> != nullptr)
            if (const auto key = unique_key_of(row))
                if (const auto [first, is_new] = seen_.emplace(*key, number); !is_new)
                    return repeated_value{
                        .row = number, .first = first->second, .column = unique_column<Row>->name};
        return std::nullopt;
    }

private:
    std::map<key_hash, row_number> seen_;
};

}  // namespace bulk
