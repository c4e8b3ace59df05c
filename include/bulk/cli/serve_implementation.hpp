// SPDX-License-Identifier: MIT
#pragma once

// See core/linkage.hpp for who includes this.

#include <bulk/cli/serve_program.hpp>
#include <bulk/cli/verbs/serve.hpp>
#include <bulk/core/linkage.hpp>

#include <memory>
#include <utility>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk::cli {

BULK_INLINE std::unique_ptr<verb> make_serve_verb(bool has_operations, open_feeds feeds) {
    return std::make_unique<serve_verb>(has_operations, std::move(feeds));
}

}  // namespace bulk::cli
// NOLINTEND(misc-definitions-in-headers)
