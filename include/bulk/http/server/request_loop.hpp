// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server/asio_types.hpp>
#include <bulk/http/server/body_reader.hpp>
#include <bulk/http/server/client_watch.hpp>
#include <bulk/http/server/connection.hpp>
#include <bulk/http/server/head.hpp>
#include <bulk/http/server/head_scanner.hpp>
#include <bulk/http/server/response_writer.hpp>
#include <bulk/http/server/run_in.hpp>
#include <bulk/http/server/shared_server.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace bulk::http {

[[nodiscard]] constexpr std::string_view reason_for(int status) {
    switch (status) {
        case 400:
            return "the request is not what HTTP says it is";
        case 408:
            return "the request did not come in time";
        case 413:
            return "the body is larger than it may be, or not wanted at all";
        case 414:
            return "the address is too long";
        case 417:
            return "nothing but 100-continue can be expected";
        case 431:
            return "the headers are too long";
        case 501:
            return "the method or the transfer coding is not known";
        case 505:
            return "only HTTP/1.0 and HTTP/1.1 are spoken";
        default:
            return "the request is refused";
    }
}

/// One connection: request after request, each read, answered and written, in one coroutine.
class request_loop {
public:
    request_loop(std::shared_ptr<connection> with, std::shared_ptr<shared_server> server)
        : with_{std::move(with)}, server_{std::move(server)} {}

    [[nodiscard]] awaitable<void> run() {
        while (!with_->is_ending() && !server_->is_stopping && co_await serve_one()) {
        }
        co_await with_->linger();
    }

private:
    static constexpr int nobody = body_reader::nobody;

    [[nodiscard]] const server_options& options() const { return server_->options; }

    /// Whether another request may follow.
    [[nodiscard]] awaitable<bool> serve_one() {
        response_writer writer{with_, *server_};
        auto parsed = co_await read_head(writer);
        if (!parsed) {
            if (parsed.error() != nobody) co_await refuse(writer, parsed.error());
            co_return false;
        }
        writer.is_http_11 = parsed->is_http_11;
        writer.keeps = parsed->keeps;
        auto place = co_await server_->gate.enter();
        auto admitted = server_->guarded([&] { return server_->app->admit(parsed->head); });
        if (auto* const already = std::get_if<response>(&admitted)) {
            place.leave();
            writer.keeps = writer.keeps && !parsed->has_body();
            co_return co_await writer.write(std::move(*already));
        }
        auto& known = *std::get<std::unique_ptr<admitted_request>>(admitted);
        const auto& rule = known.rule();
        writer.principal = rule.principal;
        if (rule.kind != body_kind::streamed && !parsed->has_body()) {
            request asked{.head = std::move(parsed->head)};
            if (rule.answered != answer_kind::at_once) {
                place.leave();
                auto made = co_await answer_apart(known, asked, writer);
                co_return made&& co_await writer.write(std::move(*made));
            }
            auto said = server_->guarded([&] { return known.answer(asked); });
            place.leave();
            co_return co_await writer.write(std::move(said));
        }
        place.leave();
        co_return co_await serve_body(known, std::move(*parsed), writer);
    }

    [[nodiscard]] awaitable<void> refuse(response_writer& writer, int status) {
        writer.keeps = false;
        (void)co_await writer.write(server_->refusal(status, reason_for(status)));
    }

    /// The next head, or the status to refuse it with, or `nobody`. The writer learns whether it may
    /// send a body, even one that says why this is no head.
    [[nodiscard]] awaitable<std::expected<parsed_head, int>> read_head(response_writer& writer) {
        head_scanner scanner{options().max_target_bytes, options().max_header_bytes};
        auto deadline = connection::clock::now() +
                        (is_first_ ? options().header_timeout : options().idle_timeout);
        bool has_begun = false;
        is_first_ = false;
        with_->on_end([with = with_.get()] { with->close(); });  // nothing is lost by it yet
        std::expected<std::size_t, int> size = 0;
        for (int blank = 0;;) {
            // Some old clients end a body with a line end too much.
            while (with_->unread().starts_with("\r\n") && blank++ < most_blank_lines) with_->use(2);
            const auto come = with_->unread();
            if (come != "\r") size = scanner.look(come);
            if (!size || *size > 0) break;
            if (!has_begun && !come.empty()) {
                has_begun = true;
                deadline = connection::clock::now() + options().header_timeout;
            }
            const auto problem = co_await with_->read_more(deadline);
            if (problem == io_problem::none) continue;
            with_->on_end({});
            writer.is_head = with_->unread().starts_with(head_begin);
            if (!has_begun || problem == io_problem::gone) co_return std::unexpected{nobody};
            co_return std::unexpected{problem == io_problem::late ? 408 : 400};
        }
        with_->on_end({});
        writer.is_head = with_->unread().starts_with(head_begin);
        if (!size) co_return std::unexpected{size.error()};
        auto parsed = parse_head(with_->unread().substr(0, *size), options().max_target_bytes);
        with_->use(*size);
        if (parsed) parsed->head.peer = with_->peer();
        co_return parsed;
    }

    [[nodiscard]] awaitable<bool> serve_body(admitted_request& known, parsed_head parsed,
                                             response_writer& writer) {
        const auto& rule = known.rule();
        const bool is_whole = rule.kind == body_kind::whole;
        std::uint64_t most = rule.most;
        if (is_whole)
            most = most == 0 ? options().max_body_bytes : std::min(most, options().max_body_bytes);
        const bool is_too_much = most > 0 && parsed.length > most;
        if (is_too_much || (rule.kind == body_kind::none && parsed.has_body())) {
            co_await refuse(writer, 413);
            co_return false;
        }
        const auto body = std::make_shared<body_reader>(
            with_, parsed,
            body_reader::limits{
                .most = most,
                .read = {options().body_timeout, options().min_bytes_per_second},
                .write = {options().write_timeout, options().min_bytes_per_second}});
        request asked{.head = std::move(parsed.head)};
        auto made = is_whole ? co_await answer_whole(known, asked, *body, writer)
                             : co_await answer_streamed(known, asked, body, writer);
        if (body->status() == nobody || !made) co_return false;
        auto said = std::move(*made);
        // What the application has done although the body was not whole is done, and it says best why
        // it refused one for that. Anything else that it made of it is not why.
        if (body->status() != 0 &&
            (is_whole || !(said.status < 400 || said.status == body->status())))
            said = server_->refusal(body->status(),
                                    with_->is_evicted() ? slow_stream : reason_for(body->status()));
        // Else nobody wanted the rest, or nobody knows where it ends.
        writer.keeps = writer.keeps && body->status() == 0 && body->is_done();
        co_return co_await writer.write(std::move(said));
    }

    [[nodiscard]] awaitable<std::optional<response>> answer_whole(admitted_request& known,
                                                                  request& asked, body_reader& body,
                                                                  response_writer& writer) {
        if (co_await body.read_whole(asked.body) != 0) co_return response{};
        if (known.rule().answered != answer_kind::at_once)
            co_return co_await answer_apart(known, asked, writer);
        const auto place = co_await server_->gate.enter();
        co_return server_->guarded([&] { return known.answer(asked); });
    }

    /// In a thread that may take its time; none when the client disconnected before it began.
    [[nodiscard]] awaitable<std::optional<response>> answer_apart(admitted_request& known,
                                                                  request& asked,
                                                                  response_writer& writer) {
        const auto& principal = known.rule().principal;
        const auto kind = known.rule().answered;
        const bool is_command = kind == answer_kind::command;
        auto waiting = std::make_shared<fair_slots::waiter>(with_->get_executor());
        std::stop_source gone;
        client_watch watch{with_, options().max_header_bytes};
        if (!is_command)  // which is done once it was asked for
            watch.begin(
                [gone, waiting]() mutable {
                    gone.request_stop();
                    waiting->give_up();
                },
                kind == answer_kind::query, half_closed_time);
        const auto deadline = connection::clock::now() + options().query_timeout;
        fair_slots::place slot;
        if (kind == answer_kind::stream)
            writer.stream = co_await server_->desk.enter(with_, principal);
        else
            slot = co_await (is_command ? server_->commands : server_->queries)
                       .enter(principal, waiting,
                              is_command ? steady_timer::time_point::max() : deadline);
        std::optional<response> said;
        if (slot || writer.stream)
            said = co_await run_in(
                kind == answer_kind::stream ? server_->streams : server_->work, [&] {
                    read_limit limit{.cancelled = gone.get_token()};
                    if (kind == answer_kind::query)
                        limit.deadline = connection::clock::now() + options().query_timeout;
                    const read_scope limited{limit};
                    return server_->guarded([&] { return known.answer(asked); });
                });
        else if (!gone.stop_requested())
            said = server_->refusal(503, kind == answer_kind::stream ? busy_streams : busy_queries);
        co_await watch.end();
        if (gone.stop_requested()) writer.keeps = false;
        if (said && !said->stream) writer.stream = {};
        co_return said;
    }

    [[nodiscard]] awaitable<std::optional<response>> answer_streamed(
        admitted_request& known, request& asked, const std::shared_ptr<body_reader>& body,
        response_writer& writer) {
        writer.stream = co_await server_->desk.enter(with_, writer.principal);
        if (!writer.stream) co_return server_->refusal(503, busy_streams);
        asked.stream = [body](std::span<char> into) { return body->pull(into); };
        auto said = co_await run_in(server_->streams, [&] {
            return server_->guarded([&] { return known.answer(asked); });
        });
        body->close();
        asked.stream = {};
        if (!said.stream) writer.stream = {};
        co_return said;
    }

    static constexpr int most_blank_lines = 4;
    /// A client that has sent all that it will may still listen: most queries take less than this.
    static constexpr std::chrono::milliseconds half_closed_time{50};
    static constexpr std::string_view busy_streams = "too many uploads and downloads at once";
    static constexpr std::string_view busy_queries =
        "too many queries at once: wait for earlier ones, then try again";
    static constexpr std::string_view slow_stream =
        "the upload was too slow while all upload slots were in use: try again later";
    static constexpr std::string_view head_begin = "HEAD ";

    const std::shared_ptr<connection> with_;
    const std::shared_ptr<shared_server> server_;
    bool is_first_ = true;
};

}  // namespace bulk::http
