// SPDX-License-Identifier: MIT
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>

namespace bulk::http {

/// Each connection has its own, so that nothing of one connection is ever done twice at once. All types
/// below name it, so that no call goes through the erased type of `any_io_executor`.
using strand = boost::asio::strand<boost::asio::io_context::executor_type>;

using tcp_socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, strand>;
using steady_timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, strand>;

template <typename T>
using awaitable = boost::asio::awaitable<T, strand>;

/// What is waited for gives its error as a value.
inline constexpr auto awaiting = boost::asio::as_tuple(boost::asio::use_awaitable_t<strand>{});

/// How a coroutine ends that nobody waits for. What it throws is that memory has run out: what it held is
/// gone then, and so is its connection.
inline constexpr auto forgotten = [](const std::exception_ptr&) {};

}  // namespace bulk::http
