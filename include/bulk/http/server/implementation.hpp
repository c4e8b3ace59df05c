// SPDX-License-Identifier: MIT
#pragma once

// What a server is made of. Included in one file of a program only, as it takes long to compile: the
// library `bulk_http` is that file.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server.hpp>
#include <bulk/http/server/connection.hpp>
#include <bulk/http/server/descriptors.hpp>
#include <bulk/http/server/request_loop.hpp>
#include <bulk/http/server/response_writer.hpp>
#include <bulk/http/server/shared_server.hpp>
#include <bulk/http/server_options.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bulk::http {

class beast_server final : public server {
public:
    beast_server(std::shared_ptr<application> app, const server_options& options)
        : streams_{static_cast<std::size_t>(options.max_streams), options.thread_idle_time},
          work_threads_{static_cast<std::size_t>(options.max_queries) * 2,
                        options.thread_idle_time},
          shared_{
              std::make_shared<shared_server>(std::move(app), options, streams_, work_threads_)} {}
    // NOLINTNEXTLINE(bugprone-exception-escape): without memory for one word nobody can be told to stop
    ~beast_server() override { stop(); }

    [[nodiscard]] result<> open() {
        const auto& options = shared_->options;
        boost::system::error_code failed;
        const auto refuse = [&](std::string_view doing) {
            return fail(errc::invalid_argument,
                        concat("cannot listen on ", options.address, " port ", options.port, ", ",
                               doing, ": ", failed.message()));
        };
        const auto address = boost::asio::ip::make_address(options.address, failed);
        if (failed) return refuse("as that is no IP address");
        const boost::asio::ip::tcp::endpoint end{address, options.port};
        acceptor_.open(end.protocol(), failed);
        if (failed) return refuse("opening a socket");
        acceptor_.set_option(boost::asio::socket_base::reuse_address{true}, failed);
        acceptor_.bind(end, failed);
        if (failed) return refuse("taking the address");
        acceptor_.listen(boost::asio::socket_base::max_listen_connections, failed);
        if (failed) return refuse("listening");
        port_ = acceptor_.local_endpoint(failed).port();
        if (failed) return refuse("asking for the port");
        const auto allowed = allow({.served = static_cast<std::uint64_t>(options.max_connections),
                                    .turned_away = most_turned_away});
        most_served_ = static_cast<int>(allowed.served);
        most_open_ = static_cast<std::size_t>(allowed.served + allowed.turned_away);
        boost::asio::post(accepting_, [this] { accept(); });
        // So many may be with the application, and some move bytes meanwhile.
        for (int i = 0; i < options.threads + moving_threads; ++i)
            threads_.emplace_back([this] { move_bytes(); });
        return {};
    }

    [[nodiscard]] std::uint16_t port() const override { return port_; }

    [[nodiscard]] server_load load() const override {
        return {.running_queries = shared_->queries.running(),
                .waiting_queries = shared_->queries.waiting(),
                .open_streams = shared_->desk.open(),
                .waiting_streams = shared_->desk.waiting(),
                .stream_threads = static_cast<int>(streams_.thread_count())};
    }

    void stop() override {
        const std::scoped_lock once{stop_mutex_};
        shared_->is_stopping = true;
        boost::asio::post(accepting_, [this] {
            boost::system::error_code ignored;
            acceptor_.close(ignored);
            pause_.cancel();
        });
        for_each_connection([](connection& each) { each.end_soon(); });
        if (!wait_until_empty(std::chrono::steady_clock::now() +
                              shared_->options.shutdown_timeout)) {
            for_each_connection([](connection& each) { each.close_now(); });
            // With nobody to read from or to write to, only the application itself takes time. It is
            // waited for: it uses what would be gone.
            (void)wait_until_empty(std::chrono::steady_clock::time_point::max());
        }
        work_.reset();
        for (auto& each : threads_) each.join();
        threads_.clear();
        streams_.stop();
        work_threads_.stop();
    }

private:
    /// Moving bytes takes little.
    static constexpr int moving_threads = 2;
    /// How many are told that there are too many, at once; others are just closed.
    static constexpr std::size_t most_turned_away = 256;

    void move_bytes() {
        while (true) {
            try {
                context_.run();
                return;
            } catch (...) {
                continue;  // memory has run out, for one connection: the others go on
            }
        }
    }

    void accept() {
        if (!acceptor_.is_open()) return;
        acceptor_.async_accept(
            boost::asio::make_strand(context_),
            [this](boost::system::error_code failed, tcp_socket socket) {
                if (shared_->is_stopping || failed == boost::asio::error::operation_aborted) return;
                if (!failed) {
                    boost::asio::post(accepting_, [this] { accept(); });
                    return take(std::move(socket));
                }
                // No descriptor left, or the like: not at once again.
                pause_.expires_after(std::chrono::milliseconds{50});
                pause_.async_wait([this](boost::system::error_code stopped) {
                    if (!stopped) accept();
                });
            });
    }

    /// A connection that is counted for as long as it lives.
    [[nodiscard]] std::shared_ptr<connection> keep(tcp_socket socket) {
        const std::scoped_lock lock{mutex_};
        const auto at = connections_.emplace(connections_.end());
        auto made = std::shared_ptr<connection>{new connection{std::move(socket)},
                                                [this, at](connection* gone) {
                                                    delete gone;
                                                    const std::scoped_lock again{mutex_};
                                                    connections_.erase(at);
                                                    if (connections_.empty())
                                                        is_empty_.notify_all();
                                                }};
        *at = made;
        return made;
    }

    void take(tcp_socket socket) {
        {
            const std::scoped_lock lock{mutex_};
            if (connections_.size() >= most_open_) return;  // closed
        }
        const auto made = keep(std::move(socket));
        boost::asio::co_spawn(
            made->get_executor(),
            [made, shared = shared_, most = most_served_]() -> awaitable<void> {
                if (const slot one{shared->connections, most})
                    co_await request_loop{made, shared}.run();
                else
                    co_await turn_away(made, *shared);
            },
            forgotten);
    }

    [[nodiscard]] static awaitable<void> turn_away(std::shared_ptr<connection> whom,
                                                   shared_server& server) {
        response_writer writer{whom, server};
        writer.keeps = false;
        auto said = server.refusal(503, "too many connections at once: try again soon");
        said.headers.set("Retry-After", "1");
        (void)co_await writer.write(std::move(said));
        co_await whom->linger();
    }

    [[nodiscard]] bool wait_until_empty(std::chrono::steady_clock::time_point deadline) {
        std::unique_lock lock{mutex_};
        const auto is_over = [&] { return connections_.empty(); };
        if (deadline != std::chrono::steady_clock::time_point::max())
            return is_empty_.wait_until(lock, deadline, is_over);
        is_empty_.wait(lock, is_over);
        return true;
    }

    template <typename Call>
    void for_each_connection(Call call) {
        std::vector<std::shared_ptr<connection>> all;
        {
            const std::scoped_lock lock{mutex_};
            for (const auto& each : connections_)
                if (auto alive = each.lock()) all.push_back(std::move(alive));
        }
        for (const auto& each : all) call(*each);
    }

    thread_executor streams_;
    thread_executor work_threads_;
    std::shared_ptr<shared_server> shared_;
    std::mutex stop_mutex_;
    std::mutex mutex_;
    std::condition_variable is_empty_;
    std::list<std::weak_ptr<connection>> connections_;
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        context_.get_executor()};
    strand accepting_ = boost::asio::make_strand(context_);
    boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, strand> acceptor_{accepting_};
    steady_timer pause_{accepting_};
    std::vector<std::thread> threads_;
    std::uint16_t port_ = 0;
    int most_served_ = 0;
    std::size_t most_open_ = 0;  ///< with those that are turned away
};

inline result<std::unique_ptr<server>> open_server(std::shared_ptr<application> app,
                                                   const server_options& options) {
    if (auto valid = validate(options); !valid) return std::unexpected{valid.error()};
    try {
        auto made = std::make_unique<beast_server>(std::move(app), options);
        if (auto opened = made->open(); !opened) return std::unexpected{opened.error()};
        return std::unique_ptr<server>{std::move(made)};
    } catch (const std::system_error& why) {
        return std::unexpected{thread_refused(why)};
    }
}

}  // namespace bulk::http
