// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/options.hpp>
#include <bulk/feed/any_feed_service.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/serve.hpp>
#include <bulk/service/any_service.hpp>

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
#include <utility>
#include <vector>

namespace bulk::cli {

/// Answers over HTTP, and works meanwhile unless others do.
class serve_verb final : public verb {
public:
    /// `feeds` is unset in a program that has none.
    serve_verb(bool has_operations, open_feeds feeds)
        : has_operations_{has_operations}, open_feeds_{std::move(feeds)} {}

    [[nodiscard]] std::string_view name() const override { return "serve"; }
    [[nodiscard]] std::string_view summary() const override {
        return "answer over HTTP, and run what is submitted, until Ctrl-C";
    }
    [[nodiscard]] std::string_view examples() const override {
        return "serve --port 8080\n"
               "serve --no-workers --address 0.0.0.0 --tokens tokens.txt --host bulk.example.org";
    }
    void declare(flags& to) override {
        to.number("--port", port_, "where to listen; 0: any port that is free (8080)");
        to.text("--address", address_, "another than loopback needs tokens (127.0.0.1)", "ADDRESS");
        to.texts("--token", tokens_, "who may ask, and read or operate", "NAME:RIGHT:SECRET");
        to.text("--tokens", tokens_file_, "a file of those, one a line", "FILE");
        to.texts("--host", hosts_, "a name that it goes by, besides localhost", "NAME");
        to.texts("--origin", origins_, "pages of another site that may ask", "URL");
        to.yes("--no-workers", is_idle_, "only answer: workers are other processes");
    }

    int perform(session& program) override {
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
        const auto where = is_idle_ ? scheduling::none : scheduling::channels;
        std::unique_ptr<any_service> operations;
        std::unique_ptr<any_feed_service> feeds;
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
            program.print(json_line{}.add("type", "serving").add("url", url));
        else
            program.remark(concat("serves ", url, "; Ctrl-C ends it"));
        program.out().stream.flush();
        wait(program);
        program.remark("interrupted: what is in flight is finishing; once more to stop at once");
        served->stop();
        program.write_log();
        int code = exit_code::success;
        const auto close = [&](auto* service) {
            if (service == nullptr) return;
            if (auto closed = service->shutdown(); !closed) code = program.complain(closed.error());
        };
        close(operations.get());
        close(feeds.get());
        return code;
    }

private:
    static void wait(const session& program) {
        std::mutex mutex;
        std::condition_variable nobody;  // a signal rings no bell
        std::unique_lock lock{mutex};
        while (!program.is_interrupted()) {
            nobody.wait_for(lock, std::chrono::milliseconds{200});
            program.write_log();
        }
    }

    [[nodiscard]] result<http::serve_options> read_options() const {
        http::serve_options options{.port = port_, .address = address_};
        options.api.origins = {.hosts = hosts_, .origins = origins_};
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
        if (!tokens.empty()) options.api.access = http::by_tokens(std::move(tokens));
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
                                 .may_operate = right == "operate"};
        if (right != "operate" && right != "read")
            return fail(errc::invalid_argument, concat("the token of '", token.name,
                                                       "' gives the right to read or operate"));
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
    bool is_idle_ = false;
};

}  // namespace bulk::cli
