// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/program.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/storage/typed_feeds.hpp>

#include <memory>
#include <vector>

namespace bulk::cli {

template <typename... Feeds>
struct feed_part {
    template <typename Storage>
    [[nodiscard]] static auto makers() {
        static_assert(
            feed_storage<Storage>,
            "bulk::main<...>: the storage keeps no feeds: it needs feeds(), which gives a "
            "bulk::feed_ledger on its tables");
        return &feed_list<Feeds...>::make;
    }
};

}  // namespace bulk::cli
