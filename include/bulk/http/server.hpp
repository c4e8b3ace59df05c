// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server_options.hpp>

#include <cstdint>
#include <memory>

namespace bulk::http {

/// What a server is doing now, for a program that watches itself; tests wait for it.
struct server_load {
    int running_queries = 0;
    int waiting_queries = 0;  ///< for a slot
    int open_streams = 0;
    int waiting_streams = 0;  ///< for a slot
    int stream_threads = 0;
};

/// Listens, and hands what comes to an application. What it is made of is compiled in one place, as it
/// takes long: link `bulk_http`, or include <bulk/http/server/implementation.hpp> in one of your files.
class server {
public:
    server() = default;
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    /// Stops it.
    virtual ~server() = default;

    [[nodiscard]] virtual std::uint16_t port() const = 0;
    [[nodiscard]] virtual server_load load() const = 0;
    /// Takes no new connections, closes those that wait for a request, ends event streams, lets requests
    /// in flight finish for `shutdown_timeout`, closes what is left. The application is waited for,
    /// since it is in use until it has answered; so this is not called from within an answer.
    virtual void stop() = 0;
};

/// Fails when the address cannot be used.
[[nodiscard]] result<std::unique_ptr<server>> listen(std::shared_ptr<application> application,
                                                     const server_options& options);

}  // namespace bulk::http
