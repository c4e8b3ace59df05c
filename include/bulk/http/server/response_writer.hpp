// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server/asio_types.hpp>
#include <bulk/http/server/client_watch.hpp>
#include <bulk/http/server/connection.hpp>
#include <bulk/http/server/doorbell.hpp>
#include <bulk/http/server/response_head.hpp>
#include <bulk/http/server/run_in.hpp>
#include <bulk/http/server/shared_server.hpp>
#include <bulk/http/server/wait_budget.hpp>

#include <boost/asio/co_spawn.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http {

/// Writes the answer to one request: a text, a stream, or events.
class response_writer {
public:
    response_writer(std::shared_ptr<connection> to, shared_server& server)
        : to_{std::move(to)},
          server_{server},
          allowed_{server.options.write_timeout, server.options.min_bytes_per_second} {}

    bool is_head = false;  ///< the request was HEAD: nothing but a head is sent
    bool is_http_11 = true;
    bool keeps = true;            ///< the other side may ask again
    std::string principal{};      ///< whose slots a stream takes
    stream_desk::place stream{};  ///< taken before, which the answer may use

    /// Whether the connection can be used on.
    [[nodiscard]] awaitable<bool> write(response said) {
        keeps = keeps && !to_->is_ending() && !server_.is_stopping &&
                !same_name(said.headers.get("connection"), "close");
        if (said.events) co_return co_await write_events(std::move(said));
        const bool is_bare = is_bodiless(said.status);
        if (said.stream && !is_bare) co_return co_await write_stream(std::move(said));
        body_framing framing;
        if (!is_bare) framing.length = said.body.size();
        const auto head = head_text(said, framing, keeps, is_http_11);
        const std::array<std::string_view, 2> parts{
            head, is_head || is_bare ? std::string_view{} : std::string_view{said.body}};
        co_return co_await send(parts) && keeps;
    }

private:
    template <std::size_t Count>
    [[nodiscard]] awaitable<bool> send(std::array<std::string_view, Count> parts) {
        co_return co_await to_->write(parts, allowed_) == io_problem::none;
    }

    /// One piece of a body, in the form that the head has told; an empty one is the end.
    [[nodiscard]] awaitable<bool> send_piece(std::string_view bytes) {
        if (!is_http_11 || !is_chunked_) co_return co_await send(std::array{bytes});
        if (bytes.empty()) co_return co_await send(std::array<std::string_view, 1>{"0\r\n\r\n"});
        std::array<char, 20> size{};
        char* end = std::to_chars(size.data(), size.data() + 16, bytes.size(), 16).ptr;
        *end++ = '\r';
        *end++ = '\n';
        const std::string_view line{size.data(), static_cast<std::size_t>(end - size.data())};
        co_return co_await send(std::array<std::string_view, 3>{line, bytes, "\r\n"});
    }

    /// The head of a body that is not there yet.
    [[nodiscard]] awaitable<bool> send_head(const response& said) {
        is_chunked_ = !said.length && is_http_11;
        if (!said.length && !is_http_11) keeps = false;  // the end of the connection is its end
        const auto head =
            head_text(said, {.length = said.length, .is_chunked = is_chunked_}, keeps, is_http_11);
        co_return co_await send(std::array<std::string_view, 1>{head});
    }

    [[nodiscard]] awaitable<bool> write_stream(response said) {
        if (!stream) stream = co_await server_.desk.enter(to_, principal);
        if (!stream)
            co_return co_await write(
                server_.refusal(503, "too many uploads and downloads at once"));
        if (!co_await send_head(said)) co_return false;
        if (is_head) co_return keeps;
        client_watch watch{to_, server_.options.max_header_bytes};
        // One who only has nothing more to say is still there: whether it is shows when it is sent to.
        if (said.abandon) watch.begin(said.abandon, false, {});
        const bool is_whole = co_await write_pieces(said);
        co_await watch.end();
        co_return is_whole&& keeps;
    }

    [[nodiscard]] awaitable<bool> write_pieces(response& said) {
        std::vector<char> piece(std::size_t{64} * 1024);
        std::uint64_t sent = 0;
        while (true) {
            const auto count = co_await run_in(server_.streams, [&]() -> result<std::size_t> {
                try {
                    return said.stream(std::span{piece});
                } catch (...) {
                    return fail(errc::unavailable, "the program met an error while it answered");
                }
            });
            // Cut off: the other side sees that it is not whole.
            if (!count) co_return false;
            sent += *count;
            if (said.length && (sent > *said.length || (*count == 0 && sent < *said.length)))
                co_return false;
            if (!co_await send_piece({piece.data(), *count})) co_return false;
            if (*count == 0) co_return true;
        }
    }

    [[nodiscard]] awaitable<bool> write_events(response said) {
        const slot listening{server_.listeners, server_.options.max_listeners};
        if (!listening) co_return co_await write(server_.refusal(503, "too many listen already"));
        keeps = false;
        said.length.reset();
        if (!co_await send_head(said) || is_head) co_return false;
        const auto is_gone = std::make_shared<bool>(false);
        doorbell bell{to_->get_executor()};
        to_->on_end(bell.button());
        boost::asio::co_spawn(
            to_->get_executor(),
            [to = to_, is_gone, ring = bell.button()]() -> awaitable<void> {
                co_await to->until_gone();
                *is_gone = true;
                ring();
            },
            forgotten);
        bool is_over = false;
        while (!is_over && !to_->is_ending() && !*is_gone) {
            auto text = co_await next_of(*said.events, bell);
            if (text && text->empty()) {
                if (co_await bell.wait(server_.options.heartbeat)) continue;
                text = ": still here\n\n";
            }
            is_over = !text || !co_await send_piece(*text);
        }
        to_->on_end({});
        if (!*is_gone) (void)co_await send_piece({});
        co_return false;
    }

    [[nodiscard]] awaitable<std::optional<std::string>> next_of(event_source& events,
                                                                const doorbell& bell) {
        const auto place = co_await server_.gate.enter();
        try {
            co_return events.next(bell.button());
        } catch (...) {
            co_return std::nullopt;  // as if it had ended: the other side asks again
        }
    }

    const std::shared_ptr<connection> to_;
    shared_server& server_;
    wait_budget allowed_;
    bool is_chunked_ = false;
};

}  // namespace bulk::http
