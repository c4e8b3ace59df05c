// SPDX-License-Identifier: MIT
// The other unit of `bulk_http`: all that the API answers, compiled once for every program.
#include <bulk/http/api.hpp>
#include <bulk/http/api/implementation.hpp>

namespace bulk::http {

std::shared_ptr<application> make_api(bulk::service* operations, bulk::feed_service* feeds,
                                      const api_options& options) {
    return build_api(operations, feeds, options);
}

}  // namespace bulk::http
