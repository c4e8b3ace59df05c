#include <bulk/http/server.hpp>

#include <support/http_stage.hpp>
#include <support/raw_http.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using http_stage::get;
using http_stage::post;
using http_stage::stage;

namespace {

/// So many clients, each of which has sent that.
std::vector<raw_http::client> send_from(int count, const stage& at, const std::string& request) {
    std::vector<raw_http::client> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(at.connect());
        all.back().send(request);
    }
    return all;
}

/// In pieces of `size`.
std::string in_chunks(std::string_view body, std::size_t size) {
    std::string text;
    for (; !body.empty(); body.remove_prefix(std::min(size, body.size()))) {
        const auto piece = body.substr(0, size);
        char digits[17];
        const auto end = std::to_chars(digits, digits + 16, piece.size(), 16).ptr;
        text.append(digits, end).append("\r\n").append(piece).append("\r\n");
    }
    return text + "0\r\n\r\n";
}

}  // namespace

suite<"http requests"> requests = [] {
    "many requests go through one connection"_test = [] {
        const stage at;
        auto client = at.connect();
        for (int i = 0; i < 100; ++i) {
            const auto said = client.ask(get("/"));
            expect(fatal(said.status == 200_i));
            expect(said.body == "fine");
            expect(said.headers.get("content-type") == "text/plain");
            expect(said.headers.get("date").ends_with(" GMT"));
            expect(!said.headers.has("connection"));
        }
    };

    "requests that come at once are answered in their order"_test = [] {
        const stage at;
        auto client = at.connect();
        std::string all;
        for (int i = 0; i < 50; ++i)
            all += post("/echo", bulk::concat("Content-Length: ", i, "\r\n"),
                        std::string(static_cast<std::size_t>(i), 'x'));
        client.send(all);
        for (std::size_t i = 0; i < 50; ++i) expect(client.read().body == std::string(i, 'x'));
    };

    "a request may come byte by byte"_test = [] {
        const stage at;
        auto client = at.connect();
        for (const char c : post("/echo", "Content-Length: 5\r\n", "hello"))
            client.send(std::string_view{&c, 1});
        expect(client.read().body == "hello");
    };

    "HTTP/1.0 closes, unless it asks not to"_test = [] {
        const stage at;
        auto client = at.connect();
        auto said = client.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        expect(said.body == "fine" and said.headers.get("connection") == "keep-alive");
        said = client.ask("GET / HTTP/1.0\r\n\r\n");
        expect(said.body == "fine" and said.headers.get("connection") == "close");
        expect(client.is_at_end());
    };

    "either side may ask for the end"_test = [] {
        const stage at;
        auto client = at.connect();
        expect(client.ask(get("/", "Connection: foo, Close\r\n")).headers.get("connection") ==
               "close");
        expect(client.is_at_end());
        auto other = at.connect();
        expect(other.ask(get("/close")).headers.get("connection") == "close");
        expect(other.is_at_end());
    };

    "HEAD tells as much as GET, without a body"_test = [] {
        const stage at;
        auto client = at.connect();
        const auto head = [&](std::string_view path) {
            return client.ask(bulk::concat("HEAD ", path, " HTTP/1.1\r\nHost: a\r\n\r\n"), true);
        };
        expect(head("/").headers.get("content-length") == "4");
        expect(head("/download/1000000").headers.get("content-length") == "1000000");
        expect(head("/chunks/1000000").headers.get("transfer-encoding") == "chunked");
        expect(at.app->pulled.load() == 0_u);
        expect(client.ask(get("/")).body == "fine") << "the connection goes on";
        expect(head("/events").status == 200_i);
        expect(client.is_at_end());
    };

    "one who says nothing more is answered still"_test = [] {
        const stage at;
        auto client = at.connect();
        client.send(post("/echo", "Content-Length: 5\r\n", "hello") + get("/"));
        client.finish();
        expect(client.read().body == "hello");
        expect(client.read().body == "fine");
        expect(client.is_at_end());
    };

    "empty lines in front of a request are passed over"_test = [] {
        const stage at;
        auto client = at.connect();
        expect(client.ask("\r\n\r\n" + get("/")).status == 200_i);
        client.send("\r");
        client.send("\n");
        expect(client.ask(get("/")).status == 200_i);
    };

    "an address with a host in it is taken for that host"_test = [] {
        const stage at;
        auto client = at.connect();
        expect(client.ask("GET http://other:80/head HTTP/1.1\r\nHost: a\r\n\r\n").body ==
               "other:80");
        expect(client.ask("GET http://other HTTP/1.1\r\nHost: a\r\n\r\n").body == "fine");
        expect(client.ask("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").status == 200_i);
        expect(client.ask("GET / HTTP/1.2\r\nHost: a\r\n\r\n").status == 200_i)
            << "a later minor version is read as the one we know";
    };

    "no header of an answer begins another, and the server alone says how long it is"_test = [] {
        const stage at;
        auto client = at.connect();
        const auto said = client.ask(get("/evil"));
        expect(said.headers.get("x-name") == "a  X-Other: b");
        expect(!said.headers.has("x-other"));
        expect(said.headers.get("content-length") == "0");
    };

    "an answer without content has none"_test = [] {
        const stage at;
        auto client = at.connect();
        const auto said = client.ask(get("/empty"));
        expect(said.status == 204_i and !said.headers.has("content-length"));
        const auto streamed = client.ask(get("/empty/stream"));
        expect(streamed.status == 204_i and !streamed.headers.has("transfer-encoding"));
        expect(client.ask(get("/")).body == "fine");
    };

    "an application that throws is an error of that request"_test = [] {
        const stage at;
        auto client = at.connect();
        expect(client.ask(get("/throws")).status == 500_i);
        expect(client.ask(get("/throws/early")).status == 500_i);
        expect(client.ask(get("/")).body == "fine");
    };

    "those that wait do not hold up bytes, nor more than their number of threads"_test = [] {
        const stage at{{.threads = 2}};
        std::vector<raw_http::client> waiting;
        for (int i = 0; i < 5; ++i) waiting.push_back(at.connect());
        for (auto& each : waiting) each.send(get("/wait"));
        expect(at.app->waiting.reaches(2));
        auto client = at.connect();
        client.send(post("/upload", "Content-Length: 3\r\n", "abc"));
        at.app->open();
        expect(client.read().body == "3 bytes, sum 294");
        for (auto& each : waiting) expect(each.read().body == "at last");
    };

    "a wrong setting and a wrong address are refused"_test = [] {
        const auto app = std::make_shared<http_stage::test_application>();
        expect(!bulk::http::listen(app, {.threads = 0}).has_value());
        const auto nowhere = bulk::http::listen(app, {.address = "not an address"});
        expect(fatal(!nowhere.has_value()));
        expect(nowhere.error().message.find("not an address") != std::string::npos);
        const stage at;
        const auto taken = bulk::http::listen(app, {.port = at.server->port()});
        expect(fatal(!taken.has_value()));
        expect(taken.error().message.find(std::to_string(at.server->port())) != std::string::npos);
    };
};

suite<"http bodies"> bodies = [] {
    "a body comes plain or in chunks"_test = [] {
        const stage at;
        auto client = at.connect();
        const std::string body(1000, 'b');
        expect(client.ask(post("/echo", "Content-Length: 1000\r\n", body)).body == body);
        for (const std::size_t size : {1U, 7U, 1000U})
            expect(
                client.ask(post("/echo", "Transfer-Encoding: Chunked\r\n", in_chunks(body, size)))
                    .body == body);
        expect(client.ask(post("/echo", "Content-Length: 0\r\n")).body.empty());
        expect(client.ask(post("/echo", "")).body.empty());
        expect(
            client.ask(post("/echo", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n")).body.empty());
        expect(client.ask(get("/")).body == "fine");
    };

    "chunks may have extensions and trailers"_test = [] {
        const stage at;
        auto client = at.connect();
        expect(client
                   .ask(post("/echo", "Transfer-Encoding: chunked\r\n",
                             "3;a=b;c=\"d\"\r\nabc\r\n0;e\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n"))
                   .body == "abc");
        expect(client.ask(get("/")).body == "fine");
    };

    "whoever waits to be asked for a body is asked"_test = [] {
        const stage at;
        auto client = at.connect();
        for (const std::string_view path : {"/echo", "/upload"}) {
            client.send(post(path, "Expect: 100-continue\r\nContent-Length: 5\r\n"));
            expect(fatal(client.read_head().status == 100_i));
            expect(client.ask("hello").status == 200_i);
        }
    };

    "whoever is refused is not asked for a body"_test = [] {
        const stage at;
        for (const std::string_view path : {"/denied", "/", "/ignore"}) {
            auto client = at.connect();
            const auto said =
                client.ask(post(path, "Expect: 100-continue\r\nContent-Length: 5\r\n"));
            expect(said.status == (path == "/denied" ? 401 : path == "/" ? 413 : 200)) << path;
            expect(said.headers.get("connection") == "close");
            expect(client.is_at_end());
        }
    };

    "an upload is pulled piece by piece"_test = [] {
        const stage at;
        auto client = at.connect();
        client.send(post("/upload", "Content-Length: 9\r\n"));
        for (int i = 1; i <= 3; ++i) {
            client.send("abc");
            expect(at.app->pieces.reaches(i)) << "before the next piece is sent";
        }
        expect(client.read().body == "9 bytes, sum 882");
        expect(client.ask(post("/upload", "Transfer-Encoding: chunked\r\n", in_chunks("abc", 1)))
                   .body == "3 bytes, sum 294");
    };

    "a large upload takes no memory, plain or in chunks"_test = [] {
        const stage at;
        const std::string piece(1 << 16, 'p');
        for (const bool is_chunked : {false, true}) {
            auto client = at.connect();
            client.send(post("/upload", is_chunked ? "Transfer-Encoding: chunked\r\n"
                                                   : "Content-Length: 134217728\r\n"));
            const double before = raw_http::resident_mb();
            for (int i = 0; i < 2048; ++i) {
                if (is_chunked) client.send("10000\r\n");
                client.send(piece);
                if (is_chunked) client.send("\r\n");
            }
            if (is_chunked) client.send("0\r\n\r\n");
            expect(client.read().body == bulk::concat(1 << 27, " bytes, sum ", (1ULL << 27) * 'p'));
            if (raw_http::counts_memory) expect(raw_http::resident_mb() - before < 8.0_d);
        }
    };

    "an upload may be answered with a download"_test = [] {
        const stage at{{.max_streams = 1}};
        auto client = at.connect();
        for (int i = 0; i < 3; ++i)
            expect(client.ask(post("/turn", "Content-Length: 4\r\n", "turn")).body == "turn");
    };

    "what is left of a body ends the connection, and the answer arrives"_test = [] {
        const stage at;
        auto client = at.connect();
        client.send(post("/ignore", "Content-Length: 10000000\r\n"));
        const std::string piece(1 << 16, 'p');
        for (int i = 0; i < 64; ++i) expect(client.send(piece)) << "the server still takes it";
        const auto said = client.read();
        expect(said.body == "no, thanks" and said.headers.get("connection") == "close");
        client.finish();
        expect(client.is_at_end());
    };

    "an application that is told of a broken body may say what came of it"_test = [] {
        const stage at{{.body_timeout = 50ms}};
        const auto broken = post("/upload", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\nno\r\n");
        auto client = at.connect();
        auto said = client.ask(broken);
        expect(said.status == 400_i and said.body == "the body is not what HTTP says it is");
        expect(said.headers.get("connection") == "close");
        auto other = at.connect();
        said = other.ask(post("/upload/partly", "Transfer-Encoding: chunked\r\n",
                              "3\r\nabc\r\nno\r\n" + get("/")));
        expect(said.status == 202_i and said.body == "kept 3") << "it has been done";
        expect(said.headers.get("connection") == "close");
        other.finish();
        expect(other.is_at_end()) << "where the next request begins is not known";
        auto late = at.connect();
        expect(late.ask(post("/upload", "Content-Length: 10\r\n", "abc")).status == 408_i)
            << "although the application took it for something else";
    };

    "whoever goes in the middle of an upload is noticed"_test = [] {
        const stage at;
        for (const bool is_reset : {false, true}) {
            auto client = at.connect();
            client.send(post("/upload", "Content-Length: 1000\r\n", "abc"));
            expect(at.app->uploading.reaches(1));
            is_reset ? client.reset() : client.close();
            expect(at.app->uploading.reaches(0));
        }
        expect(at.app->refused_pulls.load() == 2_u);
        expect(at.is_alive());
    };
};

suite<"http downloads"> downloads = [] {
    "a download has its length, or comes in chunks, or ends the connection"_test = [] {
        const stage at;
        auto client = at.connect();
        const std::string body(1'000'000, 'd');
        auto said = client.ask(get("/download/1000000"));
        expect(said.headers.get("content-length") == "1000000" and said.body == body);
        said = client.ask(get("/chunks/1000000"));
        expect(said.headers.get("transfer-encoding") == "chunked" and said.body == body);
        said = client.ask(get("/chunks/0"));
        expect(said.is_whole and said.body.empty());
        said = client.ask("GET /chunks/1000000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        expect(!said.headers.has("transfer-encoding") and !said.headers.has("content-length"));
        expect(said.headers.get("connection") == "close" and said.body == body);
    };

    "a download that fails is seen to be cut"_test = [] {
        const stage at;
        for (const std::string_view path : {"/broken", "/short"}) {
            auto client = at.connect();
            const auto said = client.ask(get(path));
            expect(said.status == 200_i and !said.is_whole) << path;
            expect(client.is_at_end());
        }
    };

    "a slow reader holds a download up, and takes no memory"_test = [] {
        const stage at;
        const double before = raw_http::resident_mb();
        auto client = at.connect(4096);
        client.send(get("/download/1000000000"));
        expect(client.read_head().status == 200_i);
        expect(client.read_exactly(1'000'000).has_value());
        // Whatever the kernel keeps for both ends, it is not the whole.
        expect(at.app->pulled.load() < 100'000'000_u);
        if (raw_http::counts_memory) expect(raw_http::resident_mb() - before < 16.0_d);
        client.reset();
        expect(at.app->downloads.reaches(0));
    };

    "one who reads nothing is left after a time"_test = [] {
        const stage at{{.write_timeout = 50ms}};
        auto client = at.connect(4096);
        client.send(get("/download/1000000000"));
        expect(at.app->downloads.reaches(1));
        expect(at.app->downloads.reaches(0));
        expect(at.app->pulled.load() < 1'000'000_u) << "nor has the kernel taken much for it";
    };

    "one who reads too slowly is left after a time, too"_test = [] {
        const stage at{{.write_timeout = 200ms, .min_bytes_per_second = 4'000'000'000}};
        auto client = at.connect(4096);
        expect(!client.ask(get("/download/300000000")).is_whole);
        expect(at.app->downloads.reaches(0));
    };
};

suite<"http events"> events = [] {
    "events are sent when they happen, with a sign of life between them"_test = [] {
        const stage at{{.heartbeat = 20ms}};
        auto client = at.connect();
        client.send(get("/events"));
        auto said = client.read_head();
        expect(said.headers.get("content-type") == "text/event-stream");
        expect(client.read_chunk() == ": still here\n\n"s);
        const auto source = at.app->last_listener();
        for (int i = 0; i < 20; ++i) {
            const std::string event = bulk::concat("data: ", i, "\n\n");
            source->give(event);
            std::optional<std::string> got;
            do got = client.read_chunk();
            while (got == ": still here\n\n");
            expect(got == event);
        }
    };

    "an event is not held until the next sign of life"_test = [] {
        const stage at;  // which is a quarter of a minute off
        auto client = at.connect();
        client.send(get("/events"));
        expect(client.read_head().status == 200_i);
        expect(at.app->listeners.reaches(1));
        const auto source = at.app->last_listener();
        for (int i = 0; i < 200; ++i) {
            source->give("data: x\n\n");
            expect(fatal(client.read_chunk() == "data: x\n\n"s));
        }
    };

    "the end of events is the end of the answer"_test = [] {
        const stage at;
        auto client = at.connect();
        client.send(get("/events"));
        expect(at.app->listeners.reaches(1));
        at.app->last_listener()->give("data: x\n\n");
        at.app->last_listener()->end();
        const auto said = client.read();
        expect(said.is_whole and said.body == "data: x\n\n");
        expect(client.is_at_end());
        expect(at.app->listeners.reaches(0));
    };

    "HTTP/1.0 may listen, too"_test = [] {
        const stage at;
        auto client = at.connect();
        client.send("GET /events HTTP/1.0\r\n\r\n");
        expect(client.read_head().status == 200_i);
        at.app->last_listener()->give("data: x\n\n");
        expect(client.read_exactly(9) == "data: x\n\n"s);
        at.app->last_listener()->end();
        expect(client.is_at_end());
    };

    "one who has gone is forgotten at once, and may be woken later"_test = [] {
        std::function<void()> button;
        {
            const stage at;
            for (const bool is_reset : {false, true}) {
                auto client = at.connect();
                client.send(get("/events"));
                expect(client.read_head().status == 200_i);
                expect(at.app->listeners.reaches(1));
                while (!button) {
                    if (const auto source = at.app->last_listener()) button = source->button();
                }
                is_reset ? client.reset() : client.close();
                expect(at.app->listeners.reaches(0));
                button();
            }
        }
        button();
    };

    "one who reads nothing has no more waiting than the source keeps, and is left"_test = [] {
        const stage at{{.write_timeout = 200ms}};
        auto client = at.connect(4096);
        client.send(get("/events"));
        expect(client.read_head().status == 200_i);
        const double before = raw_http::resident_mb();
        const std::string event = "data: " + std::string(100'000, 'e') + "\n\n";
        // Far more than the kernel takes.
        for (int i = 0; i < 20'000; ++i) {
            const auto source = at.app->last_listener();
            if (!source) break;
            source->give(event);
        }
        if (raw_http::counts_memory) expect(raw_http::resident_mb() - before < 16.0_d);
        expect(at.app->listeners.reaches(0));
    };

    "one who talks while it listens is left"_test = [] {
        const stage at;
        auto client = at.connect();
        client.send(get("/events"));
        expect(client.read_head().status == 200_i);
        client.send(std::string(100'000, 't'));
        expect(at.app->listeners.reaches(0));
    };
};

suite<"http limits"> limits = [] {
    const auto status_of = [](const stage& at, const std::string& text) {
        auto client = at.connect();
        const auto said = client.ask(text);
        expect(said.is_whole and !said.body.empty());
        expect(said.headers.get("connection") == "close");
        client.finish();
        expect(client.is_at_end());
        expect(at.is_alive());
        return said.status;
    };

    "each limit has its status"_test = [&] {
        const stage at{{.max_header_bytes = 1000, .max_target_bytes = 100, .max_body_bytes = 2000}};
        expect(status_of(at, get("/", "X: " + std::string(1000, 'x') + "\r\n")) == 431_i);
        expect(status_of(at, "GET / HTTP/1.1\r\nX: " + std::string(2000, 'x')) == 431_i);
        expect(status_of(at, get("/" + std::string(100, 'x'))) == 414_i);
        expect(status_of(at, "GET /" + std::string(2000, 'x')) == 414_i);
        expect(status_of(at, post("/echo", "Content-Length: 1001\r\n")) == 413_i);
        expect(status_of(at, post("/echo/much", "Content-Length: 2001\r\n")) == 413_i);
        expect(status_of(at, post("/upload/little", "Content-Length: 1001\r\n")) == 413_i);
        const auto chunked = in_chunks(std::string(2001, 'x'), 500);
        for (const std::string_view path : {"/echo", "/echo/much", "/upload/little", "/"})
            expect(status_of(at, post(path, "Transfer-Encoding: chunked\r\n", chunked)) == 413_i)
                << path;
        expect(status_of(at, post("/", "Content-Length: 1\r\n", "x")) == 413_i) << "none is wanted";
        expect(status_of(at, "GET / HTTP/2.0\r\nHost: a\r\n\r\n") == 505_i);
        expect(status_of(at, "BREW / HTTP/1.1\r\nHost: a\r\n\r\n") == 501_i);
        expect(status_of(at, "get / HTTP/1.1\r\nHost: a\r\n\r\n") == 501_i);
        expect(status_of(at, "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n") == 501_i);
        expect(status_of(at, post("/echo", "Expect: a miracle\r\nContent-Length: 1\r\n")) == 417_i);
        expect(status_of(at, "GET / HTTP/1.1\r\n\r\n") == 400_i);
    };

    "a head must come in its time"_test = [&] {
        const stage at{{.header_timeout = 30ms}};
        expect(status_of(at, "GET / HT") == 408_i);
        expect(status_of(at, "GET / HTTP/1.1\r\nHost: a\r\n") == 408_i);
        auto silent = at.connect();
        expect(silent.is_at_end()) << "who has asked for nothing is told nothing";
    };

    "dripping does not make the time longer"_test = [] {
        const stage at{{.header_timeout = 50ms}};
        auto client = at.connect();
        client.send("GET / HTTP/1.1\r\nX: ");
        auto answer = std::async(std::launch::async, [&] { return client.read().status; });
        while (answer.wait_for(5ms) != std::future_status::ready) client.send("x");
        expect(answer.get() == 408_i);
    };

    "a connection may rest between requests, for a time"_test = [] {
        const stage at{{.idle_timeout = 30ms}};
        auto client = at.connect();
        expect(client.ask(get("/")).status == 200_i);
        expect(client.is_at_end());
    };

    "a body must go on coming"_test = [&] {
        const stage at{{.body_timeout = 30ms}};
        expect(status_of(at, post("/echo", "Content-Length: 10\r\n", "abc")) == 408_i);
        expect(status_of(at, post("/upload", "Content-Length: 10\r\n", "abc")) == 408_i);
        expect(status_of(at, post("/upload", "Transfer-Encoding: chunked\r\n", "3\r\nabc")) ==
               408_i);
    };

    "dripping does not make the time of a body longer"_test = [] {
        const stage at{{.body_timeout = 200ms, .min_bytes_per_second = 100'000}};
        for (const std::string_view path : {"/echo", "/upload"})
            for (const bool is_chunked : {false, true}) {
                auto client = at.connect();
                client.send(post(path, is_chunked ? "Transfer-Encoding: chunked\r\n"
                                                  : "Content-Length: 1000\r\n"));
                auto answer = std::async(std::launch::async, [&] { return client.read().status; });
                for (int i = 0; i < 1000 && answer.wait_for(5ms) != std::future_status::ready; ++i)
                    client.send(is_chunked ? "1\r\nx\r\n" : "x");
                if (is_chunked) client.send("0\r\n\r\n");
                expect(answer.get() == 408_i) << path;
            }
    };

    "so many connections, and no more"_test = [] {
        const stage at{{.max_connections = 3}};
        std::vector<raw_http::client> all;
        for (int i = 0; i < 3; ++i) {
            all.push_back(at.connect());
            expect(all.back().ask(get("/")).status == 200_i);
        }
        auto late = at.connect();
        const auto said = late.ask(get("/"));
        expect(said.status == 503_i and said.headers.get("retry-after") == "1");
        late.finish();
        expect(late.is_at_end());
        all.pop_back();
        int status = 0;
        while ((status = at.connect().ask(get("/")).status) == 503) std::this_thread::yield();
        expect(status == 200_i);
    };

    "so many streams, and no more"_test = [] {
        const stage at{
            {.max_streams = 1, .min_stream_bytes_per_second = 0, .slow_stream_time = 1ms}};
        auto upload = at.connect();
        upload.send(post("/upload", "Content-Length: 3\r\n", "a"));
        expect(at.app->uploading.reaches(1));
        auto client = at.connect();
        expect(client.ask(get("/download/1")).status == 503_i);
        expect(client.ask(get("/")).status == 200_i) << "anything else goes on";
        expect(at.connect().ask(post("/upload", "Content-Length: 1\r\n", "x")).status == 503_i);
        expect(upload.ask("bc").body == "3 bytes, sum 294");
        expect(client.ask(get("/download/1")).body == "d");
    };

    "so many listen, and no more"_test = [] {
        const stage at{{.max_listeners = 1}};
        auto first = at.connect();
        first.send(get("/events"));
        expect(first.read_head().status == 200_i);
        auto second = at.connect();
        expect(second.ask(get("/events")).status == 503_i);
        first.close();
        expect(at.app->listeners.reaches(0));
        second.send(get("/events"));
        expect(second.read_head().status == 200_i);
    };
};

suite<"http queries"> queries = [] {
    using http_stage::comes_true;

    const auto query = [](std::string_view path, std::string_view who) {
        return get(path, bulk::concat("X-Who: ", who, "\r\n"));
    };

    "queries hold up nothing else, and end when their clients go"_test = [&] {
        const stage at{{.max_queries = 4, .query_timeout = 10min}};
        auto all = send_from(256, at, query("/query/endless", "a"));
        expect(at.app->searching.reaches(2)) << "one principal has half of the slots";
        expect(comes_true([&] { return at.server->load().waiting_queries == 254; }));
        const auto begin = std::chrono::steady_clock::now();
        expect(at.is_alive());
        expect(std::chrono::steady_clock::now() - begin < 5s);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i % 2 == 0)
                all[i].close();
            else
                all[i].reset();
        expect(at.app->searching.reaches(0));
        expect(comes_true([&] {
            return at.server->load().running_queries == 0 && at.server->load().waiting_queries == 0;
        }));
        expect(at.connect().ask(query("/query", "a")).body == "fine");
    };

    "a query is stopped when its time is up"_test = [&] {
        const stage at{{.query_timeout = 20ms}};
        auto client = at.connect();
        const auto said = client.ask(query("/query/endless", "a"));
        expect(said.status == 503_i);
        expect(said.body == "the query was stopped: it exceeded its time limit") << said.body;
        expect(client.ask(query("/query", "a")).body == "fine") << "and the connection goes on";
    };

    "one that does not get a slot in that time is refused"_test = [&] {
        const stage at{{.max_queries = 1, .query_timeout = 20ms}};
        auto first = at.connect(), second = at.connect();
        first.send(query("/query/wait", "a"));
        expect(at.app->waiting.reaches(1));
        const auto refused = second.ask(query("/query", "a"));
        expect(refused.status == 503_i);
        expect(refused.body.starts_with("too many queries at once")) << refused.body;
        at.app->open();
        expect(first.read().body == "at last");
    };

    "principals take turns"_test = [&] {
        const stage at{{.max_queries = 1, .query_timeout = 10min}};
        std::vector<raw_http::client> all;
        for (int i = 0; i < 4; ++i) {
            all.push_back(at.connect());
            all.back().send(query("/query/endless", "a"));
            expect(at.app->searching.reaches(1));
            expect(comes_true([&] { return at.server->load().waiting_queries == i; }));
        }
        auto other = at.connect();
        other.send(query("/query", "b"));
        expect(comes_true([&] { return at.server->load().waiting_queries == 4; }));
        all[0].reset();
        expect(other.read().body == "fine") << "not behind the three of a that came before";
    };

    "one principal leaves slots to the others"_test = [&] {
        const stage at{{.max_queries = 4, .query_timeout = 10min}};
        const auto all = send_from(8, at, query("/query/endless", "a"));
        expect(at.app->searching.reaches(2));
        expect(at.connect().ask(query("/query", "b")).body == "fine");
    };

    "what a client sends while its query runs is answered next"_test = [&] {
        const stage at;
        auto client = at.connect();
        client.send(query("/query", "a") + get("/") + query("/query", "a") + get("/close"));
        for (int i = 0; i < 3; ++i) expect(client.read().body == "fine");
        expect(client.read().body == "bye");
    };

    "a client that sends no more still gets its answer"_test = [&] {
        const stage at;
        auto client = at.connect();
        client.send(query("/query", "a"));
        client.finish();
        expect(client.read().body == "fine");
    };

    "a stop does not wait for a query whose client is cut off"_test = [&] {
        const stage at{{.query_timeout = 10min, .shutdown_timeout = 10ms}};
        auto client = at.connect();
        client.send(query("/query/endless", "a"));
        expect(at.app->searching.reaches(1));
        at.server->stop();
        expect(at.app->searching.reaches(0));
    };
};

suite<"http streams that are in the way"> slow_streams = [] {
    using http_stage::comes_true;

    "threads of uploads end again"_test = [] {
        const stage at{{.thread_idle_time = 1ms}};
        auto all = send_from(16, at, post("/upload", "Content-Length: 3\r\n", "a"));
        expect(at.app->uploading.reaches(16));
        expect(comes_true([&] { return at.server->load().stream_threads == 16; }));
        for (auto& each : all) expect(each.ask("bc").body == "3 bytes, sum 294");
        expect(comes_true([&] { return at.server->load().stream_threads == 1; }));
        expect(all[0].ask(post("/upload", "Content-Length: 3\r\n", "abc")).status == 200_i);
    };

    "slow uploads make room for another one"_test = [] {
        const stage at{{.max_streams = 4,
                        .body_timeout = 10min,
                        .min_bytes_per_second = 0,
                        .slow_stream_time = 50ms}};
        auto slow = send_from(4, at, post("/upload", "Content-Length: 1000000\r\n", "a"));
        expect(at.app->uploading.reaches(4));
        const std::string body(100'000, 'x');
        const auto said = at.connect().ask(post("/upload", "Content-Length: 100000\r\n", body));
        expect(said.status == 200_i) << said.status;
        int refused = 0;
        for (auto& each : slow) {
            (void)each.send("b");
            char byte = 0;
            const bool has_answer =
                ::recv(each.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
            if (has_answer && each.read().status == 408) ++refused;
        }
        expect(refused == 1_i) << "one had to go, and was told";
    };

    "an upload that is not too slow stays, however long it takes"_test = [] {
        const stage at{
            {.max_streams = 1, .min_stream_bytes_per_second = 0, .slow_stream_time = 1ms}};
        auto first = at.connect();
        first.send(post("/upload", "Content-Length: 3\r\n", "a"));
        expect(at.app->uploading.reaches(1));
        for (int i = 0; i < 50; ++i) {
            const auto other = at.connect().ask(post("/upload", "Content-Length: 3\r\n", "abc"));
            expect(other.status == 503_i) << other.status;
        }
        expect(first.ask("bc").body == "3 bytes, sum 294");
    };

    "a new upload waits until another ends"_test = [] {
        const stage at{{.max_streams = 1, .slow_stream_time = 10min}};
        auto first = at.connect();
        first.send(post("/upload", "Content-Length: 3\r\n", "a"));
        expect(at.app->uploading.reaches(1));
        auto second = at.connect();
        second.send(post("/upload", "Content-Length: 3\r\n", "abc"));
        expect(comes_true([&] { return at.server->load().waiting_streams == 1; }));
        expect(first.ask("bc").body == "3 bytes, sum 294");
        expect(second.read().body == "3 bytes, sum 294");
    };

    "clients that reconnect before they count as slow do not keep others out"_test = [] {
        const stage at{{.max_streams = 2, .slow_stream_time = 10min}};
        const auto begin = post("/upload", "Content-Length: 3\r\n", "a");
        std::array<raw_http::client, 2> hostile{at.connect(), at.connect()};
        std::array<raw_http::client, 2> again{at.connect(), at.connect()};
        for (auto& each : hostile) each.send(begin);
        expect(at.app->uploading.reaches(2));
        auto honest = at.connect();
        honest.send(post("/upload", "Content-Length: 3\r\n", "abc"));
        expect(comes_true([&] { return at.server->load().waiting_streams == 1; }));
        for (std::size_t i = 0; i < hostile.size(); ++i) {
            hostile[i].close();
            again[i].send(begin);
        }
        expect(honest.read().body == "3 bytes, sum 294");
    };

    "slow downloads make room, too"_test = [] {
        const stage at{{.max_streams = 1,
                        .write_timeout = 10min,
                        .min_bytes_per_second = 0,
                        .min_stream_bytes_per_second = 1'000'000'000,
                        .slow_stream_time = 50ms}};
        auto slow = at.connect(4096);
        slow.send(get("/chunks/100000000"));
        expect(slow.read_head().status == 200_i);
        expect(comes_true([&] { return at.connect().ask(get("/download/1")).status == 200; }));
        expect(at.app->downloads.reaches(0));
    };
};

suite<"http stop"> stopping = [] {
    "what is being answered is finished, what rests is closed"_test = [] {
        stage at;
        auto resting = at.connect();
        expect(resting.ask(get("/")).status == 200_i);
        auto fresh = at.connect();
        auto half = at.connect();
        half.send("GET / HT");
        auto busy = at.connect();
        busy.send(get("/wait"));
        expect(at.app->waiting.reaches(1));
        std::thread stop{[&] { at.server->stop(); }};
        expect(resting.is_at_end());
        expect(fresh.is_at_end());
        expect(half.is_at_end());
        at.app->open();
        const auto said = busy.read();
        expect(said.body == "at last" and said.headers.get("connection") == "close");
        stop.join();
        expect(!at.connect().is_connected());
        at.server->stop();  // again
    };

    "event streams end whole, an upload goes on for a time and is cut then"_test = [] {
        stage at{{.shutdown_timeout = 100ms}};
        auto listening = at.connect();
        listening.send(get("/events"));
        auto upload = at.connect();
        upload.send(post("/upload", "Content-Length: 10\r\n", "abc"));
        auto loading = at.connect(4096);
        loading.send(get("/download/1000000000"));
        expect(at.app->listeners.reaches(1));
        expect(at.app->uploading.reaches(1));
        expect(at.app->downloads.reaches(1));
        std::thread stop{[&] { at.server->stop(); }};
        const auto said = listening.read();
        expect(said.is_whole);
        stop.join();
        expect(at.app->refused_pulls.load() == 1_u);
        expect(upload.read().status == 0_i);
        expect(!loading.read().is_whole);
        expect(at.app->downloads.value() == 0_i);
    };

    "an upload that comes in time is finished"_test = [] {
        stage at;
        auto upload = at.connect();
        upload.send(post("/upload", "Content-Length: 6\r\n", "abc"));
        expect(at.app->pieces.reaches(1));
        auto resting = at.connect();
        expect(resting.ask(get("/")).status == 200_i);
        std::thread stop{[&] { at.server->stop(); }};
        expect(resting.is_at_end());  // so the stop has begun
        expect(upload.ask("abc").body == "6 bytes, sum 588");
        stop.join();
    };

    "an application that waits is waited for"_test = [] {
        stage at{{.threads = 1, .shutdown_timeout = 0ms}};
        auto busy = at.connect();
        busy.send(get("/wait"));
        expect(at.app->waiting.reaches(1));
        auto next = at.connect();
        next.send(get("/"));  // waits for the one thread
        std::thread stop{[&] { at.server->stop(); }};
        at.app->open();
        stop.join();
        expect(at.app->waiting.value() == 0_i);
    };

    "a stop in the middle of everything ends"_test = [] {
        for (unsigned round = 0; round <= 15; ++round) {
            stage at{{.threads = 2, .heartbeat = 1ms, .shutdown_timeout = 20ms}};
            std::atomic<bool> is_over = false;
            std::atomic<unsigned> asked = 0;
            std::vector<std::thread> clients;
            for (unsigned i = 0; i < 6; ++i)
                clients.emplace_back([&, i] {
                    for (unsigned n = i; !is_over; ++n, ++asked) {
                        auto client = at.connect(n % 3 == 0 ? 4096 : 0);
                        if (!client.is_connected()) return;
                        switch (n % 7) {
                            case 0:
                                (void)client.ask(get("/"));
                                break;
                            case 1:
                                client.send(post("/upload", "Content-Length: 1000\r\n", "abc"));
                                break;
                            case 2:
                                client.send(get("/events"));
                                (void)client.read_head();
                                break;
                            case 3:
                                client.send(get("/download/1000000"));
                                (void)client.read_exactly(5000);
                                client.reset();
                                break;
                            case 4:
                                client.send("GET / HT");
                                break;
                            case 5:
                                client.send(get("/events"));
                                (void)client.read();  // until the stop
                                break;
                            default:
                                (void)client.ask(post("/upload", "Transfer-Encoding: chunked\r\n",
                                                      in_chunks(std::string(5000, 'x'), 99)));
                        }
                    }
                });
            while (asked < round) std::this_thread::yield();  // after 15 all of them listen
            at.server->stop();
            is_over = true;
            for (auto& each : clients) each.join();
            expect(at.app->listeners.value() == 0_i and at.app->downloads.value() == 0_i);
            expect(at.app->uploading.value() == 0_i);
        }
    };

    "a server that nobody asked anything stops at once"_test = [] {
        for (int i = 0; i < 20; ++i) {
            const stage at{{.shutdown_timeout = 10s}};
            const auto port = at.server->port();
            auto silent = at.connect();
            expect(silent.is_connected());
            const auto begin = std::chrono::steady_clock::now();
            at.server->stop();
            expect(fatal(std::chrono::steady_clock::now() - begin < 10s)) << "nothing is in flight";
            expect(silent.is_at_end()) << "who has asked for nothing is not waited for";
            expect(!raw_http::client{port}.is_connected()) << "nobody listens any more";
        }
    };
};

int main() {}
