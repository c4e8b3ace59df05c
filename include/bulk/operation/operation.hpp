// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/column.hpp>
#include <bulk/rows/metadata.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace bulk {

/// What `BULK_OPERATION("name", ...)` can say, in this order.
struct operation_options {
    std::string_view name{};
    std::string_view description{};
    bool track_row_data = false;  ///< keep each row with its record: for exports and the page
    bool retryable = false;       ///< failed rows can be retried when it has ended
    std::optional<std::uint64_t> max_failed_rows{};  ///< more of them fail the operation
    std::optional<double> max_failed_ratio{};        ///< the same, as a share of the file's rows
};

[[nodiscard]] constexpr bool is_valid_budget(const operation_options& options) {
    const double ratio = options.max_failed_ratio.value_or(0);
    return ratio >= 0 && ratio <= 1;
}

/// How many steps a class has declared so far, as overload resolution sees it: of all
/// `bulk_count(rank<N>)` the greatest N is the best match. Each BULK_STEP asks, then adds the next.
template <int N>
struct rank : rank<N - 1> {};
template <>
struct rank<0> {};

inline constexpr int most_steps = 128;
using highest_rank = rank<most_steps>;

template <int N>
using index = std::integral_constant<int, N>;

/// The base of every operation: `struct import : bulk::operation<import, user, request> { … };`
template <typename Self, typename Row, typename Metadata = no_metadata>
struct operation {
    using self_type = Self;
    using row_type = Row;
    using metadata_type = Metadata;

    static auto bulk_count(rank<0>) -> index<0>;  ///< the end of the chain
};

template <typename Op>
concept operation_class = requires {
    typename Op::self_type;
    typename Op::row_type;
    typename Op::metadata_type;
} && std::is_base_of_v<operation<Op, typename Op::row_type, typename Op::metadata_type>, Op>;

/// How many methods of the class are steps.
template <operation_class Op>
inline constexpr int method_steps = decltype(Op::bulk_count(highest_rank{}))::value;

}  // namespace bulk
