// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/http/server/asio_types.hpp>
#include <bulk/http/server/chunked_body.hpp>
#include <bulk/http/server/connection.hpp>
#include <bulk/http/server/head.hpp>
#include <bulk/http/server/wait_budget.hpp>

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http {

/// The body of one request, read as it is wanted and never further.
class body_reader : public std::enable_shared_from_this<body_reader> {
public:
    struct limits {
        std::uint64_t most = 0;  ///< bytes; 0 is any number
        wait_budget read;
        wait_budget write;
    };

    body_reader(std::shared_ptr<connection> from, const parsed_head& head, const limits& allowed)
        : from_{std::move(from)},
          allowed_{allowed},
          left_{head.length},
          owes_continue_{head.wants_continue && head.has_body()} {
        if (head.is_chunked) chunks_.emplace(allowed.most);
    }

    /// Bytes, 0 at the end; or a status to refuse it with, or `nobody`.
    struct piece {
        std::size_t count = 0;
        int status = 0;
    };
    static constexpr int nobody = -1;

    [[nodiscard]] bool is_done() const { return chunks_ ? chunks_->is_done() : left_ == 0; }

    /// Some of it; on the strand.
    [[nodiscard]] awaitable<piece> read(std::span<char> into) {
        if (allowed_.most > 0 && left_ > allowed_.most) co_return refused(413);
        if (status_ != 0) co_return piece{.status = status_};
        if (is_done() || into.empty()) co_return piece{};
        if (std::exchange(owes_continue_, false)) {
            const std::array<std::string_view, 1> go_on{"HTTP/1.1 100 Continue\r\n\r\n"};
            if (co_await from_->write(go_on, allowed_.write) != io_problem::none)
                co_return refused(nobody);
        }
        auto got = chunks_ ? co_await read_chunks(into) : co_await read_plain(into);
        given_ += got.count;
        if (allowed_.most > 0 && given_ > allowed_.most) co_return refused(413);
        co_return got;
    }

    /// All of it: 0, or what `piece` says.
    [[nodiscard]] awaitable<int> read_whole(std::string& into) {
        std::array<char, 8192> some{};
        while (true) {
            const auto got = co_await read(some);
            if (got.status != 0) co_return got.status;
            if (got.count == 0) co_return 0;
            into.append(some.data(), got.count);
        }
    }

    /// The same for a thread that waits, while the coroutine of the connection waits for that thread.
    [[nodiscard]] result<std::size_t> pull(std::span<char> into) {
        if (is_closed_)
            return fail(errc::unavailable, "the request of this body has been answered");
        // Shared: the one that sets it still uses it when the one that waits has gone on.
        const auto promised = std::make_shared<std::promise<piece>>();
        boost::asio::co_spawn(
            from_->get_executor(),
            [self = shared_from_this(), into]() -> awaitable<piece> {
                co_return co_await self->read(into);
            },
            [promised](const std::exception_ptr& thrown, piece got) {
                promised->set_value(thrown ? piece{.status = nobody} : got);
            });
        const auto got = promised->get_future().get();
        switch (got.status) {
            case 0:
                return got.count;
            case 408:
                return fail(errc::timed_out, "the body did not come in time");
            case 413:
                return fail(errc::invalid_argument, "the body is larger than it may be");
            case 400:
                if (is_cut_) return gone();
                return fail(errc::invalid_argument, "the body is not what HTTP says it is");
            default:
                return gone();
        }
    }

    /// Nothing is pulled after this, even by an application that kept the way to do it.
    void close() { is_closed_ = true; }

    /// The refusal that ended it, or 0.
    [[nodiscard]] int status() const { return status_; }

private:
    [[nodiscard]] static std::unexpected<error> gone() {
        return fail(errc::unavailable, "the other side has gone in the middle of the body");
    }

    [[nodiscard]] piece refused(int status) {
        status_ = status;
        return {.status = status};
    }

    void account(connection::clock::time_point begun, std::size_t count) {
        allowed_.read.waited(connection::clock::now() - begun);
        allowed_.read.moved(count);
    }

    [[nodiscard]] piece troubled(io_problem problem) {
        is_cut_ = problem == io_problem::ended;
        if (is_cut_) return refused(400);
        return refused(problem == io_problem::late ? 408 : nobody);
    }

    [[nodiscard]] awaitable<piece> read_plain(std::span<char> into) {
        into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_)));
        if (const auto come = from_->unread(); !come.empty()) {
            const auto count = std::min(come.size(), into.size());
            std::copy_n(come.data(), count, into.data());
            from_->use(count);
            left_ -= count;
            co_return piece{.count = count};
        }
        const auto begun = connection::clock::now();
        const auto [problem, count] = co_await from_->read(into, allowed_.read.deadline(begun));
        account(begun, count);
        if (problem != io_problem::none) co_return troubled(problem);
        left_ -= count;
        co_return piece{.count = count};
    }

    [[nodiscard]] awaitable<piece> read_chunks(std::span<char> into) {
        while (true) {
            const auto step = chunks_->read(from_->unread(), into);
            from_->use(step.used);
            if (step.status != 0) co_return refused(step.status);
            if (step.made > 0 || chunks_->is_done()) co_return piece{.count = step.made};
            const auto begun = connection::clock::now();
            const auto before = from_->unread().size();
            const auto problem = co_await from_->read_more(allowed_.read.deadline(begun));
            account(begun, from_->unread().size() - before);
            if (problem != io_problem::none) co_return troubled(problem);
        }
    }

    const std::shared_ptr<connection> from_;
    limits allowed_;
    std::optional<chunked_body> chunks_;
    std::uint64_t left_;  ///< of one that is not chunked
    std::uint64_t given_ = 0;
    int status_ = 0;
    bool owes_continue_;
    bool is_cut_ = false;  ///< by the other side, which still listens
    std::atomic<bool> is_closed_ = false;
};

}  // namespace bulk::http
