#include "stage.hpp"

#include <bulk/rows/utf8.hpp>

#include <support/ut.hpp>

#include <fstream>
#include <iterator>

using namespace boost::ut;
using namespace std::string_literals;
using stage::id_in;
using stage::lines;
using stage::parsed;

namespace {

using words = std::vector<std::string>;

/// Three rows, of which one succeeds; the id of the operation.
std::string run_three(stage::program& app) {
    return id_in(app.run({"run", app.three(), "--set", "by=ops", "--created-by", "ops"}).out);
}

}  // namespace

int main() {
    "run: the exit code says what became of the rows"_test = [] {
        stage::program app;
        const auto all = app.run({"run", app.good(), "--set", "by=ops"});
        expect(eq(all.code, 0));
        expect(all.says("good.csv: completed in "));
        expect(all.says("  succeeded  2  100%\n"));
        expect(eq(all.err, ""s));

        const auto some = app.run({"run", app.three(), "--set", "by=ops"});
        expect(eq(some.code, 3));
        expect(some.says("june.csv: completed with errors in "));
        expect(some.says("  rows       3\n  succeeded  1  33%\n  failed     2  66%\n")) << some.out;
        expect(
            some.says("  step        completed  failed  timed out  waiting\n"
                      "  validation          2       1          0        0\n"
                      "  Check               2       0          0        0\n"
                      "  Book                1       1          0        0\n"))
            << some.out;
        expect(some.says("account 'A-2' is locked"));
        expect(some.complains("app: try them again: app retry " + id_in(some.out)));

        const auto refused_rows = app.run(
            {"run", app.file("refused.csv", "account,amount\nA-3,-5\n"), "--set", "by=ops"});
        expect(eq(refused_rows.code, 3));
        expect(!refused_rows.complains("try them again")) << "validation would refuse them again";
        expect(refused_rows.complains("app: to correct and run them again: app export " +
                                      id_in(refused_rows.out) +
                                      " --kind data --rows failed --output FILE"))
            << refused_rows.err;

        const auto none = app.run({"run", app.file("odd.csv", "name\nx\n"), "--set", "by=ops"});
        expect(eq(none.code, 1));
        expect(none.says("odd.csv: failed")) << none.out;
        expect(none.says("account")) << "which column is missing";
        const auto refused = app.run({"run", app.good(), "--set", "by=nobody"});
        expect(eq(refused.code, 1));
        expect(refused.says("nobody may book"));
    };

    "run: the same command says what came of it, and --again runs it once more"_test = [] {
        stage::program app;
        const words command{"run", app.three(), "--set", "by=ops"};
        const auto first = app.run(command);
        const auto second = app.run(command);
        expect(eq(second.code, 3));
        expect(eq(id_in(second.out), id_in(first.out)));
        expect(second.complains("this file has run already"));
        expect(second.complains("--set by=ops --again"));
        auto again = command;
        again.emplace_back("--again");
        const auto third = app.run(again), fourth = app.run(again);
        expect(eq(third.code, 3) && neq(id_in(third.out), id_in(first.out)));
        expect(neq(id_in(fourth.out), id_in(third.out)));
        expect(eq(id_in(app.run(command).out), id_in(fourth.out))) << "the newest is what counts";
        app.file("june.csv", "account,amount\nA-9,10\n");
        expect(eq(app.run(command).code, 0)) << "what is in the file counts, not its name";
    };

    "run: a key of the caller's tells operations apart"_test = [] {
        stage::program app;
        const auto run = [&](const std::string& key) {
            return id_in(app.run({"run", app.good(), "--set", "by=ops", "--key", key}).out);
        };
        const auto monday = run("monday");
        expect(neq(run("tuesday"), monday));
        expect(eq(run("monday"), monday));
    };

    "run --json: one object with everything"_test = [] {
        stage::program app;
        const auto said = app.run({"run", app.three(), "--set", "by=ops", "--json"});
        expect(eq(said.code, 3));
        expect(eq(said.err, ""s));
        const parsed last{lines(said.out).back()};
        expect(eq(last["type"], "operation"s));
        expect(eq(last["operation"], "transfers"s));
        expect(eq(last["state"], "completed_with_errors"s));
        expect(eq(last["file"], "june.csv"s));
        const parsed rows{last["rows"]};
        expect(eq(rows["total"], "3"s) && eq(rows["succeeded"], "1"s) && eq(rows["failed"], "2"s));
        expect(last["steps"].contains(R"({"step":"Book","completed":1,"failed":1,)"));
        expect(last["errors"].contains(R"("pattern":"account '…' is locked")"));
        expect(last["created_at"].ends_with('Z'));
    };

    "validate: what a run would find, and nothing is stored"_test = [] {
        stage::program app;
        const auto good = app.run({"validate", app.good(), "--set", "by=ops"});
        expect(eq(good.code, 0));
        expect(good.says("good.csv: valid, 2 rows\n"));
        const auto some = app.run({"validate", app.three(), "--set", "by=ops"});
        expect(eq(some.code, 3));
        expect(some.says("june.csv: not valid, 3 rows, 1 would be refused\n"));
        expect(some.says("an amount is more than 0"));
        const auto metadata = app.run({"validate", app.good(), "--set", "by=nobody"});
        expect(eq(metadata.code, 1));
        expect(metadata.says("  metadata: nobody may book"));
        const auto file = app.run({"validate", app.file("x.csv", "name\nx\n"), "--set", "by=ops"});
        expect(eq(file.code, 1));
        expect(file.says("  file: "));
        expect(eq(app.opened, 0)) << "no storage is needed";
        const parsed line{app.run({"validate", app.three(), "--set", "by=ops", "--json"}).out};
        expect(eq(line["type"], "validation"s) && eq(line["is_valid"], "false"s));
        expect(eq(line["rows"], "3"s) && eq(line["invalid"], "1"s));
    };

    "submit, then worker: one takes in, the other runs"_test = [] {
        stage::program app;
        const auto submitted = app.run({"submit", app.three(), "--set", "by=ops"});
        expect(eq(submitted.code, 0));
        expect(eq(submitted.out, id_in(submitted.out) + "\n")) << "nothing but the id";
        expect(app.run({"status"}).says("june.csv: pending"));
        const auto worked = app.run({"worker", "--drain"});
        expect(eq(worked.code, 0)) << worked.err;
        expect(worked.says(id_in(submitted.out) + "  transfers: 1/3 rows succeeded in "))
            << worked.out;
        expect(app.run({"status"}).says("june.csv: completed with errors"));
        const auto again = app.run({"submit", app.three(), "--set", "by=ops"});
        expect(eq(again.out, submitted.out));
        expect(again.complains("it is completed with errors, --again takes it in once more"));
        const parsed line{app.run({"submit", app.good(), "--set", "by=ops", "--json"}).out};
        expect(eq(line["state"], "pending"s) && eq(line["is_new"], "true"s));
        const auto events = lines(app.run({"worker", "--drain", "--json"}).out);
        expect(fatal(!events.empty()));
        for (const auto& each : events) expect(eq(parsed{each}["type"], "event"s));
        expect(eq(parsed{events.back()}["state"], "completed"s));
        expect(events.back().contains(R"("failed":0})") && events.back().contains("duration_ms"))
            << events.back();
    };

    "files: what was uploaded, by the beginning of its name"_test = [] {
        stage::program app;
        expect(app.run({"files"}).complains("no files found"));
        (void)app.run({"submit", app.three(), "--set", "by=ops"});
        (void)app.run({"submit", app.good(), "--set", "by=ops"});
        const auto all = app.run({"files"});
        expect(all.says("june.csv") && all.says("text/csv")) << all.out;
        const auto june = lines(app.run({"files", "--name", "june", "--json"}).out);
        expect(fatal(eq(june.size(), std::size_t{1})));
        const parsed file{june[0]};
        expect(eq(file["type"], "file"s) && eq(file["name"], "june.csv"s) &&
               eq(file["content_type"], "text/csv"s));
        expect(app.run({"files", "--name", "June"}).complains("no files found"));
        const auto first = lines(app.run({"files", "--limit", "1", "--json"}).out);
        expect(fatal(eq(first.size(), std::size_t{2})));
        const auto rest =
            lines(app.run({"files", "--after", parsed{first[1]}["after"], "--json"}).out);
        expect(fatal(eq(rest.size(), std::size_t{1})));
        expect(parsed{rest[0]}["id"] != parsed{first[0]}["id"]);
        const auto refused = app.run({"files", "--limit", "0"});
        expect(eq(refused.code, 2) && refused.complains("--limit must be between 1 and 1000"));
    };

    "worker: an interruption ends it"_test = [] {
        stage::program app;
        app.interrupted = true;
        const auto said = app.run({"worker"});
        expect(eq(said.code, 0));
        expect(said.complains("nothing is lost; go on with: app worker"));
    };

    "status: the newest, or any by its id"_test = [] {
        stage::program app;
        const auto none = app.run({"status"});
        expect(eq(none.code, 1));
        expect(none.complains("there is no operation yet; `run FILE` makes one"));
        const auto first = run_three(app);
        (void)app.run({"run", app.good(), "--set", "by=ops"});
        expect(app.run({"status"}).says("good.csv: completed"));
        const auto said = app.run({"status", first});
        expect(eq(said.code, 0)) << "that the rows failed is no failure to say so";
        expect(said.says("june.csv: completed with errors") && said.says("  created by  ops\n"));
        expect(app.run({"status", first, "--follow"}).says("june.csv: completed with errors"));
        expect(eq(parsed{app.run({"status", first, "--json"}).out}["id"], first));
        const auto other = app.run({"status", "0190163d-8694-739b-aea5-966c26f8ad90"});
        expect(eq(other.code, 1));
        expect(other.complains("there is no operation 0190163d-8694-739b-aea5-966c26f8ad90"));
    };

    "list: newest first, filtered, page by page"_test = [] {
        stage::program app;
        expect(app.run({"list"}).complains("no operation is like that"));
        const auto first = run_three(app);
        const auto second = id_in(app.run({"run", app.good(), "--set", "by=ops"}).out);
        const auto all = lines(app.run({"list"}).out);
        expect(fatal(eq(all.size(), 3u)));
        expect(
            all[0].starts_with("id                                    operation  created (UTC)"));
        expect(all[1].starts_with(second) &&
               all[1].ends_with("2  100%       0  completed              good.csv"))
            << all[1];
        expect(all[2].starts_with(first));
        expect(eq(lines(app.run({"list", "--state", "completed"}).out).size(), 2u));
        expect(lines(app.run({"list", "--created-by", "ops"}).out).back().starts_with(first));
        expect(app.run({"list", "--to", "2020-01-01"}).out.empty());
        const auto page = app.run({"list", "--limit", "1", "--ascending"});
        expect(page.says(first) && !page.says(second));
        const auto cursor = page.err.substr(page.err.find("--after ") + 8);
        const auto next = app.run({"list", "--limit", "1", "--ascending", "--after",
                                   cursor.substr(0, cursor.size() - 1)});
        expect(next.says(second) && !next.says(first)) << next.err;
        const auto json = lines(app.run({"list", "--json", "--limit", "1"}).out);
        expect(eq(parsed{json[0]}["id"], second));
        expect(eq(parsed{json[1]}["type"], "next"s));
    };

    "rows: what became of them, step by step"_test = [] {
        stage::program app;
        (void)run_three(app);
        const auto all = app.run({"rows"});
        expect(eq(all.code, 0));
        expect(eq(lines(all.out).size(), 8u)) << "three validations, four steps\n" << all.out;
        const auto second = app.run({"rows", "last", "--row", "2"});
        expect(second.says("  2  A-2  Book        failed") && !second.says("A-1")) << second.out;
        expect(eq(lines(app.run({"rows", "--step", "book"}).out).size(), 3u));
        expect(eq(lines(app.run({"rows", "--errors"}).out).size(), 3u));
        expect(eq(lines(app.run({"rows", "--failure", "validation"}).out).size(), 2u));
        expect(eq(
            lines(app.run({"rows", "--state", "completed", "--from", "2", "--to", "2"}).out).size(),
            3u));
        expect(app.run({"rows", "--row-id", "zz"}).complains("no row is like that"));
        const auto step = app.run({"rows", "--step", "Bok"});
        expect(eq(step.code, 2));
        expect(step.complains("has no step 'Bok'; did you mean 'Book'?"));
        expect(app.run({"rows", "--from", "3", "--to", "2"})
                   .complains("from_row is greater than to_row"));
        const parsed line{app.run({"rows", "--row", "2", "--errors", "--json"}).out};
        expect(eq(line["type"], "row"s) && eq(line["row"], "2"s) && eq(line["row_id"], "A-2"s));
        expect(eq(line["step"], "Book"s) && eq(line["failure"], "step_failure"s));
        expect(eq(line["error"], "account 'A-2' is locked"s));
    };

    "errors: in groups, or row by row"_test = [] {
        stage::program app;
        (void)app.run(
            {"run", app.file("f.csv", "account,amount\nA-1,-1\nA-2,-2\nA-2,7\n"), "--set", "by=o"});
        const auto groups = app.run({"errors"});
        expect(eq(groups.code, 0));
        expect(
            groups.says("  rows  first  step        kind          error\n"
                        "     2      1  validation  validation    an amount is more than #\n"
                        "     1      3  Book        step_failure  account 'A-2' is locked\n"))
            << groups.out;
        expect(eq(lines(app.run({"errors", "last", "--rows"}).out).size(), 4u));
        expect(app.run({"errors", "--limit", "1"}).says("and 1 other reason"));
        const auto json = lines(app.run({"errors", "--json"}).out);
        expect(fatal(eq(json.size(), 2u)));
        expect(eq(parsed{json[0]}["count"], "2"s) && eq(parsed{json[0]}["first_row"], "1"s));
        expect(eq(parsed{json[1]}["pattern"], "account '…' is locked"s));
        (void)app.run({"run", app.good(), "--set", "by=ops"});
        expect(app.run({"errors"}).complains("no row has failed"));
    };

    "retry: the rows of one error group, by its pattern or by the message of a row"_test = [] {
        stage::program app;
        stage::book = [](std::string_view account, auto&) {
            return account == "A-4" ? bulk::outcome::fail("no money")
                                    : bulk::outcome::fail(std::string{"account '"} +
                                                          std::string{account} + "' is closed");
        };
        const auto id =
            id_in(app.run({"run", app.file("two.csv", "account,amount\nA-1,1\nA-2,2\nA-4,4\n"),
                           "--set", "by=ops"})
                      .out);
        stage::book = [](auto, auto&) { return bulk::outcome::done(); };  // the cause is gone
        const auto nowhere = app.run({"retry", id, "--error-group", "account '…' is open"});
        expect(eq(nowhere.code, 2));
        expect(nowhere.complains("no failed row has the error \"account '…' is open\""))
            << nowhere.err;
        const auto both = app.run({"retry", id, "--error-group", "no money", "--row", "1"});
        expect(eq(both.code, 2));
        expect(both.complains("--row and --error-group cannot be combined")) << both.err;
        const auto closed = app.run({"retry", id, "--error-group", "account 'A-7' is closed"});
        expect(closed.says("2 rows to be tried again\n") && closed.says("  failed     1  33%"))
            << closed.out << closed.err;
        const auto rest = app.run({"retry", id, "--error-group", "no money"});
        expect(eq(rest.code, 0) && rest.says("1 row to be tried again\n")) << rest.out << rest.err;
    };

    "retry: an error group is named by what `errors` prints"_test = [] {
        stage::program app;
        stage::book = [](std::string_view account, auto&) {
            if (account == "A-4") return bulk::outcome::fail("line one\nline two");
            return bulk::outcome::fail("row " + std::string{account.substr(2)} +
                                       "'s owner 'bob' is gone");
        };
        const auto id =
            id_in(app.run({"run", app.file("two.csv", "account,amount\nA-1,1\nA-2,2\nA-4,4\n"),
                           "--set", "by=ops"})
                      .out);
        stage::book = [](auto, auto&) { return bulk::outcome::done(); };
        const auto unset = app.run({"retry", id, "--error-group", ""});
        expect(eq(unset.code, 2) && unset.complains("no failed row has the error \"\""))
            << unset.err;
        const auto shown = app.run({"errors", id}).out;
        expect(shown.contains("row #'s owner '…' is gone")) << shown;
        expect(shown.contains("line one line two")) << shown;
        const auto gone = app.run({"retry", id, "--error-group", "row #'s owner '…' is gone"});
        expect(gone.says("2 rows to be tried again\n")) << gone.out << gone.err;
        const auto rest = app.run({"retry", id, "--error-group", "line one line two"});
        expect(rest.says("1 row to be tried again\n")) << rest.out << rest.err;
    };

    "retry: failed rows run again here, or wait for a worker"_test = [] {
        stage::program app;
        const auto id = run_three(app);
        const auto submitted = app.run({"retry", "last", "--submit"});
        expect(eq(submitted.code, 0));
        expect(eq(submitted.out, "1 row to be tried again\n"s));
        expect(app.run({"status"}).says("retrying"));
        expect(eq(app.run({"worker", "--drain"}).code, 0));
        stage::book = [](auto, auto&) { return bulk::outcome::done(); };  // the cause is gone
        const auto here = app.run({"retry", id, "--row", "2", "--step", "Book"});
        expect(eq(here.code, 3)) << "row 3 is still refused";
        expect(here.says("1 row to be tried again\n") && here.says("  succeeded  2  66%"))
            << here.out;
        expect(here.says("  retries     2\n"));
        const auto more = app.run({"retry", id});
        expect(eq(more.code, 1));
        expect(more.complains("cannot be retried: No retryable failed rows"));
        expect(eq(app.run({"retry"}).code, 2)) << "what is changed must be named";
    };

    "cancel, pause and resume"_test = [] {
        stage::program app;
        const auto id = id_in(app.run({"submit", app.three(), "--set", "by=ops"}).out);
        expect(eq(app.run({"pause", id}).out, id + " is paused until `resume`\n"));
        expect(app.run({"status"}).says("june.csv: pending, paused"));
        expect(eq(app.run({"worker", "--drain"}).code, 0));
        expect(app.run({"status"}).says("june.csv: pending, paused")) << "a worker leaves it alone";
        expect(eq(parsed{app.run({"resume", "last", "--json"}).out}["paused"], "false"s));
        expect(eq(app.run({"cancel", id}).code, 0));
        (void)app.run({"worker", "--drain"});
        expect(app.run({"status"}).says("june.csv: cancelled"));
        const auto late = app.run({"cancel", id});
        expect(eq(late.code, 1));
        expect(late.complains("is cancelled already"));
        const auto run = app.run({"run", app.three(), "--set", "by=ops"});
        expect(eq(run.code, 1)) << "it has ended without its rows";
        expect(run.complains("--again"));
    };

    "an operation of a program with other steps is refused, not waited for"_test = [] {
        stage::program app;
        const words command{"run", app.good(), "--set", "by=ops"};
        const auto id = id_in(app.run({"submit", app.good(), "--set", "by=ops"}).out);
        auto record = app.storage.get(bulk::parse_operation_id(id).value()).value();
        record.steps = {"Check", "Post"};
        expect(move_to(record, bulk::operation_state::validating, bulk::timestamp{}).has_value());
        expect(app.storage.update(record, {}).has_value());
        const auto said = app.run(command);
        expect(eq(said.code, 1));
        expect(said.complains("Post") && said.complains("--changed-steps by_name")) << said.err;
        expect(eq(app.run({"worker", "--drain"}).code, 0)) << "it does not wait for it either";
        auto by_name = command;
        by_name.insert(by_name.end(), {"--changed-steps", "by_name"});
        expect(eq(app.run(by_name).code, 0)) << app.run(by_name).err;
    };

    "signal: a row that waits goes on, or fails"_test = [] {
        stage::program app;
        const auto file = app.file("n.csv", "value\n1\n2\n3\n");
        const auto id = id_in(app.run_both({"submit", file, "-o", "approvals"}).out);
        const auto kept = app.run_both({"signal", id, "key-1"});
        expect(eq(kept.code, 0));
        expect(kept.says("nobody waits for it yet"));
        expect(eq(app.run_both({"signal", id, "key-2", "--fail", "refused by hand"}).code, 0));
        const parsed line{app.run_both({"signal", "last", "key-3", "--json"}).out};
        expect(eq(line["type"], "signal"s) && eq(line["is_kept"], "true"s));
        expect(eq(app.run_both({"worker", "--drain"}).code, 0));
        const auto said = app.run_both({"status"});
        expect(said.says("  succeeded  2  66%") && said.says("refused by hand")) << said.out;
        const auto ended = app.run_both({"signal", id + ":key-1:1"});
        expect(eq(ended.code, 1)) << ended.out;
        const auto no_key = app.run_both({"signal", "last"});
        expect(eq(no_key.code, 2));
        expect(no_key.complains("no key is given; write `signal last KEY`"));
    };

    "export: to the output or to a file that is there only when it is whole"_test = [] {
        stage::program app;
        (void)run_three(app);
        const auto data = app.run({"export", "--kind", "data", "--rows", "failed"});
        expect(eq(data.code, 0));
        expect(eq(data.out, "account,amount\nA-2,20\nA-3,-5\n"s));
        expect(data.complains("2 rows exported"));
        const auto report = app.run({"export", "last", "--format", "ndjson", "--row", "2"});
        expect(parsed{report.out}.is_object) << report.out;
        const auto path = (app.directory / "out.csv").string();
        const auto to_file = app.run({"export", "last", "--rows", "failed", "-O", path, "--json"});
        const parsed line{to_file.out};
        expect(eq(line["type"], "export"s) && eq(line["rows"], "2"s) && eq(line["file"], path));
        expect(std::filesystem::exists(path) && !std::filesystem::exists(path + ".part"));
        const auto wrong = app.run({"export", "last", "--step", "Bok", "-O", path + "2"});
        expect(eq(wrong.code, 2));
        expect(!std::filesystem::exists(path + "2") && !std::filesystem::exists(path + "2.part"));
        const auto nowhere = app.run({"export", "last", "-O", "/nowhere/at/all.csv"});
        expect(eq(nowhere.code, 1));
        expect(nowhere.complains("cannot write /nowhere/at/all.csv: No such file"));
        expect(eq(app.run({"export", "last", "--json"}).code, 2));
    };

    "export: several to one file, each whole; a link stays one; nothing is left of what fails"_test =
        [] {
            stage::program app;
            (void)run_three(app);
            const auto path = app.directory / "out.csv";
            const auto link = app.directory / "link.csv";
            std::filesystem::create_symlink("out.csv", link);
            app.file("out.csv", "old");
            std::filesystem::permissions(path, std::filesystem::perms{0600});
            const auto whole = app.run({"export", "--kind", "data"}).out;
            // While one writes, another begins and ends.
            std::string between;
            bool is_inside = false;
            app.before_interruption = [&] {
                if (std::exchange(is_inside, true)) return;
                stage::program other{app.storage};
                expect(eq(
                    other.run({"export", "--kind", "data", "--rows", "failed", "-O", path.string()})
                        .code,
                    0));
                std::ifstream file{path};
                between.assign(std::istreambuf_iterator<char>{file}, {});
            };
            expect(eq(app.run({"export", "--kind", "data", "-O", link.string()}).code, 0));
            app.before_interruption = {};
            expect(eq(between, "account,amount\nA-2,20\nA-3,-5\n"s));
            std::ifstream file{path};
            expect(eq(std::string(std::istreambuf_iterator<char>{file}, {}), whole));
            expect(std::filesystem::is_symlink(link));
            expect(std::filesystem::status(path).permissions() == std::filesystem::perms{0600});
            app.interrupted = true;
            const auto stopped = app.run({"export", "-O", (app.directory / "new.csv").string()});
            expect(eq(stopped.code, 130));
            expect(stopped.complains("interrupted; no file was written")) << stopped.err;
            app.interrupted = false;
            for (const auto& each : std::filesystem::directory_iterator{app.directory})
                expect(!each.path().filename().string().starts_with('.') &&
                       each.path().filename() != "new.csv")
                    << each.path();
            expect(eq(app.run({"export", "--kind", "data", "-O", "-"}).out, whole));
        };

    "--json: names that are not UTF-8 are still JSON"_test = [] {
        stage::program app;
        const auto path = app.file("caf\xe9\xff.csv", "account,amount\nA-1,10\n");
        const auto said =
            app.run({"run", path, "--set", "by=ops", "--created-by", "\xc3", "--json"});
        expect(eq(said.code, 0)) << said.err;
        const auto bad = app.run({"run", "/nowhere/\xff", "--set", "by=ops", "--json"});
        // After `run`, which would take it from the worker below.
        (void)app.run({"submit", app.file("b\xff.csv", "account,amount\nA-1,10\n"), "--set",
                       "by=other", "--json"});
        for (const auto& text :
             {said.out, app.run({"list", "--json"}).out, app.run({"files", "--json"}).out,
              app.run({"status", "--json"}).out, app.run({"worker", "--drain", "--json"}).out,
              app.run({"export", "-O", (app.directory / "\xff.csv").string(), "--json"}).out,
              app.run({"prune", "--older-than", "0", "--dry-run", "--json"}).out, bad.err}) {
            expect(!text.empty());
            for (const auto& line : lines(text)) {
                expect(parsed{line}.is_object) << line;
                expect(bulk::is_valid_utf8(line)) << line;
            }
        }
        expect(eq(parsed{lines(said.out).back()}["file"], "caf\u{FFFD}\u{FFFD}.csv"s));
    };

    "prune: what ended long ago goes, with a report if that is wanted"_test = [] {
        stage::program app;
        const auto first = run_three(app);
        const auto second = id_in(app.run({"run", app.good(), "--set", "by=ops"}).out);
        (void)app.run({"submit", app.good(), "--set", "by=later"});
        expect(eq(app.run({"prune"}).code, 2)) << "never everything by accident";
        expect(eq(app.run({"prune", "--older-than", "1d"}).out, "0 operations removed\n"s));
        const auto dry = app.run({"prune", "--older-than", "0", "--dry-run"});
        expect(eq(dry.code, 0));
        expect(dry.says(first) && dry.says(second) &&
               dry.complains("2 operations would be removed"));
        const auto nowhere = app.run({"prune", "--older-than", "0", "--export", "/nowhere/at"});
        expect(eq(nowhere.code, 1));
        expect(nowhere.says("0 operations removed") && nowhere.complains("app: kept " + first));
        const auto done = app.run({"prune", "--older-than", "0", "--state", "completed", "--export",
                                   app.directory.string()});
        expect(eq(done.code, 0)) << done.err;
        expect(eq(done.out, "1 operation removed\n"s));
        expect(std::filesystem::file_size(app.directory / (second + ".csv")) > 50u);
        expect(eq(app.run({"status", second}).code, 1) && eq(app.run({"status", first}).code, 0));
        const parsed line{app.run({"prune", first, "--json"}).out};
        expect(eq(line["id"], first) && eq(line["is_removed"], "true"s));
        const auto active = app.run({"prune", "last"});
        expect(eq(active.code, 1));
        expect(active.complains("app: ")) << "it has not ended";
        expect(app.run({"prune", "--older-than", "0", "--state", "running"})
                   .complains("has not ended"));
    };

    "template and operations need no storage"_test = [] {
        stage::program app;
        expect(eq(app.run({"template"}).out, "account,amount\n"s));
        expect(app.run({"template", "--format", "json"}).out.starts_with("[\n{\"account\":\"\""));
        const auto path = (app.directory / "t.csv").string();
        expect(eq(app.run({"template", "-O", path}).code, 0) && std::filesystem::exists(path));
        expect(eq(app.run_both({"template"}).code, 2)) << "of which?";
        expect(eq(app.run_both({"template", "approvals"}).out, "value\n"s));
        const auto shown = app.run_both({"operations"});
        expect(
            shown.says("transfers: Books transfers\n"
                       "  column   type\n"
                       "  account  text   required  row id\n"
                       "  amount   int32  required\n"))
            << shown.out;
        expect(shown.says("  batch     int32  optional  which of the day\n"));
        expect(shown.says("  Approval  signalled        0   1:00:00\n")) << shown.out;
        const auto json = lines(app.run_both({"operations", "--json"}).out);
        expect(eq(json.size(), 2u));
        expect(eq(parsed{json[1]}["operation"], "approvals"s));
        expect(parsed{json[0]}["columns"].contains(
            R"({"name":"account","type":"text","required":true,)"));
        expect(eq(lines(app.run_both({"operations", "approvals"}).out).front(), "approvals"s));
        expect(eq(app.opened, 0));
    };

    "an output that cannot be written is a failure"_test = [] {
        // A closed pipe sets the stream's failbit; nothing tells it from one that is full.
        stage::program app;
        expect(eq(app.run({"operations"}).code, 0));
        app.is_output_broken = true;
        const auto said = app.run({"operations"});
        expect(eq(said.code, 1));
        expect(said.complains("cannot write to the output"));
    };
}
