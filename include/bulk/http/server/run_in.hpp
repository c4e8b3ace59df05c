// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/http/server/asio_types.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace bulk::http {

/// Runs something that may wait for long in a thread of `jobs`, while the coroutine holds no thread. What
/// is called does not throw.
template <typename Call>
[[nodiscard]] awaitable<std::invoke_result_t<Call&>> run_in(executor& jobs, Call call) {
    namespace asio = boost::asio;
    const strand home = co_await asio::this_coro::executor;
    std::optional<std::invoke_result_t<Call&>> answer;
    co_await asio::async_initiate<const asio::use_awaitable_t<strand>, void()>(
        [&](auto resume) {
            jobs.submit(job{[&call, &answer, home, resume = std::move(resume)]() mutable {
                answer.emplace(call());
                asio::post(home, std::move(resume));
            }});
        },
        asio::use_awaitable_t<strand>{});
    co_return std::move(*answer);
}

}  // namespace bulk::http
