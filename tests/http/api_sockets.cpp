// Every route of the table once through a real socket, against a service that runs on its own threads.
#include <bulk/bulk.hpp>
#include <bulk/feed.hpp>
#include <bulk/http/api/all_routes.hpp>
#include <bulk/http/serve.hpp>

#include <support/article_feed.hpp>
#include <support/http_stage.hpp>
#include <support/json.hpp>
#include <support/raw_http.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
namespace http = bulk::http;

namespace {

struct number {
    int value = 0;
};
BULK_ROW(number, value);

struct doubling : bulk::operation<doubling, number> {
    BULK_OPERATION("doubling", .track_row_data = true, .retryable = true)
    BULK_STEP(compute, "Compute")
    (const number& row, const bulk::no_metadata&, bulk::context&) {
        if (row.value == 2) return bulk::outcome::fail("two is taken");
        if (row.value == 9) return bulk::outcome::wait_for_signal("nine");
        return bulk::outcome::done();
    }
};

struct articles : support::article_feed<articles> {
    BULK_FEED("articles")
};

struct place {
    place() {
        support::source_behaviour::now() = &source;
        for (int i = 0; i < 5; ++i)
            source.data.put(
                {"a" + std::to_string(i), i * 10, 1,
                 (bulk::system_clock{}.now() - std::chrono::hours{24}).time_since_epoch().count()});
        served.emplace(http::start_serving(service, feeds, {.port = 0}).value());
    }

    support::source_behaviour source;
    bulk::memory::storage storage;
    bulk::service service{bulk::operations<doubling>, storage};
    bulk::feed_service feeds{bulk::feeds<articles>, storage};
    std::optional<http::serving> served;
};

/// A search in a real database that is run again and again until it is stopped: as slow as one among any
/// number of rows, without their number.
class endless_search : public support::sqlite_backend {
public:
    explicit endless_search(support::sqlite_backend opened)
        : support::sqlite_backend{std::move(opened)} {}

    [[nodiscard]] bulk::result<bulk::page<bulk::row_number>> row_numbers(
        const bulk::row_query& query) {
        auto found = support::sqlite_backend::row_numbers(query);
        while (found && query.row_id_contains == "zzz")
            found = support::sqlite_backend::row_numbers(query);
        return found;
    }
};

/// Served from a file, to two principals.
struct searched_place {
    explicit searched_place(http::server_options options) {
        const auto text = std::make_shared<std::string>("value\n");
        for (int i = 10; i < 1010; ++i) *text += std::to_string(i) + '\n';
        const auto made =
            service
                .create("doubling",
                        bulk::upload{.name = "n.csv",
                                     .bytes = bulk::byte_source{std::string_view{*text}, text}})
                .value();
        expect(service.wait(made, std::chrono::seconds{30}).has_value());
        id = bulk::to_text(made);
        served.emplace(
            http::start_serving(
                service,
                {.port = 0,
                 .api = {.access = http::by_tokens({{"anna", "a-secret"}, {"bob", "b-secret"}})},
                 .server = options})
                .value());
    }
    [[nodiscard]] std::string get(const std::string& path, std::string_view secret) const {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
               std::string{secret} + "\r\n\r\n";
    }
    [[nodiscard]] std::string rows(std::string_view query) const {
        return "/api/v1/operations/" + id + "/rows" + std::string{query};
    }
    [[nodiscard]] bool is_idle() const {
        const auto now = served->load();
        return now.running_queries == 0 && now.waiting_queries == 0;
    }

    support::temporary_directory directory;
    bulk::service service{
        bulk::operations<doubling>,
        endless_search{support::sqlite_backend::open(directory.path("bulk.db")).value()}};
    std::string id;
    std::optional<http::serving> served;
};

std::string request(std::string_view verb, const std::string& path, const std::string& body = {},
                    const std::string& type = {}) {
    std::string text = std::string{verb} + ' ' + path + " HTTP/1.1\r\nHost: localhost\r\n";
    if (!type.empty())
        text +=
            "Content-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
}

constexpr std::string_view table = "value\n1\n2\n";

}  // namespace

suite<"sockets"> sockets = [] {
    "every route answers through a socket"_test = [] {
        place at;
        raw_http::client client{at.served->port()};
        const auto post_file = [&](const std::string& path) {
            return client.ask(request("POST", path, std::string{table}, "text/csv"));
        };
        const auto made = post_file("/api/v1/operations?type=doubling&file_name=n.csv");
        expect(fatal(made.status == 202_i)) << made.body;
        const auto id = support::json::parse(made.body)["id"].text();
        const auto operation = bulk::parse_operation_id(id).value();
        expect(at.service.wait(operation, std::chrono::seconds{30}).has_value());
        const auto started =
            client.ask(request("POST", "/api/v1/feeds/articles/runs", "{}", "application/json"));
        expect(fatal(started.status == 202_i)) << started.body;
        const auto run = support::json::parse(started.body)["id"].text();
        expect(
            at.feeds.wait(bulk::parse_run_id(run).value(), std::chrono::seconds{30}).has_value());
        const std::string boundary = "\r\n--X--\r\n";
        const std::string form =
            "--X\r\nContent-Disposition: form-data; name=\"operationName\"\r\n\r\ndoubling\r\n"
            "--X\r\nContent-Disposition: form-data; name=\"createdBy\"\r\n\r\nanna\r\n"
            "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"n.csv\"\r\n\r\n" +
            std::string{table} + boundary;
        // What a route says to what the others have left: removals come last.
        const std::map<std::string_view, int> other_answers{
            {"resumeRun", 409},       {"retryRun", 409},        {"cancelRun", 409},
            {"cancelOperation", 409}, {"pauseOperation", 409},  {"resumeOperation", 409},
            {"sendSignal", 409},      {"olderSignalStep", 404}, {"olderFailStep", 404},
            {"retryOperation", 202},  {"olderRetryBulk", 200},  {"olderRetryBulkRows", 400}};
        int walked = 0;
        for (const int pass : {1, 2})
            for (const auto& route : http::api::all_routes) {
                if ((route.verb == http::method::remove) != (pass == 2)) continue;
                const bool is_feed = route.topic == "feeds" || route.topic == "runs";
                std::string path{route.path};
                for (const auto& [name, value] : std::map<std::string, std::string>{
                         {"{id}", is_feed ? run : id},
                         {"{name}", is_feed ? "articles" : "doubling"},
                         {"{row}", "2"},
                         {"{key}", "nine"}})
                    if (const auto found = path.find(name); found != std::string::npos)
                        path.replace(found, name.size(), value);
                const std::string verb{http::api::verb_name(route.verb)};
                if (route.id == "streamEvents") {
                    raw_http::client listener{at.served->port()};
                    expect(listener.send(request(verb, path + "?after=0")));
                    const auto head = listener.read_head();
                    expect(head.status == 200_i);
                    expect(head.headers.get("content-type") == "text/event-stream");
                    expect(listener.read_past("event: created").has_value());
                    ++walked;
                    continue;
                }
                raw_http::reply said;
                if (route.is_bulksharp() && route.body == http::api::body_shape::upload)
                    said = client.ask(request(verb, path, form, "multipart/form-data; boundary=X"));
                else if (route.id == "createOperation")
                    said = post_file(path + "?type=doubling&file_name=n.csv");
                else if (route.body == http::api::body_shape::upload)
                    said = post_file(path + "?file_name=n.csv");
                else if (route.id == "setWatermark")
                    said = client.ask(request(verb, path, R"({"value":"2026-01-01T00:00:00Z"})",
                                              "application/json"));
                else if (route.id == "sendSignal")
                    said = client.ask(request(verb, path, R"({"key":"nine"})", "application/json"));
                else if (route.body == http::api::body_shape::json)
                    said = client.ask(request(verb, path, "{}", "application/json"));
                else
                    said = client.ask(request(verb, path));
                const auto other = other_answers.find(route.id);
                const int wanted = other == other_answers.end() ? route.status : other->second;
                expect(said.status == wanted) << verb << path << said.status << said.body;
                expect(said.headers.get("x-content-type-options") == "nosniff") << path;
                if (route.id == "retryOperation" || route.id == "olderRetryBulk")
                    expect(at.service.wait(operation, std::chrono::seconds{30}).has_value());
                ++walked;
            }
        expect(walked == static_cast<int>(http::api::all_routes.size()));
    };

    "an upload that is cut in the middle leaves nothing"_test = [] {
        place at;
        {
            raw_http::client client{at.served->port()};
            expect(
                client.send("POST /api/v1/operations?type=doubling&file_name=n.csv HTTP/1.1\r\n"
                            "Host: localhost\r\nContent-Type: text/csv\r\n"
                            "Content-Length: 1000000\r\n\r\nvalue\n1\n"));
        }
        raw_http::client other{at.served->port()};
        const auto list = other.ask(request("GET", "/api/v1/operations"));
        expect(support::json::parse(list.body)["total"] == "0") << list.body;
        at.served->stop();  // the upload has ended when it has stopped
        expect(at.storage.files("", 10).value().empty());
    };

    "a page elsewhere cannot ask by a name that leads here"_test = [] {
        place at;
        raw_http::client client{at.served->port()};
        const auto said =
            client.ask("GET /api/v1/operations HTTP/1.1\r\nHost: evil.example\r\n\r\n");
        expect(said.status == 421_i) << said.body;
    };
};

suite<"slow queries"> slow_queries = [] {
    using http_stage::comes_true;
    using namespace std::chrono_literals;

    "abandoned searches hold up nothing, and end"_test = [] {
        const searched_place at{{.query_timeout = 10min}};
        std::vector<raw_http::client> abandoned;
        for (int i = 0; i < 256; ++i) {
            abandoned.emplace_back(at.served->port());
            abandoned.back().send(at.get(at.rows("?row_id=zzz"), "a-secret"));
        }
        expect(comes_true([&] { return at.served->load().waiting_queries == 254; }));
        raw_http::client watcher{at.served->port()};
        const auto asks = [&](const std::string& path, std::string_view secret) {
            const auto begin = std::chrono::steady_clock::now();
            const auto said = watcher.ask(at.get(path, secret));
            expect(said.status == 200_i) << path << said.body;
            expect(std::chrono::steady_clock::now() - begin < 2s) << path;
        };
        asks("/healthz", "a-secret");
        asks("/readyz", "a-secret");
        asks("/metrics", "a-secret");
        asks("/api/v1/operations/" + at.id, "a-secret");
        asks("/api/v1/operations/" + at.id + "/status", "a-secret");
        asks(at.rows("?row_id=100"), "b-secret");  // another principal, who searches
        abandoned.clear();
        expect(comes_true([&] { return at.is_idle(); })) << at.served->load().running_queries;
        asks(at.rows("?row_id=100"), "a-secret");
    };

    "a search that takes too long is stopped, with a hint"_test = [] {
        const searched_place at{{.query_timeout = 50ms}};
        raw_http::client client{at.served->port()};
        const auto said = client.ask(at.get(at.rows("?row_id=zzz"), "a-secret"));
        const auto why = support::json::parse(said.body);
        expect(said.status == 503_i and said.headers.get("retry-after") == "1") << said.body;
        expect(why["type"] == "urn:bulk:problem:query_timeout") << said.body;
        expect(why["detail"].text().contains("exceeded its time limit")) << said.body;
        expect(why["detail"].text().contains("from_row, to_row")) << said.body;
        expect(why["detail"].text().contains("total=false")) << said.body;
        expect(!said.body.contains(at.directory.path())) << "a path is nobody's business";
        expect(comes_true([&] { return at.is_idle(); }));
    };

    "an export ends with its client"_test = [] {
        const searched_place at{{}};
        for (int i = 0; i < 8; ++i) {
            raw_http::client client{at.served->port()};
            client.send(at.get("/api/v1/operations/" + at.id + "/export", "a-secret"));
            if (i % 2 == 0) client.reset();
        }
        expect(comes_true([&] { return at.served->load().open_streams == 0; }));
    };
};

int main() {}
