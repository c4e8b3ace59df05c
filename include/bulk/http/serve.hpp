// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/origin.hpp>
#include <bulk/http/server.hpp>
#include <bulk/http/server_options.hpp>
#include <bulk/service/service.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

namespace bulk::http {

/// What is served, where, and to whom.
struct serve_options {
    std::uint16_t port = 8080;          ///< 0: any that is free
    std::string address = "127.0.0.1";  ///< another than loopback needs `api.access`
    api_options api{};
    server_options server{};  ///< its address and port are those above
};

/// An API that is being served. It stops when this goes; the services go on.
class serving {
public:
    serving(std::shared_ptr<application> app, std::unique_ptr<server> listening)
        : app_{std::move(app)}, server_{std::move(listening)} {}
    serving(serving&&) noexcept = default;
    serving& operator=(serving&&) = delete;
    ~serving() { stop(); }

    [[nodiscard]] std::uint16_t port() const { return server_->port(); }
    [[nodiscard]] server_load load() const { return server_->load(); }
    /// Lets requests in flight finish.
    void stop() {
        if (server_ != nullptr) server_->stop();
    }

private:
    std::shared_ptr<application> app_;
    std::unique_ptr<server> server_;
};

/// Begins to serve operations, feeds, or both; they outlive it. Refuses an address that others can reach
/// unless somebody says who they are.
[[nodiscard]] inline result<serving> open_api(bulk::service* operations, bulk::feed_service* feeds,
                                              const serve_options& options) {
    if (operations == nullptr && feeds == nullptr)
        return fail(errc::invalid_argument, "there is nothing to serve: no operations, no feeds");
    if (!is_loopback(options.address) && !options.api.access)
        return fail(errc::invalid_argument,
                    concat("whoever reaches ", options.address,
                           " could do everything: say who may (api.access, tokens for example), or "
                           "listen on 127.0.0.1"));
    for (const auto& each : options.api.origins.origins)
        if (!is_exact_origin(each))
            return fail(
                errc::invalid_argument,
                concat("'", each,
                       "' is no origin: write scheme, host and port as a browser sends them, "
                       "such as https://ops.example.org"));
    std::shared_ptr<application> app;
    try {
        app = make_api(operations, feeds, options.api);
    } catch (const std::system_error& why) {
        return std::unexpected{thread_refused(why)};
    }
    server_options listening = options.server;
    listening.address = options.address == "localhost" ? "127.0.0.1" : options.address;
    listening.port = options.port;
    auto opened = listen(app, listening);
    if (!opened) return std::unexpected{std::move(opened).error()};
    return serving{std::move(app), std::move(*opened)};
}

/// The same for a service whose operations are served alone.
[[nodiscard]] inline result<serving> start_serving(bulk::service& service,
                                                   const serve_options& options = {}) {
    return open_api(&service, nullptr, options);
}

/// The same with feeds, on the same storage.
[[nodiscard]] inline result<serving> start_serving(bulk::service& service,
                                                   bulk::feed_service& feeds,
                                                   const serve_options& options = {}) {
    return open_api(&service, &feeds, options);
}

/// Serves until `stop` is requested, for programs that do nothing else: `bulk::http::serve(service)`.
[[nodiscard]] inline result<> serve(bulk::service& service, const serve_options& options = {},
                                    const std::stop_token& stop = {}) {
    auto running = start_serving(service, options);
    if (!running) return std::unexpected{std::move(running).error()};
    std::mutex mutex;
    std::condition_variable_any asked;
    std::unique_lock lock{mutex};
    asked.wait(lock, stop, [] { return false; });
    return {};
}

}  // namespace bulk::http
