// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/program.hpp>
#include <bulk/core/linkage.hpp>

#include <memory>

namespace bulk::cli {

/// The verb `serve`, for programs that link `bulk_http`.
[[nodiscard]] std::unique_ptr<verb> make_serve_verb(bool has_operations, open_feeds feeds);

template <typename Open>
struct serve_part {
    static constexpr auto make = &make_serve_verb;
};

}  // namespace bulk::cli

#ifndef BULK_COMPILED
#include <bulk/cli/serve_implementation.hpp>
#endif
