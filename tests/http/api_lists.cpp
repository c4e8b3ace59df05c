// Lists page by page in every order, what a cursor is worth elsewhere, and what no list ever shows.
#include <http/api_stage.hpp>
#include <http/route_path.hpp>

#include <bulk/http/api/all_routes.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using api_stage::stage;
namespace http = bulk::http;

namespace {

/// Everything of a list, two at a time: what makes each item another than the others.
std::vector<std::string> walk(stage& at, const std::string& path, const std::string& key) {
    std::vector<std::string> seen;
    std::string after;
    do {
        const auto page = at.get(path + (path.contains('?') ? "&" : "?") + "limit=2" +
                                 (after.empty() ? "" : "&after=" + after));
        expect(fatal(page.status == 200_i)) << path << page.body;
        for (const auto& each : page.json()["items"].items) seen.push_back(each[key].text());
        after = page.json()["next"].is_null() ? "" : page.json()["next"].text();
    } while (!after.empty() && seen.size() < 1'000);
    return seen;
}

/// A request that the route accepts, as far as it needs no body of its own.
api_stage::answer ask(stage& at, const http::api::route& route, const std::string& id,
                      const std::string& run) {
    const auto path = api_stage::path_of(route, id, run);
    if (route.body == http::api::body_shape::json)
        return at.send(route.verb, path, {{"Content-Type", "application/json"}}, {"{}"});
    if (route.body == http::api::body_shape::none) return at.send(route.verb, path);
    const bool is_bulksharp = route.is_bulksharp();
    auto form = api_stage::form{}.field(is_bulksharp ? "operationName" : "type", "transfers");
    if (is_bulksharp) form.field("createdBy", "ops");
    form.file("june.csv", "account,amount\nA-1,1\n");
    return at.send(route.verb, path, form.headers(), {form.body()});
}

/// A parameter's values as its problem lists them: "sort takes one of a, b, and not 'x'".
std::vector<std::string> choices(stage& at, const std::string& path, const std::string& name) {
    const auto said = at.get(path + "?" + name + "=x").json()["detail"].text();
    std::vector<std::string> all;
    auto rest = said.substr(said.find("one of ") + 7);
    rest.resize(rest.find(", and not"));
    for (std::size_t at = 0; at < rest.size();) {
        const auto end = std::min(rest.find(", ", at), rest.size());
        all.push_back(rest.substr(at, end - at));
        at = end + 2;
    }
    return all;
}

struct place {
    place() {
        api_stage::book = [](std::string_view account) {
            return account.starts_with("B") ? bulk::outcome::fail("closed") : bulk::outcome::done();
        };
        id = at.run("account,amount\nA-1,1\nB-2,2\nB-3,3\nA-4,x\nB-5,5\n");
        (void)at.post("/api/v1/operations/" + id + "/retry");
        at.drive();
        for (int i = 0; i < 4; ++i) at.run("account,amount\nA-1,1\n");
        run = full_run();
        full_run();
    }

    std::string full_run() {
        (void)at.send(http::method::put, "/api/v1/feeds/articles/watermark",
                      {{"Content-Type", "application/json"}}, {R"({"value":null})"});
        const auto started = at.post("/api/v1/feeds/articles/runs").json()["id"].text();
        at.advance(std::chrono::minutes{1});
        return started;
    }

    [[nodiscard]] std::string filled(std::string_view pattern) const {
        std::string path{pattern};
        const bool is_run = path.contains("/runs/");
        for (const auto& [name, value] : std::map<std::string, std::string>{
                 {"{id}", is_run ? run : id},
                 {"{name}", path.contains("/feeds/") ? "articles" : "transfers"},
                 {"{row}", "2"},
                 {"{key}", "k"}})
            if (const auto found = path.find(name); found != std::string::npos)
                path.replace(found, name.size(), value);
        return path;
    }

    stage at{{}, {}, true};
    std::string id, run;
};

bool takes(const http::api::route& route, std::string_view name) {
    return std::ranges::any_of(route.parameters,
                               [&](const auto& each) { return each.name == name; });
}

}  // namespace

suite<"lists"> lists = [] {
    "every order has everything once, and is the other one turned round"_test = [] {
        place on;
        auto& at = on.at;
        const auto errors = "/api/v1/operations/" + on.id + "/errors";
        for (const auto& [path, key, count] :
             std::vector<std::tuple<std::string, std::string, std::size_t>>{
                 {"/api/v1/operations", "id", 5}, {errors, "row", 4}}) {
            const auto orders = choices(at, path, "sort");
            expect(orders.size() >= 5_u) << path;
            for (const auto& each : orders) {
                auto up = walk(at, path + "?order=asc&sort=" + each, key);
                const auto down = walk(at, path + "?order=desc&sort=" + each, key);
                expect(up.size() == count) << path << each;
                expect(std::set(up.begin(), up.end()).size() == count) << path << each;
                std::ranges::reverse(up);
                expect(up == down) << path << each;
            }
        }
    };

    "a cursor is of its own list, order and filter, and nothing else is one"_test = [] {
        place on;
        auto& at = on.at;
        std::vector<std::pair<std::string, std::string>> all;  // lists with the cursor of each
        int walked = 0;
        for (const auto& route : http::api::all_routes) {
            if (route.is_bulksharp() || !takes(route, "after")) continue;
            const bool is_sequence = takes(route, "Last-Event-ID") || route.gives == "event_list";
            const auto path = on.filled(route.path);
            ++walked;
            for (const std::string odd : {"x", "1-", "-", "0.0", "12-31.31", "%F0%9F%98%80"})
                expect(at.get(path + "?after=" + odd).is_problem(400, "invalid_argument", "after"))
                    << path << odd;
            if (is_sequence) continue;
            const auto first = at.get(path + "?limit=1");
            expect(fatal(first.status == 200_i)) << path << first.body;
            // So few items have one partition; bad ones have a test of their own.
            if (route.id == "getPartitions" || route.id == "getBadItems") continue;
            expect(!first.json()["next"].is_null()) << path << first.body;
            const auto next = first.json()["next"].text();
            const auto second = at.get(path + "?limit=1&after=" + next);
            expect(second.status == 200_i and second.json()["items"].size() == 1_u)
                << path << second.body;
            expect(second.json()["items"][0].names == first.json()["items"][0].names);
            const auto mark = next.substr(0, next.find('-') + 1);
            for (const std::string& odd : {mark, mark + "x", mark + "0", mark + ".", next + "0",
                                           next + "00.", mark + "ff.zz"})
                if (const auto said = at.get(path + "?limit=1&after=" + odd); said.status != 200)
                    expect(said.is_problem(400, "invalid_argument", "after")) << odd << said.body;
                else
                    expect(odd == mark + ".") << path << odd << "is none of ours";
            if (takes(route, "order"))
                for (const std::string other : {"&order=asc&sort=state", "&order=desc&sort=state"})
                    expect(at.get(path + "?limit=1&after=" + next + other)
                               .is_problem(400, "invalid_argument", "after"));
            all.emplace_back(path, next);
        }
        expect(walked == 13_i) << walked;
        for (const auto& [path, ours] : all)
            for (const auto& [other, theirs] : all)
                if (path != other)
                    expect(at.get(path + "?limit=1&after=" + theirs)
                               .is_problem(400, "invalid_argument", "after"))
                        << path << other;
    };

    "bad items are listed page by page"_test = [] {
        stage at{{}, {}, true};
        api_stage::map_item = [] { return bulk::result<>{bulk::fail("of no use")}; };
        const auto run = at.post("/api/v1/feeds/articles/runs").json()["id"].text();
        at.advance(std::chrono::minutes{1});
        const auto path = "/api/v1/runs/" + run + "/bad-items";
        const auto keys = walk(at, path, "key");
        expect(keys.size() == 20_u and std::set(keys.begin(), keys.end()).size() == 20_u);
        const auto next = at.get(path + "?limit=1").json()["next"].text();
        for (const std::string& odd : {next.substr(0, next.find('-') + 1) + "x", next + "0"})
            expect(
                at.get(path + "?limit=1&after=" + odd).is_problem(400, "invalid_argument", "after"))
                << odd;
    };

    "a list is counted unless that is not wanted"_test = [] {
        stage at;
        const auto rows = "/api/v1/operations/" + at.three() + "/rows";
        expect(eq(at.get(rows + "?limit=1").json()["total"].text(), std::string{"3"}));
        expect(at.get(rows + "?limit=1&total=false").json()["total"].is_null());
        const auto errors = rows.substr(0, rows.size() - 4) + "errors";
        expect(eq(at.get(errors).json()["total"].text(), std::string{"2"}));
        expect(at.get(errors + "?total=false").json()["total"].is_null());
    };

    "a cursor of another operation is none of this one"_test = [] {
        stage at;
        const auto one = at.three(), two = at.three();
        const auto next =
            at.get("/api/v1/operations/" + one + "/rows?limit=1").json()["next"].text();
        expect(at.get("/api/v1/operations/" + two + "/rows?limit=1&after=" + next)
                   .is_problem(400, "invalid_argument", "after"));
    };

    "what is personal is nowhere but in the file and its rows"_test = [] {
        stage at{{}, {.include_row_data_in_errors = true}, true};
        api_stage::book = [](std::string_view account) {
            return account == "A-2" ? bulk::outcome::fail("closed") : bulk::outcome::done();
        };
        const auto id = at.run(
            "account,amount,iban\nA-1,1,HIDDEN-1\nA-2,2,HIDDEN-2\nA-3,x,HIDDEN-3\n"
            "A-4,-1,HIDDEN-4\nW-5,1,HIDDEN-5\n",
            "type=transfers&file_name=a.csv&metadata=%7B%22secret%22%3A%22HIDDEN-6%22%7D");
        expect(at.post("/api/v1/operations/" + id + "/cancel").status == 202_i);
        at.drive();
        expect(at.post("/api/v1/operations/" + id + "/retry", R"({"rows":[2]})").status == 202_i);
        at.drive();
        const auto run = at.post("/api/v1/feeds/articles/runs").json()["id"].text();
        at.advance(std::chrono::minutes{1});
        int walked = 0, masked = 0;
        for (const auto& route : http::api::all_routes) {
            if (route.verb != http::method::get || route.path.ends_with("/file")) continue;
            auto path = api_stage::path_of(route, id, run);
            if (route.id == "streamEvents") path += "?after=0";
            auto said = at.get(path);
            if (said.events) {
                (void)said.events->next([] {});
                said.body = said.events->next([] {}).value();
                expect(said.body.contains("created"));
            }
            expect(said.status == 200_i) << path << "a refusal shows nothing anyway";
            expect(!said.body.contains("HIDDEN")) << path << said.body;
            masked += said.body.contains("***") ? 1 : 0;
            ++walked;
        }
        expect(walked > 40_i and masked >= 10_i) << masked << "have something to hide";
        for (const std::string format : {"csv", "json"})
            expect(!at.get("/api/v1/operations/" + id + "/export?format=" + format)
                        .body.contains("HIDDEN"))
                << format;
        const auto form = api_stage::form{}.file(
            "a.csv", "account,amount,iban\nA-3,x,HIDDEN-3\nA-4,-1,HIDDEN-4\n");
        const auto dry = at.send(http::method::post, "/api/v1/operation-types/transfers/validate",
                                 form.headers(), {form.body()});
        expect(dry.json()["bad_rows"] == "2" and !dry.body.contains("HIDDEN")) << dry.body;
        expect(at.get("/api/v1/operations/" + id + "/file").body.contains("HIDDEN-1"));
    };
};

suite<"storage failures"> storage_failures = [] {
    "a storage that fails is a 5xx on every route, and its message is for the log only"_test = [] {
        std::vector<std::string> logged;  // request ids
        http::api_options options;
        options.log_fault = [&](const auto& each) { logged.push_back(each.request_id); };
        stage at{options, {}, true};
        const auto id = at.three();
        const auto run = at.post("/api/v1/feeds/articles/runs").json()["id"].text();
        at.advance(std::chrono::minutes{1});
        at.fail_storage();
        int failed = 0;
        for (const auto& route : http::api::all_routes) {
            const auto before = at.failed_calls();
            logged.clear();
            auto said = ask(at, route, id, run);
            if (said.events) said.body = said.events->next([] {}).value_or("");
            expect(!said.body.contains("no answer to")) << route.id << said.body;
            // Metrics are of the process, and readiness is itself an answer about the storage.
            if (route.id == "getMetrics" || route.id == "getReadiness") continue;
            if (at.failed_calls() == before) continue;
            ++failed;
            expect(said.status >= 500_i) << route.id << said.status << said.body;
            expect(logged == std::vector{std::string{said.header("x-request-id")}}) << route.id;
        }
        expect(failed > 50_i) << failed;
    };
};

suite<"metrics"> metrics = [] {
    "metrics are as Prometheus reads them"_test = [] {
        stage at;
        at.three();
        const auto text = at.get("/metrics").body;
        expect(text.ends_with('\n'));
        std::set<std::string> families, samples;
        std::string family, type, series;
        double bound = 0, below = 0;
        for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
            end = text.find('\n', at);
            const auto line = text.substr(at, end - at);
            if (line.starts_with("# HELP ")) {
                family = line.substr(7, line.find(' ', 7) - 7);
                expect(families.insert(family).second) << line;
                type.clear();
                continue;
            }
            if (line.starts_with("# TYPE ")) {
                expect(line.starts_with("# TYPE " + family + ' '))
                    << "of the family before" << line;
                type = line.substr(line.rfind(' ') + 1);
                expect((type == "counter") == family.ends_with("_total")) << line;
                continue;
            }
            expect(!type.empty() and line.starts_with(family)) << line;
            const auto space = line.rfind(' ');
            expect(samples.insert(line.substr(0, space)).second) << "twice" << line;
            char* rest = nullptr;
            const double value = std::strtod(line.c_str() + space, &rest);
            expect(*rest == '\0') << line;
            const auto name = line.substr(0, line.find_first_of("{ "));
            if (type != "histogram") expect(name == family) << line;
            if (!name.ends_with("_bucket")) continue;
            const auto le = line.find("le=\"");
            const auto now = line.substr(0, le);
            const double next = std::strtod(line.c_str() + le + 4, &rest);  // reads +Inf, too
            if (now == series) expect(next > bound and value >= below) << line;
            series = now;
            bound = next;
            below = value;
        }
        expect(families.size() >= 8_u);
    };
};

int main() {}
