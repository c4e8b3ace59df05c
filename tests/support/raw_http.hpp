// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/message.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// A client that says what it is told to, byte for byte, and reads answers as plainly as can be. Blocks,
/// but not for ever: a test fails rather than hangs.
namespace raw_http {

struct reply {
    int status = 0;  ///< 0: the other side closed without an answer
    bulk::http::header_list headers{};
    std::string body{};
    bool is_whole = false;  ///< with the end that its head promises
};

class client {
public:
    explicit client(std::uint16_t port, int receive_buffer = 0)
        : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
        const timeval patience{.tv_sec = 30, .tv_usec = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        const int on = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (receive_buffer > 0)
            ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        is_connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    }
    client(client&& other) noexcept
        : socket_{std::exchange(other.socket_, -1)},
          is_connected_{other.is_connected_},
          unread_{std::move(other.unread_)} {}
    client& operator=(client&&) = delete;
    ~client() { close(); }

    [[nodiscard]] bool is_connected() const { return is_connected_; }
    [[nodiscard]] int descriptor() const { return socket_; }

    void close() {
        if (const int open = std::exchange(socket_, -1); open >= 0) ::close(open);
    }
    /// Says that nothing more follows.
    void finish() const { ::shutdown(socket_, SHUT_WR); }
    /// Closes without a farewell.
    void reset() {
        const linger none{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        close();
    }

    /// Whether the other side took it.
    bool send(std::string_view text) const {
        while (!text.empty()) {
            const auto count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
            if (count <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

    /// What the other side has room for just now.
    [[nodiscard]] std::size_t send_some(std::string_view text) const {
        const auto count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        return count <= 0 ? 0 : static_cast<std::size_t>(count);
    }

    /// Reads until `mark` has come, and takes everything up to its end.
    std::optional<std::string> read_past(std::string_view mark) {
        std::size_t at = unread_.find(mark);
        while (at == std::string::npos) {
            if (!read_more()) return std::nullopt;
            at = unread_.find(mark);
        }
        return take(at + mark.size());
    }

    std::optional<std::string> read_exactly(std::size_t count) {
        while (unread_.size() < count)
            if (!read_more()) return std::nullopt;
        return take(count);
    }

    /// All that comes until the other side ends.
    std::string read_to_end() {
        while (read_more()) {
        }
        return take(unread_.size());
    }

    /// Whether the other side ends, with nothing left to read.
    [[nodiscard]] bool is_at_end() { return unread_.empty() && !read_more() && has_ended_; }

    /// The head of an answer only; what follows is left.
    reply read_head() {
        reply got;
        const auto head = read_past("\r\n\r\n");
        if (!head || !head->starts_with("HTTP/1.1 ")) return got;
        std::from_chars(head->data() + 9, head->data() + 12, got.status);
        std::string_view rest{*head};
        rest.remove_prefix(rest.find("\r\n") + 2);
        while (!rest.starts_with("\r\n")) {
            const auto end = rest.find("\r\n");
            const auto colon = rest.find(':');
            got.headers.add(std::string{rest.substr(0, colon)},
                            std::string{rest.substr(colon + 2, end - colon - 2)});
            rest.remove_prefix(end + 2);
        }
        return got;
    }

    /// One piece of a chunked body; empty at its end, none when it is cut.
    std::optional<std::string> read_chunk() {
        const auto line = read_past("\r\n");
        if (!line) return std::nullopt;
        std::size_t size = 0;
        std::from_chars(line->data(), line->data() + line->size(), size, 16);
        auto text = read_exactly(size + 2);
        if (text) text->resize(size);
        return text;
    }

    /// A whole answer; to HEAD there is no more than a head.
    reply read(bool to_head = false) {
        auto got = read_head();
        const bool is_bare = got.status < 200 || got.status == 204 || got.status == 304;
        if (got.status == 0) return got;
        if (to_head || is_bare) {
            got.is_whole = true;
        } else if (got.headers.has("content-length")) {
            std::size_t size = 0;
            const auto length = got.headers.get("content-length");
            std::from_chars(length.data(), length.data() + length.size(), size);
            const auto body = read_exactly(size);
            got.is_whole = body.has_value();
            got.body = body ? *body : take(unread_.size());
        } else if (got.headers.get("transfer-encoding") == "chunked") {
            while (const auto piece = read_chunk()) {
                if (piece->empty()) {
                    got.is_whole = true;
                    break;
                }
                got.body += *piece;
            }
        } else {
            got.body = read_to_end();
            got.is_whole = has_ended_;
        }
        return got;
    }

    /// Asks and reads.
    reply ask(std::string_view text, bool to_head = false) {
        send(text);
        return read(to_head);
    }

private:
    bool read_more() {
        char piece[65536];
        const auto count = ::recv(socket_, piece, sizeof piece, 0);
        // A reset is an end, too; a time-out is none.
        has_ended_ = count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
        if (count <= 0) return false;
        unread_.append(piece, static_cast<std::size_t>(count));
        return true;
    }

    std::string take(std::size_t count) {
        std::string taken = unread_.substr(0, count);
        unread_.erase(0, count);
        return taken;
    }

    int socket_;
    bool is_connected_ = false;
    bool has_ended_ = false;
    std::string unread_;
};

/// Thousands of sockets, each with two ends here.
inline bool allow_descriptors(std::size_t count) {
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    if (now.rlim_cur >= count) return true;
    now.rlim_cur = std::min<rlim_t>(count, now.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &now);
    return now.rlim_cur >= count;
}

/// Of this process, in MiB.
inline double resident_mb() {
    std::ifstream file{"/proc/self/statm"};
    double all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

/// A sanitizer keeps memory of its own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool counts_memory = false;
#else
inline constexpr bool counts_memory = true;
#endif
#else
inline constexpr bool counts_memory = true;
#endif

}  // namespace raw_http
