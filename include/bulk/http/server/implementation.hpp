// SPDX-License-Identifier: MIT
#pragma once

// What a server is made of. Included in one file of a program only, as it takes long to compile: the
// library `bulk_http` is that file.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server.hpp>
#include <bulk/http/server/session.hpp>
#include <bulk/http/server_options.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bulk::http {

class beast_server final : public server {
public:
    beast_server(std::shared_ptr<application> app, const server_options& options)
        : answers_{static_cast<std::size_t>(options.threads)},
          streams_{static_cast<std::size_t>(options.max_streams)},
          shared_{std::make_shared<shared_server>(std::move(app), options, answers_, streams_)} {}
    ~beast_server() override { stop(); }

    [[nodiscard]] result<> open() {
        const auto& options = shared_->options;
        boost::system::error_code failed;
        const auto address = boost::asio::ip::make_address(options.address, failed);
        const auto refuse = [&](std::string_view doing) {
            return fail(errc::invalid_argument,
                        concat("cannot listen on ", options.address, ':', options.port, ", ", doing,
                               ": ", failed.message()));
        };
        if (failed) return refuse("as that is no address");
        const boost::asio::ip::tcp::endpoint end{address, options.port};
        acceptor_.open(end.protocol(), failed);
        if (failed) return refuse("opening a socket");
        acceptor_.set_option(boost::asio::socket_base::reuse_address{true}, failed);
        acceptor_.bind(end, failed);
        if (failed) return refuse("taking the address");
        acceptor_.listen(boost::asio::socket_base::max_listen_connections, failed);
        if (failed) return refuse("listening");
        port_ = acceptor_.local_endpoint(failed).port();
        accept();
        for (int i = 0; i < moving_threads; ++i) threads_.emplace_back([this] { context_.run(); });
        return {};
    }

    [[nodiscard]] std::uint16_t port() const override { return port_; }

    void stop() override {
        if (std::exchange(is_stopped_, true)) return;
        shared_->is_stopping = true;
        boost::asio::post(context_, [this] {
            boost::system::error_code ignored;
            acceptor_.close(ignored);
        });
        for_each_session([](session& each) { each.end_soon(); });
        const auto deadline = std::chrono::steady_clock::now() + shared_->options.shutdown_timeout;
        {
            std::unique_lock lock{mutex_};
            is_empty_.wait_until(lock, deadline, [&] { return shared_->connections == 0; });
        }
        for_each_session([](session& each) { each.close_now(); });
        {
            std::unique_lock lock{mutex_};
            is_empty_.wait_for(lock, std::chrono::seconds{2},
                               [&] { return shared_->connections == 0; });
        }
        work_.reset();
        context_.stop();
        for (auto& each : threads_) each.join();
        streams_.stop();
        answers_.stop();
    }

private:
    /// Moving bytes takes little.
    static constexpr int moving_threads = 2;

    void accept() {
        acceptor_.async_accept(
            boost::asio::make_strand(context_),
            [this](boost::system::error_code failed, boost::asio::ip::tcp::socket socket) {
                if (failed == boost::asio::error::operation_aborted || !acceptor_.is_open()) return;
                if (!failed) take(std::move(socket));
                if (!failed) return accept();
                // No descriptor left, or the like: not at once again.
                auto pause = std::make_shared<boost::asio::steady_timer>(
                    context_, std::chrono::milliseconds{50});
                pause->async_wait([this, pause](boost::system::error_code) {
                    if (acceptor_.is_open()) accept();
                });
            });
    }

    void take(boost::asio::ip::tcp::socket socket) {
        if (shared_->connections >= shared_->options.max_connections) {
            static constexpr std::string_view busy =
                "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: "
                "1\r\nContent-Length: 0\r\n\r\n";
            boost::system::error_code ignored;
            socket.non_blocking(true, ignored);
            boost::asio::write(socket, boost::asio::buffer(busy), ignored);
            return;
        }
        ++shared_->connections;
        auto* const made = new session{std::move(socket), shared_};
        const std::shared_ptr<session> begun{made, [this, shared = shared_](session* each) {
                                                 delete each;
                                                 forget(each);
                                             }};
        {
            const std::scoped_lock lock{mutex_};
            sessions_.emplace_back(made, begun);
        }
        begun->begin();
    }

    void forget(const session* gone) {
        const std::scoped_lock lock{mutex_};
        std::erase_if(sessions_, [&](const auto& each) { return each.first == gone; });
        --shared_->connections;
        is_empty_.notify_all();
    }

    template <typename Call>
    void for_each_session(Call call) {
        std::vector<std::shared_ptr<session>> all;
        {
            const std::scoped_lock lock{mutex_};
            for (const auto& [address, each] : sessions_)
                if (auto alive = each.lock()) all.push_back(std::move(alive));
        }
        for (const auto& each : all) call(*each);
    }

    thread_executor answers_;
    thread_executor streams_;
    std::shared_ptr<shared_server> shared_;
    std::mutex mutex_;
    std::condition_variable is_empty_;
    std::vector<std::pair<const session*, std::weak_ptr<session>>> sessions_;
    boost::asio::io_context context_;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_{
        context_.get_executor()};
    boost::asio::ip::tcp::acceptor acceptor_{context_};
    std::vector<std::thread> threads_;
    std::uint16_t port_ = 0;
    bool is_stopped_ = false;
};

inline result<std::unique_ptr<server>> open_server(std::shared_ptr<application> app,
                                                   const server_options& options) {
    if (auto valid = validate(options); !valid) return std::unexpected{valid.error()};
    auto made = std::make_unique<beast_server>(std::move(app), options);
    if (auto opened = made->open(); !opened) return std::unexpected{opened.error()};
    return std::unique_ptr<server>{std::move(made)};
}

}  // namespace bulk::http
