// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/program.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/cli/verbs/serve.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace bulk::cli {

/// The verb `serve`, for programs that link `bulk_http`.
template <typename Open>
struct serve_part {
    template <typename Feeds>
    static void add(std::vector<std::unique_ptr<verb>>& verbs, bool has_operations, Feeds feeds) {
        verbs.push_back(std::make_unique<serve_verb>(has_operations, std::move(feeds)));
    }
};

}  // namespace bulk::cli
