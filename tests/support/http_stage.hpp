// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server.hpp>
#include <support/raw_http.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

/// A server with an application that has a route for each kind of body and answer.
namespace http_stage {

using namespace bulk::http;

/// Lets threads wait for a number to come true.
class tally {
public:
    void add(int count) {
        const std::scoped_lock lock{mutex_};
        value_ += count;
        has_changed_.notify_all();
    }
    /// False when it does not within half a minute.
    [[nodiscard]] bool reaches(int wanted) {
        std::unique_lock lock{mutex_};
        return has_changed_.wait_for(lock, std::chrono::seconds{30},
                                     [&] { return value_ == wanted; });
    }
    [[nodiscard]] int value() {
        const std::scoped_lock lock{mutex_};
        return value_;
    }

private:
    std::mutex mutex_;
    std::condition_variable has_changed_;
    int value_ = 0;
};

/// One who listens: at most eight events wait, then it starts over with `reset`.
class listener final : public event_source {
public:
    explicit listener(tally& alive) : alive_{alive} { alive_.add(1); }
    ~listener() override { alive_.add(-1); }

    std::optional<std::string> next(std::function<void()> wake) override {
        const std::scoped_lock lock{mutex_};
        ++asked;
        wake_ = std::move(wake);
        std::string all;
        for (; !waiting_.empty(); waiting_.pop_front()) all += waiting_.front();
        if (all.empty() && is_over_) return std::nullopt;
        return all;
    }
    void give(std::string text) {
        std::function<void()> wake;
        {
            const std::scoped_lock lock{mutex_};
            if (waiting_.size() >= 8) {
                waiting_.clear();
                text = "event: reset\n\n";
            }
            waiting_.push_back(std::move(text));
            wake = wake_;
        }
        if (wake) wake();
    }
    void end() {
        std::function<void()> wake;
        {
            const std::scoped_lock lock{mutex_};
            is_over_ = true;
            wake = wake_;
        }
        if (wake) wake();
    }
    std::function<void()> button() {
        const std::scoped_lock lock{mutex_};
        return wake_;
    }

    std::atomic<int> asked = 0;

private:
    tally& alive_;
    std::mutex mutex_;
    std::deque<std::string> waiting_;
    std::function<void()> wake_;
    bool is_over_ = false;
};

class test_application final : public application {
public:
    std::variant<std::unique_ptr<admitted_request>, response> admit(
        const request_head& head) override {
        auto rule = rule_of(head);
        if (auto* const already = std::get_if<response>(&rule)) return std::move(*already);
        return std::make_unique<admitted>(*this, std::get<body_rule>(std::move(rule)));
    }

    static std::variant<body_rule, response> rule_of(const request_head& head) {
        const std::string_view path = head.target;
        if (path == "/denied") return response{.status = 401, .body = "who are you"};
        if (path == "/throws/early") throw std::runtime_error{"no"};
        if (path == "/echo") return body_rule{.kind = body_kind::whole, .most = 1000};
        if (path == "/echo/much") return body_rule{.kind = body_kind::whole};
        if (path == "/upload" || path == "/upload/partly" || path == "/ignore" || path == "/turn")
            return body_rule{.kind = body_kind::streamed};
        if (path.starts_with("/query"))
            return body_rule{.answered = answer_kind::query,
                             .principal = std::string{head.headers.get("x-who")}};
        if (path == "/upload/little") return body_rule{.kind = body_kind::streamed, .most = 1000};
        return body_rule{.kind = body_kind::none};
    }

    response answer(request& asked) {
        const std::string& path = asked.head.target;
        if (path.starts_with("/echo")) return {.body = asked.body};
        if (path == "/upload/partly") return partly(asked);
        if (path.starts_with("/upload")) return upload(asked);
        if (path == "/turn") return turn(asked);
        if (path == "/ignore") return {.body = "no, thanks"};
        if (path == "/wait" || path == "/query/wait") {  // whatever the limit of a query is
            waiting.add(1);
            std::unique_lock lock{mutex_};
            may_go_.wait(lock, [&] { return is_open_; });
            waiting.add(-1);
            return {.body = "at last"};
        }
        if (path == "/query/endless") return search();
        if (path == "/throws") throw std::runtime_error{"no"};
        if (path == "/empty") return {.status = 204, .body = "not sent"};
        if (path == "/empty/stream")
            return {.status = 204, .stream = [](std::span<char>) { return std::size_t{0}; }};
        if (path == "/close") return {.headers = {{"Connection", "close"}}, .body = "bye"};
        if (path == "/evil")
            return {.headers = {{"X-Name", "a\r\nX-Other: b"}, {"Content-Length", "7"}}};
        if (path == "/head") return {.body = asked.head.headers.get("host").data()};
        if (path.starts_with("/download/")) return download(path.substr(10), true);
        if (path.starts_with("/chunks/")) return download(path.substr(8), false);
        if (path == "/broken") return broken({});
        if (path == "/short") return broken(1'000'000);
        if (path == "/events") return listen();
        return {.headers = {{"Content-Type", "text/plain"}}, .body = "fine"};
    }

    response refuse(int status, std::string_view why) override {
        return {.status = status, .body = std::string{why}};
    }

    /// Lets those go on who wait.
    void open() {
        const std::scoped_lock lock{mutex_};
        is_open_ = true;
        may_go_.notify_all();
    }
    std::shared_ptr<listener> last_listener() {
        const std::scoped_lock lock{mutex_};
        return listener_.lock();
    }

    tally waiting;    ///< requests that wait
    tally searching;  ///< queries that end only when they are stopped
    tally uploading;  ///< uploads that have begun
    tally listeners;  ///< event sources that live
    tally pieces;     ///< of uploads
    tally downloads;  ///< streams that live
    std::atomic<std::uint64_t> pulled = 0;
    std::atomic<std::size_t> refused_pulls = 0;

private:
    class admitted final : public admitted_request {
    public:
        admitted(test_application& by, body_rule rule)
            : admitted_request{std::move(rule)}, by_{by} {}
        response answer(request& asked) override { return by_.answer(asked); }

    private:
        test_application& by_;
    };

    response search() {
        searching.add(1);
        std::optional<bulk::error> why;
        {
            std::unique_lock lock{mutex_};
            while (!(why = bulk::read_scope::reached()) && !is_open_)
                may_go_.wait_for(lock, std::chrono::milliseconds{1});
        }
        searching.add(-1);
        return {.status = 503, .body = why ? why->message : "it was let go"};
    }

    response upload(request& asked) {
        uploading.add(1);
        std::vector<char> piece(65536);
        std::uint64_t sum = 0, count = 0;
        while (true) {
            const auto got = asked.stream(piece);
            if (!got) {
                ++refused_pulls;
                uploading.add(-1);
                return {.status = 400, .body = got.error().message};
            }
            if (*got == 0) break;
            for (std::size_t i = 0; i < *got; ++i) sum += static_cast<unsigned char>(piece[i]);
            count += *got;
            pieces.add(1);
        }
        uploading.add(-1);
        return {.body = bulk::concat(count, " bytes, sum ", sum)};
    }

    /// Takes what comes, even if the rest does not.
    static response partly(request& asked) {
        std::vector<char> piece(65536);
        std::size_t kept = 0;
        while (const auto got = asked.stream(piece)) {
            if (*got == 0) break;
            kept += *got;
        }
        return {.status = 202, .body = bulk::concat("kept ", kept)};
    }

    /// An upload that is answered with a download.
    response turn(request& asked) {
        auto text = std::make_shared<std::string>(1000, ' ');
        const auto got = asked.stream(*text);
        text->resize(got.value_or(0));
        return {.stream = [text](std::span<char> into) -> bulk::result<std::size_t> {
            const auto count = std::min(text->size(), into.size());
            std::copy_n(text->begin(), count, into.begin());
            text->erase(0, count);
            return count;
        }};
    }

    response download(const std::string& number, bool has_length) {
        const auto size = static_cast<std::uint64_t>(std::atoll(number.c_str()));
        auto alive = std::shared_ptr<void>{nullptr, [this](void*) { downloads.add(-1); }};
        downloads.add(1);
        response said{.stream = [this, alive, left = size](
                                    std::span<char> into) mutable -> bulk::result<std::size_t> {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, into.size()));
            std::fill_n(into.begin(), count, 'd');
            left -= count;
            pulled += count;
            return count;
        }};
        if (has_length) said.length = size;
        return said;
    }

    static response broken(std::optional<std::uint64_t> length) {
        return {
            .stream = [first = true](std::span<char> into) mutable -> bulk::result<std::size_t> {
                if (!std::exchange(first, false))
                    return bulk::fail(bulk::errc::unavailable, "gone");
                std::fill_n(into.begin(), 10, 'x');
                return 10U;
            },
            .length = length};
    }

    response listen() {
        const std::scoped_lock lock{mutex_};  // so that whoever is counted is the last
        auto made = std::make_shared<listener>(listeners);
        listener_ = made;
        return {.headers = {{"Content-Type", "text/event-stream"}}, .events = std::move(made)};
    }

    std::mutex mutex_;
    std::condition_variable may_go_;
    bool is_open_ = false;
    std::weak_ptr<listener> listener_;
};

struct stage {
    explicit stage(server_options options = {}) {
        options.port = 0;
        server = bulk::http::listen(app, options).value();
    }
    ~stage() { app->open(); }
    [[nodiscard]] raw_http::client connect(int receive_buffer = 0) const {
        return raw_http::client{server->port(), receive_buffer};
    }
    /// A request of its own, answered as ever.
    [[nodiscard]] bool is_alive() const {
        return connect().ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "fine";
    }

    std::shared_ptr<test_application> app = std::make_shared<test_application>();
    std::unique_ptr<bulk::http::server> server;
};

/// Whether it comes true within half a minute.
template <typename Condition>
[[nodiscard]] bool comes_true(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

[[nodiscard]] inline std::string get(std::string_view path, std::string_view headers = {}) {
    return bulk::concat("GET ", path, " HTTP/1.1\r\nHost: a\r\n", headers, "\r\n");
}

[[nodiscard]] inline std::string post(std::string_view path, std::string_view headers,
                                      std::string_view body = {}) {
    return bulk::concat("POST ", path, " HTTP/1.1\r\nHost: a\r\n", headers, "\r\n", body);
}

}  // namespace http_stage
