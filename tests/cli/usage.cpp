#include "stage.hpp"

#include <support/ut.hpp>

using namespace boost::ut;
using namespace std::string_literals;

int main() {
    const std::vector<std::string> verbs{"run",        "validate", "submit", "worker", "status",
                                         "list",       "rows",     "errors", "retry",  "cancel",
                                         "pause",      "resume",   "signal", "export", "template",
                                         "operations", "prune",    "files"};

    "help lists every verb, and each verb shows how it is called"_test = [&] {
        stage::program app;
        const auto help = app.run({"--help"});
        expect(eq(help.code, 0));
        expect(eq(help.err, ""s));
        for (const auto& verb : verbs) {
            expect(help.says("\n  " + verb + " ")) << verb;
            const auto own = app.run({verb, "--help"});
            expect(eq(own.code, 0));
            expect(own.says("Examples:\n  app " + verb)) << verb << own.out;
        }
        expect(help.says("--max-file-size SIZE") && help.says("[BULK_MAX_FILE_SIZE]"));
        expect(eq(app.opened, 0)) << "nothing was opened for it";
    };

    "examples are right: each can be parsed"_test = [&] {
        stage::program app;
        for (const auto& verb : verbs) {
            const auto own = app.run({verb, "--help"});
            int examples = 0;
            for (const auto& line : stage::lines(own.out)) {
                if (!line.starts_with("  app ")) continue;
                ++examples;
                auto words = stage::words_of(line.substr(6));
                words.insert(words.end(), {"--db", "x"});
                app.broken = bulk::error{bulk::errc::unavailable, "this far"};
                app.interrupted = true;
                const auto tried = app.run(words);
                expect(!tried.complains("--help")) << line << tried.err;
                app.interrupted = false;
            }
            expect(examples > 0_i) << verb;
        }
    };

    "nothing at all is a call for help"_test = [] {
        stage::program app;
        const auto said = app.run({});
        expect(eq(said.code, 2));
        expect(said.complains("Usage: app [OPTIONS] VERB"));
    };

    "a verb, flag or operation that there is not is answered with one that there is"_test = [] {
        stage::program app;
        const auto verb = app.run({"statsu"});
        expect(eq(verb.code, 2));
        expect(eq(verb.err, "app: there is no verb 'statsu'; did you mean 'status'?\n"s));
        const auto flag = app.run({"list", "--limt", "5"});
        expect(eq(flag.code, 2));
        expect(eq(flag.err, "app: there is no flag '--limt'; did you mean '--limit'?\n"s));
        const auto setting = app.run({"list", "--worker=5"});
        expect(setting.complains("did you mean '--workers'?"));
        const auto operation = app.run_both({"template", "approvels"});
        expect(eq(operation.code, 2));
        expect(operation.complains("no operation is named 'approvels'; did you mean 'approvals'?"));
        const auto more = app.run({"cancel", "last", "it"});
        expect(eq(more.code, 2));
        expect(more.complains("more words than expected, from 'it'"));
        expect(app.run({"--db", "x"}).complains("no verb is given"));
    };

    "what is missing or cannot be read is said, with the way to say it"_test = [] {
        stage::program app;
        const auto file = app.run({"run"});
        expect(eq(file.code, 2));
        expect(eq(file.err, "app: FILE is required; see: app run --help\n"s));
        const auto number = app.run({"list", "--limit", "many"});
        expect(eq(number.code, 2));
        expect(number.complains("--limit: 'many' is not a whole number"));
        expect(app.run({"list", "--limit", "0"}).complains("between 1 and 1000"));
        expect(app.run({"list", "--state", "gone"}).complains("'gone' is none of pending, "));
        expect(app.run({"list", "--from", "June"}).complains("'June' is not a moment"));
        expect(app.run({"list", "--lease-time", "5"}).complains("'5' is not a time; write 500ms"));
        const auto zero = app.run({"list", "--workers", "0"});
        expect(eq(zero.code, 2));
        expect(eq(zero.err, "app: worker_count is 0; it must be at least 1\n"s));
        expect(app.run({"status", "17"}).complains("'17' is not the id of an operation; `list`"));
        const auto none = app.run({"run", "none.csv", "--set", "by=ops"});
        expect(eq(none.code, 2));
        expect(none.complains("cannot open none.csv: No such file"));
    };

    "several operations want to be told apart"_test = [] {
        stage::program app;
        const auto said = app.run_both({"run", app.good()});
        expect(eq(said.code, 2));
        expect(said.complains("say --operation with one of transfers, approvals"));
        expect(eq(app.run_both({"run", app.good(), "-o", "Transfers", "--set", "by=ops"}).code, 0));
    };

    "flags win over the environment, the environment over the file, that over the default"_test =
        [] {
            stage::program app;
            (void)app.run({"list"});
            expect(eq(app.opened_path, "bulk.db"s));
            const auto ini = app.file("settings.ini", "db=from-file.db\nworkers=3\n");
            (void)app.run({"list", "--config", ini});
            expect(eq(app.opened_path, "from-file.db"s));
            app.environment = {{"BULK_CONFIG", ini}};
            (void)app.run({"list"});
            expect(eq(app.opened_path, "from-file.db"s));
            app.environment["BULK_DB"] = "from-environment.db";
            (void)app.run({"list"});
            expect(eq(app.opened_path, "from-environment.db"s));
            (void)app.run({"list", "--db", "from-flag.db"});
            expect(eq(app.opened_path, "from-flag.db"s));
            (void)app.run({"--db=before-verb.db", "list"});
            expect(eq(app.opened_path, "before-verb.db"s));
            app.environment["BULK_DB"] = "";
            (void)app.run({"list"});
            expect(eq(app.opened_path, "from-file.db"s)) << "empty is not set";
        };

    "a wrong setting is named, wherever it comes from"_test = [] {
        stage::program app;
        app.environment = {{"BULK_WORKERS", "many"}};
        const auto variable = app.run({"list"});
        expect(eq(variable.code, 2));
        expect(variable.complains("--workers: 'many' is not a whole number"));
        expect(variable.complains("BULK_WORKERS"));
        expect(eq(app.run({"list", "--workers", "2"}).code, 0)) << "a flag is what counts";
        app.environment.clear();
        const auto value = app.run({"list", "--config", app.file("a.ini", "workers=many\n")});
        expect(eq(value.code, 2));
        expect(value.complains("--workers: 'many' is not a whole number"));
        const auto name = app.run({"list", "--config", app.file("b.ini", "wrokers=2\n")});
        expect(eq(name.code, 2));
        expect(name.complains("wrokers")) << name.err;
        const auto file = app.run({"list", "--config", "none.ini"});
        expect(eq(file.code, 2));
        expect(file.complains("none.ini"));
        app.environment = {{"BULK_JSON", "true"}};
        expect(stage::parsed{app.run({"operations"}).out}.is_object);
    };

    "a file may have what a verb takes, too"_test = [] {
        stage::program app;
        const auto ini = app.file("s.ini", "[template]\nformat=json\n");
        expect(app.run({"template", "--config", ini}).out.starts_with("[\n{"));
    };

    "a storage that cannot be opened is the end, and said so"_test = [] {
        stage::program app;
        app.broken = bulk::error{bulk::errc::unavailable, "cannot open 'bulk.db': no such folder"};
        const auto said = app.run({"list"});
        expect(eq(said.code, 1));
        expect(eq(said.err, "app: cannot open 'bulk.db': no such folder\n"s));
        const stage::parsed line{app.run({"list", "--json"}).err};
        expect(eq(line["type"], "error"s));
        expect(eq(line["message"], "cannot open 'bulk.db': no such folder"s));
        expect(stage::parsed{app.run({"lst", "--json"}).err}["message"].contains(
            "did you mean 'list'?"));
    };

    "metadata is an object, and fields that win over it"_test = [] {
        stage::program app;
        const auto run = [&](std::vector<std::string> words) {
            words.insert(words.begin(), {"submit", app.good()});
            return app.run(words);
        };
        const auto missing = run({});
        expect(eq(missing.code, 2));
        expect(
            eq(missing.err,
               "app: the metadata cannot be used: 'by': it is required; set with --set: by=text, "
               "batch=int32 (optional)\n"s));
        expect(
            run({"--set", "bye=x"}).complains("has no metadata field 'bye'; did you mean 'by'?"));
        expect(run({"--set", "by"}).complains("write --set by=VALUE"));
        expect(run({"--metadata", "[1]"}).complains("--metadata is not a JSON object"));
        expect(
            run({"--set", "by=x", "--set", "batch=many"}).complains("'batch': 'many': it is not"));

        const auto first = run({"--metadata", R"({"by":"me","batch":1})", "--set", "batch=2"});
        expect(eq(first.code, 0)) << first.err;
        const auto stored =
            app.storage.get(bulk::parse_operation_id(stage::id_in(first.out)).value());
        expect(eq(stored.value().metadata, R"({"by":"me","batch":2})"s));
        const auto same = run({"--set", "Batch=2", "--set", "by=me"});
        expect(eq(stage::id_in(same.out), stage::id_in(first.out))) << "the same, said otherwise";
        expect(same.complains("the same file and metadata were taken in at"));
        const auto other = run({"--set", "by=you"});
        expect(neq(stage::id_in(other.out), stage::id_in(first.out)));
    };
}
