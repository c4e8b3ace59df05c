// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/asio_types.hpp>
#include <bulk/http/server/stream_pace.hpp>
#include <bulk/http/server/wait_budget.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http {

/// Why nothing more could be read or written.
enum class io_problem : std::uint8_t {
    none,
    late,
    ended,  ///< the other side says no more, and may still listen
    gone,
};

/// The bytes of one connection, each wait for them with its deadline. Used on its strand only, but for
/// `end_soon` and `close_now`.
class connection : public std::enable_shared_from_this<connection> {
public:
    using clock = std::chrono::steady_clock;

    explicit connection(tcp_socket socket)
        : socket_{std::move(socket)}, watchdog_{socket_.get_executor()} {
        boost::system::error_code ignored;
        if (const auto from = socket_.remote_endpoint(ignored); !ignored)
            peer_ = from.address().to_string(ignored);
        socket_.set_option(boost::asio::ip::tcp::no_delay{true}, ignored);
        socket_.non_blocking(true, ignored);
#ifdef TCP_NOTSENT_LOWAT
        // What nobody reads waits where it is made, and not as megabytes in the kernel, for each of a
        // thousand slow readers; and that a byte was taken is noticed before many have been.
        ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most_unsent,
                     sizeof most_unsent);
#endif
    }

    [[nodiscard]] strand get_executor() { return socket_.get_executor(); }
    /// The address of the other side.
    [[nodiscard]] const std::string& peer() const { return peer_; }

    // --- reading -----------------------------------------------------------------------------------

    /// What has been read and not used.
    [[nodiscard]] std::string_view unread() const {
        return {static_cast<const char*>(buffer_.cdata().data()), buffer_.size()};
    }
    void use(std::size_t count) { buffer_.consume(count); }

    /// Reads some more of what is unread.
    [[nodiscard]] awaitable<io_problem> read_more(clock::time_point deadline) {
        const auto room = buffer_.prepare(piece);
        const auto [problem, count] =
            co_await read({static_cast<char*>(room.data()), piece}, deadline);
        buffer_.commit(count);
        co_return problem;
    }

    /// Reads some bytes past what is unread.
    [[nodiscard]] awaitable<std::pair<io_problem, std::size_t>> read(std::span<char> into,
                                                                     clock::time_point deadline) {
        if (is_evicted_) co_return std::pair{io_problem::late, std::size_t{0}};
        watch(deadline);
        pace_.begin_wait(clock::now());
        const auto [failed, count] = co_await socket_.async_read_some(
            boost::asio::buffer(into.data(), into.size()), awaiting);
        pace_.end_wait(clock::now());
        pace_.moved(count);
        co_return std::pair{finish(failed), count};
    }

    /// Reads some more of what is unread while a request is being answered, beside writes; until
    /// `cancel_reading`.
    [[nodiscard]] awaitable<io_problem> read_aside() {
        const auto [failed, count] =
            co_await socket_.async_read_some(buffer_.prepare(piece), awaiting);
        buffer_.commit(count);
        if (!failed) co_return io_problem::none;
        co_return failed == boost::asio::error::eof ? io_problem::ended : io_problem::gone;
    }
    void cancel_reading() {
        boost::system::error_code ignored;
        socket_.cancel(ignored);
    }

    // --- streams -----------------------------------------------------------------------------------

    /// From now on its pace is measured.
    void begin_stream() { pace_.begin(); }
    [[nodiscard]] const stream_pace& pace() const { return pace_; }
    /// Ends the stream that it has: what waits for the other side is late. From any thread.
    void evict() {
        is_evicted_ = true;
        boost::asio::post(get_executor(), [self = shared_from_this()] {
            self->is_late_ = true;
            self->cancel_reading();
        });
    }
    [[nodiscard]] bool is_evicted() const { return is_evicted_; }

    /// Waits until the other side has gone, or says more than one who only listens says. Beside writes.
    [[nodiscard]] awaitable<void> until_gone() {
        std::array<char, 512> unwanted{};
        for (int i = 0; i < 64; ++i) {
            const auto [failed, count] =
                co_await socket_.async_read_some(boost::asio::buffer(unwanted), awaiting);
            if (failed || count == 0) co_return;
        }
    }

    // --- writing -----------------------------------------------------------------------------------

    /// Writes all of it, and waits for the other side to take it as long as `allowed` has it.
    template <std::size_t Count>
    [[nodiscard]] awaitable<io_problem> write(std::array<std::string_view, Count> parts,
                                              wait_budget& allowed) {
        while (true) {
            std::array<boost::asio::const_buffer, Count> left;
            std::ranges::transform(parts, left.begin(), [](std::string_view each) {
                return boost::asio::const_buffer{each.data(), each.size()};
            });
            if (boost::asio::buffer_size(left) == 0) co_return io_problem::none;
            // Nearly always there is room for an answer, and no wait, no timer and no turn are needed.
            boost::system::error_code failed;
            const std::size_t count = socket_.write_some(left, failed);
            if (failed == boost::asio::error::would_block ||
                failed == boost::asio::error::try_again) {
                if (is_evicted_) co_return io_problem::late;
                const auto begun = clock::now();
                watch(allowed.deadline(begun));
                pace_.begin_wait(begun);
                const auto [stopped] =
                    co_await socket_.async_wait(tcp_socket::wait_write, awaiting);
                pace_.end_wait(clock::now());
                allowed.waited(clock::now() - begun);
                if (const auto problem = finish(stopped); problem != io_problem::none)
                    co_return problem;
                continue;
            }
            if (failed) co_return io_problem::gone;
            allowed.moved(count);
            pace_.moved(count);
            pass(parts, count);
        }
    }

    // --- the end -----------------------------------------------------------------------------------

    void close() {
        boost::system::error_code ignored;
        socket_.shutdown(tcp_socket::shutdown_both, ignored);
        socket_.close(ignored);
        watchdog_.cancel();
    }

    /// Sends no more, and reads for a moment what still comes: closing with bytes unread would take
    /// the last answer from the other side.
    [[nodiscard]] awaitable<void> linger() {
        boost::system::error_code ignored;
        socket_.shutdown(tcp_socket::shutdown_send, ignored);
        const auto deadline = clock::now() + (is_ending_ ? lingering_at_end : lingering);
        interrupt_ = [this] { close(); };
        std::array<char, 4096> unwanted{};
        while (clock::now() < deadline) {
            const auto [problem, count] = co_await read(unwanted, deadline);
            if (problem != io_problem::none) break;
        }
        interrupt_ = {};
        close();
    }

    /// What is called when the server ends while this connection waits for something that can be left.
    void on_end(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

    [[nodiscard]] bool is_ending() const { return is_ending_; }
    /// What waits for a request is closed; what is being answered is the last. From any thread.
    void end_soon() {
        boost::asio::post(get_executor(), [self = shared_from_this()] {
            self->is_ending_ = true;
            if (self->interrupt_) self->interrupt_();
        });
    }
    /// From any thread.
    void close_now() {
        boost::asio::post(get_executor(), [self = shared_from_this()] {
            self->is_ending_ = true;
            if (self->interrupt_) self->interrupt_();
            self->close();
        });
    }

private:
    static constexpr std::size_t piece = 4096;
    static constexpr int most_unsent = 64 * 1024;
    static constexpr std::chrono::milliseconds lingering{2'000};
    static constexpr std::chrono::milliseconds lingering_at_end{200};

    template <std::size_t Count>
    static void pass(std::array<std::string_view, Count>& parts, std::size_t count) {
        for (auto& each : parts) {
            const auto passed = std::min(each.size(), count);
            each.remove_prefix(passed);
            count -= passed;
        }
    }

    /// One timer for the whole connection, that is set anew only when a deadline comes before it:
    /// while requests come one after another, that is never.
    void watch(clock::time_point deadline) {
        deadline_ = deadline;
        is_late_ = false;
        if (is_watched_ && watchdog_.expiry() <= deadline) return;
        watchdog_.expires_at(deadline);
        is_watched_ = true;
        arm();
    }

    void arm() {
        watchdog_.async_wait([weak = weak_from_this()](boost::system::error_code stopped) {
            const auto self = weak.lock();
            if (stopped || !self) return;
            self->look_at_clock();
        });
    }

    void look_at_clock() {
        is_watched_ = false;
        if (deadline_ == clock::time_point::max()) return;
        if (clock::now() < deadline_) return watch(deadline_);
        is_late_ = true;
        boost::system::error_code ignored;
        socket_.cancel(ignored);
    }

    [[nodiscard]] io_problem finish(boost::system::error_code failed) {
        deadline_ = clock::time_point::max();
        if (!failed) return io_problem::none;
        if (failed == boost::asio::error::eof) return io_problem::ended;
        return is_late_ ? io_problem::late : io_problem::gone;
    }

    tcp_socket socket_;
    steady_timer watchdog_;
    clock::time_point deadline_ = clock::time_point::max();
    std::string peer_;
    boost::beast::flat_buffer buffer_;
    std::function<void()> interrupt_;
    bool is_watched_ = false;
    bool is_late_ = false;
    bool is_ending_ = false;
    stream_pace pace_;
    std::atomic<bool> is_evicted_ = false;
};

}  // namespace bulk::http
