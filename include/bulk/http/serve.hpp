// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/feed/any_feed_service.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/origin.hpp>
#include <bulk/http/server.hpp>
#include <bulk/http/server_options.hpp>
#include <bulk/service/any_service.hpp>

#include <chrono>
#include <concepts>
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
    serving(std::unique_ptr<any_service> operations, std::unique_ptr<any_feed_service> feeds,
            std::shared_ptr<application> app, std::unique_ptr<server> listening)
        : operations_{std::move(operations)},
          feeds_{std::move(feeds)},
          app_{std::move(app)},
          server_{std::move(listening)} {}
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
    std::unique_ptr<any_service> operations_;  ///< around the caller's
    std::unique_ptr<any_feed_service> feeds_;
    std::shared_ptr<application> app_;
    std::unique_ptr<server> server_;
};

/// Begins to serve operations, feeds, or both; they outlive it. Refuses an address that others can reach
/// unless somebody says who they are.
[[nodiscard]] inline result<serving> open_api(any_service* operations, any_feed_service* feeds,
                                              const serve_options& options,
                                              std::unique_ptr<any_service> held_operations = {},
                                              std::unique_ptr<any_feed_service> held_feeds = {}) {
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
    return serving{std::move(held_operations), std::move(held_feeds), std::move(app),
                   std::move(*opened)};
}

/// The same for a `bulk::service`.
template <typename Service>
    requires requires { typename Service::operations_type; }
[[nodiscard]] result<serving> start_serving(Service& service, const serve_options& options = {}) {
    auto held = std::make_unique<typed_service<Service&>>(service);
    auto* const operations = held.get();
    return open_api(operations, nullptr, options, std::move(held));
}

/// The same with feeds, on the same storage.
template <typename Service, typename Feeds>
    requires requires { typename Service::operations_type; }
[[nodiscard]] result<serving> start_serving(Service& service, Feeds& feeds,
                                            const serve_options& options = {}) {
    auto held = std::make_unique<typed_service<Service&>>(service);
    auto held_feeds = std::make_unique<typed_feed_service<Feeds&>>(feeds);
    auto* const operations = held.get();
    auto* const all_feeds = held_feeds.get();
    return open_api(operations, all_feeds, options, std::move(held), std::move(held_feeds));
}

/// Serves until `stop` is asked to, for programs that do nothing else: `bulk::http::serve(service)`.
template <typename Service>
    requires requires { typename Service::operations_type; }
[[nodiscard]] result<> serve(Service& service, const serve_options& options = {},
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
