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
#include <mutex>
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

/// Finds business keys that are in a file twice and must not be, whatever the order in which rows are seen. Keeps 24
/// bytes for each: a hash of 128 bits is as good as the value, and says nothing about it.
template <declared_row Row>
class unique_values {
public:
    static constexpr bool is_needed =
        std::ranges::any_of(column_descriptions<Row>, &column_description::unique);

    /// From any thread. An empty optional is no key.
    void add(const Row& row, row_number number) {
        if constexpr (is_needed)
            for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t column) {
                if (column_descriptions<Row>[column].unique) add_value(row.*Pointer, number);
            });
    }

    /// Every row but the first of those that share a value, once, in the order of the file.
    [[nodiscard]] std::vector<repeated_value> take_repeated() {
        const std::scoped_lock lock{mutex_};
        std::ranges::sort(seen_);
        std::vector<repeated_value> found;
        std::size_t first = 0;
        for (std::size_t i = 1; i < seen_.size(); ++i) {
            if (!seen_[i].has_value_of(seen_[first])) {
                first = i;
                continue;
            }
            found.push_back({.row = row_number{seen_[i].row},
                             .first = row_number{seen_[first].row},
                             .column = std::ranges::find(column_descriptions<Row>, true,
                                                         &column_description::unique)
                                           ->name});
        }
        seen_ = {};
        std::ranges::sort(found, {}, &repeated_value::row);
        const auto [rest, end] = std::ranges::unique(found, {}, &repeated_value::row);
        found.erase(rest, end);
        return found;
    }

private:
    struct entry {
        std::uint64_t high = 0, low = 0;  ///< of the hash
        std::uint64_t row = 0;

        [[nodiscard]] bool has_value_of(const entry& other) const {
            return high == other.high && low == other.low;
        }
        auto operator<=>(const entry&) const = default;
    };

    template <typename Value>
    void add_value(const Value& value, row_number number) {
        if constexpr (is_optional<Value>) {
            if (value) add_value(*value, number);
        } else if constexpr (is_pii<Value>) {
            add_value(value.reveal(), number);
        } else {
            const std::string text{to_text(value)};
            const entry seen{.high = hash(text, 0x9e3779b97f4a7c15ULL),
                             .low = hash(text, 0xd1b54a32d192ed03ULL),
                             .row = to_number(number)};
            const std::scoped_lock lock{mutex_};
            seen_.push_back(seen);
        }
    }

    /// Multiplies and folds eight bytes at a time.
    [[nodiscard]] static std::uint64_t hash(std::string_view text, std::uint64_t seed) {
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

    std::mutex mutex_;
    std::vector<entry> seen_;
};

}  // namespace bulk
