// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace bulk::http {

/// Runs something that may wait in a thread of `jobs`, while the coroutine does not hold its own. What
/// is called does not throw.
template <typename Call>
boost::asio::awaitable<std::invoke_result_t<Call>> run_in(executor& jobs, Call call) {
    namespace asio = boost::asio;
    auto home = co_await asio::this_coro::executor;
    const auto answer = std::make_shared<std::optional<std::invoke_result_t<Call>>>();
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
        [&](auto resume) {
            using handler = decltype(resume);
            jobs.submit(job{[call = std::move(call), answer, home,
                             resume = std::make_shared<handler>(std::move(resume))]() mutable {
                answer->emplace(call());
                asio::post(home, [resume] { std::move (*resume)(); });
            }});
        },
        asio::use_awaitable);
    co_return std::move(**answer);
}

}  // namespace bulk::http
