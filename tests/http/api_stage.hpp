// The API of a service in memory, asked without sockets, under a clock that stands still. Compiled once,
// in api_stage.cpp.
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/options.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/message.hpp>
#include <bulk/operation/outcome.hpp>
#include <bulk/service/service.hpp>
#include <bulk/storage/any_storage.hpp>

#include <support/json.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace api_stage {

using bulk::http::header_list;
using bulk::http::method;

/// What the last step of the operation "transfers" does with an account; unset: it succeeds. Accounts
/// that begin with W wait for the signal `approve-ACCOUNT` at the step before.
inline std::function<bulk::outcome(std::string_view account)> book;

/// What the source of the feed "articles" says to a page, and to an item; unset: all is well.
inline std::function<bulk::result<>()> fetch_page, map_item;

struct answer {
    int status = 0;
    header_list headers{};
    std::string body{};
    std::shared_ptr<bulk::http::event_source> events{};
    bool is_cut = false;  ///< its stream has failed

    [[nodiscard]] support::json json() const { return support::json::parse(body); }
    [[nodiscard]] std::string_view header(std::string_view name) const { return headers.get(name); }
    /// Whether it is a problem document of that kind, about that field.
    [[nodiscard]] bool is_problem(int code, std::string_view kind,
                                  std::string_view field = {}) const {
        const auto said = json();
        return status == code && header("content-type") == "application/problem+json" &&
               said["type"] == std::string{"urn:bulk:problem:"} + std::string{kind} &&
               said["status"] == std::to_string(code) &&
               (field.empty() ? !said["field"].is_there() : said["field"] == field);
    }
};

/// A body that comes in pieces, and may end too early.
struct incoming {
    std::string body{};
    std::size_t piece = 7;
    std::optional<bulk::error> broken{};  ///< what the pull says when all of it was given
    std::function<void()> before_last_piece{};
};

class stage {
public:
    explicit stage(bulk::http::api_options options = {}, bulk::service_options service = {},
                   bool has_feeds = false, bool has_operations = true);
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;
    ~stage();

    [[nodiscard]] answer send(method verb, std::string target, header_list headers = {},
                              incoming body = {});
    [[nodiscard]] answer get(std::string target, header_list headers = {}) {
        return send(method::get, std::move(target), std::move(headers));
    }
    [[nodiscard]] answer post(std::string target, std::string json = "{}",
                              header_list headers = {}) {
        headers.add("Content-Type", "application/json");
        return send(method::post, std::move(target), std::move(headers), {std::move(json)});
    }
    /// The file itself as the body.
    [[nodiscard]] answer upload(std::string content,
                                std::string query = "type=transfers&file_name=june.csv",
                                header_list headers = {});
    /// Creates an operation and runs it as far as it goes; its id.
    std::string run(std::string content, std::string query = "type=transfers&file_name=june.csv");
    /// Three transfers: one succeeds, one fails at its last step, one cannot be read.
    std::string three();
    /// Does all that there is to do now.
    void drive();
    void advance(std::chrono::microseconds time);

    [[nodiscard]] bulk::http::application& app();
    [[nodiscard]] bulk::service& service();
    bulk::any_storage& storage();
    /// From now on every call of the services to the storage fails; how often they have called it is
    /// counted from 0.
    void fail_storage();
    [[nodiscard]] int failed_calls() const;
    std::function<void()> before_answer;  ///< after a request was admitted

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

inline constexpr std::string_view three_rows =
    "account,amount,iban\nA-1,10,DE1\nA-2,20,DE2\nA-3,ten,DE3\n";

/// A form of fields and a file, which is last.
struct form {
    std::string boundary = "XxBoundaryxX";
    std::string text{};

    form& field(std::string_view name, std::string_view value) {
        text += "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" +
                std::string{name} + "\"\r\n\r\n" + std::string{value} + "\r\n";
        return *this;
    }
    form& file(std::string_view file_name, std::string_view content,
               std::string_view name = "file") {
        text += "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" +
                std::string{name} + "\"; filename=\"" + std::string{file_name} +
                "\"\r\nContent-Type: text/csv\r\n\r\n" + std::string{content} + "\r\n";
        return *this;
    }
    [[nodiscard]] std::string body() const { return text + "--" + boundary + "--\r\n"; }
    [[nodiscard]] header_list headers() const {
        return {{"Content-Type", "multipart/form-data; boundary=" + boundary}};
    }
};

}  // namespace api_stage
