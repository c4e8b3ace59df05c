// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace bulk {

/// Errors that say the same of different rows.
struct error_group {
    std::string pattern{};  ///< what they have in common; see `error_pattern`
    std::optional<error_type> failure{};
    step_index step = validation_step;
    std::uint64_t count = 0;
    row_number first_row{};
    std::string sample{};  ///< what the first row's error says

    bool operator==(const error_group&) const = default;
};

/// What messages about different rows have in common: numbers and identifiers become `#`, text in
/// quotes `…`. The name of a column stays, since another column is another error. Long messages are
/// cut.
[[nodiscard]] std::string error_pattern(std::string_view message);

/// Counts errors by what they say, in memory that does not grow with them: beyond so many patterns
/// the rest is one group, "others".
class error_grouping {
public:
    static constexpr std::size_t default_limit = 1000;

    explicit error_grouping(std::size_t limit = default_limit) : limit_{limit} {}

    void add(const row_record& record);

    /// The largest first, then by first row; the others last.
    [[nodiscard]] std::vector<error_group> groups() const;

private:
    using key = std::tuple<std::string, std::optional<error_type>, step_index>;

    static void count(error_group& group, const row_record& record);

    std::size_t limit_;
    std::map<key, error_group> groups_;
    std::optional<error_group> others_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/core/implementation.hpp>
#endif
