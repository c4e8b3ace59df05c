#include <bulk/http/target.hpp>

#include <support/ut.hpp>

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using bulk::http::parse_target;

namespace {

using strings = std::vector<std::string>;

std::string encoded(std::string_view text) {
    std::string all;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        ((all += '%') += "0123456789ABCDEF"[byte >> 4]) += "0123456789abcdef"[byte & 15];
    }
    return all;
}

}  // namespace

suite<"http target"> target = [] {
    "a star is the whole server"_test = [] {
        const auto all = parse_target("*");
        expect(fatal(all.has_value()));
        expect(all->path.empty() and all->query.empty());
        expect(!parse_target("*a").has_value());
    };

    "an address is a path and a query"_test = [] {
        const auto parsed =
            parse_target("/api/v1/operations?state=failed&limit=10&empty=&bare").value();
        expect(parsed.path == strings{"api", "v1", "operations"});
        expect(parsed.get("state") == "failed");
        expect(parsed.get("limit") == "10");
        expect(parsed.get("empty") == "");
        expect(parsed.get("bare") == "");
        expect(parsed.get("other") == std::nullopt);
    };

    "the root and a slash at the end"_test = [] {
        expect(parse_target("/").value().path.empty());
        expect(parse_target("/?a=b").value().get("a") == "b");
        expect(parse_target("/a/").value().path == strings{"a"});
        expect(parse_target("/a/?b").value().path == strings{"a"});
    };

    "what is escaped is decoded once"_test = [] {
        const auto parsed = parse_target("/a%2Fb/%25%32%35/a+b?c+d=e%2B%26f&%3D=%3d").value();
        expect(parsed.path == strings{"a/b", "%25", "a+b"});
        expect(parsed.get("c d") == "e+&f");
        expect(parsed.get("=") == "=");
        expect(parse_target("/na%C3%AFve").value().path == strings{"na\xC3\xAFve"});
    };

    "the first of a name counts, all of them are there"_test = [] {
        const auto parsed = parse_target("/?a=1&a=2&&b=a=b").value();
        expect(parsed.get("a") == "1");
        expect(parsed.query.size() == 3_u);
        expect(parsed.get("b") == "a=b");
    };

    "what two readers could take for two things is refused"_test = [](const std::string& text) {
        const auto parsed = parse_target(text);
        expect(fatal(!parsed.has_value())) << text;
        expect(parsed.error().code == bulk::errc::invalid_argument);
        for (const char c : parsed.error().message) expect(c >= 0x20 and c < 0x7F) << text;
    } | std::vector{""s,        "a"s,          "//"s,      "//a"s,         "/a//b"s,   "/a//"s,
                    "/."s,      "/.."s,        "/a/../b"s, "/a/%2e%2E/b"s, "/a/.%2e"s, "/a\\b"s,
                    "/a#b"s,    "/a b"s,       "/a\0"s,    "/a%00b"s,      "/a\r\nb"s, "/\x7F"s,
                    "/%"s,      "/%4"s,        "/%zz"s,    "/?a=%"s,       "/?%G0"s,   "/%FF"s,
                    "/%C0%AF"s, "/%ED%A0%80"s, "/?a=%C3"s, "/\xFF"s};

    "any names come through"_test = [] {
        std::mt19937_64 random{8};
        const auto word = [&] {
            std::string text(1 + random() % 8, ' ');
            for (char& c : text) c = static_cast<char>(1 + random() % 126);
            return text == "." || text == ".." ? "x"s : text;
        };
        for (int round = 0; round < 5'000; ++round) {
            strings path(random() % 4);
            std::vector<std::pair<std::string, std::string>> query(random() % 4);
            std::string text = path.empty() ? "/" : "";
            for (auto& each : path) text += "/" + encoded(each = word());
            text += '?';
            for (auto& [name, value] : query) {
                name = word();
                value = word();
                text += encoded(name) + "=" + encoded(value) + "&";
            }
            const auto parsed = parse_target(text);
            expect(fatal(parsed.has_value())) << text;
            expect(parsed->path == path and parsed->query == query) << text;
        }
    };
};

int main() {}
