// Operations, rows, exports, retries, signals and events, as the API shows them.
#include <http/api_stage.hpp>

#include <bulk/core/worker_record.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/service/upload.hpp>

#include <support/packing.hpp>
#include <support/ut.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using api_stage::form;
using api_stage::stage;

namespace {

constexpr const char* nobody = "01890000-0000-7000-8000-000000000000";

std::string of(const std::string& id, const std::string& rest = "") {
    return "/api/v1/operations/" + id + rest;
}

form dry_run_form() {
    return form{}
        .field("metadata", R"({"requested_by":"ops"})")
        .file("june.csv", "account,amount\nA-1,1\n");
}

/// A moment in UTC, to the second.
std::string utc(bulk::timestamp moment) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(moment);
    const auto time = static_cast<std::time_t>(seconds.time_since_epoch().count());
    std::tm parts{};
    (void)gmtime_r(&time, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts)};
}

}  // namespace

suite<"operation types"> types = [] {
    "a type says everything that a form needs"_test = [] {
        stage at;
        const auto all = at.get("/api/v1/operation-types");
        expect(all.status == 200_i);
        expect(all.json()["items"].size() == 1_u);
        const auto type = at.get("/api/v1/operation-types/TRANSFERS").json();
        expect(type["name"] == "transfers" and type["description"] == "Moves money");
        expect(type["is_pipeline"].is_true() and type["retryable"].is_true());
        expect(type["metadata"][0]["name"] == "requested_by");
        expect(type["metadata"][0]["description"] == "who ordered it");
        expect(type["columns"][0]["row_id"].is_true());
        expect(type["columns"][2]["hidden"].is_true());
        expect(type["steps"][1]["name"] == "Book" and type["steps"][1]["kind"] == "plain");
        expect(type["max_failed_rows"].is_null());
    };

    "a type that is not there is named, with what was probably meant"_test = [] {
        stage at;
        const auto said = at.get("/api/v1/operation-types/transfer");
        expect(said.is_problem(404, "not_found", "name")) << said.body;
        expect(said.json()["detail"].text().contains("did you mean 'transfers'?"));
        expect(said.json()["instance"] == "/api/v1/operation-types/transfer");
    };

    "a template is a file with a name"_test = [] {
        stage at;
        const auto csv = at.get("/api/v1/operation-types/transfers/template");
        expect(csv.body == "account,amount,iban\n") << csv.body;
        expect(csv.header("content-disposition") ==
               "attachment; filename=\"transfers-template.csv\"");
        expect(at.get("/api/v1/operation-types/transfers/template?format=json").json().size() ==
               1_u);
        expect(at.get("/api/v1/operation-types/transfers/template?format=xml")
                   .is_problem(400, "invalid_argument", "format"));
    };

    "a dry run finds what a run would, and stores nothing"_test = [] {
        stage at;
        const auto form = api_stage::form{}
                              .field("metadata", R"({"requested_by":"ops"})")
                              .file("june.csv", "account,amount\nA-1,1\nA-2,ten\nA-3,-1\n");
        const auto said =
            at.send(api_stage::method::post, "/api/v1/operation-types/transfers/validate",
                    form.headers(), {form.body()});
        expect(said.status == 200_i) << said.body;
        const auto report = said.json();
        expect(!report["is_valid"].is_true());
        expect(report["rows"] == "3" and report["bad_rows"] == "2");
        expect(report["errors"][0]["line"] == "3" and report["errors"][0]["column"] == "amount");
        expect(report["errors"][0]["cell"] == "ten") << said.body;
        expect(report["errors"][1]["message"] == "an amount is not negative");
        expect(report["groups"].size() == 2_u);
        expect(at.get("/api/v1/operations").json()["total"] == "0");
    };

    "slow uploads do not take the turns of dry runs"_test = [] {
        stage at{{}, {.max_dry_runs = 2, .dry_run_wait = std::chrono::milliseconds{0}}};
        const auto older = api_stage::form{}
                               .field("operationName", "transfers")
                               .field("metadata", "{}")
                               .field("createdBy", "ops")
                               .field("notifications", "[]")
                               .file("june.csv", "account,amount\nA-1,1\n");
        for (const auto& [path, form] :
             {std::pair{"/api/v1/operation-types/transfers/validate", dry_run_form()},
              std::pair{"/api/bulks/validate", older}}) {
            const auto validate = [&](std::function<void()> meanwhile) {
                return at.send(api_stage::method::post, path, form.headers(),
                               {.body = form.body(), .before_last_piece = std::move(meanwhile)});
            };
            api_stage::answer honest, second;
            const auto first = validate([&] { second = validate([&] { honest = validate({}); }); });
            expect(honest.status == 200_i) << path << honest.body;
            expect(first.status == 200_i and second.status == 200_i) << path;
        }
    };

    "a dry run beyond the limit is told to try again"_test = [] {
        stage at{{}, {.max_dry_runs = 1, .dry_run_wait = std::chrono::milliseconds{0}}};
        const auto validate = [&] {
            const auto form = dry_run_form();
            return at.send(api_stage::method::post, "/api/v1/operation-types/transfers/validate",
                           form.headers(), {form.body()});
        };
        api_stage::answer refused;
        bulk::byte_source meanwhile{[&](std::span<char>) -> bulk::result<std::size_t> {
            refused = validate();
            return std::size_t{0};
        }};
        expect(at.service()
                   .validate("transfers", bulk::upload{"june.csv", std::move(meanwhile)}, "{}")
                   .has_value());
        expect(refused.is_problem(503, "unavailable")) << refused.body;
        expect(refused.json()["detail"] ==
               "too many dry runs at once (1 are allowed); try again soon")
            << refused.body;
        expect(refused.header("retry-after") == "1");
        expect(validate().status == 200_i);
    };
};

suite<"operations"> operations = [] {
    "an upload is accepted, has an address, and is run"_test = [] {
        stage at;
        const auto made = at.upload(
            "account,amount\nA-1,10\n",
            "type=transfers&file_name=june.csv&metadata=%7B%22requested_by%22%3A%22ops%22%7D");
        expect(made.status == 202_i) << made.body;
        const auto operation = made.json();
        expect(made.header("location") == of(operation["id"].text()));
        expect(operation["state"] == "pending" and operation["created_by"] == "local");
        expect(operation["rows"]["total"].is_null());
        expect(operation["file"]["name"] == "june.csv" and operation["file"]["size"] == "22");
        at.drive();
        const auto now = at.get(of(operation["id"].text())).json();
        expect(now["state"] == "completed") << now.text();
        expect(now["rows"]["total"] == "1" and now["rows"]["succeeded"] == "1");
        expect(now["percent"] == "100.000");
        expect(now["metadata"]["requested_by"] == "ops");
        expect(now["steps"].size() == 2_u and now["steps"][0]["kind"] == "plain");
    };

    "a form does the same, in pieces of any size"_test = [] {
        stage at;
        const auto form = api_stage::form{}
                              .field("type", "transfers")
                              .field("metadata", R"({"secret":"1234"})")
                              .file("../../etc/june.csv", "account,amount\nA-1,10\n");
        for (const std::size_t piece : {1U, 3U, 64U, 10'000U}) {
            const auto made = at.send(api_stage::method::post, "/api/v1/operations", form.headers(),
                                      {form.body(), piece});
            expect(made.status == 202_i) << piece << made.body;
            expect(made.json()["file"]["name"] == "june.csv");
            expect(made.json()["metadata"]["secret"] == "***") << "personal values are not shown";
        }
        expect(at.get("/api/v1/operations").json()["total"] == "4");
    };

    "a form whose file name goes over two lines is refused, and nothing is kept"_test = [] {
        stage at;
        const auto form = api_stage::form{}
                              .field("type", "transfers")
                              .file("../../etc/june\r\nx.csv", "account,amount\nA-1,10\n");
        for (const std::size_t piece : {1U, 3U, 64U, 10'000U})
            expect(at.send(api_stage::method::post, "/api/v1/operations", form.headers(),
                           {form.body(), piece})
                       .is_problem(400, "invalid_argument"))
                << piece;
        expect(at.get("/api/v1/operations").json()["total"] == "0");
        expect(at.storage().files("", 10).value().empty());
    };

    "what is wrong with an upload is said of the field, and nothing is kept"_test = [] {
        stage at{{}, {.max_file_size = 100}};
        const auto post = [&](const form& body, std::size_t piece = 50) {
            return at.send(api_stage::method::post, "/api/v1/operations", body.headers(),
                           {body.body(), piece});
        };
        const std::string rows = "account,amount\nA-1,10\n";
        expect(at.upload(rows, "file_name=a.csv").is_problem(400, "invalid_argument", "type"));
        expect(at.upload(rows, "type=x&file_name=a.csv").is_problem(404, "not_found", "type"));
        expect(at.upload(rows, "type=transfers&metadata=no")
                   .is_problem(400, "invalid_argument", "metadata"));
        expect(at.upload(rows, "type=transfers&colour=red")
                   .is_problem(400, "invalid_argument", "colour"));
        expect(at.upload(std::string(200, 'x'), "type=transfers&file_name=a.csv")
                   .is_problem(413, "too_large", "file"));
        expect(at.upload(rows, "type=transfers", {{"Content-Type", "text/plain"}})
                   .is_problem(415, "unsupported_media_type", "Content-Type"));
        expect(at.upload(rows, "type=transfers",
                         {{"Content-Type", "text/csv"}, {"Content-Encoding", "br"}})
                   .is_problem(415, "unsupported_media_type", "Content-Encoding"));
        expect(post(form{}.field("type", "transfers")).is_problem(400, "invalid_argument", "file"));
        expect(post(form{}.field("type", "transfers").field("colour", "red").file("a.csv", rows))
                   .is_problem(400, "invalid_argument", "colour"));
        expect(post(form{}.field("type", "a").field("type", "b").file("a.csv", rows))
                   .is_problem(400, "invalid_argument", "type"));
        expect(post(form{}.field("type", "transfers").file("a.csv", rows, "document"))
                   .is_problem(400, "invalid_argument", "document"));
        const auto late =
            form{}.field("type", "transfers").file("a.csv", rows).field("metadata", "{}");
        expect(post(late).is_problem(400, "invalid_argument")) << "the file is last";
        expect(
            post(form{}.field("type", "transfers").field("recipients", "[1]").file("a.csv", rows))
                .is_problem(400, "invalid_argument", "recipients"));
        expect(at.get("/api/v1/operations").json()["total"] == "0");
        expect(at.storage().files("", 10).value().empty()) << "no file is left either";
    };

    "a body that unpacks to too much is refused, and nothing is kept"_test = [] {
        std::string rows = "account,amount\n";
        for (int i = 0; i < 2'000; ++i) rows += "A-" + std::to_string(i) + ",1\n";
        const auto send = [](stage& at, const std::string& path, std::string packed,
                             const std::string& coding) {
            return at.send(api_stage::method::post, path,
                           {{"Content-Type", "text/csv"}, {"Content-Encoding", coding}},
                           {.body = std::move(packed), .piece = 10'000});
        };
        const std::string create = "/api/v1/operations?type=transfers&file_name=june.csv";
        const std::string validate =
            "/api/v1/operation-types/transfers/validate?file_name=june.csv";
        stage narrow{{}, {.max_file_size = 0, .max_unpacked_size = 5'000}};
        for (const auto& path : {create, validate})
            for (const auto& [coding, packed] : {std::pair{"gzip"s, support::gzip(rows)},
                                                 std::pair{"zstd"s, support::zstd(rows)}}) {
                const auto said = send(narrow, path, packed, coding);
                expect(said.is_problem(413, "too_large", "file")) << path << coding << said.body;
                expect(said.body.contains("unpacks to more than 5000 bytes")) << said.body;
            }
        expect(narrow.storage().files("", 10).value().empty());

        stage at{{}, {.max_file_size = 0}};
        expect(send(at, create, support::gzip(rows), "gzip").status == 202_i);
        const std::string bomb = support::zstd(std::string(std::size_t{101} << 20, 'x'));
        const auto said = send(at, validate, bomb, "zstd");
        expect(said.is_problem(413, "too_large", "file")) << said.body;
        expect(said.body.contains("unpacks to more than 250 times its size")) << said.body;
        expect(send(at, create, support::gzip(rows).substr(0, 100), "gzip")
                   .is_problem(400, "invalid_argument", "file"));
    };

    "a member of the metadata that nobody knows is refused"_test = [] {
        stage at;
        const auto said = at.upload("account,amount\n",
                                    "type=transfers&metadata=%7B%22requested%22%3A%22x%22%7D");
        expect(said.is_problem(400, "invalid_argument", "metadata")) << said.body;
        expect(said.json()["detail"].text().contains("did you mean 'requested_by'?"));
        expect(at.upload("account,amount\n",
                         "type=transfers&metadata=%7B%22REQUESTED_BY%22%3A%22x%22%7D")
                   .status == 202_i)
            << "names match as those of columns do";
    };

    "a long name keeps its end, and no half of a letter"_test = [] {
        stage at;
        std::string name;
        for (int i = 0; i < 200; ++i) name += "%C3%A9";
        const auto made =
            at.upload("account,amount\n", "type=transfers&file_name=" + name + ".csv");
        const auto kept = made.json()["file"]["name"].text();
        expect(kept.size() == 254_u and kept.ends_with("\xc3\xa9.csv")) << kept;
        expect(kept.starts_with("\xc3\xa9"));
        const auto file = at.get(of(made.json()["id"].text(), "/file"));
        expect(file.header("content-disposition").ends_with("%C3%A9.csv"));
        const auto key = at.upload("account,amount\n", "type=transfers",
                                   {{"Idempotency-Key", "\xff"}, {"Content-Type", "text/csv"}});
        expect(key.is_problem(400, "invalid_argument", "Idempotency-Key")) << key.body;
    };

    "an upload that is cut leaves nothing"_test = [] {
        stage at;
        const auto whole =
            form{}.field("type", "transfers").file("a.csv", "account,amount\nA-1,10\n");
        const auto body = whole.body();
        for (std::size_t end = 0; end < body.size() - 3; ++end) {
            const auto said =
                at.send(api_stage::method::post, "/api/v1/operations", whole.headers(),
                        {body.substr(0, end), 11, bulk::error{bulk::errc::unavailable, "gone"}});
            expect(fatal(said.status == 400_i)) << end << said.body;
        }
        const auto slow = at.send(api_stage::method::post, "/api/v1/operations?type=transfers",
                                  {{"Content-Type", "text/csv"}},
                                  {"account", 3, bulk::error{bulk::errc::timed_out, "too slow"}});
        expect(slow.is_problem(408, "timeout")) << slow.body;
        expect(at.get("/api/v1/operations").json()["total"] == "0");
        expect(at.storage().files("", 10).value().empty());
    };

    "the same key is the same operation; with another body it is refused"_test = [] {
        stage at;
        const auto ask = [&](const std::string& content, const std::string& query = "") {
            return at.upload(content, "type=transfers&file_name=a.csv" + query,
                             {{"Idempotency-Key", "june"}, {"Content-Type", "text/csv"}});
        };
        const auto first = ask("account,amount\nA-1,10\n");
        expect(first.status == 202_i);
        const auto again = ask("account,amount\nA-1,10\n");
        expect(again.status == 200_i) << again.body;
        expect(again.json()["id"] == first.json()["id"].text());
        expect(again.header("location") == first.header("location"));
        expect(ask("account,amount\nA-1,11\n").is_problem(422, "unprocessable", "Idempotency-Key"));
        expect(ask("account,amount\nA-1,10\n", "&metadata=%7B%22requested_by%22%3A%22x%22%7D")
                   .is_problem(422, "unprocessable", "Idempotency-Key"));
        expect(at.get("/api/v1/operations").json()["total"] == "1");
        expect(at.storage().files("", 10).value().size() == 1_u);
    };

    "an operation that has not changed is not sent again"_test = [] {
        stage at;
        const auto id = at.three();
        const auto first = at.get(of(id));
        const std::string etag{first.header("etag")};
        expect(!etag.empty());
        const auto again = at.get(of(id), {{"If-None-Match", "\"x\", " + etag}});
        expect(again.status == 304_i and again.body.empty());
        expect(at.get(of(id, "/status"), {{"If-None-Match", etag}}).status == 304_i);
        expect(at.post(of(id, "/retry")).status == 202_i);
        expect(at.get(of(id), {{"If-None-Match", etag}}).status == 200_i);
    };

    "a group of errors is tried again, and nothing else"_test = [] {
        stage at;
        api_stage::book = [](std::string_view account) {
            if (account == "A-1") return bulk::outcome::fail("account 'A-1' is locked");
            if (account == "A-2") return bulk::outcome::fail("account 'A-2' is closed");
            if (account == "A-3") return bulk::outcome::fail("account 'A-3' is closed");
            return bulk::outcome::done();
        };
        const auto id = at.run("account,amount\nA-1,1\nA-2,2\nA-3,3\nA-4,4\n");
        const auto groups = at.get(of(id, "/error-groups")).json()["items"];
        expect(fatal(groups.size() == 2_u));
        expect(groups[0]["pattern"] == "account '…' is closed") << groups.text();
        expect(at.post(of(id, "/retry"), R"({"group":"account '…' is open"})")
                   .is_problem(400, "invalid_argument", "group"));
        expect(at.post(of(id, "/retry"), R"({"group":"x","rows":["1"]})")
                   .is_problem(400, "invalid_argument", "group"));
        expect(at.post(of(id, "/retry"), R"({"group":1})")
                   .is_problem(400, "invalid_argument", "group"));
        api_stage::book = [](std::string_view) { return bulk::outcome::done(); };
        const auto said = at.post(of(id, "/retry"), R"({"group":"account '…' is closed"})");
        expect(said.status == 202_i and said.json()["submitted"] == "2") << said.body;
        at.drive();
        const auto left = at.get(of(id, "/errors")).json()["items"];
        expect(left.size() == 1_u and left[0]["row"] == "1") << left.text();
    };

    "operations are listed page by page, and a cursor belongs to its query"_test = [] {
        stage at;
        std::vector<std::string> ids;
        for (int i = 0; i < 5; ++i) ids.push_back(at.run("account,amount\nA-1,1\n"));
        std::vector<std::string> seen;
        std::string after;
        int pages = 0;
        do {
            const auto page = at.get("/api/v1/operations?order=asc&limit=2" +
                                     (after.empty() ? ""s : "&after=" + after));
            expect(fatal(page.status == 200_i)) << page.body;
            const auto list = page.json();
            expect(list["total"] == "5");
            for (const auto& each : list["items"].items) seen.push_back(each["id"].text());
            after = list["next"].is_null() ? "" : list["next"].text();
            ++pages;
        } while (!after.empty());
        expect(seen == ids and pages == 3_i);
        const auto first = at.get("/api/v1/operations?limit=2").json()["next"].text();
        expect(at.get("/api/v1/operations?limit=2&state=failed&after=" + first)
                   .is_problem(400, "invalid_argument", "after"));
        expect(at.get("/api/v1/operations?limit=2&after=00.00")
                   .is_problem(400, "invalid_argument", "after"));
        expect(at.get("/api/v1/operations?type=TRANS&state=completed&created_by=loc&sort=state")
                   .json()["total"] == "5");
        expect(at.get("/api/v1/operations?from=2100-01-01").json()["total"] == "0");
    };

    "what a list cannot be asked is refused by name"_test = [] {
        stage at;
        for (const auto& [query, field] :
             std::vector<std::pair<std::string, std::string>>{{"state=done", "state"},
                                                              {"limit=0", "limit"},
                                                              {"limit=1001", "limit"},
                                                              {"limit=-1", "limit"},
                                                              {"limit=ten", "limit"},
                                                              {"from=yesterday", "from"},
                                                              {"sort=colour", "sort"},
                                                              {"order=up", "order"},
                                                              {"stat=failed", "stat"},
                                                              {"limit=1&limit=2", "limit"}})
            expect(at.get("/api/v1/operations?" + query).is_problem(400, "invalid_argument", field))
                << query;
        expect(
            at.get("/api/v1/operations?stat=failed").json()["detail"].text().contains("'state'"));
    };

    "ids that are none, and operations that are not there"_test = [] {
        stage at;
        for (const std::string rest :
             {"", "/status", "/rows", "/rows/1", "/errors", "/error-groups", "/events", "/file",
              "/export", "/retry-eligibility", "/retry-history"}) {
            expect(at.get(of("7", rest)).is_problem(400, "invalid_argument", "id")) << rest;
            expect(at.get(of(nobody, rest)).is_problem(404, "not_found", "id")) << rest;
        }
        for (const std::string rest : {"/retry", "/cancel", "/pause", "/resume"}) {
            expect(at.post(of("7", rest)).is_problem(400, "invalid_argument", "id")) << rest;
            expect(at.post(of(nobody, rest)).status == 404_i) << rest;
        }
        expect(at.send(api_stage::method::remove, of(nobody)).status == 404_i);
    };

    "pause, resume, cancel and remove"_test = [] {
        stage at;
        const auto id = at.upload("account,amount\nA-1,10\n").json()["id"].text();
        expect(at.send(api_stage::method::remove, of(id)).is_problem(409, "illegal_transition"));
        const auto paused = at.post(of(id, "/pause"));
        expect(paused.status == 202_i and paused.json()["paused"].is_true());
        at.drive();
        expect(at.get(of(id)).json()["state"] == "pending");
        expect(!at.post(of(id, "/resume"), "").json()["paused"].is_true());
        at.drive();
        expect(at.get(of(id)).json()["state"] == "completed");
        expect(at.post(of(id, "/cancel")).is_problem(409, "illegal_transition"));
        expect(at.send(api_stage::method::remove, of(id)).status == 204_i);
        expect(at.get(of(id)).status == 404_i);
        const auto other = at.upload("account,amount\nA-1,10\n").json()["id"].text();
        expect(at.post(of(other, "/pause")).status == 202_i);
        expect(at.get(of(other, "/events")).body.contains("Pause requested by local"))
            << "who did it stands in the events";
        expect(at.post(of(other, "/cancel")).status == 202_i);
        at.drive();
        expect(at.get(of(other, "/status")).json()["state"] == "cancelled");
    };

    "a body of another type, or with members that nobody knows, is refused"_test = [] {
        stage at;
        const auto id = at.three();
        expect(at.post(of(id, "/cancel"), R"({"force":true})")
                   .is_problem(400, "invalid_argument", "force"));
        expect(at.post(of(id, "/retry"), "[]").is_problem(400, "invalid_argument"));
        expect(
            at.post(of(id, "/retry"), R"({"rows":7})").is_problem(400, "invalid_argument", "rows"));
        expect(at.post(of(id, "/retry"), R"({"rows":["x"]})")
                   .is_problem(400, "invalid_argument", "rows"));
        expect(at.post(of(id, "/retry"), R"({"rows":[]})")
                   .is_problem(400, "invalid_argument", "rows"));
        expect(
            at.post(of(id, "/retry"), R"({"step":1})").is_problem(400, "invalid_argument", "step"));
        expect(at.post(of(id, "/retry"), R"({"failure":"bad luck"})")
                   .is_problem(400, "invalid_argument", "failure"));
        expect(at.post(of(id, "/retry"), "{\"step\":\"Book\",\"step\":\"Book\"}")
                   .is_problem(400, "invalid_argument", "step"));
        expect(at.send(api_stage::method::post, of(id, "/retry"),
                       {{"Content-Type", "application/x-www-form-urlencoded"}}, {"rows=1"})
                   .is_problem(415, "unsupported_media_type", "Content-Type"));
        expect(at.send(api_stage::method::post, of(id, "/retry"), {}, {"{}"})
                   .is_problem(415, "unsupported_media_type", "Content-Type"));
    };
};

suite<"rows"> rows = [] {
    "rows stand where they are, with every step"_test = [] {
        stage at;
        const auto id = at.three();
        const auto all = at.get(of(id, "/rows")).json();
        expect(fatal(all["items"].size() == 3_u)) << all.text();
        const auto& good = all["items"][0];
        expect(good["row"] == "1" and good["row_id"] == "A-1" and good["state"] == "completed");
        expect(good["step"] == "Book" and good["steps"].size() == 3_u);
        expect(good["steps"][0]["step_index"] == "-1" and good["steps"][0]["step"] == "validation");
        expect(good["data"]["account"] == "A-1" and good["data"]["iban"] == "***");
        const auto& failed = all["items"][1];
        expect(failed["state"] == "failed" and failed["failure"] == "step_failure");
        expect(failed["error"] == "the account A-2 is closed");
        const auto& unread = all["items"][2];
        expect(unread["failure"] == "parse" and unread["step_index"] == "-1");
        expect(at.get(of(id, "/rows/2")).json()["error"] == "the account A-2 is closed");
        expect(at.get(of(id, "/rows/9")).is_problem(404, "not_found", "row"));
        expect(at.get(of(id, "/rows/x")).is_problem(400, "invalid_argument", "row"));
    };

    "rows are found by state, step, id and number"_test = [] {
        stage at;
        const auto id = at.three();
        const auto count = [&](const std::string& query) {
            return at.get(of(id, "/rows?" + query)).json()["items"].size();
        };
        expect(count("state=completed") == 1_u);
        expect(count("state=failed") == 2_u);
        expect(count("state=pending") == 0_u);
        expect(count("errors_only=true") == 2_u);
        expect(count("step=book") == 2_u);
        expect(count("step=validation&errors_only=true") == 1_u);
        expect(count("row_id=a-2") == 1_u);
        expect(count("from_row=2&to_row=2") == 1_u);
        expect(at.get(of(id, "/rows?step=bok")).is_problem(400, "invalid_argument", "step"));
        expect(at.get(of(id, "/rows?from_row=3&to_row=2")).status == 400_i);
        std::string after;
        std::vector<std::string> seen;
        do {
            const auto page =
                at.get(of(id, "/rows?limit=1" + (after.empty() ? "" : "&after=" + after))).json();
            for (const auto& each : page["items"].items) seen.push_back(each["row"].text());
            after = page["next"].is_null() ? "" : page["next"].text();
        } while (!after.empty());
        expect(seen == std::vector{"1"s, "2"s, "3"s});
    };

    "errors are one record a row, and groups say what they have in common"_test = [] {
        stage at;
        const auto id = at.three();
        const auto errors = at.get(of(id, "/errors?failure=step_failure")).json();
        expect(errors["total"] == "1" and errors["items"][0]["row"] == "2");
        expect(at.get(of(id, "/errors?order=desc")).json()["items"][0]["row"] == "3");
        const auto groups = at.get(of(id, "/error-groups")).json();
        expect(groups["items"].size() == 2_u);
        expect(groups["items"][0]["count"] == "1" and groups["items"][0]["first_row"] == "2");
    };

    "a file comes back as it was, whole or in parts"_test = [] {
        stage at;
        const auto id = at.three();
        const auto file = at.get(of(id, "/file"));
        expect(file.body == api_stage::three_rows);
        expect(file.header("content-disposition") == "attachment; filename=\"june.csv\"");
        expect(file.header("accept-ranges") == "bytes");
        const std::string etag{file.header("etag")};
        const auto part = at.get(of(id, "/file"), {{"Range", "bytes=0-6"}, {"If-Range", etag}});
        expect(part.status == 206_i and part.body == "account");
        expect(part.header("content-range") ==
               "bytes 0-6/" + std::to_string(api_stage::three_rows.size()));
        expect(at.get(of(id, "/file"), {{"Range", "bytes=-4"}}).body == "DE3\n");
        expect(at.get(of(id, "/file"), {{"Range", "bytes=8-"}}).body ==
               api_stage::three_rows.substr(8));
        expect(at.get(of(id, "/file"), {{"Range", "bytes=0-6"}, {"If-Range", "\"x\""}}).status ==
               200_i);
        const auto none = at.get(of(id, "/file"), {{"Range", "bytes=999-"}});
        expect(none.is_problem(416, "range", "Range"));
        expect(none.header("content-range") ==
               "bytes */" + std::to_string(api_stage::three_rows.size()));
        for (const std::string odd :
             {"bytes=5-2", "bytes=x-", "lines=1-2", "bytes=0-1,3-4", "bytes=-"})
            expect(at.get(of(id, "/file"), {{"Range", odd}}).status == 200_i) << odd;
        expect(at.get(of(id, "/file"), {{"If-None-Match", etag}}).status == 304_i);
        const auto record = at.service().get(bulk::parse_operation_id(id).value()).value();
        expect(at.storage().remove_file(record.file_id).has_value());
        expect(at.get(of(id, "/file")).is_problem(410, "gone"));
    };

    "exports are files, and what is wrong with them is said before they begin"_test = [] {
        stage at;
        const auto id = at.three();
        const auto report = at.get(of(id, "/export"));
        expect(report.status == 200_i and
               report.header("content-type") == "text/csv; charset=utf-8");
        expect(report.header("content-disposition") == "attachment; filename=\"june-report.csv\"");
        expect(report.body.contains("the account A-2 is closed"));
        const auto failed = at.get(of(id, "/export?content=data&rows=failed"));
        expect(failed.body == "account,amount,iban\nA-2,20,DE2\nA-3,ten,DE3\n") << failed.body;
        const auto pattern = at.get(of(id, "/error-groups")).json()["items"][0]["pattern"].text();
        std::string encoded;
        for (const char c : pattern)
            encoded += c == ' ' ? "%20"s : c == '#' ? "%23"s : std::string(1, c);
        expect(at.get(of(id, "/export?content=data&group=" + encoded)).body ==
               "account,amount,iban\nA-2,20,DE2\n");
        expect(at.get(of(id, "/export?format=json")).json().size() == 3_u);
        expect(at.get(of(id, "/export?step=nowhere")).is_problem(400, "invalid_argument", "step"));
        expect(
            at.get(of(id, "/export?content=all")).is_problem(400, "invalid_argument", "content"));
    };

    "an export that nobody reads to its end ends"_test = [] {
        stage at;
        std::string many = "account,amount\n";
        for (int i = 0; i < 20'000; ++i) many += "A-" + std::to_string(i) + ",1\n";
        const auto id = at.run(many);
        for (int i = 0; i < 3; ++i) {
            bulk::http::request asked{
                .head = {.target = of(id, "/export"), .headers = {{"Host", "localhost"}}}};
            auto admitted = at.app().admit(asked.head);
            auto said =
                std::get<std::unique_ptr<bulk::http::admitted_request>>(admitted)->answer(asked);
            std::vector<char> piece(10);
            expect(said.stream(piece).value() == 10_u);
        }
        expect(at.get(of(id, "/export")).body.size() > 1'000'000_u);
    };
};

suite<"times"> times = [] {
    "times are UTC in answers and exports, whatever the time zone of the process"_test = [] {
        const char* zone = std::getenv("TZ");
        const auto before = zone == nullptr ? std::nullopt : std::optional<std::string>{zone};
        (void)setenv("TZ", "EAST-9", 1);
        tzset();
        stage at;
        const auto id = at.run("account,amount\nA-1,1\n");
        const auto stored = at.storage().get(bulk::parse_operation_id(id).value()).value();
        const auto said = at.get(of(id)).json();
        const auto created = said["created_at"].text(), ended = said["completed_at"].text();
        expect(created.starts_with(utc(stored.created_at)) and created.ends_with('Z')) << created;
        expect(ended.starts_with(utc(*stored.completed_at)) and ended.ends_with('Z')) << ended;
        for (const auto* format : {"csv", "ndjson"}) {
            const auto report = at.get(of(id, "/export?format="s + format)).body;
            expect(report.contains(ended)) << report;
        }
        (void)(before ? setenv("TZ", before->c_str(), 1) : unsetenv("TZ"));
        tzset();
    };
};

suite<"uploaded files"> uploaded_files = [] {
    "a file is served as what it is, unless a browser could run it"_test = [] {
        stage at;
        const auto served = [&](std::string name, api_stage::header_list headers) {
            const auto made =
                at.upload("account,amount\nA-1,1\n<script>alert(1)</script>,2\n",
                          "type=transfers&file_name=" + std::move(name), std::move(headers));
            expect(fatal(made.status == 202_i)) << made.body;
            const auto file = at.get(of(made.json()["id"].text(), "/file"));
            expect(file.status == 200_i);
            expect(file.header("content-disposition").starts_with("attachment"));
            expect(file.header("x-content-type-options") == "nosniff");
            expect(file.header("content-security-policy").contains("sandbox"));
            return std::string{file.header("content-type")};
        };
        const auto sent = [](std::string type) {
            return api_stage::header_list{{"Content-Type", std::move(type)}};
        };
        expect(served("a.csv", sent("text/csv; charset=utf-8")) == "text/csv");
        expect(served("a.csv", sent("application/octet-stream")) == "text/csv");
        expect(served("a.ndjson", sent("")) == "application/x-ndjson");
        expect(served("a.txt", sent("application/octet-stream")) == "text/plain");
        expect(served("a", sent("application/json")) == "application/json");
        expect(served("a", sent("")) == "application/octet-stream");
        for (const auto* evil :
             {"text/html", "TEXT/HTML", "application/xhtml+xml", "image/svg+xml", "text/xml",
              "application/xml", "text/javascript", "application/javascript", "application/pdf",
              "text/css", "message/rfc822"}) {
            expect(served("a.html", sent(evil)) == "application/octet-stream") << evil;
            expect(served("a.csv", sent(evil)) == "text/csv") << evil;
        }
    };

    "the part of a form says what a file is"_test = [] {
        stage at;
        form sent;
        sent.field("type", "transfers").file("a.bin", "account,amount\nA-1,1\n");
        const auto made =
            at.send(bulk::http::method::post, "/api/v1/operations", sent.headers(), {sent.body()});
        expect(fatal(made.status == 202_i)) << made.body;
        expect(at.get(of(made.json()["id"].text(), "/file")).header("content-type") == "text/csv");
    };

    "files are listed by the beginning of their name, with uploader and type"_test = [] {
        stage at;
        for (const auto* name : {"june-1.csv", "june-2.json", "July.csv"})
            (void)at.upload("account,amount\nA-1,1\n",
                            "type=transfers&file_name=" + std::string{name});
        expect(at.get("/api/v1/files").json()["items"].size() == 3_u);
        const auto june = at.get("/api/v1/files?name=june").json();
        expect(fatal(june["items"].size() == 2_u));
        const auto& file = june["items"][1];
        expect(file["name"] == "june-2.json" and file["uploaded_by"] == "local");
        expect(file["size"] == "21" and !file["id"].is_null() and !file["stored_at"].is_null());
        expect(june["items"][0]["content_type"] == "text/csv");
        expect(june["next"].is_null() and june["total"] == "2");
        const auto first = at.get("/api/v1/files?name=june&limit=1").json();
        expect(first["items"].size() == 1_u and first["items"][0]["name"] == "june-1.csv");
        const auto rest =
            at.get("/api/v1/files?name=june&limit=1&after=" + first["next"].text()).json();
        expect(rest["items"].size() == 1_u and rest["items"][0]["name"] == "june-2.json");
        expect(at.get("/api/v1/files?after=" + first["next"].text())
                   .is_problem(400, "invalid_argument", "after"));
        expect(at.get("/api/v1/files?limit=0").is_problem(400, "invalid_argument", "limit"));
    };
};

suite<"retries and signals"> retries = [] {
    "a retry tries failed rows again and says what it did"_test = [] {
        stage at;
        const auto id = at.three();
        expect(at.get(of(id, "/retry-eligibility")).json()["is_eligible"].is_true());
        api_stage::book = {};
        const auto said = at.post(of(id, "/retry"), R"({"rows":["2", 3],"step":"Book"})");
        expect(said.status == 202_i) << said.body;
        expect(said.json()["submitted"] == "1" and said.json()["skipped"] == "1");
        expect(said.json()["reasons"].size() == 1_u);
        at.drive();
        expect(at.get(of(id, "/rows/2")).json()["state"] == "completed");
        const auto history = at.get(of(id, "/retry-history?row=2")).json();
        expect(history["items"][0]["error"] == "the account A-2 is closed");
        expect(history["items"][0]["data"]["account"] == "A-2");
        expect(history["items"][0]["data"]["iban"] == "***") << "personal data is not shown";
        expect(at.get(of(id, "/retry-history?row=3")).json()["items"].size() == 0_u);
        const auto no = at.get(of(id, "/retry-eligibility")).json();
        expect(!no["is_eligible"].is_true() and !no["reason"].is_null());
        expect(at.post(of(id, "/retry")).is_problem(409, "illegal_transition", "rows"));
    };

    "a signal completes or fails a row that waits, or waits for one"_test = [] {
        stage at;
        const auto id = at.run("account,amount\nW-1,1\nW-2,2\nW-3,3\n");
        expect(at.get(of(id, "/rows?state=waiting_for_completion")).json()["items"].size() == 3_u);
        expect(at.get(of(id, "/rows?signal_key=approve-W-2")).json()["items"][0]["row"] == "2");
        const auto first = at.post(of(id, "/signals"), R"({"key":"approve-W-1"})");
        expect(first.status == 202_i) << first.body;
        expect(first.json()["row"] == "1" and first.json()["step"] == "Approve");
        expect(!first.json()["is_kept"].is_true());
        const auto second =
            at.post(of(id, "/signals"), R"({"key":"approve-W-2","row":"2","failure":"no"})");
        expect(second.status == 202_i) << second.body;
        const auto again = at.post(of(id, "/signals"), R"({"key":"approve-W-1"})");
        expect(again.status == 202_i and again.json()["is_kept"].is_true()) << "no other waits";
        at.drive();
        expect(at.get(of(id, "/rows/1")).json()["state"] == "completed");
        const auto failed = at.get(of(id, "/rows/2")).json();
        expect(failed["failure"] == "signal_failure") << failed.text();
        const auto early = at.post(of(id, "/signals"), R"({"key":"approve-W-9"})");
        expect(early.json()["is_kept"].is_true() and early.json()["row"].is_null());
        expect(at.post(of(id, "/signals"), "{}").is_problem(400, "invalid_argument", "key"));
        expect(at.post(of(id, "/signals"), R"({"key":"k","row":0})")
                   .is_problem(400, "invalid_argument", "row"));
        expect(at.post(of(id, "/signals"), R"({"key":"k","rows":1})")
                   .is_problem(400, "invalid_argument", "rows"));
    };
};

suite<"events"> events = [] {
    "events are listed from where somebody was"_test = [] {
        stage at;
        const auto id = at.three();
        const auto all = at.get(of(id, "/events")).json();
        expect(fatal(all["items"].size() >= 4_u));
        expect(all["items"][0]["kind"] == "created" and all["items"][0]["operation"] == id);
        expect(all["items"][0]["run"].is_null());
        const auto page = at.get(of(id, "/events?limit=2")).json();
        expect(page["next"] == page["items"][1]["sequence"].text());
        const auto rest = at.get(of(id, "/events?after=" + page["next"].text())).json();
        expect(rest["items"].size() == all["items"].size() - 2);
        expect(at.get("/api/v1/events?limit=1").json()["items"][0]["sequence"] ==
               all["items"].items.back()["sequence"].text())
            << "without a beginning, the newest";
        expect(at.get("/api/v1/events?after=0&operation=" + id).json()["items"].size() ==
               all["items"].size());
        expect(
            at.get("/api/v1/events?operation=7").is_problem(400, "invalid_argument", "operation"));
        expect(at.get("/api/v1/events?after=x").is_problem(400, "invalid_argument", "after"));
    };

    "events have counts, duration, file, uploader and errors, and no personal metadata"_test = [] {
        stage at;
        api_stage::book = [](std::string_view account) {
            return account == "A-2" ? bulk::outcome::fail("the account A-2 is closed")
                                    : bulk::outcome::done();
        };
        const auto id = at.run("account,amount\nA-1,1\nA-2,2\nA-3,-3\n",
                               "type=transfers&file_name=june.csv&metadata=%7B%22requested_by%22:"
                               "%22ben%22,%22secret%22:%22Eve%22%7D");
        const auto all = at.get(of(id, "/events")).json();
        const auto find = [&](std::string_view kind) {
            for (const auto& each : all["items"].items)
                if (each["kind"] == kind) return each;
            return all["none"];
        };
        const auto created = find("created"), ended = find("completed");
        expect(created["file_name"] == "june.csv" and created["created_by"] == "local");
        expect(created["metadata"]["requested_by"] == "ben");
        expect(created["metadata"]["secret"] == "***");
        expect(created["rows"].is_null() and created["duration_ms"].is_null());
        expect(ended["rows"]["total"] == "3" and ended["rows"]["succeeded"] == "1" and
               ended["rows"]["failed"] == "2" and ended["rows"]["unprocessed"] == "0");
        expect(!ended["duration_ms"].is_null() and ended["file_name"].is_null() and
               ended["metadata"].is_null() and ended["error"].is_null());
        std::string errors;
        for (const auto& each : all["items"].items)
            if (each["kind"] == "row_failed")
                errors += each["row"].text() + ' ' + each["failure"].text() + ": " +
                          each["error"].text() + '\n';
        expect(errors ==
               "3 validation: an amount is not negative\n"
               "2 step_failure: the account A-2 is closed\n")
            << errors;
        auto stream = at.get("/api/v1/events/stream?after=0");
        (void)stream.events->next([] {});
        const auto text = stream.events->next([] {}).value();
        expect(text.contains(R"("file_name":"june.csv")") and !text.contains("Eve")) << text;
    };

    "a stream goes on behind the last event that was seen"_test = [] {
        stage at;
        const auto id = at.three();
        at.drive();
        const auto last = at.get("/api/v1/events?limit=1").json()["items"][0]["sequence"].text();
        auto said = at.get("/api/v1/events/stream?after=0");
        expect(fatal(said.events != nullptr));
        expect(said.header("content-type") == "text/event-stream");
        expect(said.events->next([] {}).value().starts_with("retry: "));
        const auto text = said.events->next([] {}).value();
        expect(text.contains("id: " + last + "\n") and text.contains("event: created\n"));
        expect(text.contains("\"operation\":\"" + id)) << text;
        expect(said.events->next([] {}).value().empty());
        auto rest = at.get("/api/v1/events/stream", {{"Last-Event-ID", last}});
        expect(rest.events->next([] {}).value().starts_with("retry"));
        expect(rest.events->next([] {}).value().empty()) << "nothing is told twice";
        expect(at.get("/api/v1/events/stream", {{"Last-Event-ID", "x"}})
                   .is_problem(400, "invalid_argument", "Last-Event-ID"));
    };

    "who knows events that never were begins anew"_test = [] {
        stage at;
        at.three();
        auto said = at.get("/api/v1/events/stream?after=999999");
        expect(said.events->next([] {}).value().starts_with("retry"));
        expect(said.events->next([] {}).value().contains("event: reset\n"));
        expect(!said.events->next([] {}).has_value());
    };

    "a stream of one operation has its events only"_test = [] {
        stage at;
        const auto first = at.three();
        const auto second = at.three();
        at.drive();
        auto said = at.get("/api/v1/events/stream?after=0&operation=" + second);
        (void)said.events->next([] {});
        const auto text = said.events->next([] {}).value();
        expect(text.contains(second) and !text.contains(first));
    };
};

suite<"the service"> service = [] {
    "health, readiness, metrics, the index and the overview"_test = [] {
        stage at;
        expect(at.get("/healthz").json()["status"] == "ok");
        expect(at.get("/readyz").json()["status"] == "ok");
        at.three();
        const auto metrics = at.get("/metrics");
        expect(metrics.header("content-type").starts_with("text/plain"));
        expect(
            metrics.body.contains("bulk_rows_total{type=\"transfers\",outcome=\"succeeded\"} 1\n"))
            << metrics.body;
        expect(metrics.body.contains("bulk_step_duration_seconds_count{type=\"transfers\""));
        const auto index = at.get("/api/v1").json();
        expect(index["name"] == "test" and !index["read_only"].is_true());
        expect(index["principal"]["name"] == "local");
        const auto overview = at.get("/api/v1/overview").json();
        expect(overview["states"]["completed_with_errors"] == "1") << overview.text();
        expect(overview["attention"].size() == 1_u);
        expect(overview["attention_runs"].size() == 0_u);
        expect(overview["step_latency"].size() == 2_u);
        expect(at.service().shutdown().has_value());
        const auto closing = at.get("/readyz");
        expect(closing.status == 503_i and closing.header("retry-after") == "1");
        expect(at.upload("account,amount\n").is_problem(503, "unavailable"));
    };

    "what runs needs attention when rows wait for a signal or have failed"_test = [] {
        stage at;
        const auto needs = [&] { return at.get("/api/v1/overview").json()["attention"]; };
        const auto waits = at.run("account,amount\nW-1,1\n");
        expect(needs().size() == 1_u and needs()[0]["id"] == waits) << needs().text();
        const auto overview = at.get("/api/v1/overview").json();
        expect(overview["running_operations"] == "1" and overview["states"]["running"] == "1")
            << "one count" << overview.text();
        expect(at.post(of(waits, "/signals"), R"({"key":"approve-W-1"})").status == 202_i);
        at.drive();
        expect(needs().size() == 0_u) << needs().text();
        api_stage::book = [](std::string_view account) {
            if (account == "A-1") return bulk::outcome::fail("closed");
            return bulk::outcome::poll(std::chrono::hours{1}, std::chrono::hours{100});
        };
        const auto polls = at.run("account,amount\nA-2,1\n");
        expect(at.get(of(polls)).json()["state"] == "running");
        expect(needs().size() == 0_u) << "it goes on by itself:" << needs().text();
        const auto fails = at.run("account,amount\nA-1,1\nA-2,1\n");
        api_stage::book = {};
        expect(at.get(of(fails)).json()["state"] == "running");
        expect(needs().size() == 1_u and needs()[0]["rows"]["failed"] == "1") << needs().text();
    };

    "a row that waits by itself hides none that waits for a signal"_test = [] {
        stage at;
        const auto needs = [&] { return at.get("/api/v1/overview").json()["attention"]; };
        api_stage::book = [](std::string_view account) {
            if (account == "A-3")
                return bulk::outcome::wait_for_signal("ask", std::chrono::hours{100});
            return bulk::outcome::poll(std::chrono::hours{1}, std::chrono::hours{100});
        };
        const auto id = at.run("account,amount\nA-1,1\nA-2,1\nA-3,1\n");
        expect(needs().size() == 1_u and needs()[0]["id"] == id) << needs().text();
        expect(at.post(of(id, "/signals"), R"({"key":"ask"})").status == 202_i);
        at.drive();
        api_stage::book = {};
        expect(needs().size() == 0_u) << needs().text();
    };

    "a thousand operations without an issue hide none that has one"_test = [] {
        stage at;
        const auto needs = [&] { return at.get("/api/v1/overview").json()["attention"]; };
        const auto now = at.service().now();
        std::uint64_t number = 0;
        auto begin = now - std::chrono::hours{24 * 20};
        const auto store = [&](bulk::operation_state state, std::uint64_t failed,
                               std::chrono::hours ended_ago) {
            bulk::operation_record record{
                .id = {{.high = 1, .low = ++number}}, .name = "transfers", .state = state};
            record.created_at = begin + std::chrono::seconds{number};
            record.rows.failed = failed;
            if (is_final(state)) record.completed_at = now - ended_ago;
            expect(at.storage().create(record, {}).has_value());
        };
        using enum bulk::operation_state;
        store(running, 1, {});
        store(completed_with_errors, 1, std::chrono::hours{1});
        for (int i = 0; i < 1'001; ++i) {
            store(running, 0, {});
            store(completed_with_errors, 1, std::chrono::hours{48});
        }
        expect(fatal(needs().size() == 2_u)) << needs().text().substr(0, 400);
        expect(needs()[0]["state"] == "completed_with_errors" and needs()[1]["state"] == "running");
        expect(at.get("/api/v1/overview").json()["states"]["running"] == "1002");
        begin = now - std::chrono::hours{24 * 40};
        store(failed, 1, std::chrono::hours{1});
        expect(needs().size() == 3_u) << "the first page is read, however old its operations are";
        store(completed_with_errors, 1, std::chrono::hours{1});
        expect(needs().size() == 3_u) << "behind it those of the last month";
        for (int i = 0; i < 30; ++i) store(running, 1, {});
        expect(needs().size() == 20_u) << "no more are shown";
    };

    "workers of every process are listed, and those that fell silent"_test = [] {
        stage at{{}, {.lease_time = std::chrono::seconds{30}}};
        at.drive();
        const auto now = at.service().now();
        bulk::worker_record other{.id = {{.high = 1, .low = 2}},
                                  .kind = bulk::worker_kind::feeds,
                                  .name = "another",
                                  .host = "elsewhere",
                                  .pid = 4711,
                                  .started_at = now - std::chrono::hours{1},
                                  .seen_at = now,
                                  .silent_after = std::chrono::minutes{2},
                                  .running_pages = 3};
        (void)at.storage().save_worker(other);
        const auto all = at.get("/api/v1/workers").json()["items"];
        expect(fatal(all.size() == 2_u)) << all.text();
        expect(all[0]["name"] == "another" and all[0]["kind"] == "feeds");
        expect(all[0]["host"] == "elsewhere" and all[0]["pid"] == "4711");
        expect(all[0]["id"] == "00000000-0000-0001-0000-000000000002");
        expect(all[0]["running_pages"] == "3" and all[0]["running_operations"] == "0");
        expect(all[0]["is_silent"] == "false" and all[0]["last_seen"].text().ends_with('Z'));
        expect(all[1]["name"] == "test" and all[1]["kind"] == "operations");
        at.advance(std::chrono::minutes{3});
        const auto later = at.get("/api/v1/workers").json()["items"];
        expect(later[0]["is_silent"] == "true") << "two minutes are its own measure";
        expect(later[1]["is_silent"] == "false");
        const auto metrics = at.get("/metrics").body;
        for (const auto* line : {"bulk_workers{kind=\"operations\",silent=\"false\"} 1\n",
                                 "bulk_workers{kind=\"operations\",silent=\"true\"} 0\n",
                                 "bulk_workers{kind=\"feeds\",silent=\"false\"} 0\n",
                                 "bulk_workers{kind=\"feeds\",silent=\"true\"} 1\n"})
            expect(metrics.contains(line)) << line << metrics;
        expect(at.service().shutdown().has_value());
        expect(at.get("/api/v1/workers").json()["items"].size() == 1_u);
    };

    "a process that only answers is no worker"_test = [] {
        stage at{{}, {.scheduler = bulk::scheduling::none}};
        at.drive();
        expect(at.get("/api/v1/workers").body == R"({"items":[],"next":null,"total":"0"})");
    };

    "a program with feeds only says who works, too"_test = [] {
        stage at{{}, {.scheduler = bulk::scheduling::none}, true, false};
        at.drive();
        const auto all = at.get("/api/v1/workers").json()["items"];
        expect(fatal(all.size() == 1_u)) << all.text();
        expect(all[0]["kind"] == "feeds" and all[0]["name"] == "test");
        expect(at.get("/api/v1").json()["links"]["workers"] == "/api/v1/workers");
        expect(at.get("/api/v1/openapi.json").body.contains("\"/api/v1/workers\""));
        expect(at.get("/api/v1/operations").status == 404_i);
    };
};

int main() {}
