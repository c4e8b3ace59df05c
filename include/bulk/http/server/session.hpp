// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server/head.hpp>
#include <bulk/http/server/run_in.hpp>
#include <bulk/http/server_options.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bulk::http {

/// What all connections of a server share.
struct shared_server {
    shared_server(std::shared_ptr<application> answers, server_options limits, executor& waiting,
                  executor& streaming)
        : app{std::move(answers)},
          options{std::move(limits)},
          answers{waiting},
          streams{streaming} {}

    const std::shared_ptr<application> app;
    const server_options options;
    executor& answers;  ///< threads that answer
    executor& streams;  ///< threads that wait for bodies
    std::atomic<int> connections = 0;
    std::atomic<int> open_streams = 0;
    std::atomic<int> listeners = 0;
    std::atomic<bool> is_stopping = false;
};

/// One of a number that is limited, for as long as it lives.
class slot {
public:
    slot() = default;
    slot(std::atomic<int>& count, int most) {
        if (count.fetch_add(1) < most)
            count_ = &count;
        else
            count.fetch_sub(1);
    }
    slot(slot&& other) noexcept : count_{std::exchange(other.count_, nullptr)} {}
    slot& operator=(slot&& other) noexcept {
        std::swap(count_, other.count_);
        return *this;
    }
    ~slot() {
        if (count_ != nullptr) count_->fetch_sub(1);
    }
    [[nodiscard]] explicit operator bool() const { return count_ != nullptr; }

private:
    std::atomic<int>* count_ = nullptr;
};

/// One connection: request after request, each read, answered and written. Everything but the answers
/// happens in one coroutine on one strand, so nothing here is ever done twice at once.
class session : public std::enable_shared_from_this<session> {
public:
    session(boost::asio::ip::tcp::socket socket, std::shared_ptr<shared_server> server)
        : stream_{std::move(socket)}, server_{std::move(server)} {
        boost::system::error_code ignored;
        if (const auto from = stream_.socket().remote_endpoint(ignored); !ignored)
            peer_ = from.address().to_string(ignored);
        stream_.socket().set_option(boost::asio::ip::tcp::no_delay{true}, ignored);
    }

    void begin() {
        boost::asio::co_spawn(
            stream_.get_executor(),
            [self = shared_from_this()]() -> boost::asio::awaitable<void> { co_await self->run(); },
            boost::asio::detached);
    }

    /// One that waits for a request is closed; one that is being answered is the last.
    void end_soon() {
        boost::asio::post(stream_.get_executor(), [self = shared_from_this()] {
            self->is_ending_ = true;
            if (self->is_idle_ || self->is_listening_) self->close();
        });
    }
    void close_now() {
        boost::asio::post(stream_.get_executor(), [self = shared_from_this()] { self->close(); });
    }

private:
    using tcp = boost::asio::ip::tcp;
    using parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
    static constexpr auto awaiting = boost::asio::as_tuple(boost::asio::use_awaitable);

    template <typename T>
    using awaitable = boost::asio::awaitable<T>;

    [[nodiscard]] const server_options& options() const { return server_->options; }
    [[nodiscard]] application& app() const { return *server_->app; }

    void close() {
        boost::system::error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.close();
    }

    awaitable<void> run() {
        while (!is_ending_ && !server_->is_stopping && co_await serve_one()) {
        }
        boost::system::error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        co_await linger();
        stream_.close();
    }

    /// Reads on for a moment: closing with bytes unread would take our last answer from the other side.
    awaitable<void> linger() {
        std::array<char, 4096> unread{};
        stream_.expires_after(std::chrono::seconds{1});
        for (int i = 0; i < 64; ++i) {
            const auto [failed, count] =
                co_await stream_.async_read_some(boost::asio::buffer(unread), awaiting);
            if (failed || count == 0) co_return;
        }
    }

    // --- one request -------------------------------------------------------------------------------

    /// Whether another one may follow.
    awaitable<bool> serve_one() {
        parser_.emplace();
        parser_->header_limit(options().max_header_bytes);
        parser_->body_limit(boost::none);
        wants_continue_ = false;
        if (auto refused = co_await read_head()) {
            if (*refused != 0) co_await refuse(*refused);
            co_return false;
        }
        auto head = head_of(parser_->get(), peer_);
        if (!head) {
            co_await refuse(head.error());
            co_return false;
        }
        version_ = parser_->get().version();
        is_head_ = head->verb == method::head;
        keeps_ = parser_->keep_alive();
        wants_continue_ = same_name(head->headers.get("expect"), "100-continue");
        if (head->target.size() > options().max_target_bytes) {
            co_await refuse(414);
            co_return false;
        }
        auto admitted = co_await run_in(server_->answers, [&] { return app().admit(*head); });
        if (auto* const already = std::get_if<response>(&admitted)) {
            keeps_ = keeps_ && !has_body();
            co_return co_await write(std::move(*already));
        }
        co_return co_await answer(std::move(*head), std::get<body_rule>(admitted));
    }

    [[nodiscard]] bool has_body() const {
        return parser_->chunked() || parser_->content_length_remaining().value_or(0) > 0;
    }

    awaitable<bool> answer(request_head head, body_rule rule) {
        request asked{.head = std::move(head)};
        if (rule.kind == body_kind::none && has_body()) {
            co_await refuse(413);
            co_return false;
        }
        const auto length = parser_->content_length();
        if (length && rule.most > 0 && *length > rule.most) {
            co_await refuse(413);
            co_return false;
        }
        left_ = rule.most;
        is_limited_ = rule.most > 0;
        slot streaming;
        if (rule.kind == body_kind::whole) {
            if (const int wrong = co_await read_whole(asked.body); wrong != 0) {
                if (wrong > 0) co_await refuse(wrong);
                co_return false;
            }
        } else if (rule.kind == body_kind::streamed) {
            streaming = slot{server_->open_streams, options().max_streams};
            if (!streaming) {
                keeps_ = false;
                co_return co_await write(
                    app().refuse(503, "too many uploads and downloads at once"));
            }
            asked.stream = [self = shared_from_this()](std::span<char> into) {
                return self->pull(into);
            };
        }
        auto& where = rule.kind == body_kind::streamed ? server_->streams : server_->answers;
        auto said = co_await run_in(where, [&] { return app().answer(asked); });
        asked.stream = {};
        if (!parser_->is_done() && has_body()) keeps_ = false;  // nobody wanted the rest
        co_return co_await write(std::move(said));
    }

    /// Nothing when the head is there; else the status to refuse it with, or 0: nobody is there.
    awaitable<std::optional<int>> read_head() {
        namespace beast_http = boost::beast::http;
        bool has_begun = buffer_.size() > 0;
        is_idle_ = !has_begun;
        if (has_begun || is_first_)
            stream_.expires_after(options().header_timeout);
        else
            stream_.expires_after(options().idle_timeout);
        is_first_ = false;
        while (!parser_->is_header_done()) {
            const auto [failed, count] =
                co_await beast_http::async_read_some(stream_, buffer_, *parser_, awaiting);
            if (!has_begun && (count > 0 || buffer_.size() > 0)) {
                has_begun = true;
                is_idle_ = false;
                stream_.expires_after(options().header_timeout);
            }
            if (!failed) continue;
            is_idle_ = false;
            if (failed == boost::beast::error::timeout) co_return has_begun ? 408 : 0;
            if (failed == beast_http::error::header_limit ||
                failed == beast_http::error::buffer_overflow)
                co_return 431;
            if (failed == beast_http::error::bad_version) co_return 505;
            if (failed.category() == make_error_code(beast_http::error::bad_method).category() &&
                failed != beast_http::error::end_of_stream &&
                failed != beast_http::error::partial_message)
                co_return 400;
            co_return 0;
        }
        is_idle_ = false;
        co_return std::nullopt;
    }

    // --- bodies ------------------------------------------------------------------------------------

    /// Some bytes of the body; 0 at its end. A status when it is refused, or -1: nobody is there.
    awaitable<std::variant<std::size_t, int>> read_some(std::span<char> into) {
        namespace beast_http = boost::beast::http;
        if (std::exchange(wants_continue_, false) && has_body()) {
            beast_http::response<beast_http::empty_body> go_on{beast_http::status::continue_,
                                                               version_};
            stream_.expires_after(options().write_timeout);
            const auto [failed, count] = co_await beast_http::async_write(stream_, go_on, awaiting);
            if (failed) co_return -1;
        }
        while (!parser_->is_done()) {
            auto& body = parser_->get().body();
            body.data = into.data();
            body.size = into.size();
            stream_.expires_after(options().body_timeout);
            auto [failed, count] =
                co_await beast_http::async_read_some(stream_, buffer_, *parser_, awaiting);
            if (failed == beast_http::error::need_buffer) failed = {};
            if (failed == boost::beast::error::timeout) co_return 408;
            if (failed) {
                const bool is_ours =
                    failed.category() == make_error_code(beast_http::error::bad_chunk).category() &&
                    failed != beast_http::error::partial_message &&
                    failed != beast_http::error::end_of_stream;
                co_return is_ours ? 400 : -1;
            }
            const std::size_t read = into.size() - body.size;
            if (read == 0) continue;
            if (is_limited_ && read > left_) co_return 413;
            if (is_limited_) left_ -= read;
            co_return read;
        }
        co_return std::size_t{0};
    }

    /// 0, or what `read_some` says.
    awaitable<int> read_whole(std::string& into) {
        std::vector<char> piece(std::size_t{16} * 1024);
        while (true) {
            const auto read = co_await read_some(piece);
            if (const auto* const wrong = std::get_if<int>(&read)) co_return *wrong;
            const auto count = std::get<std::size_t>(read);
            if (count == 0) co_return 0;
            into.append(piece.data(), count);
        }
    }

    /// The same for a thread that waits: the coroutine of this connection waits for that thread.
    [[nodiscard]] result<std::size_t> pull(std::span<char> into) {
        std::promise<std::variant<std::size_t, int>> promised;
        auto future = promised.get_future();
        boost::asio::co_spawn(
            stream_.get_executor(),
            [self = shared_from_this(), into, &promised]() -> awaitable<void> {
                promised.set_value(co_await self->read_some(into));
            },
            boost::asio::detached);
        const auto read = future.get();
        if (const auto* const count = std::get_if<std::size_t>(&read)) return *count;
        keeps_ = false;
        switch (std::get<int>(read)) {
            case 408:
                return fail(errc::timed_out, "the body did not come in time");
            case 413:
                return fail(errc::invalid_argument, "the body is larger than it may be");
            case 400:
                return fail(errc::invalid_argument, "the body is not what HTTP says it is");
            default:
                return fail(errc::unavailable, "the other side has gone in the middle of the body");
        }
    }

    // --- answers -----------------------------------------------------------------------------------

    awaitable<void> refuse(int status) {
        keeps_ = false;
        co_await write(app().refuse(status, reason_for(status)));
    }

    template <typename Message>
    void fill_head(Message& message, const response& said) const {
        message.version(version_);
        for (const auto& [name, value] : said.headers.all()) {
            std::string clean = value;  // nobody begins another header within one
            for (char& c : clean)
                if (static_cast<unsigned char>(c) < 0x20 && c != '\t') c = ' ';
            message.insert(name, clean);
        }
        message.keep_alive(keeps_ && !is_ending_ && !server_->is_stopping);
    }

    /// Whether the connection can be used on.
    awaitable<bool> write(response said) {
        namespace beast_http = boost::beast::http;
        if (said.events) co_return co_await write_events(std::move(said));
        if (said.stream) co_return co_await write_stream(std::move(said));
        beast_http::response<beast_http::string_body> message;
        message.result(static_cast<unsigned>(said.status));
        fill_head(message, said);
        const bool is_bare = said.status == 204 || said.status == 304 || said.status < 200;
        if (!is_bare) message.content_length(said.body.size());
        if (!is_head_ && !is_bare) message.body() = std::move(said.body);
        beast_http::response_serializer<beast_http::string_body> serializer{message};
        while (!serializer.is_done()) {
            stream_.expires_after(options().write_timeout);
            const auto [failed, count] =
                co_await beast_http::async_write_some(stream_, serializer, awaiting);
            if (failed) co_return false;
        }
        co_return message.keep_alive();
    }

    awaitable<bool> write_stream(response said) {
        namespace beast_http = boost::beast::http;
        const slot streaming{server_->open_streams, options().max_streams};
        if (!streaming) {
            co_return co_await write(app().refuse(503, "too many uploads and downloads at once"));
        }
        beast_http::response<beast_http::buffer_body> message;
        message.result(static_cast<unsigned>(said.status));
        if (!said.length && version_ < 11) keeps_ = false;  // the end of the connection is its end
        fill_head(message, said);
        if (said.length)
            message.content_length(*said.length);
        else if (version_ >= 11)
            message.chunked(true);
        beast_http::response_serializer<beast_http::buffer_body> serializer{message};
        message.body().data = nullptr;
        message.body().more = !is_head_;
        if (!co_await write_head(serializer)) co_return false;
        if (is_head_) co_return message.keep_alive();
        std::vector<char> piece(std::size_t{64} * 1024);
        while (true) {
            const auto count =
                co_await run_in(server_->streams, [&] { return said.stream(std::span{piece}); });
            if (!count) co_return false;  // cut off: the other side sees that it is not whole
            message.body().data = piece.data();
            message.body().size = *count;
            message.body().more = *count > 0;
            if (!co_await write_body(serializer)) co_return false;
            if (*count == 0) co_return message.keep_alive();
        }
    }

    template <typename Serializer>
    awaitable<bool> write_head(Serializer& serializer) {
        stream_.expires_after(options().write_timeout);
        const auto [failed, count] =
            co_await boost::beast::http::async_write_header(stream_, serializer, awaiting);
        co_return !failed;
    }

    /// What the body has now; each bit of progress has its time.
    template <typename Serializer>
    awaitable<bool> write_body(Serializer& serializer) {
        while (!serializer.is_done()) {
            stream_.expires_after(options().write_timeout);
            const auto [failed, count] =
                co_await boost::beast::http::async_write_some(stream_, serializer, awaiting);
            if (failed == boost::beast::http::error::need_buffer) co_return true;
            if (failed) co_return false;
        }
        co_return true;
    }

    awaitable<bool> write_events(response said) {
        namespace beast_http = boost::beast::http;
        const slot listening{server_->listeners, options().max_listeners};
        if (!listening) co_return co_await write(app().refuse(503, "too many listen already"));
        keeps_ = false;
        beast_http::response<beast_http::buffer_body> message;
        message.result(static_cast<unsigned>(said.status));
        fill_head(message, said);
        if (version_ >= 11) message.chunked(true);
        beast_http::response_serializer<beast_http::buffer_body> serializer{message};
        message.body().data = nullptr;
        message.body().more = !is_head_;
        if (!co_await write_head(serializer) || is_head_) co_return false;
        is_listening_ = true;
        watch_for_end();
        auto alarm = std::make_shared<boost::asio::steady_timer>(stream_.get_executor());
        const auto wake = [alarm] {
            boost::asio::post(alarm->get_executor(), [alarm] { alarm->cancel(); });
        };
        while (!is_ending_ && !is_gone_) {
            alarm->expires_after(heartbeat);
            auto text = co_await run_in(server_->answers, [&] { return said.events->next(wake); });
            if (text && text->empty()) {
                const auto [woken] = co_await alarm->async_wait(awaiting);
                if (!woken) text = ": still here\n\n";
            }
            if (text && text->empty()) continue;
            message.body().data = text ? text->data() : nullptr;
            message.body().size = text ? text->size() : 0;
            message.body().more = text.has_value();
            if (!co_await write_body(serializer) || !text) break;
        }
        co_return false;
    }

    /// One who listens says nothing more: what comes is the end.
    void watch_for_end() {
        boost::asio::co_spawn(
            stream_.get_executor(),
            [self = shared_from_this()]() -> awaitable<void> {
                std::array<char, 512> unwanted{};
                while (true) {
                    const auto [failed, count] = co_await self->stream_.socket().async_read_some(
                        boost::asio::buffer(unwanted), awaiting);
                    if (!failed && count > 0) continue;
                    self->is_gone_ = true;
                    co_return;
                }
            },
            boost::asio::detached);
    }

    static constexpr std::chrono::seconds heartbeat{15};

    boost::beast::tcp_stream stream_;
    const std::shared_ptr<shared_server> server_;
    std::string peer_;
    boost::beast::flat_buffer buffer_{std::size_t{128} * 1024};
    std::optional<parser> parser_;
    unsigned version_ = 11;
    bool keeps_ = true;
    bool is_head_ = false;
    bool is_first_ = true;
    bool is_idle_ = true;        ///< waits for a request
    bool is_listening_ = false;  ///< to events
    bool is_gone_ = false;
    bool is_ending_ = false;
    bool wants_continue_ = false;
    bool is_limited_ = false;
    std::uint64_t left_ = 0;  ///< of a body that is limited
};

}  // namespace bulk::http
