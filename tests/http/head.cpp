#include <bulk/http/server/authority.hpp>
#include <bulk/http/server/head.hpp>
#include <bulk/http/server/head_scanner.hpp>

#include <support/ut.hpp>

#include <string>
#include <string_view>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

auto parse(std::string_view text) { return bulk::http::parse_head(text, 100); }

}  // namespace

suite<"http head"> head = [] {
    "a head is what it says"_test = [] {
        const auto parsed = parse(
            "PATCH /a/b?c=d HTTP/1.1\r\nHost: example.org:80\r\nX-Empty:\r\nX-Spaces: \t a b \t\r\n"
            "Content-Length: 12\r\nx-spaces: again\r\n\r\n");
        expect(fatal(parsed.has_value()));
        expect(parsed->head.verb == bulk::http::method::patch);
        expect(parsed->head.target == "/a/b?c=d");
        expect(parsed->head.headers.get("host") == "example.org:80");
        expect(parsed->head.headers.has("x-empty"));
        expect(parsed->head.headers.get("X-SPACES") == "a b");
        expect(parsed->head.headers.count("x-spaces") == 2_u);
        expect(parsed->length == 12_u);
        expect(parsed->keeps and parsed->is_http_11 and parsed->has_body());
    };

    "each method is known, in capitals"_test = [] {
        using enum bulk::http::method;
        const auto verb_of = [](std::string_view name) {
            return parse(std::string{name} + " / HTTP/1.1\r\nHost: a\r\n\r\n").value().head.verb;
        };
        expect(verb_of("GET") == get and verb_of("HEAD") == head and verb_of("POST") == post);
        expect(verb_of("PUT") == put and verb_of("PATCH") == patch);
        expect(verb_of("DELETE") == remove and verb_of("OPTIONS") == options);
        expect(parse("Get / HTTP/1.1\r\nHost: a\r\n\r\n").error() == 501_i);
    };

    "who keeps the connection"_test = [] {
        const auto keeps = [](std::string_view version, std::string_view header) {
            return parse("GET / HTTP/"s.append(version).append("\r\nHost: a\r\n").append(header) +
                         "\r\n")
                .value()
                .keeps;
        };
        expect(keeps("1.1", "") and !keeps("1.0", ""));
        expect(!keeps("1.1", "Connection: close\r\n"));
        expect(!keeps("1.1", "Connection: keep-alive\r\nConnection: a, CLOSE ,b\r\n"));
        expect(keeps("1.0", "Connection: Keep-Alive\r\n"));
        expect(!keeps("1.0", "Connection: keep-alive, close\r\n"));
    };

    "a host is a name or an address, with a port or without"_test = [] {
        using bulk::http::is_authority;
        for (const std::string_view right : {"", "a", "a.example-1:80", "a:", "127.0.0.1:65535",
                                             "[::1]", "[::ffff:127.0.0.1]:1", "a%20b", "a_b"})
            expect(is_authority(right)) << right;
        for (const std::string_view wrong :
             {"a:b",  "a:65536", "a:123456", "a:-1",  "a:1:2", "::1", "[",
              "[]",   "[::1",    "[::1]a",   "[g::]", "]",     "a%",  "a%2",
              "a%2g", "a@b",     "a/b",      "a b",   "a\"b",  "a<b>"})
            expect(!is_authority(wrong)) << wrong;
    };

    "a head is found when it is whole, however it comes"_test = [] {
        const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n\r\nbody";
        bulk::http::head_scanner scanner{100, 1000};
        for (std::size_t i = 0; i < text.size() - 4; ++i)
            expect(scanner.look(text.substr(0, i)) == 0U) << i;
        expect(scanner.look(text) == text.size() - 4);
        expect(bulk::http::head_scanner{100, 1000}.look(text) == text.size() - 4);
        expect(bulk::http::head_scanner{100, text.size() - 4}.look(text) == text.size() - 4);
        expect(bulk::http::head_scanner{100, text.size() - 5}.look(text).error() == 431_i);
    };

    "what can never be a head is seen at once"_test = [] {
        const auto wrong = [](const std::string& text) {
            return bulk::http::head_scanner{100, 1000}.look(text).error();
        };
        expect(wrong("\x16\x03") == 400_i);
        expect(wrong("GET / HTTP/1.1\n") == 400_i);
        expect(wrong("GET /\r\n") == 400_i);
        expect(wrong("GET / HTTP/1.1 \r\n") == 400_i);
        expect(wrong("GET /" + std::string(200, 'a')) == 414_i);
        expect(wrong("GET / HTTP/1.1\r\n" + std::string(1000, 'a')) == 431_i);
    };
};

int main() {}
