// Any bytes as a request: a head is found in the same place however it comes, what we and Beast both take
// for a head says the same to both, and a chunked body is the same in any pieces.
#include <bulk/http/server/chunked_body.hpp>
#include <bulk/http/server/head.hpp>
#include <bulk/http/server/head_scanner.hpp>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <string>
#include <string_view>

namespace {

constexpr std::size_t most_target = 200;
constexpr std::size_t most_head = 1000;

void require(bool is_so) {
    if (!is_so) std::abort();
}

std::expected<std::size_t, int> find_head(std::string_view text, std::size_t piece) {
    bulk::http::head_scanner scanner{most_target, most_head};
    for (std::size_t come = std::min(piece, text.size());;
         come = std::min(come + piece, text.size())) {
        const auto size = scanner.look(text.substr(0, come));
        if (!size || *size > 0 || come == text.size()) return size;
    }
}

void compare_with_beast(std::string_view text, const bulk::http::parsed_head& ours) {
    boost::beast::http::request_parser<boost::beast::http::empty_body> parser;
    parser.body_limit(boost::none);
    boost::system::error_code failed;
    parser.put(boost::asio::buffer(text), failed);
    if (failed || !parser.is_header_done()) return;
    const auto& theirs = parser.get();
    require(theirs.version() == (ours.is_http_11 ? 11U : 10U));
    require(parser.chunked() == ours.is_chunked);
    require(parser.content_length().value_or(0) == ours.length);
    require(parser.keep_alive() == ours.keeps);
    if (!theirs.target().starts_with('/') && theirs.target() != "*") return;  // the host was set
    require(theirs.target() == ours.head.target);
    // Beast has those of one name together, wherever they came.
    auto left = ours.head.headers.all();
    for (const auto& field : theirs) {
        const auto found = std::ranges::find_if(left, [&](const auto& each) {
            return bulk::same_name(field.name_string(), each.first) && field.value() == each.second;
        });
        require(found != left.end());
        left.erase(found);
    }
    require(left.empty());
}

/// What it holds and where it ends, or why not.
std::string read_chunks(std::string_view text, std::size_t piece, std::size_t room) {
    bulk::http::chunked_body body{300};
    std::string all;
    std::size_t at = 0, come = 0;
    std::string into(room, ' ');
    while (!body.is_done()) {
        const auto step = body.read(text.substr(at, come - at), into);
        require(step.used <= come - at && step.made <= room);
        at += step.used;
        all.append(into, 0, step.made);
        if (step.status != 0) return "refused " + std::to_string(step.status);
        if (step.used > 0 || step.made > 0) continue;
        if (come == text.size()) return "cut";
        come = std::min(come + piece, text.size());
    }
    return all + " ends at " + std::to_string(at);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t piece = 1 + data[0] % 64;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    constexpr std::array<std::string_view, 4> begins{
        "", "GET / HTTP/1.1\r\nHost: a\r\n", "POST /",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:"};
    const std::string text = std::string{begins[data[1] % begins.size()]}.append(bytes);
    const auto head = find_head(text, text.size());
    const auto dripped = find_head(text, piece);
    if (head && *head > 0) {
        require(dripped == head);
        const auto parsed =
            bulk::http::parse_head(std::string_view{text}.substr(0, *head), most_target);
        if (parsed) compare_with_beast(std::string_view{text}.substr(0, *head), *parsed);
    } else {
        require(head.has_value() == dripped.has_value());
    }
    require(read_chunks(bytes, bytes.size(), 1000) == read_chunks(bytes, piece, 1 + data[1] % 50));
    return 0;
}
