// SPDX-License-Identifier: MIT
// The one unit of `bulk_http`: Beast and Asio take long to compile, and nobody else has to.
#include <bulk/http/server.hpp>
#include <bulk/http/server/implementation.hpp>

namespace bulk::http {

result<std::unique_ptr<server>> listen(std::shared_ptr<application> application,
                                       const server_options& options) {
    return open_server(std::move(application), options);
}

}  // namespace bulk::http
