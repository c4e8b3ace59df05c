// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/asio_types.hpp>
#include <bulk/http/server/connection.hpp>

#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace bulk::http {

/// Notices that a client disconnects while its request is being answered. Whatever else it sends
/// meanwhile is kept for later, up to a limit. On the strand of the connection; one that has begun has
/// to `end` before anything else is read.
class client_watch {
public:
    client_watch(std::shared_ptr<connection> of, std::size_t most_kept)
        : of_{std::move(of)},
          most_kept_{most_kept},
          state_{std::make_shared<state>(of_->get_executor())} {}

    /// `gone` is called at most once. A client that only says that it sends no more looks the same as
    /// one that closed: it counts as gone when `grace` has passed since then, unless that is not to
    /// be (`ended_is_gone`).
    void begin(std::function<void()> gone, bool ended_is_gone, std::chrono::milliseconds grace) {
        state_->has_ended = false;
        boost::asio::co_spawn(
            of_->get_executor(),
            [of = of_, most = most_kept_, now = state_, gone = std::move(gone), ended_is_gone,
             grace]() -> awaitable<void> {
                auto problem = io_problem::none;
                while (!now->is_over && problem == io_problem::none && of->unread().size() < most)
                    problem = co_await of->read_aside();
                if (now->is_over || problem == io_problem::none) co_return;
                if (problem == io_problem::ended) {
                    if (!ended_is_gone) co_return;
                    now->bell.expires_after(grace);
                    (void)co_await now->bell.async_wait(awaiting);
                    if (now->is_over) co_return;
                }
                gone();
            },
            [now = state_](const std::exception_ptr&) {
                now->has_ended = true;
                now->ended.cancel();
            });
    }

    /// Nothing is called any more, and the connection can be read again.
    [[nodiscard]] awaitable<void> end() {
        state_->is_over = true;
        if (state_->has_ended) co_return;
        of_->cancel_reading();
        state_->bell.cancel();
        while (!state_->has_ended) {
            state_->ended.expires_at(steady_timer::time_point::max());
            (void)co_await state_->ended.async_wait(awaiting);
        }
    }

private:
    struct state {
        explicit state(strand where) : bell{where}, ended{where} {}
        steady_timer bell;   ///< of the grace
        steady_timer ended;  ///< rung when the watching coroutine has ended
        bool is_over = false;
        bool has_ended = true;
    };

    std::shared_ptr<connection> of_;
    std::size_t most_kept_;
    std::shared_ptr<state> state_;
};

}  // namespace bulk::http
