// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/options.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

/// A feed without its types: what runs it is compiled once. Nothing that it calls throws.
class any_feed {
public:
    any_feed() = default;
    any_feed(const any_feed&) = delete;
    any_feed& operator=(const any_feed&) = delete;
    virtual ~any_feed() = default;

    [[nodiscard]] virtual const feed_options& options() const = 0;
    /// Fails with `invalid_argument` when the feed gives one that is the wrong way round.
    [[nodiscard]] virtual result<key_range> extent(const update_window& window) = 0;
    [[nodiscard]] virtual result<std::uint64_t> count(const key_range& range,
                                                      const update_window& window) = 0;
    [[nodiscard]] virtual result<fetched_page> fetch(const page_work& work,
                                                     std::uint32_t limit) = 0;
    [[nodiscard]] virtual result<> prepare(const feed_run& run) = 0;
    /// One answer for each, in order.
    [[nodiscard]] virtual std::vector<mapped_item> map(std::span<const raw_item> items) = 0;
    /// A position as people read it.
    [[nodiscard]] virtual std::string text_of(std::int64_t position) const = 0;
    [[nodiscard]] virtual std::string_view position_type() const = 0;
};

}  // namespace bulk
