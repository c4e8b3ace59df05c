// Every action leaves an event that says who asked for it.
#include <http/api_stage.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace boost::ut;
using api_stage::method;
using api_stage::stage;
namespace http = bulk::http;

namespace {

http::api_options with_anna() {
    return {.access = http::by_tokens({{"anna", "the secret of anna", true}})};
}

http::header_list anna() { return {{"Authorization", "Bearer the secret of anna"}}; }

http::header_list anna_with(std::string type) {
    auto headers = anna();
    headers.add("Content-Type", std::move(type));
    return headers;
}

/// The messages of all events that name somebody, the oldest first.
std::vector<std::string> named(stage& at, const std::string& path) {
    std::vector<std::string> all;
    for (const auto& each : at.get(path + "/events", anna()).json()["items"].items)
        if (each["message"].text().contains(" by ")) all.push_back(each["message"].text());
    return all;
}

std::string last_named(stage& at, const std::string& path) {
    const auto all = named(at, path);
    return all.empty() ? std::string{} : all.back();
}

using texts = std::vector<std::string>;

}  // namespace

suite<"actors"> actors = [] {
    "what is done with an operation says who did it"_test = [] {
        stage at{with_anna()};
        const auto made = at.upload("account,amount\nW-1,1\nW-2,1\nW-3,1\n",
                                    "type=transfers&file_name=a.csv", anna_with("text/csv"));
        const auto of = "/api/v1/operations/" + made.json()["id"].text();
        at.drive();
        const auto post = [&](const std::string& what, const std::string& body = "{}") {
            return at.post(of + what, body, anna()).status;
        };
        expect(post("/pause") == 202_i and post("/resume") == 202_i);
        at.drive();
        expect(post("/signals", R"({"key":"approve-W-1"})") == 202_i);
        expect(post("/signals", R"({"key":"approve-W-2","row":2,"failure":"no"})") == 202_i);
        expect(post("/signals", R"({"key":"approve-W-9"})") == 202_i);
        expect(post("/signals", R"({"key":"approve-W-3","failure":""})") == 400_i);
        at.drive();
        expect(post("/cancel") == 202_i);
        at.drive();
        expect(post("/retry") == 202_i);
        expect(named(at, of) == texts{"Operation created by anna", "Pause requested by anna",
                                      "Resume requested by anna",
                                      "Signal 'approve-W-1' to row 1 requested by anna",
                                      "Failure 'approve-W-2' to row 2 requested by anna",
                                      "Signal 'approve-W-9', kept, requested by anna",
                                      "Cancel requested by anna", "Retry requested by anna"});
    };

    "what was refused leaves no such event"_test = [] {
        stage at{with_anna()};
        const auto made = at.upload("account,amount\nA-1,1\n", "type=transfers&file_name=a.csv",
                                    anna_with("text/csv"));
        const auto of = "/api/v1/operations/" + made.json()["id"].text();
        at.drive();
        for (const std::string what : {"/pause", "/resume", "/cancel", "/retry"})
            expect(at.post(of + what, "{}", anna()).status == 409_i) << what;
        expect(named(at, of) == texts{"Operation created by anna"});
    };

    "the older routes say so, too"_test = [] {
        stage at{with_anna()};
        const auto made = at.upload("account,amount\nW-1,1\nW-2,1\n",
                                    "type=transfers&file_name=a.csv", anna_with("text/csv"));
        const auto id = made.json()["id"].text();
        at.drive();
        const auto base = "/api/bulks/" + id;
        expect(at.post(base + "/signal/approve-W-1", "{}", anna()).status == 200_i);
        expect(
            at.post(base + "/signal/approve-W-2/fail", R"({"errorMessage":"no"})", anna()).status ==
            200_i);
        at.drive();
        expect(at.post(base + "/retry", "{}", anna()).status == 200_i);
        expect(at.post(base + "/cancel", "{}", anna()).status == 200_i);
        expect(named(at, "/api/v1/operations/" + id) ==
               texts{"Operation created by anna", "Signal 'approve-W-1' to row 1 requested by anna",
                     "Failure 'approve-W-2' to row 2 requested by anna", "Retry requested by anna",
                     "Cancel requested by anna"});
    };

    "what is done with a run says who did it"_test = [] {
        stage at{with_anna(), {}, true};
        api_stage::fetch_page = [] { return bulk::result<>{bulk::fail("the shop is closed")}; };
        const auto post = [&](const std::string& path, const std::string& body = "{}") {
            return at.post(path, body, anna());
        };
        const auto started = post("/api/v1/feeds/articles/runs");
        const auto of = "/api/v1/runs/" + started.json()["id"].text();
        at.advance(std::chrono::minutes{1});
        expect(post(of + "/retry").status == 202_i);
        at.advance(std::chrono::minutes{1});
        api_stage::fetch_page = {};
        expect(post(of + "/retry").status == 202_i);
        api_stage::map_item = [] { return bulk::result<>{bulk::fail("of no use")}; };
        at.advance(std::chrono::minutes{1});
        api_stage::map_item = {};
        expect(at.get(of + "/bad-items?limit=5", anna()).json()["items"].size() == 5_u);
        expect(post(of + "/resume").status == 202_i);
        at.advance(std::chrono::minutes{1});
        const auto all = named(at, of);
        expect(fatal(all.size() == 4_u)) << all.size();
        expect(all[0].ends_with("started by anna")) << all[0];
        expect(all[1].ends_with("failed partitions are retried by anna")) << all[1];
        expect(all[2].ends_with("failed partitions are retried by anna")) << all[2];
        expect(all[3].starts_with("consolidation resumed by anna")) << all[3];
    };

    "so does an end that somebody forces"_test = [] {
        stage at{with_anna(), {}, true};
        api_stage::fetch_page = [] { return bulk::result<>{bulk::fail("the shop is closed")}; };
        const auto start = [&] {
            const auto run = at.post("/api/v1/feeds/articles/runs", "{}", anna());
            return "/api/v1/runs/" + run.json()["id"].text();
        };
        const auto first = start();
        at.advance(std::chrono::minutes{1});
        expect(at.post(first + "/consolidate", R"({"force":true})", anna()).status == 202_i);
        expect(last_named(at, first).starts_with("consolidation is forced by anna without"))
            << last_named(at, first);
        at.advance(std::chrono::minutes{1});
        const auto moved = at.send(method::put, "/api/v1/feeds/articles/watermark",
                                   anna_with("application/json"), {R"({"value":null})"});
        expect(moved.status == 200_i) << moved.body;
        expect(last_named(at, first) == "watermark removed by anna") << last_named(at, first);
        const auto second = start();
        expect(at.post(second + "/cancel", R"({"reason":"too late"})", anna()).status == 202_i);
        expect(last_named(at, second) == "run cancelled by anna: too late; the watermark is kept");
    };

    "a condition that cannot hold changes nothing"_test = [] {
        stage at{with_anna()};
        const auto made = at.upload("account,amount\nW-1,1\n", "type=transfers&file_name=a.csv",
                                    anna_with("text/csv"));
        const auto of = "/api/v1/operations/" + made.json()["id"].text();
        auto headers = anna();
        headers.add("If-Match", std::string{made.header("etag")});
        expect(at.post(of + "/cancel", "{}", headers)
                   .is_problem(412, "precondition_failed", "If-Match"));
        expect(at.get(of, anna()).json()["state"] == "pending");
        headers.set("If-Match", "*");
        expect(at.post(of + "/cancel", "{}", headers).status == 202_i);
    };
};

int main() {}
