// SPDX-License-Identifier: MIT
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bulk::http {

/// Takes the chunks from around a body, with Beast's parser. That one is as strict as RFC 9112 here, and
/// sees no more of the head than that chunks follow. Trailers are read and dropped.
class chunked_body {
public:
    /// `most` bytes, 0 is any number: refused with 413 as soon as a chunk says that there are more.
    explicit chunked_body(std::uint64_t most) {
        if (most > 0)
            parser_.body_limit(most);
        else
            parser_.body_limit(boost::none);
        boost::system::error_code ignored;
        parser_.put(boost::asio::buffer(head), ignored);
    }

    /// The most bytes of one line of framing, or of all trailers, that are looked at.
    static constexpr std::size_t most_framing = 16'384;
    /// And of all framing for each byte of the body: chunks of one byte have five. Else somebody has us
    /// read gigabytes of extensions for a few bytes.
    static constexpr std::uint64_t most_framing_a_byte = 16;

    struct step {
        std::size_t used = 0;  ///< of what came
        std::size_t made = 0;  ///< of the body
        int status = 0;        ///< to refuse it with
    };

    /// Reads what has come. Neither used nor made anything: more is needed.
    [[nodiscard]] step read(std::string_view come, std::span<char> into) {
        step done;
        auto& body = parser_.get().body();
        body.data = into.data();
        body.size = into.size();
        body.more = true;
        while (!parser_.is_done() && body.size > 0) {
            boost::system::error_code failed;
            const auto rest = come.substr(done.used);
            const std::size_t used =
                rest.empty() ? 0 : parser_.put(boost::asio::buffer(rest), failed);
            done.used += used;
            if (failed && failed != boost::beast::http::error::need_more &&
                failed != boost::beast::http::error::need_buffer) {
                done.status = failed == boost::beast::http::error::body_limit ? 413 : 400;
                break;
            }
            if (used > 0) continue;
            if (rest.size() > most_framing || has_bare_line_end(rest)) done.status = 400;
            break;
        }
        done.made = into.size() - body.size;
        made_ += done.made;
        framing_ += done.used - done.made;
        if (framing_ > 2 * most_framing + most_framing_a_byte * made_) done.status = 400;
        return done;
    }

    [[nodiscard]] bool is_done() const { return parser_.is_done(); }

private:
    /// Beast waits for a CR in front of the next LF, while whoever sent this waits for an answer.
    [[nodiscard]] static bool has_bare_line_end(std::string_view framing) {
        for (auto at = framing.find('\n'); at != std::string_view::npos;
             at = framing.find('\n', at + 1))
            if (at == 0 || framing[at - 1] != '\r') return true;
        return false;
    }

    static constexpr std::string_view head =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    boost::beast::http::request_parser<boost::beast::http::buffer_body> parser_;
    std::uint64_t made_ = 0;
    std::uint64_t framing_ = 0;
};

}  // namespace bulk::http
