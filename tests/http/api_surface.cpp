// What surrounds every route: who may ask, from where, what is refused, and the document of all of it;
// then feeds and the older routes.
#include <http/api_stage.hpp>
#include <http/route_path.hpp>

#include <bulk/core/names.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api/all_routes.hpp>
#include <bulk/http/api/openapi.hpp>
#include <bulk/http/api/schemas.hpp>
#include <bulk/http/dashboard/assets.hpp>
#include <bulk/http/serve.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using api_stage::form;
using api_stage::method;
using api_stage::stage;
namespace http = bulk::http;

namespace {

/// Three who may ask: one may act, one may see what was uploaded.
http::api_options with_tokens() {
    return {.access = http::by_tokens({{"anna", "the secret of anna", true},
                                       {"otto", "the secret of otto", false},
                                       {"fred", "the secret of fred", false, true}})};
}

http::header_list as(const std::string& name) {
    return {{"Authorization", "Bearer the secret of " + name}};
}

/// A path of the table with something in its places.
std::string filled(std::string_view path) {
    std::string text{path};
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"{id}", "01890000-0000-7000-8000-000000000000"},
                                            {"{name}", "transfers"},
                                            {"{row}", "1"},
                                            {"{key}", "k"}})
        if (const auto at = text.find(name); at != std::string::npos)
            text.replace(at, name.size(), value);
    return text;
}

/// What is wrong with a value by its type in a schema; empty when nothing is.
std::string mismatch(const support::json& value, std::string type) {
    using kind = support::json::kind;
    if (type.ends_with('?')) {
        if (value.is_null()) return {};
        type.pop_back();
    }
    if (type.starts_with('[')) {
        if (value.is != kind::list) return "no list";
        for (const auto& each : value.items)
            if (auto wrong = mismatch(each, type.substr(1, type.size() - 2)); !wrong.empty())
                return wrong;
        return {};
    }
    if (type == "whole" || type == "number") return value.is == kind::number ? "" : "no number";
    if (type == "truth") return value.is == kind::truth ? "" : "neither true nor false";
    if (type == "object") return value.is == kind::object ? "" : "no object";
    if (type == "anything") return {};
    for (const auto& schema : http::api::schemas()) {
        if (schema.name != type) continue;
        std::set<std::string> wanted, found{value.names.begin(), value.names.end()};
        std::string wrong;
        http::api::for_each_member(schema.members, [&](std::string_view name, std::string_view of) {
            if (name.ends_with('?')) {  // it may be left out
                name.remove_suffix(1);
                if (!found.contains(std::string{name})) return;
            }
            wanted.emplace(name);
            if (auto why = mismatch(value[name], std::string{of}); !why.empty() && wrong.empty())
                wrong = std::string{name} + ": " + why;
        });
        if (!wrong.empty()) return type + "." + wrong;
        return wanted == found ? "" : type + " has other members: " + value.text();
    }
    if (value.is != kind::text) return "no text";
    if (type == "count")
        return value.text().find_first_not_of("-0123456789") == std::string::npos ? ""
                                                                                  : "no digits";
    if (type == "uuid") return value.text().size() == 36 ? "" : "no uuid";
    if (type == "moment") return value.text().ends_with('Z') ? "" : "no moment";
    return {};
}

}  // namespace

suite<"who may ask"> rights = [] {
    "every route asks who asks, but for the two that say whether we live"_test = [] {
        stage at{with_tokens(), {}, true};
        for (const auto& route : http::api::all_routes) {
            const auto nobody = at.send(route.verb, filled(route.path));
            const auto stranger = at.send(route.verb, filled(route.path),
                                          {{"Authorization", "Bearer the secret of ann"}});
            const auto reader = at.send(route.verb, filled(route.path), as("otto"));
            if (route.needs == http::api::right::open) {
                expect(nobody.status == 200_i) << route.path;
                continue;
            }
            expect(nobody.is_problem(401, "unauthenticated")) << route.path << nobody.body;
            expect(nobody.header("www-authenticate") == "Bearer");
            expect(stranger.status == 401_i) << route.path;
            if (route.needs == http::api::right::operate || route.needs == http::api::right::files)
                expect(reader.is_problem(403, "forbidden")) << route.path << reader.body;
            else
                expect(reader.status != 401_i and reader.status != 403_i) << route.path;
        }
    };

    "a request is authenticated once"_test = [] {
        int count = 0;
        stage at{{.access = [&, known = http::everybody()](const http::request_head& head) {
            ++count;
            return known(head);
        }}};
        expect(at.get("/api/v1").status == 200_i and count == 1_i);
        expect(at.upload("account,amount\nA-1,10\n").status == 202_i and count == 2_i);
        const auto nowhere = at.post("/api/bulks/" + filled("{id}") + "/retry");
        expect(nowhere.status == 400_i and count == 3_i) << nowhere.body;
        expect(at.get("/healthz").status == 200_i and count == 3_i) << "open to everybody";
    };

    "files as they were uploaded need a right of their own"_test = [] {
        stage at{with_tokens()};
        auto headers = as("anna");
        headers.add("Content-Type", "text/csv");
        const auto made = at.upload("account,amount,iban,phone\nA-1,10,DE1,+49\n",
                                    "type=transfers&file_name=june.csv", headers);
        at.drive();
        const std::string path = "/api/v1/operations/" + made.json()["id"].text();
        const std::string older = "/api/bulks/" + made.json()["id"].text();
        for (const std::string name : {"otto", "anna"}) {
            expect(at.get(path + "/file", as(name)).is_problem(403, "forbidden")) << name;
            expect(at.get(older + "/file", as(name)).status == 403_i) << name;
            for (const std::string& rows :
                 {at.get(path + "/export?content=data", as(name)).body,
                  at.get(path + "/export?content=data&format=json", as(name)).body,
                  at.get(older + "/export?mode=Data", as(name)).body}) {
                expect(rows.contains("A-1")) << rows;
                expect(!rows.contains("DE1") and !rows.contains("+49")) << name << rows;
            }
        }
        const auto file = at.get(path + "/file", as("fred"));
        expect(file.status == 200_i and file.body.contains("DE1")) << file.body;
        const auto rows = at.get(path + "/export?content=data", as("fred"));
        expect(rows.body == "account,amount,iban,phone\nA-1,10,DE1,+49\n") << rows.body;
        const auto index = at.get("/api/v1", as("fred")).json();
        expect(index["principal"]["may_read_files"].is_true() and index["read_only"].is_true());
    };

    "without tokens a request through a proxy is refused, unless the proxy is trusted"_test = [] {
        stage open;
        stage trusting{{.access = http::everybody(true)}};
        stage guarded{with_tokens()};
        for (const std::string name : {"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"}) {
            const auto said = open.get("/api/v1", {{name, "for=10.1.2.3"}});
            expect(said.is_problem(403, "forbidden", name)) << said.body;
            expect(open.get("/healthz", {{name, "for=10.1.2.3"}}).status == 200_i);
            expect(trusting.get("/api/v1", {{name, "for=10.1.2.3"}}).status == 200_i);
            auto headers = as("otto");
            headers.add(name, "for=10.1.2.3");
            expect(guarded.get("/api/v1", headers).status == 200_i);
        }
        expect(open.get("/api/v1").status == 200_i);
    };

    "an address that tries many tokens is refused for a while"_test = [] {
        std::chrono::steady_clock::time_point now{};
        const auto access = http::by_tokens(
            {{"anna", "the secret of anna"}, {"otto", "the secret of otto"}},
            {.most_wrong = 5, .window = std::chrono::seconds{60}, .now = [&] { return now; }});
        const auto ask = [&](const std::string& secret, const std::string& peer) {
            const auto said =
                access({.headers = {{"Authorization", "Bearer " + secret}}, .peer = peer});
            return said ? 200 : said.error().kind.status;
        };
        expect(ask("the secret of anna", "10.0.0.1") == 200_i);
        for (int i = 0; i < 100; ++i)
            expect(ask("an old secret", "10.0.0.1") == 401_i) << "the same again counts once";
        for (int i = 0; i < 4; ++i)
            expect(ask("guess " + std::to_string(i), "10.0.0.1") == 401_i) << i;
        expect(ask("guess 4", "10.0.0.1") == 429_i);
        expect(ask("the secret of otto", "10.0.0.1") == 429_i) << "a right one is not told apart";
        expect(ask("the secret of anna", "10.0.0.1") == 200_i) << "who was there before stays";
        expect(ask("the secret of otto", "10.0.0.2") == 200_i) << "others are not affected";
        const auto why =
            access({.headers = {{"Authorization", "Bearer guess 9"}}, .peer = "10.0.0.1"});
        expect(why.error().headers.get("retry-after") == "60");
        now += std::chrono::seconds{60};
        expect(ask("the secret of otto", "10.0.0.1") == 200_i);
        for (int i = 0; i < 20'000; ++i) (void)ask("guess", "10.1." + std::to_string(i));
        expect(ask("the secret of otto", "10.0.0.1") == 200_i);
    };

    "who asks stands in what they create, whatever they say"_test = [] {
        stage at{with_tokens()};
        auto headers = as("anna");
        headers.add("Content-Type", "text/csv");
        const auto made =
            at.upload("account,amount\nA-1,1\n", "type=transfers&file_name=a.csv", headers);
        expect(made.json()["created_by"] == "anna") << made.body;
        const auto index = at.get("/api/v1", as("otto")).json();
        expect(index["read_only"].is_true() and index["principal"]["name"] == "otto");
    };

    "what was done is told to the log, with who did it"_test = [] {
        std::vector<http::action> seen;
        auto options = with_tokens();
        options.log = [&](const http::action& each) { seen.push_back(each); };
        stage at{options};
        auto headers = as("anna");
        (void)at.post("/api/v1/operations/7/cancel", "{}", headers);
        (void)at.get("/api/v1/operations", as("anna"));
        expect(fatal(seen.size() == 1_u));
        expect(seen[0].who == "anna" and seen[0].what == "cancelOperation");
        expect(seen[0].status == 400_i and seen[0].where == "/api/v1/operations/7/cancel");
    };

    "a proxy's header counts if it comes from the proxy"_test = [] {
        const auto proxy = http::by_proxy({.operators = {"anna"}});
        http::request_head head{.headers = {{"X-Remote-User", "anna"}}, .peer = "127.0.0.1"};
        expect(proxy(head).value().name == "anna" and proxy(head).value().may_operate);
        head.headers.set("X-Remote-User", "otto");
        expect(!proxy(head).value().may_operate);
        head.peer = "10.0.0.7";
        expect(proxy(head).error().kind.status == 401_i);
        head.peer = "::1";
        head.headers.add("X-Remote-User", "anna");
        expect(!proxy(head)) << "two names are none";
        head.headers = {{"X-Remote-User", "ann\xff"}};
        expect(!proxy(head)) << "what no answer could hold is no name";
        const auto both = http::any_of({http::by_tokens({{"t", "0123456789abcdef", true}}), proxy});
        head = {.headers = {{"Authorization", "bearer 0123456789abcdef"}}, .peer = "10.0.0.7"};
        expect(both(head).value().name == "t");
        head.headers = {};
        expect(!both(head));
    };

    "secrets are the same only if all of them is"_test = [] {
        expect(http::same_secret("abc", "abc"));
        for (const auto* other : {"", "a", "ab", "abcd", "abcabc", "xbc", "abx"})
            expect(!http::same_secret(other, "abc") and !http::same_secret("abc", other)) << other;
        expect(!http::same_secret("", ""));
    };

    "an address that others reach needs somebody who says who they are"_test = [] {
        stage at;
        const auto open = http::open_api(&at.service(), nullptr, {.port = 0, .address = "0.0.0.0"});
        expect(fatal(!open.has_value()));
        expect(open.error().message.contains("127.0.0.1")) << open.error().message;
        expect(!http::open_api(nullptr, nullptr, {}).has_value());
        for (const std::string origin : {"*", "", "ops.example", "https://", "https://*.example",
                                         "https://ops.example/", "HTTPS://ops.example"}) {
            const auto vain = http::open_api(
                &at.service(), nullptr, {.port = 0, .api = {.origins = {.origins = {origin}}}});
            expect(fatal(!vain.has_value())) << origin;
            expect(vain.error().message.contains("is no origin")) << vain.error().message;
        }
    };
};

suite<"from where"> origins = [] {
    "a name that is not ours is misdirected, an address is not"_test = [] {
        stage at{{.origins = {.hosts = {"bulk.example.org"}}}};
        for (const std::string host : {"localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:80",
                                       "10.1.2.3", "bulk.example.org", "Bulk.Example.Org:443"})
            expect(at.get("/api/v1", {{"Host", host}}).status == 200_i) << host;
        for (const std::string host :
             {"evil.example", "localhost.evil.example", "evil.example:8080", "", "127.0.0.1.nip.io",
              "..", ".", "127.1", "2130706433", "1.2.3.4.5", "256.1.1.1", "[:]", "[1.2.3.4]"})
            expect(at.get("/api/v1", {{"Host", host}}).is_problem(421, "misdirected")) << host;
    };

    "pages of other sites change nothing"_test = [] {
        stage at{{.origins = {.origins = {"https://ops.example"}}}};
        const auto cancel = [&](http::header_list headers) {
            return at.post("/api/v1/operations/7/cancel", "{}", std::move(headers)).status;
        };
        expect(cancel({}) == 400_i) << "no browser";
        expect(cancel({{"Origin", "http://localhost:8080"}}) == 400_i);
        expect(cancel({{"Origin", "https://ops.example"}, {"Sec-Fetch-Site", "cross-site"}}) ==
               400_i);
        expect(cancel({{"Sec-Fetch-Site", "same-origin"}}) == 400_i);
        expect(cancel({{"Origin", "http://evil.example"}}) == 403_i);
        expect(cancel({{"Origin", "null"}}) == 403_i);
        expect(cancel({{"Origin", "http://localhost:9999"}}) == 403_i);
        expect(cancel({{"Sec-Fetch-Site", "cross-site"}}) == 403_i);
        expect(cancel({{"Sec-Fetch-Site", "same-site"}}) == 403_i);
    };

    "other sites are told nothing, unless they are listed"_test = [] {
        stage closed;
        const auto none = closed.get("/api/v1", {{"Origin", "https://ops.example"}});
        expect(!none.headers.has("access-control-allow-origin"));
        stage at{{.origins = {.origins = {"https://ops.example"}}}};
        const auto listed = at.get("/api/v1", {{"Origin", "https://ops.example"}});
        expect(listed.header("access-control-allow-origin") == "https://ops.example");
        expect(listed.header("access-control-allow-credentials") == "true");
        expect(listed.header("vary") == "Origin");
        const auto other = at.get("/api/v1", {{"Origin", "https://ops.example.evil"}});
        expect(!other.headers.has("access-control-allow-origin") and
               !other.headers.has("access-control-allow-credentials"));
        const auto preflight = [&](http::header_list headers) {
            headers.add("Origin", "https://ops.example");
            headers.add("Access-Control-Request-Method", "POST");
            return at.send(method::options, "/api/v1/operations", std::move(headers));
        };
        const auto asked = preflight({});
        expect(asked.status == 204_i);
        expect(asked.header("access-control-allow-methods").contains("POST"));
        expect(asked.header("access-control-allow-headers").contains("Idempotency-Key"));
        const auto named = preflight({{"Access-Control-Request-Headers", "x-own, content-type"}});
        expect(named.header("access-control-allow-headers") == "x-own, content-type");
        const auto odd = preflight({{"Access-Control-Request-Headers", "x; *"}});
        expect(!odd.header("access-control-allow-headers").contains('*')) << "never all of them";
    };

    "credentials are never combined with an origin that stands for others"_test = [] {
        stage at{{.origins = {.origins = {"*", "https://ops.example"}}}};
        for (const std::string origin : {"https://evil.example", "null"}) {
            const auto said = at.get("/api/v1", {{"Origin", origin}});
            expect(!said.headers.has("access-control-allow-origin")) << origin;
            expect(!said.headers.has("access-control-allow-credentials")) << origin;
        }
    };

    "nothing is framed, sniffed or kept"_test = [] {
        stage at;
        for (const std::string path : {"/api/v1", "/nowhere", "/api/v1/operations/x", "/healthz"}) {
            const auto said = at.get(path);
            expect(said.header("x-content-type-options") == "nosniff") << path;
            expect(said.header("cache-control") == "no-store") << path;
            expect(said.header("content-security-policy").contains("frame-ancestors 'none'"))
                << path;
        }
    };
};

suite<"the surface"> surface = [] {
    "what is not there, and what cannot be done there"_test = [] {
        stage at;
        expect(at.get("/nowhere").is_problem(404, "not_found"));
        expect(at.get("/api/v1/feeds").is_problem(404, "not_found")) << "a program without feeds";
        const auto put = at.send(method::put, "/api/v1/operations");
        expect(put.is_problem(405, "method_not_allowed"));
        expect(put.header("allow") == "GET, POST, HEAD, OPTIONS") << put.header("allow");
        const auto options = at.send(method::options, "/api/v1/operations");
        expect(options.status == 204_i and options.header("allow") == "GET, POST, HEAD, OPTIONS");
        expect(at.send(method::head, "/api/v1/operations").status == 200_i);
        expect(at.get("/api/v1/operations", {{"Accept", "text/html"}})
                   .is_problem(406, "not_acceptable", "Accept"));
        expect(
            at.get("/api/v1/operations", {{"Accept", "text/html, application/*;q=0.5"}}).status ==
            200_i);
        for (const auto& [odd, status] :
             std::map<std::string, int>{{"/api/v1/../x", 400},
                                        {"/api//v1", 400},
                                        {"/api/v1/operations/%2e%2e", 400},
                                        {"/api/v1/operations/%zz", 400},
                                        {"/api/v1/operations/%00", 400}})
            expect(at.get(odd).status == status) << odd << at.get(odd).status;
    };

    "the page is for reading only, and a preflight is answered"_test = [] {
        for (const bool has_dashboard : {true, false}) {
            stage at{{.has_dashboard = has_dashboard}};
            for (const auto verb : {method::options, method::remove, method::post, method::put}) {
                const auto said = at.send(verb, "/");
                expect(said.is_problem(405, "method_not_allowed")) << said.status;
                expect(said.header("allow") == "GET, HEAD") << said.header("allow");
            }
            const http::header_list preflight{{"Origin", "https://ops.example"},
                                              {"Access-Control-Request-Method", "GET"}};
            expect(at.send(method::options, "/", preflight).status == 204_i);
            expect(at.send(method::options, "/api/v1/operations", preflight).status == 204_i);
            expect(at.send(method::options, "/nowhere").is_problem(404, "not_found"));
        }
    };

    "a range that ends before it begins is refused by the name of its parameter"_test = [] {
        stage at{{}, {}, true};
        const auto id = at.three();
        const std::string reversed = "?from=2026-02-01&to=2026-01-01";
        for (const std::string path : {"/api/v1/operations", "/api/v1/runs"}) {
            const auto said = at.get(path + reversed);
            expect(said.is_problem(400, "invalid_argument", "from")) << path << said.body;
            expect(said.json()["detail"] == "`from` must not be later than `to`") << said.body;
            expect(at.get(path + "?from=2026-01-01&to=2026-01-01").status == 200_i);
            expect(at.get(path + "?from=2026-1-1").is_problem(400, "invalid_argument", "from"));
        }
        for (const std::string path : {"/rows", "/errors"})
            expect(at.get("/api/v1/operations/" + id + path + "?from_row=3&to_row=2")
                       .is_problem(400, "invalid_argument", "from_row"));
    };

    "parameters that do not matter for one item are checked as well"_test = [] {
        stage at{{}, {}, true};
        expect(at.get("/api/v1/feeds/articles/items?key=a").status == 200_i);
        for (const std::string wrong : {"limit=0", "deleted=yes", "changed_since=x"}) {
            const auto said = at.get("/api/v1/feeds/articles/items?key=a&" + wrong);
            expect(said.is_problem(400, "invalid_argument", wrong.substr(0, wrong.find('='))))
                << said.body;
        }
    };

    "the documents have the statuses that no walk can provoke"_test = [] {
        stage at{{}, {}, true};
        const auto document = at.get("/api/v1/openapi.json").json();
        const auto older = at.get("/openapi/v1.json").json();
        const auto check = [](const support::json& of, const std::string& path,
                              const std::string& verb, const std::vector<std::string>& statuses) {
            const auto& known = of["paths"][path][verb]["responses"].names;
            for (const auto& each : statuses)
                expect(std::ranges::find(known, each) != known.end()) << verb << path << each;
        };
        check(document, "/api/v1/operations/{id}/file", "get", {"409", "410", "500"});
        check(document, "/api/v1/operations/{id}/export", "get", {"409", "500"});
        check(document, "/api/v1/operations", "post", {"408", "500"});
        check(document, "/api/v1/operations/{id}/signals", "post", {"408", "500"});
        for (const auto& path : older["paths"].names)
            for (const auto& verb : older["paths"][path].names)
                check(older, path, verb, {"405", "413", "414", "421", "431", "500", "503"});
        check(older, "/api/bulks", "post", {"408", "409", "412"});
        check(older, "/api/bulks/{id}/file", "get", {"206", "304", "409", "416"});
        check(older, "/api/bulks/{id}/retry/rows", "post", {"408", "412", "415"});
    };

    "the page is there for browsers, and its files for ever"_test = [] {
        stage at;
        const http::header_list packed{{"Accept-Encoding", "br, gzip;q=0.8"}};
        const auto page = at.get("/", packed);
        expect(page.status == 200_i and page.header("content-encoding") == "gzip");
        expect(page.header("content-security-policy").contains("default-src 'none'"));
        expect(page.header("cache-control") == "no-cache");
        const http::header_list browser{{"Accept", "text/html,application/xhtml+xml"}};
        const auto plain = at.get("/operations/7", browser);
        expect(plain.body == at.get("/").body) << "its own addresses";
        expect(at.get("/api/v1/nowhere", browser).status == 404_i);
        expect(at.get("/assets/nowhere.js", browser).status == 404_i);
        http::header_list again = packed;
        again.add("If-None-Match", std::string{page.header("etag")});
        expect(at.get("/", again).status == 304_i);
        for (const auto& each : http::dashboard::assets) {
            const auto file = at.get(std::string{each.path}, packed);
            expect(file.body == each.gzip and file.header("content-type") == each.type);
            if (each.is_immutable) expect(file.header("cache-control").contains("immutable"));
        }
        expect(plain.body.starts_with("<!doctype html>"))
            << "unpacked for who does not ask for gzip";
        expect(plain.header("content-encoding").empty());
        expect(plain.header("etag") != page.header("etag"));
        expect(at.get("/", {{"Accept-Encoding", "gzip;q=0"}}).body == plain.body);
        stage without{{.has_dashboard = false}};
        expect(without.get("/").is_problem(404, "not_found"));
    };

    "the document has every route, and nothing else"_test = [] {
        stage at{{}, {}, true};
        for (const bool is_bulksharp : {false, true}) {
            const auto document =
                at.get(is_bulksharp ? "/openapi/v1.json" : "/api/v1/openapi.json").json();
            expect(fatal(document.is == support::json::kind::object));
            expect(document["openapi"] == "3.1.0");
            std::set<std::string> described, served, ids;
            for (std::size_t i = 0; i < document["paths"].size(); ++i)
                for (std::size_t j = 0; j < document["paths"][i].size(); ++j) {
                    const auto& operation = document["paths"][i][j];
                    described.insert(document["paths"][i].names[j] + ' ' +
                                     document["paths"].names[i]);
                    expect(ids.insert(operation["operationId"].text()).second);
                    expect(operation["responses"].size() > 1_u);
                }
            for (const auto& route : http::api::all_routes) {
                if (route.is_bulksharp() != is_bulksharp) continue;
                std::string verb{http::api::verb_name(route.verb)};
                for (char& c : verb) c = bulk::lower_case(c);
                served.insert(verb + ' ' + std::string{route.path});
            }
            expect(described == served);
        }
    };

    "the document has nothing that this program does not"_test = [] {
        stage at;  // without feeds
        const auto document = at.get("/api/v1/openapi.json").json();
        expect(document["paths"].size() > 20_u);
        for (const auto& path : document["paths"].names)
            expect(at.get(filled(path)).json()["detail"].text() != "nothing is at " + filled(path))
                << path;
    };

    "every name in the document is one that it explains"_test = [] {
        stage at{{}, {}, true};
        const auto said = at.get("/api/v1/openapi.json");
        const auto document = said.json();
        std::set<std::string> known{document["components"]["schemas"].names.begin(),
                                    document["components"]["schemas"].names.end()};
        constexpr std::string_view mark = "#/components/schemas/";
        for (auto at = said.body.find(mark); at != std::string::npos;
             at = said.body.find(mark, at + 1)) {
            const auto begin = at + mark.size();
            const auto name = said.body.substr(begin, said.body.find('"', begin) - begin);
            expect(known.contains(name)) << name;
        }
    };

    "answers are what the document says"_test = [] {
        stage at{{}, {}, true};
        const auto id = at.three();
        expect(at.post("/api/v1/operations/" + id + "/retry").status == 202_i);
        at.drive();
        const auto run = at.post("/api/v1/feeds/articles/runs").json()["id"].text();
        at.advance(std::chrono::minutes{1});
        int checked = 0;
        for (const auto& route : http::api::all_routes) {
            if (route.verb != method::get || route.gives.empty() || route.is_bulksharp()) continue;
            const auto path = api_stage::path_of(route, id, run);
            const auto said = at.get(path);
            expect(said.status == 200_i) << path << said.body;
            if (route.gives.ends_with("_list") && route.id != "getBadItems")
                expect(said.json()["items"].size() > 0_u) << path << "an empty list proves nothing";
            const auto wrong = mismatch(said.json(), std::string{route.gives});
            expect(wrong.empty()) << path << wrong;
            ++checked;
        }
        expect(checked > 25_i);
        expect(mismatch(at.post("/api/v1/operations/" + id + "/retry").json(), "retry_answer")
                   .empty());
        expect(mismatch(at.get("/nowhere").json(), "problem").empty());
        expect(mismatch(at.get("/api/v1/runs/7").json(), "problem").empty()) << "with its field";
        stage other{{}, {}, true};
        api_stage::map_item = [] { return bulk::result<>{bulk::fail("of no use")}; };
        const auto bad = other.post("/api/v1/feeds/articles/runs").json()["id"].text();
        other.advance(std::chrono::minutes{1});
        const auto items = other.get("/api/v1/runs/" + bad + "/bad-items").json();
        expect(items["items"].size() > 0_u and mismatch(items, "bad_item_list").empty());
    };
};

suite<"feeds"> feeds = [] {
    "a feed that is stuck needs attention"_test = [] {
        stage at{{}, {}, true};
        const auto runs = [&] { return at.get("/api/v1/overview").json()["attention_runs"]; };
        expect(runs().size() == 0_u) << "none has run";
        api_stage::fetch_page = [] { return bulk::result<>{bulk::fail("the source is down")}; };
        const auto id = at.post("/api/v1/feeds/articles/runs").json()["id"].text();
        for (int tries = 0; tries < 50; ++tries) {
            at.drive();
            at.advance(std::chrono::minutes{1});
        }
        api_stage::fetch_page = {};
        expect(fatal(runs().size() == 1_u)) << at.get("/api/v1/runs").body;
        expect(runs()[0]["id"] == id and runs()[0]["state"] == "consolidation_skipped")
            << runs().text();
    };

    "a feed is planned, run, looked at and moved"_test = [] {
        stage at{{}, {}, true};
        const auto plan = at.get("/api/v1/feeds/articles/plan").json();
        expect(plan["estimated"] == "20" and plan["type"] == "full") << plan.text();
        expect(plan["partitions"].size() > 0_u);
        const auto started = at.post("/api/v1/feeds/articles/runs", R"({"trace":"t-1"})");
        expect(started.status == 202_i) << started.body;
        const auto id = started.json()["id"].text();
        expect(started.header("location") == "/api/v1/runs/" + id);
        expect(started.json()["started_by"] == "local" and started.json()["trace"] == "t-1");
        expect(at.post("/api/v1/feeds/articles/runs").is_problem(409, "conflict"));
        at.advance(std::chrono::minutes{1});
        const auto run = at.get("/api/v1/runs/" + id).json();
        expect(run["state"] == "completed") << run.text();
        expect(run["records"] == "20" and run["consolidated"] == "20");
        const auto parts = at.get("/api/v1/runs/" + id + "/partitions?state=completed").json();
        expect(parts["items"].size() > 0_u and parts["items"][0]["state"] == "completed");
        expect(at.get("/api/v1/runs?feed=articles&state=completed").json()["items"].size() == 1_u);
        expect(at.get("/api/v1/runs?active=true").json()["items"].size() == 0_u);
        const auto items = at.get("/api/v1/feeds/articles/items?limit=7").json();
        expect(items["items"].size() == 7_u and !items["next"].is_null());
        expect(at.get("/api/v1/feeds/articles/items?limit=7&after=" + items["next"].text())
                   .json()["items"]
                   .size() == 7_u);
        expect(at.get("/api/v1/feeds/articles/items?key=a101").json()["items"].size() == 1_u);
        expect(at.get("/api/v1/runs/" + id + "/events").json()["items"][0]["run"] == id);
        const auto feed = at.get("/api/v1/feeds/articles").json();
        expect(feed["newest_run"]["id"] == id and !feed["watermark"]["value"].is_null());
        const auto moved = at.send(method::put, "/api/v1/feeds/articles/watermark",
                                   {{"Content-Type", "application/json"}}, {R"({"value":null})"});
        expect(moved.status == 200_i and moved.json()["value"].is_null()) << moved.body;
        expect(at.send(method::put, "/api/v1/feeds/articles/watermark",
                       {{"Content-Type", "application/json"}}, {"{}"})
                   .is_problem(400, "invalid_argument", "value"));
        expect(at.get("/api/v1/feeds/article").is_problem(404, "not_found", "name"));
        expect(at.get("/api/v1/runs/7").is_problem(400, "invalid_argument", "id"));
        expect(at.post("/api/v1/runs/" + id + "/cancel", R"({"why":"x"})")
                   .is_problem(400, "invalid_argument", "why"));
        expect(at.post("/api/v1/runs/" + id + "/cancel").status == 409_i);
        expect(at.send(method::remove, "/api/v1/runs/" + id).status == 204_i);
        expect(at.get("/api/v1/runs/" + id).status == 404_i);
    };
};

suite<"older routes"> older = [] {
    "a client of BulkSharp finds what it knows"_test = [] {
        stage at;
        const auto types = at.get("/api/operations").json();
        expect(types[0]["name"] == "transfers" and types[0]["isStepBased"].is_true());
        expect(at.get("/api/operations/none/template").status == 404_i);
        expect(at.get("/api/operations/none/template").body == "\"Operation 'none' not found\"");
        const auto post = [&](const form& body) {
            return at.send(method::post, "/api/bulks", body.headers(), {body.body(), 13});
        };
        expect(at.post("/api/bulks", "{}").body == "\"Form data required\"");
        expect(post(form{}.field("operationName", "transfers")).body == "\"File is required\"");
        expect(post(form{}.file("a.csv", "x")).body == "\"Operation name is required\"");
        expect(post(form{}.file("a.csv", "x").field("operationName", "transfers")).body ==
               "\"Created by is required\"");
        api_stage::book = [](std::string_view account) {
            return account == "A-2" ? bulk::outcome::fail("closed") : bulk::outcome::done();
        };
        const auto made = post(form{}
                                   .file("june.bin", api_stage::three_rows)
                                   .field("operationName", "transfers")
                                   .field("metadata", "{}")
                                   .field("createdBy", "otto"));
        expect(made.status == 200_i) << made.body;
        const auto id = made.json()["operationId"].text();
        expect(at.get("/api/v1/operations/" + id + "/file").header("content-type") == "text/csv")
            << "as the form says, whatever the name";
        at.drive();
        const auto base = "/api/bulks/" + id;
        const auto bulk = at.get(base).json();
        expect(bulk["status"] == "CompletedWithErrors" and bulk["failedRows"] == "2");
        expect(bulk["createdBy"] == "otto" and !bulk["errorMessage"].is_there());
        expect(at.get(base + "/status").json()["errorCount"] == "2");
        const auto list = at.get("/api/bulks?status=CompletedWithErrors&pageSize=1000").json();
        expect(list["totalCount"] == "1" and list["pageSize"] == "200");
        expect(!list["hasNextPage"].is_true());
        const auto errors = at.get(base + "/errors?errorType=StepFailure&page=1").json();
        expect(errors["items"][0]["rowNumber"] == "2") << errors.text();
        const auto rows = at.get(base + "/rows?state=Failed").json();
        expect(rows["totalCount"] == "2" and rows["items"][0]["totalSteps"] == "2");
        expect(at.get(base + "/file").body == api_stage::three_rows);
        expect(at.get(base + "/export?mode=data&format=csv&state=Failed").body.contains("A-2"));
        expect(at.get(base + "/retry/eligibility").json()["isEligible"].is_true());
        api_stage::book = {};
        const auto retried = at.post(base + "/retry/rows", R"({"rowNumbers":[2]})").json();
        expect(retried["rowsSubmitted"] == "1");
        at.drive();
        expect(at.get(base + "/retry/history").json()["items"][0]["errorMessage"] == "closed");
        expect(at.post(base + "/retry").status == 400_i);
        expect(at.get(base + "/events?limit=2").json().size() == 2_u);
        const auto created = at.get("/api/events?since=0").json()[0];
        expect(created["type"] == "Created" and !created["eventType"].is_there()) << created.text();
        expect(at.post(base + "/cancel").status == 200_i);
        expect(at.get("/api/bulks/7").status == 404_i);
        expect(
            at.get("/api/bulks/01890000-0000-7000-8000-000000000000/errors").json()["totalCount"] ==
            "0");
        const auto bad = form{}.field("operationName", "transfers").file("a.csv", "account\nx\n");
        const auto checked =
            at.send(method::post, "/api/bulks/validate", bad.headers(), {bad.body()});
        expect(checked.status == 200_i and !checked.json()["valid"].is_true()) << checked.body;
        expect(checked.json()["fileErrors"].size() == 1_u);
    };

    "who has authenticated is the creator, whatever the form says"_test = [] {
        stage at{with_tokens()};
        for (const bool has_name : {true, false}) {
            auto body = form{}.field("operationName", "transfers");
            if (has_name) body.field("createdBy", "mallory");
            body.file("a.csv", "account,amount\nA-1,1\n");
            auto headers = body.headers();
            headers.add("Authorization", "Bearer the secret of anna");
            const auto made = at.send(method::post, "/api/bulks", headers, {body.body()});
            expect(fatal(made.status == 200_i)) << made.body;
            const auto id = made.json()["operationId"].text();
            expect(at.get("/api/bulks/" + id, as("otto")).json()["createdBy"] == "anna");
        }
    };

    "a file is not taken before the fields behind it are read"_test = [] {
        stage at;
        const auto body = form{}
                              .field("operationName", "transfers")
                              .file("a.csv", "account,amount\nA-1,1\n")
                              .field("metadata", R"({"requested_by":"ops"})")
                              .field("createdBy", "otto");
        const auto made = at.send(method::post, "/api/bulks", body.headers(), {body.body(), 5});
        expect(fatal(made.status == 200_i)) << made.body;
        const auto bulk = at.get("/api/bulks/" + made.json()["operationId"].text()).json();
        expect(bulk["createdBy"] == "otto" and bulk["metadataJson"].text().contains("ops"));
        const auto empty = form{}
                               .field("operationName", "transfers")
                               .field("createdBy", "otto")
                               .field("metadata", "{}")
                               .field("notifications", "")
                               .file("a.csv", "");
        expect(at.send(method::post, "/api/bulks", empty.headers(), {empty.body()}).body ==
               "\"File is required\"");
        expect(at.get("/api/bulks").json()["totalCount"] == "1") << "nothing was left of it";
    };

    "what is declared as a number, moment, truth or enum is one, or refused"_test = [] {
        stage at;
        const auto base = "/api/bulks/" + at.three();
        for (const std::string& wrong :
             {"/api/bulks?status=Nonsense"s, "/api/bulks?page=x"s, "/api/bulks?fromDate=x"s,
              "/api/bulks?sortDescending=x"s, base + "/errors?rowNumber=x",
              base + "/rows?pageSize=x", base + "/retry/history?rowNumber=x",
              base + "/events?since=x", "/api/events?limit=x"s}) {
            const auto said = at.get(wrong);
            expect(said.status == 400_i and said.json()["error"].is_there()) << wrong << said.body;
        }
        for (const std::string text : {"True", "true", "TRUE"})  // as .NET writes it, and others
            expect(
                at.get(base + "/errors?sortDescending=" + text).json()["items"][0]["rowNumber"] ==
                "3")
                << text;
        for (const std::string passed : {"/errors?errorType=Parse", "/errors?errorType=x",
                                         "/rows?state=x&pageSize=2", "/errors?sortBy=x"})
            expect(at.get(base + passed).json()["items"].size() == 2_u) << passed;
    };

    "an id that is no GUID is at no route, in any of them"_test = [] {
        stage at;
        const auto id = at.three();
        int routes = 0;
        for (const auto& route : http::api::bulksharp::routes) {
            if (!route.path.contains("{id}")) continue;
            std::string path{route.path};
            path.replace(path.find("{id}"), 4, "7");
            expect(at.send(route.verb, path).is_problem(404, "not_found")) << path;
            ++routes;
        }
        expect(routes == 14_i);
        expect(at.get("/api/bulks/{" + id + "}").json()["id"] == id) << "as .NET may write it";
    };

    "what it answers without a body, has none"_test = [] {
        stage at;
        const std::string nobody = "/api/bulks/01890000-0000-7000-8000-000000000000";
        for (const std::string what : {"", "/status", "/file"}) {
            const auto said = at.get(nobody + what);
            expect(said.status == 404_i and said.body.empty()) << what << said.body;
        }
        const auto cancelled = at.post(nobody + "/cancel");
        expect(cancelled.status == 200_i and cancelled.body.empty()) << cancelled.body;
        expect(at.get(nobody + "/retry/eligibility").json()["reason"] == "Operation not found");
    };

    "ids are GUIDs that stay, and no two are the same"_test = [] {
        stage at;
        const auto base = "/api/bulks/" + at.three();
        std::set<std::string> ids;
        for (int times = 0; times < 2; ++times) {
            const auto errors = at.get(base + "/errors").json();
            for (const auto& each : errors["items"].items) ids.insert(each["id"].text());
            expect(errors["items"].size() == 2_u and ids.size() == 2_u);
        }
        ids.insert(at.get(base).json()["fileId"].text());
        expect(ids.size() == 3_u);
        for (const auto& each : ids) expect(bulk::parse_uuid(each).has_value()) << each;
    };

    "events of runs are no events of operations, and nobody is left in front of them"_test = [] {
        stage at{{}, {}, true};
        const auto first = at.three();
        const auto run = at.post("/api/v1/feeds/articles/runs").json()["id"].text();
        at.advance(std::chrono::minutes{1});
        const auto before = at.get("/api/v1/events?limit=1").json()["items"][0];
        expect(before["run"] == run) << before.text();
        const auto last = at.run("account,amount\nA-1,1\n");
        std::set<std::string> operations;
        std::string since = "0";
        for (int more = 0; more < 100; ++more) {  // one at a time, as far as it goes
            const auto page = at.get("/api/events?limit=1&since=" + since).json();
            if (page.size() == 0) break;
            since = page[0]["sequence"].text();
            operations.insert(page[0]["operationId"].text());
        }
        expect(operations == std::set{first, last});
        expect(at.get("/api/events").json()[0]["type"] == "Created");
        expect(at.get("/api/bulks/" + run + "/events").json().size() == 0_u);
    };

    "what .NET passes over is passed over: cases, and what nobody knows"_test = [] {
        stage at;
        const auto id = at.three();
        const auto base = "/api/bulks/" + id;
        expect(at.get("/api/bulks?bogus=1&PAGESIZE=7&Status=PENDING").json()["pageSize"] == "7");
        expect(at.post(base + "/retry/rows", R"({"ROWNUMBERS":[2],"extra":{}})")
                   .json()["rowsSubmitted"] == "1");
        const auto shouted =
            form{}
                .file("a.csv", "account,amount\nA-1,1\n")
                .field("OperationName", "transfers")
                .field("CREATEDBY", "otto")
                .field("extra", "1")
                .field("notifications", R"({"Recipients":[{"CHANNEL":"mail","x":1}]})");
        const auto made =
            at.send(method::post, "/api/bulks", shouted.headers(), {shouted.body(), 9});
        expect(made.status == 200_i) << made.body;
        const auto large = form{}
                               .field("operationName", "transfers")
                               .field("metadata", std::string(1'100'000, 'x'));
        expect(
            at.send(method::post, "/api/bulks", large.headers(), {large.body(), 10'000}).status ==
            400_i)
            << "nothing is 413 to them";
    };

    "a page that is far away is none, and never the first"_test = [] {
        stage at;
        at.three();
        for (const std::string far : {"2305843009213693953&pageSize=8", "9223372036854775807"})
            expect(at.get("/api/bulks?page=" + far).status == 400_i) << far;
        for (const std::string far : {"2", "1000001", "2147483647"}) {
            const auto page = at.get("/api/bulks?page=" + far).json();
            expect(page["items"].size() == 0_u and page["page"] == far) << page.text();
            expect(!page["hasNextPage"].is_true() and page["totalCount"] == "1");
        }
    };

    "types have their names, and so have orders"_test = [] {
        stage at;
        const auto type = at.get("/api/operations").json()[0];
        expect(type["fileColumns"][0]["type"] == "string") << type.text();
        expect(type["fileColumns"][1]["type"] == "int");
        expect(type["fileColumns"][2]["type"] == "string") << "only values are nullable there";
        expect(type["typeFullName"] == "transfers" and type["rowType"].is_there());
        const auto ended = at.three();
        const auto waiting = at.upload("account,amount\nA-1,1\n").json()["id"].text();
        for (const std::string order : {"true", "false"}) {
            const auto by_state =
                at.get("/api/bulks?sortBy=Status&sortDescending=" + order).json()["items"];
            expect(by_state[0]["id"] == (order == "true" ? ended : waiting)) << order;
        }
    };

    "rows are in the state in which they are now"_test = [] {
        stage at;
        const auto base = "/api/bulks/" + at.three();
        const auto rows = at.get(base + "/rows?state=Completed").json();
        expect(rows["totalCount"] == "1" and rows["items"][0]["rowNumber"] == "1");
        expect(at.get(base + "/rows?state=Completed&page=2&pageSize=1").json()["items"].size() ==
               0_u);
        expect(at.get(base + "/rows?state=Pending").json()["totalCount"] == "0");
    };

    "a file that was removed is not found"_test = [] {
        stage at;
        const auto id = at.three();
        const auto record = at.service().get(bulk::parse_operation_id(id).value()).value();
        expect(at.storage().remove_file(record.file_id).has_value());
        expect(at.get("/api/bulks/" + id + "/file").status == 404_i);
    };

    "a key makes one operation of two requests here, too"_test = [] {
        stage at;
        const auto post = [&](const std::string& content) {
            const auto body = form{}
                                  .field("operationName", "transfers")
                                  .field("createdBy", "otto")
                                  .file("a.csv", "account,amount\n" + content);
            auto headers = body.headers();
            headers.add("Idempotency-Key", "june");
            return at.send(method::post, "/api/bulks", headers, {body.body(), 50});
        };
        const auto first = post("A-1,1\n");
        expect(first.status == 200_i and post("A-1,1\n").body == first.body) << first.body;
        expect(post("A-1,2\n").status == 422_i);
        expect(at.get("/api/bulks").json()["totalCount"] == "1");
    };

    "a signal that no row waits for is refused, and not kept"_test = [] {
        stage at;
        const auto made = at.upload("account,amount\nW-1,1\nA-1,1\n");
        const auto base = "/api/bulks/" + made.json()["id"].text();
        const auto early = at.send(method::post, base + "/signal/approve-W-1");
        expect(early.status == 404_i and early.json()["error"].text().contains("approve-W-1"))
            << early.body;
        expect(at.post(base + "/signal/approve-W-1/fail", R"({"errorMessage":"no"})").status ==
               404_i);
        at.drive();
        expect(at.get(base + "/rows?state=WaitingForCompletion").json()["totalCount"] == "1")
            << "what was refused completes and fails nothing later";
        expect(at.send(method::post, base + "/signal/approve-W-9").status == 404_i);
        expect(at.send(method::post, base + "/signal/approve-W-1/fail").status == 400_i)
            << "without a body";
        expect(at.send(method::post, base + "/signal/approve-W-1").status == 200_i);
        at.drive();
        expect(at.get(base).json()["status"] == "Completed");
        expect(at.send(method::post, base + "/signal/approve-W-1").status == 404_i);
    };

    "signals by the user's key"_test = [] {
        stage at;
        const auto id = at.run("account,amount\nW-1,1\nW-2,1\n");
        const auto base = "/api/bulks/" + id + "/signal/";
        const auto done = at.send(method::post, base + "approve-W-1");
        expect(done.body == R"({"rowNumber":1,"step":"Approve","completed":true,"failed":false,)"
                            R"("crossProcess":false})"s)
            << done.body;
        const auto failed = at.post(base + "approve-W-2/fail", R"({"errorMessage":"no"})");
        expect(failed.body == R"({"rowNumber":2,"step":"Approve","completed":false,"failed":true,)"
                              R"("error":"no","crossProcess":false})"s)
            << failed.body;
        at.drive();
        expect(at.get("/api/bulks/" + id + "/errors").json()["items"][0]["errorType"] ==
               "SignalFailure");
    };
};

int main() {}
