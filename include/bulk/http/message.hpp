// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/reflect.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bulk::http {

enum class method : std::uint8_t { get, head, post, put, patch, remove, options };
BOOST_DESCRIBE_ENUM(method, get, head, post, put, patch, remove, options)

/// Names match in any case.
class header_list {
public:
    header_list() = default;
    header_list(std::initializer_list<std::pair<std::string, std::string>> all) : all_{all} {}

    void add(std::string name, std::string value) {
        all_.emplace_back(std::move(name), std::move(value));
    }
    void set(std::string_view name, std::string value) {
        std::erase_if(all_, [&](const auto& each) { return same_name(each.first, name); });
        add(std::string{name}, std::move(value));
    }
    /// The first of that name; empty when there is none.
    [[nodiscard]] std::string_view get(std::string_view name) const {
        for (const auto& [known, value] : all_)
            if (same_name(known, name)) return value;
        return {};
    }
    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::any_of(all_,
                                   [&](const auto& each) { return same_name(each.first, name); });
    }
    [[nodiscard]] std::size_t count(std::string_view name) const {
        std::size_t found = 0;
        for (const auto& [known, value] : all_) found += same_name(known, name) ? 1U : 0U;
        return found;
    }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const {
        return all_;
    }

private:
    std::vector<std::pair<std::string, std::string>> all_;
};

/// Gives the next bytes of a body: it fills the beginning of the span and says how much; 0 is the end.
/// Waits for them; fails when the other side has gone, is too slow, or sends more than it may.
using body_pull = std::function<result<std::size_t>(std::span<char>)>;

/// The head of a request, before anybody has looked at its body.
struct request_head {
    method verb{};
    std::string target{};  ///< as it was sent, but for the host that may be in front
    header_list headers{};
    std::string peer{};  ///< the address that it came from
    bool is_upgrade = false;
};

struct request {
    request_head head{};
    std::string body{};  ///< unless it is streamed
    body_pull stream{};
};

/// What is sent to one who listens for events, for as long as they do.
class event_source {
public:
    event_source() = default;
    event_source(const event_source&) = delete;
    event_source& operator=(const event_source&) = delete;
    virtual ~event_source() = default;

    /// What there is to send now, whole events in the form of text/event-stream; empty: nothing yet,
    /// and `wake` is called when there is, from any thread and any time. None: this is the end. Asked
    /// again when all of it has been taken by the other side, so that a slow one has nothing waiting
    /// here but what the source keeps for it.
    [[nodiscard]] virtual std::optional<std::string> next(std::function<void()> wake) = 0;
};

struct response {
    int status = 200;
    header_list headers{};
    std::string body{};
    body_pull stream{};  ///< instead of a body: pulled piece by piece, as fast as it is read
    std::optional<std::uint64_t> length{};  ///< of the stream, if it is known; else in chunks
    /// Called when the other side has gone while the stream is pulled, which then fails soon; or unset.
    std::function<void()> abandon{};
    std::shared_ptr<event_source> events{};
};

/// How the body of a request is taken.
enum class body_kind : std::uint8_t {
    none,      ///< one that has a body is refused
    whole,     ///< read before the request is answered, up to a limit
    streamed,  ///< pulled while it is answered
};

/// How a request without a streamed body is answered.
enum class answer_kind : std::uint8_t {
    at_once,  ///< takes no time: in a thread that moves bytes
    query,  ///< reads, in a slot of its principal's; stops with its client, and when its time is up
    command,  ///< changes something, in a slot of its principal's, to its end
    stream,   ///< is going to be a stream, whose slot it takes; stops with its client
};

struct body_rule {
    body_kind kind = body_kind::none;
    std::uint64_t most = 0;  ///< bytes, as they are sent; 0 of a streamed one: any number
    answer_kind answered = answer_kind::at_once;
    std::string principal{};  ///< among whom slots are shared
};

/// A request that an application has admitted, with what it found out about it by the head. Used by one
/// thread at a time; it ends before the application.
class admitted_request {
public:
    explicit admitted_request(body_rule rule) : rule_{std::move(rule)} {}
    admitted_request(const admitted_request&) = delete;
    admitted_request& operator=(const admitted_request&) = delete;
    virtual ~admitted_request() = default;

    [[nodiscard]] const body_rule& rule() const { return rule_; }
    /// Called once, with the head that was admitted, and with the body as the rule says. May wait unless
    /// the rule said `at_once`, and does not throw. What it reads of a storage in a query or a stream is
    /// limited by a `read_scope`.
    [[nodiscard]] virtual response answer(request& asked) = 0;

private:
    const body_rule rule_;
};

/// What answers requests. Called from many threads at once, as many as `server_options::threads`, queries,
/// commands and streams; does not throw.
class application {
public:
    application() = default;
    application(const application&) = delete;
    application& operator=(const application&) = delete;
    virtual ~application() = default;

    /// Before the body is read: the request with the rule for its body, or the answer already.
    [[nodiscard]] virtual std::variant<std::unique_ptr<admitted_request>, response> admit(
        const request_head& head) = 0;
    /// What the server itself has to refuse: a request that is none, or past a limit.
    [[nodiscard]] virtual response refuse(int status, std::string_view why) = 0;
};

}  // namespace bulk::http
