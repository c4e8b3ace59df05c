// Our server, and those who burden it.
//   http serve              answers a constant; prints its port, and ends with its input
//   http listen PORT COUNT  so many listen to events; says when they do, and ends with its input
//   http upload PORT BYTES  one upload
#include <bulk/core/concat.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server.hpp>
#include <support/raw_http.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace bulk::http;

class silence final : public event_source {
public:
    std::optional<std::string> next(std::function<void()>) override { return ""; }
};

class constant final : public application {
public:
    std::variant<body_rule, response> admit(const request_head& head) override {
        if (head.verb == method::post) return body_rule{.kind = body_kind::streamed};
        return body_rule{};
    }
    response answer(request& asked) override {
        if (asked.stream) return count(asked);
        if (asked.head.target == "/events") return {.events = std::make_shared<silence>()};
        return {.headers = {{"Content-Type", "text/plain"}}, .body = "fine"};
    }
    response refuse(int status, std::string_view why) override {
        return {.status = status, .body = std::string{why}};
    }

private:
    static response count(request& asked) {
        std::vector<char> piece(65536);
        std::uint64_t all = 0;
        while (true) {
            const auto got = asked.stream(piece);
            if (!got) return {.status = 400, .body = got.error().message};
            if (*got == 0) return {.body = std::to_string(all)};
            all += *got;
        }
    }
};

void wait_for_end_of_input() {
    while (std::getchar() != EOF) {
    }
}

int serve() {
    auto server = bulk::http::listen(std::make_shared<constant>(), {.port = 0});
    if (!server) {
        std::fprintf(stderr, "%s\n", server.error().message.c_str());
        return 1;
    }
    std::printf("%d\n", (*server)->port());
    std::fflush(stdout);
    wait_for_end_of_input();
    return 0;
}

int listen_to(std::uint16_t port, int count) {
    raw_http::allow_descriptors(static_cast<std::size_t>(count) + 100);
    std::vector<raw_http::client> all;
    for (int i = 0; i < count; ++i) {
        all.emplace_back(port);
        all.back().send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
        if (all.back().read_head().status != 200) return 1;
    }
    std::printf("ready\n");
    std::fflush(stdout);
    wait_for_end_of_input();
    return 0;
}

int upload(std::uint16_t port, std::uint64_t bytes) {
    raw_http::client client{port};
    client.send(
        bulk::concat("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: ", bytes, "\r\n\r\n"));
    const std::string piece(65536, 'u');
    for (std::uint64_t left = bytes; left > 0;) {
        const auto size = std::min<std::uint64_t>(left, piece.size());
        if (!client.send(std::string_view{piece}.substr(0, size))) return 1;
        left -= size;
    }
    return client.read().body == std::to_string(bytes) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view verb = argc > 1 ? argv[1] : "";
    const auto number = [&](int at) { return at < argc ? std::atoll(argv[at]) : 0; };
    if (verb == "serve") return serve();
    if (verb == "listen")
        return listen_to(static_cast<std::uint16_t>(number(2)), static_cast<int>(number(3)));
    if (verb == "upload")
        return upload(static_cast<std::uint16_t>(number(2)), static_cast<std::uint64_t>(number(3)));
    std::fprintf(stderr, "http serve | listen PORT COUNT | upload PORT BYTES\n");
    return 2;
}
