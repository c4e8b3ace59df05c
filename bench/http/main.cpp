// Our server, and those who burden it.
//   http serve                     answers a constant; prints its port, and ends with its input
//   http listen PORT PATH COUNT    so many listen to events; says when they do, and ends with its input
//   http upload PORT PATH BYTES    a file of rows
#include <bulk/core/concat.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server.hpp>
#include <support/raw_http.hpp>

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace bulk::http;

class constant final : public application {
public:
    std::variant<std::unique_ptr<admitted_request>, response> admit(const request_head&) override {
        return std::make_unique<admitted>();
    }
    response refuse(int status, std::string_view why) override {
        return {.status = status, .body = std::string{why}};
    }

private:
    class admitted final : public admitted_request {
    public:
        admitted() : admitted_request{body_rule{}} {}
        response answer(request&) override {
            return {.headers = {{"Content-Type", "text/plain"}}, .body = "fine"};
        }
    };
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

int listen_to(std::uint16_t port, const std::string& path, long long count) {
    raw_http::allow_descriptors(static_cast<std::size_t>(count) + 100);
    const int all = ::epoll_create1(0);
    const auto watch = [&](int socket) {
        epoll_event wanted{.events = EPOLLIN, .data = {.fd = socket}};
        ::epoll_ctl(all, EPOLL_CTL_ADD, socket, &wanted);
    };
    std::vector<raw_http::client> listeners;
    for (long long i = 0; i < count; ++i) {
        auto& each = listeners.emplace_back(port);
        each.send(bulk::concat("GET ", path, " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        if (each.read_head().status != 200) return 1;
        watch(each.descriptor());
    }
    watch(STDIN_FILENO);
    std::printf("ready\n");
    std::fflush(stdout);
    std::vector<char> piece(65536);
    std::vector<epoll_event> told(256);
    while (true) {
        const int ready = ::epoll_wait(all, told.data(), static_cast<int>(told.size()), -1);
        for (const auto& each : std::span{told}.first(static_cast<std::size_t>(ready))) {
            if (each.data.fd == STDIN_FILENO) return 0;
            if (::read(each.data.fd, piece.data(), piece.size()) <= 0) return 1;
        }
    }
}

int upload(std::uint16_t port, const std::string& path, long long bytes) {
    raw_http::client client{port};
    client.send(bulk::concat("POST ", path,
                             " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n",
                             "Content-Length: ", bytes, "\r\n\r\n"));
    std::string piece = "meter,value\n";
    for (auto left = static_cast<std::uint64_t>(bytes); left > 0;) {
        while (piece.size() < 65536) piece += "1,1000\n";
        const auto size = std::min<std::uint64_t>(left, piece.size());
        if (!client.send(std::string_view{piece}.substr(0, size))) return 1;
        piece.erase(0, size);
        left -= size;
    }
    const auto said = client.read();
    if (said.status == 202) return 0;
    std::fprintf(stderr, "%d %s\n", said.status, said.body.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (verb == "serve") return serve();
    if (argc == 5 && (verb == "listen" || verb == "upload")) {
        const auto port = static_cast<std::uint16_t>(std::atoi(argv[2]));
        return (verb == "listen" ? listen_to : upload)(port, argv[3], std::atoll(argv[4]));
    }
    std::fprintf(stderr, "http serve | listen PORT PATH COUNT | upload PORT PATH BYTES\n");
    return 2;
}
