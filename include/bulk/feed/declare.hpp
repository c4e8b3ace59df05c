// SPDX-License-Identifier: MIT
#pragma once

// The macro that declares a feed. Names that end in an underscore are its own.

#include <bulk/core/names.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/feed/options.hpp>
#include <bulk/feed/source.hpp>
#include <bulk/operation/declare.hpp>

/// Names a feed, inside its class: `BULK_FEED("diamonds", .page_size = 30, .max_workers = 30)`
///
/// Takes the attributes of `bulk::feed_options`, in that order.
#define BULK_FEED(name_, ...)                                                                      \
    template <typename Self_ = self_type>                                                          \
    static constexpr ::bulk::feed_options bulk_feed() {                                            \
        using options_ = typename ::bulk::known_with<::bulk::feed_options, Self_>::type;           \
        constexpr bool known_ = requires { options_{.name = name_ __VA_OPT__(, ) __VA_ARGS__}; };  \
        static_assert(known_,                                                                      \
                      "BULK_FEED(" #name_                                                          \
                      "): an attribute is unknown, out of order or of another type; a feed takes " \
                      "those of bulk::feed_options, in that order");                               \
        static_assert(!::bulk::is_blank(name_), "BULK_FEED: a feed needs a name");                 \
        if constexpr (known_) {                                                                    \
            constexpr options_ said_{.name = name_ __VA_OPT__(, ) __VA_ARGS__};                    \
            static_assert(::bulk::has_valid_sizes(said_),                                          \
                          "BULK_FEED(" #name_                                                      \
                          "): sizes, counts and numbers of workers are at least 1; a page and a "  \
                          "batch have at most 100 000 items, a run at most 10 000 partitions");    \
            static_assert(::bulk::has_valid_steps(said_),                                          \
                          "BULK_FEED(" #name_                                                      \
                          "): the steps of the scan and the granularity are at least 1, and "      \
                          "dense_below is not negative");                                          \
            static_assert(::bulk::has_valid_rules(said_),                                          \
                          "BULK_FEED(" #name_                                                      \
                          "): min_success_ratio is from 0 to 1; delays, the safety buffer and "    \
                          "max_retries are not negative");                                         \
            static_assert(::bulk::is_valid(said_.backoff),                                         \
                          "BULK_FEED(" #name_                                                      \
                          "): a back-off needs base >= 0, a cap from base to a year, a factor "    \
                          "from 1 to 1000 and a jitter from 0 to 1");                              \
            return said_;                                                                          \
        } else {                                                                                   \
            return {};                                                                             \
        }                                                                                          \
    }
