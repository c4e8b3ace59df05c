// Any bytes as a cursor and as the JSON body of a request: what is taken says the same when it is written
// again, and what is refused is refused with a document that can be read.
#include <bulk/core/page.hpp>
#include <bulk/http/api/bulksharp/recipients.hpp>
#include <bulk/http/api/recipients.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/rows/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

namespace http = bulk::http;

void check(bool holds) {
    if (!holds) std::abort();
}

/// Whatever is wrong, the answer is JSON.
template <typename T>
bool is_taken(const http::or_problem<T>& read) {
    if (!read)
        check(bulk::json::read_members(http::to_response(read.error(), "/").body).has_value());
    return read.has_value();
}

void read_cursor(std::string_view text) {
    if (const auto at = bulk::parse_cursor(text)) check(bulk::to_text(*at) == text);
    const bulk::cursor made{.key = std::string{text.substr(0, text.size() / 3)},
                            .id = std::string{text.substr(text.size() / 3)}};
    const auto again = bulk::parse_cursor(bulk::to_text(made));
    check(again && *again == made);
}

void read_body(std::string_view text) {
    const auto body = http::json_body::read(text, {"text", "count", "rows", "is"});
    const auto loose = http::json_body::read_loosely(text, {"text", "count", "rows", "is"});
    if (!is_taken(body)) return;
    check(loose.has_value());
    if (const auto said = body->text("text"); is_taken(said) && *said) {
        const auto written = http::json_object{}.add("text", **said).json();
        const auto again = http::json_body::read(written, {"text"});
        check(again && again->text("text").value() == *said);
        check(loose->text("text").value() == *said);
    }
    (void)is_taken(body->truth("is"));
    (void)is_taken(body->number<std::uint64_t>("count"));
    if (const auto rows = body->numbers<std::uint64_t>("rows"); is_taken(rows) && *rows) {
        http::json_array written;
        for (const auto each : **rows) written.add(each);
        const auto again =
            http::json_body::read(http::json_object{}.add("rows", written).json(), {"rows"});
        check(again && again->numbers<std::uint64_t>("rows").value() == *rows);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    read_cursor(text);
    read_body(text);
    (void)is_taken(http::api::read_recipients(text));
    (void)is_taken(http::api::bulksharp::read_recipients(text));
    return 0;
}
