// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/options.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/serve.hpp>
#include <bulk/service/service.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Answers over HTTP, and works meanwhile unless others do.
class serve_verb final : public verb {
public:
    /// `feeds` is unset in a program that has none.
    serve_verb(bool has_operations, open_feeds feeds)
        : verb{{.name = "serve",
                .summary = "answer over HTTP, and run what is submitted, until Ctrl-C",
                .examples = "serve --port 8080\n"
                            "serve --no-workers --address 0.0.0.0 --tokens tokens.txt --host "
                            "bulk.example.org"}},
          has_operations_{has_operations},
          open_feeds_{std::move(feeds)} {}

    void declare(flags& to) override {
        to.number("--port", port_, "where to listen; 0: any port that is free (8080)");
        to.text("--address", address_, "another than loopback needs tokens (127.0.0.1)", "ADDRESS");
        to.texts("--token", tokens_, "who may ask; RIGHT is read, files, operate or operate+files",
                 "NAME:RIGHT:SECRET");
        to.text("--tokens", tokens_file_, "a file of those, one a line", "FILE");
        to.texts("--host", hosts_, "a name that it goes by, besides localhost", "NAME");
        to.texts("--origin", origins_, "pages of another site that may ask", "URL");
        to.span("--query-timeout", query_timeout_, "then a query is stopped, with 503 (2s)");
        to.yes("--behind-proxy", is_behind_proxy_,
               "without tokens: a proxy in front decides who may ask");
        to.yes("--no-workers", is_idle_, "only answer: workers are other processes");
    }

    int perform(invocation& program) override {
        auto options = read_options();
        if (!options) return program.complain(options.error());
        options->api.log = [log = program.log()](const http::action& done) {
            // Nothing else is left of what was removed: its events go with it.
            const bool is_last_trace = done.status < 300 && done.what.starts_with("remove");
            log({is_last_trace ? log_level::warning : log_level::info,
                 "asked over HTTP",
                 {{"who", done.who},
                  {"what", done.what},
                  {"where", done.where},
                  {"status", std::to_string(done.status)}}});
        };
        options->api.log_fault = [log = program.log()](const http::request_fault& failed) {
            log({log_level::error,
                 "a request failed",
                 {{"request_id", failed.request_id},
                  {"what", failed.what},
                  {"where", failed.where},
                  {"why", failed.why}}});
        };
        const auto where = is_idle_ ? scheduling::none : scheduling::channels;
        std::unique_ptr<bulk::service> operations;
        std::unique_ptr<bulk::feed_service> feeds;
        if (has_operations_) {
            auto opened = program.open(where);
            if (!opened) return program.complain(opened.error());
            operations = std::move(*opened);
        }
        if (open_feeds_) {
            auto opened = open_feeds_(program, where);
            if (!opened) return program.complain(opened.error());
            feeds = std::move(*opened);
        }
        auto served = http::open_api(operations.get(), feeds.get(), *options);
        if (!served) return program.complain(served.error());
        const std::string shown = address_.contains(':') ? concat('[', address_, ']') : address_;
        const std::string url = concat("http://", shown, ':', served->port());
        if (program.settings().json)
            program.print(line_of("serving").add("url", url));
        else
            program.remark(concat("serves ", url, "; Ctrl-C ends it"));
        program.out().stream.flush();
        const auto lost = wait(program, operations.get(), feeds.get());
        int code = exit_code::success;
        if (lost)
            code = program.complain(*lost);
        else
            program.remark(
                "interrupted: what is in flight is finishing; once more to stop at once");
        served->stop();
        program.write_log();
        const auto close = [&](auto* service) {
            if (service == nullptr) return;
            if (auto closed = service->shutdown(); !closed) code = program.complain(closed.error());
        };
        close(operations.get());
        close(feeds.get());
        return code;
    }

private:
    /// Until somebody interrupts, or the storage is gone: then the reason.
    static std::optional<error> wait(const invocation& program, bulk::service* operations,
                                     bulk::feed_service* feeds) {
        constexpr int rounds_between_looks = 5;
        std::mutex mutex;
        std::condition_variable nobody;  // a signal rings no bell
        std::unique_lock lock{mutex};
        for (int round = 1; !program.is_interrupted(); ++round) {
            nobody.wait_for(lock, std::chrono::milliseconds{200});
            program.write_log();
            if (round % rounds_between_looks != 0) continue;
            if (auto lost = loss_of(operations); lost) return lost;
            if (auto lost = loss_of(feeds); lost) return lost;
        }
        return std::nullopt;
    }

    static std::optional<error> loss_of(auto* service) {
        if (service == nullptr) return std::nullopt;
        const auto found = [&] {
            if constexpr (std::is_same_v<decltype(service), bulk::service*>)
                return service->query(operation_query{.page_size = 1, .with_total = false});
            else
                return service->query(run_query{.page_size = 1});
        }();
        if (found || found.error().code != errc::storage_lost) return std::nullopt;
        return found.error();
    }

    [[nodiscard]] result<http::serve_options> read_options() const {
        http::serve_options options{.port = port_, .address = address_};
        options.api.origins = {.hosts = hosts_, .origins = origins_};
        options.server.query_timeout = query_timeout_;
        std::vector<std::string> lines = tokens_;
        if (!tokens_file_.empty()) {
            std::ifstream file{tokens_file_};
            if (!file)
                return fail(errc::not_found,
                            concat("cannot read ", tokens_file_, ": is it there?"));
            for (std::string line; std::getline(file, line);) {
                while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
                if (!line.empty() && line[0] != '#') lines.push_back(line);
            }
            // Without any, everybody on this machine could do everything: that is not what was meant.
            if (lines.empty())
                return fail(errc::invalid_argument,
                            concat("there is no token in ", tokens_file_,
                                   ": write NAME:RIGHT:SECRET, one a line"));
        }
        std::vector<http::access_token> tokens;
        for (const auto& each : lines) {
            auto token = read_token(each);
            if (!token) return std::unexpected{std::move(token).error()};
            tokens.push_back(std::move(*token));
        }
        if (is_behind_proxy_ && !tokens.empty())
            return fail(errc::invalid_argument,
                        "--behind-proxy is for servers without tokens: leave one of them out");
        if (!tokens.empty()) options.api.access = http::by_tokens(std::move(tokens));
        if (is_behind_proxy_) {
            if (!http::is_loopback(address_))
                return fail(errc::invalid_argument,
                            concat("--behind-proxy needs --address 127.0.0.1, got ", address_,
                                   ": clients could reach it without the proxy"));
            options.api.access = http::everybody(true);
        }
        return options;
    }

    /// The secret is not repeated in what is said about it.
    [[nodiscard]] static result<http::access_token> read_token(std::string_view text) {
        const auto first = text.find(':');
        const auto second = first == std::string_view::npos ? first : text.find(':', first + 1);
        if (second == std::string_view::npos || first == 0)
            return fail(errc::invalid_argument, "a token is NAME:RIGHT:SECRET");
        const auto right = text.substr(first + 1, second - first - 1);
        http::access_token token{.name = std::string{text.substr(0, first)},
                                 .secret = std::string{text.substr(second + 1)},
                                 .may_operate = right.starts_with("operate"),
                                 .may_read_files = right.ends_with("files")};
        if (right != "read" && right != "files" && right != "operate" && right != "operate+files")
            return fail(errc::invalid_argument,
                        concat("the right of the token of '", token.name,
                               "' must be read, files, operate or operate+files"));
        if (token.secret.size() < 16)
            return fail(errc::invalid_argument,
                        concat("the token of '", token.name,
                               "' can be guessed: take at least 16 characters at random"));
        return token;
    }

    bool has_operations_;
    open_feeds open_feeds_;
    std::uint16_t port_ = 8080;
    std::string address_ = "127.0.0.1";
    std::vector<std::string> tokens_;
    std::string tokens_file_;
    std::vector<std::string> hosts_;
    std::vector<std::string> origins_;
    std::chrono::milliseconds query_timeout_ = http::server_options{}.query_timeout;
    bool is_behind_proxy_ = false;
    bool is_idle_ = false;
};

}  // namespace bulk::cli
