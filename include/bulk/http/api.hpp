// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api_options.hpp>
#include <bulk/http/message.hpp>

#include <memory>

namespace bulk {
class service;
class feed_service;
}  // namespace bulk

namespace bulk::http {

/// The API as something that answers requests: operations, feeds, or both, which have one storage in
/// common then. They outlive it. Compiled in one place, as it takes long: link `bulk_http`.
[[nodiscard]] std::shared_ptr<application> make_api(bulk::service* operations,
                                                    bulk::feed_service* feeds,
                                                    const api_options& options = {});

}  // namespace bulk::http
