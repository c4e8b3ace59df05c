#include "feed_stage.hpp"

#include <support/ut.hpp>

#include <algorithm>
#include <atomic>

using namespace boost::ut;
using namespace std::string_literals;
using stage::id_in;
using stage::lines;
using stage::parsed;

namespace {

using words = std::vector<std::string>;

/// The source of a program delivers no page until it is opened.
class closed_source {
public:
    explicit closed_source(stage::feed_program& app) {
        app.source.on_fetch = [this](auto) {
            is_open_.wait(false);
            return bulk::result<>{};
        };
    }
    void open() {
        is_open_ = true;
        is_open_.notify_all();
    }

private:
    std::atomic<bool> is_open_ = false;
};

bulk::result<> refuse(std::string_view why) {
    return bulk::fail(bulk::errc::invalid_argument, std::string{why});
}

/// A run whose second partition fails, worked on to its end; its id.
std::string run_failing(stage::feed_program& app) {
    app.source.on_fetch = [](std::uint32_t partition) {
        return partition == 1 ? refuse("no right to this range") : bulk::result<>{};
    };
    const auto said = app.run_feed({"feed", "start", "articles", "--wait"});
    app.source.on_fetch = {};
    return id_in(said.out);
}

std::string after_in(std::string_view text) {
    const auto at = text.find("--after ");
    if (at == std::string_view::npos) return {};
    const auto rest = text.substr(at + 8);
    return std::string{rest.substr(0, rest.find('\n'))};
}

}  // namespace

int main() {
    const words verbs{"list", "plan",   "start",  "runs",   "status", "retry",    "consolidate",
                      "bad",  "resume", "cancel", "remove", "items",  "watermark"};

    "a program has the verbs for what it has"_test = [&] {
        stage::feed_program app;
        const auto alone = app.run_feed({"--help"});
        expect(eq(alone.code, 0));
        expect(alone.says("\n  worker ") && alone.says("\n  feed ")) << alone.out;
        expect(!alone.says("\n  run ") && !alone.says("--max-file-size")) << alone.out;
        expect(alone.says("--feed-workers N") && alone.says("[BULK_FEED_WORKERS]"));
        const auto all = app.run_all({"--help"});
        expect(all.says("\n  run ") && all.says("\n  feed ") && all.says("--max-file-size"));
        expect(eq(app.run_feed({"run", "x.csv"}).code, 2));
        expect(eq(app.opened, 0)) << "nothing was opened for it";
    };

    "help lists every verb, and each shows how it is called, rightly"_test = [&] {
        stage::feed_program app;
        const auto help = app.run_feed({"feed", "--help"});
        expect(eq(help.code, 0));
        expect(help.says("app feed VERB --help")) << help.out;
        app.broken = bulk::error{bulk::errc::unavailable, "this far"};
        for (const auto& verb : verbs) {
            expect(help.says("\n  " + verb + " ")) << verb;
            const auto own = app.run_feed({"feed", verb, "--help"});
            expect(eq(own.code, 0));
            expect(own.says("Examples:\n  app feed " + verb)) << own.out;
            for (const auto& line : lines(own.out)) {
                if (!line.starts_with("  app ")) continue;
                expect(app.run_feed(stage::words_of(line.substr(6))).complains("this far")) << line;
            }
        }
    };

    "a verb, flag or feed that there is not is answered with one that there is"_test = [] {
        stage::feed_program app;
        const auto none = app.run_feed({"feed"});
        expect(eq(none.code, 2));
        expect(eq(none.err, "app: no verb is given; see: app feed --help\n"s));
        const auto verb = app.run_feed({"feed", "strt", "articles"});
        expect(eq(verb.code, 2));
        expect(eq(verb.err, "app: there is no verb 'strt'; did you mean 'start'?\n"s));
        expect(app.run_feed({"fed"}).complains("did you mean 'feed'?"));
        expect(app.run_feed({"feed", "runs", "--actve"}).complains("did you mean '--active'?"));
        expect(app.run_feed({"feed", "runs", "--feed-worker=2"}).complains("'--feed-workers'?"));
        const auto word = app.run_feed({"feed", "plan"});
        expect(eq(word.code, 2));
        expect(eq(word.err, "app: NAME is required; see: app feed plan --help\n"s));
        expect(app.run_feed({"feed", "list", "it"}).complains("more words than expected"));
        const auto feed = app.run_feed({"feed", "start", "articels"});
        expect(eq(feed.code, 2));
        expect(feed.complains("no feed is named 'articels'; did you mean 'articles'?"));
        const auto both = app.run_feed({"feed", "plan", "articles", "--full", "--incremental"});
        expect(eq(both.code, 2));
        expect(both.complains("a run is either --full or --incremental"));
        const auto zero = app.run_feed({"feed", "list", "--feed-workers", "0"});
        expect(eq(zero.code, 2));
        expect(zero.complains("workers is 0; it must be at least 1"));
        const auto ini = app.file("s.ini", "feed-workers=2\n[feed.runs]\nlimit=many\n");
        expect(app.run_feed({"feed", "runs", "--config", ini}).complains("--limit: 'many'"));
    };

    "plan: what a run would do, as a picture, and nothing is stored"_test = [] {
        stage::feed_program app;
        const auto said = app.run_feed({"feed", "plan", "Articles"});
        expect(eq(said.code, 0)) << said.err;
        expect(said.says("articles: full run of about 60 records in 3 partitions\n")) << said.out;
        expect(said.says("partition-0") && said.says("#####")) << said.out;
        expect(said.says("\nWhere the records are\n") && said.says("  watermark  none\n"));
        for (const auto& line : lines(said.out)) expect(line.size() < 80u) << line;
        const auto capped = app.run_feed({"feed", "plan", "articles", "--max-records", "25"});
        expect(capped.says("capped at 25 records")) << capped.out;
        expect(app.run_feed({"feed", "runs"}).complains("no run is like that"));
        const parsed line{app.run_feed({"feed", "plan", "articles", "--json"}).out};
        expect(eq(line["type"], "plan"s) && eq(line["run_type"], "full"s));
        expect(eq(line["estimated"], "60"s) && eq(line["watermark"], "null"s));
        expect(line["partition_list"].contains(R"({"partition":2,"first":")"));
    };

    "start, then worker: one starts it, the other works on it"_test = [] {
        stage::feed_program app;
        const auto started =
            app.run_feed({"feed", "start", "articles", "--trace", "t-1", "--started-by", "ops"});
        expect(eq(started.code, 0));
        expect(eq(started.out, id_in(started.out) + "\n")) << "nothing but the id";
        expect(started.complains("full run of about 60 records in 3 partitions; work on it"));
        const auto status = app.run_feed({"feed", "status", "articles"});
        expect(status.says("articles: created, ") && status.says("  started by  ops\n"));
        expect(status.says("  trace       t-1\n")) << status.out;
        const auto twice = app.run_feed({"feed", "start", "articles"});
        expect(eq(twice.code, 1));
        expect(twice.complains("feed 'articles' has a run already, " + id_in(started.out)));
        expect(twice.complains("work on it: app worker --drain"));

        const auto worked = app.run_feed({"worker", "--drain"});
        expect(eq(worked.code, 0)) << worked.err;
        expect(worked.says(id_in(started.out) + "  articles: partition-0 completed: "))
            << worked.out;
        expect(worked.says("articles: 60 items consolidated of 60 records\n"));
        expect(worked.says("articles: the watermark has moved"));
        expect(app.run_feed({"feed", "status"}).says("articles: completed in "));

        app.source.put("a100", 7);
        const parsed line{app.run_feed({"feed", "start", "articles", "--json"}).out};
        expect(eq(line["type"], "run"s) && eq(line["state"], "created"s));
        expect(eq(line["run_type"], "incremental"s)) << "there is a watermark now";
        const auto events = lines(app.run_feed({"worker", "--drain", "--json"}).out);
        expect(fatal(!events.empty()));
        for (const auto& each : events) {
            const parsed event{each};
            expect(eq(event["type"], "event"s) && eq(event["feed"], "articles"s));
            expect(eq(event["state"], "(none)"s)) << "that is of operations";
        }
        expect(std::ranges::any_of(events, [](const std::string& each) {
            return parsed{each}["kind"] == "run_completed";
        }));
    };

    "a worker works on operations and feeds, on one storage"_test = [] {
        stage::feed_program app;
        const auto run = id_in(app.run_all({"feed", "start", "articles"}).out);
        const auto file = app.file("p.csv", "account\nA-1\nA-2\n");
        const auto operation = id_in(app.run_all({"submit", file}).out);
        app.opened = 0;
        const auto worked = app.run_all({"worker", "--drain"});
        expect(eq(worked.code, 0)) << worked.err;
        expect(eq(app.opened, 1));
        expect(worked.says(operation + "  payments: 2/2 rows succeeded")) << worked.out;
        expect(worked.says(run + "  articles: 60 items consolidated")) << worked.out;
        expect(app.run_all({"list"}).says(operation));
        expect(eq(lines(app.run_all({"feed", "runs"}).out).size(), 2u));
    };

    "a worker of another program leaves runs of feeds that it has not alone"_test = [] {
        stage::feed_program app;
        (void)app.run_feed({"feed", "start", "articles"});
        expect(eq(app.run_chain({"worker", "--drain"}).code, 0)) << "it does not wait for them";
        const auto shown = app.run_chain({"feed", "status"});
        expect(shown.says("articles: created")) << "it can be looked at" << shown.err;
    };

    "drain works on feeds that follow, too, and --wait starts them"_test = [] {
        stage::feed_program app;
        (void)app.run_chain({"feed", "start", "first"});
        const auto worked = app.run_chain({"worker", "--drain"});
        expect(eq(worked.code, 0)) << worked.err;
        expect(worked.says("second: 60 items consolidated")) << worked.out;

        app.source.put("b1", 5);
        const auto waited = app.run_chain({"feed", "start", "first", "--wait"});
        expect(eq(waited.code, 0)) << waited.err;
        expect(waited.complains("feed 'second' follows with run "));
        const parsed next{app.run_chain({"feed", "status", "second", "--json"}).out};
        expect(eq(next["run_type"], "incremental"s)) << "its second run is there";
        expect(eq(next["started_by"], "feed"s));
    };

    "start --wait: works on it, shows how far it is, and what came of it"_test = [] {
        stage::feed_program app;
        closed_source source{app};
        int asked = 0;
        app.before_interruption = [&] {  // the second time, something has been shown
            if (++asked < 2) return;
            source.open();
        };
        const auto said = app.run_feed({"feed", "start", "articles", "--wait"});
        expect(eq(said.code, 0)) << said.err;
        expect(said.complains("articles: ") && said.complains("0%  0 of about 60 records"))
            << said.err;
        expect(said.complains("(partitions 0 of 3  failed 0  changed 0)")) << said.err;
        expect(said.says("articles: completed in ")) << said.out;
        expect(
            said.says("  partitions     3  3 completed, 0 failed\n"
                      "  records       60  of about 60\n"
                      "  changed       60\n"
                      "  consolidated  60\n"
                      "  bad            0\n"
                      "  deleted        0\n"))
            << said.out;
        expect(said.says("  partition  from   to  records  about  pages  state      worker\n"))
            << said.out;
        const auto json = app.run_feed({"feed", "start", "articles", "--full", "--wait", "--json"});
        const parsed last{lines(json.out).back()};
        expect(eq(json.err, ""s) && eq(last["state"], "completed"s)) << json.out;
        expect(last["partition_list"].contains(R"("state":"completed")"));
        const parsed counts{last["partitions"]};
        expect(eq(counts["total"], "3"s) && eq(counts["completed"], "3"s));
    };

    "start: nothing to read is no failure"_test = [] {
        stage::feed_program app;
        for (int i = 0; i < 60; ++i) app.source.remove("a" + std::to_string(100 + i));
        const auto said = app.run_feed({"feed", "start", "articles"});
        expect(eq(said.code, 0) && eq(said.out, ""s));
        expect(said.complains("the source has nothing for feed 'articles': no run is started"));
        const parsed line{app.run_feed({"feed", "start", "articles", "--json"}).out};
        expect(eq(line["type"], "no_run"s));
    };

    "start --wait: an interruption lets pages in flight finish and says how to go on"_test = [] {
        stage::feed_program app;
        closed_source source{app};
        app.interrupted = true;
        app.before_interruption = [&] { source.open(); };
        const auto said = app.run_feed({"feed", "start", "articles", "--wait"});
        expect(eq(said.code, 130)) << said.out;
        expect(said.complains("nothing is lost; go on with: app worker --drain"));
        app.interrupted = false;
        expect(eq(app.run_feed({"worker", "--drain"}).code, 0));
        expect(app.run_feed({"feed", "status"}).says("  consolidated  60\n"));
    };

    "partitions that fail: 3, said why, and retried from where they were"_test = [] {
        stage::feed_program app;
        app.source.on_fetch = [](std::uint32_t partition) {
            return partition == 1 ? refuse("no right to this range") : bulk::result<>{};
        };
        const auto failed = app.run_feed({"feed", "start", "articles", "--wait"});
        const auto id = id_in(failed.out);
        expect(eq(failed.code, 3));
        expect(failed.says("articles: consolidation skipped\n")) << failed.out;
        expect(failed.says("2 completed, 1 failed"));
        expect(failed.complains("try the failed partitions again: app feed retry " + id));
        expect(failed.complains("or go on without them: app feed consolidate " + id + " --force"));
        const auto only = app.run_feed({"feed", "status", id, "--failed"});
        expect(eq(only.code, 0)) << "that partitions failed is no failure to say so";
        expect(only.says("no right to this range") && !only.says("  completed  ")) << only.out;
        expect(app.run_feed({"feed", "status", id, "--unfinished"}).says("no right to this range"));
        expect(eq(app.run_feed({"feed", "status", id, "--unfinished", "--failed"}).code, 2));

        const auto plain = app.run_feed({"feed", "consolidate", id});
        expect(eq(plain.code, 1)) << "refused, not misspelt";
        expect(plain.complains("retry them, or force it without them"));
        expect(app.run_feed({"feed", "retry", id, "--partition", "0"})
                   .complains("partition-0 of run " + id + " has not failed"));
        expect(eq(app.run_feed({"feed", "retry", "articles", "--wait"}).code, 3)) << "once more";
        app.source.on_fetch = {};
        const auto left = app.run_feed({"feed", "retry", "articles", "--partition", "1"});
        expect(eq(left.code, 0) && eq(left.out, id + "\n"));
        expect(left.complains("1 partition to be tried again"));
        expect(eq(app.run_feed({"worker", "--drain"}).code, 0));
        expect(app.run_feed({"feed", "status", id}).says("articles: completed"));
    };

    "consolidate --force goes on without them"_test = [] {
        stage::feed_program app;
        const auto id = run_failing(app);
        const auto forced = app.run_feed({"feed", "consolidate", id, "--force", "--wait"});
        expect(eq(forced.code, 3)) << "it is not whole";
        expect(forced.says("articles: completed in ") && forced.says("  type       full, forced\n"))
            << forced.out;
        expect(forced.complains("without 1 failed partition"));
        const auto again = app.run_feed({"feed", "consolidate", id, "--json"});
        expect(eq(again.code, 0) && eq(parsed{again.out}["state"], "completed"s));
    };

    "bad items: 3, each with its reason, and tried again"_test = [] {
        stage::feed_program app;
        app.source.on_map = [](std::string_view id) {
            return id.ends_with("7") ? refuse("its label is odd") : bulk::result<>{};
        };
        const auto said = app.run_feed({"feed", "start", "articles", "--wait"});
        const auto id = id_in(said.out);
        expect(eq(said.code, 3));
        expect(said.says("articles: failed in ") && said.says("  bad            6\n")) << said.out;
        expect(said.complains("each bad item: app feed bad " + id));
        expect(said.complains("try them again: app feed resume " + id));
        const auto bad = app.run_feed({"feed", "bad", id});
        expect(eq(bad.code, 0));
        expect(eq(lines(bad.out).size(), 7u)) << bad.out;
        expect(bad.says("a107  its label is odd  {\"id\":\"a107\",\"price\":7}\n")) << bad.out;
        const auto page = app.run_feed({"feed", "bad", "--limit", "4"});
        expect(page.complains("--after 'a137'")) << page.err;
        expect(eq(lines(app.run_feed({"feed", "bad", "--after", "a137"}).out).size(), 3u));
        const auto json = lines(app.run_feed({"feed", "bad", "--json", "--limit", "4"}).out);
        expect(fatal(eq(json.size(), 5u)));
        expect(eq(parsed{json[0]}["type"], "bad_item"s));
        expect(eq(parsed{json[0]}["reason"], "its label is odd"s));
        expect(eq(parsed{json[4]}["after"], "a137"s));
        expect(eq(app.run_feed({"feed", "bad", "--limit", "0"}).code, 2));

        app.source.on_map = {};
        const auto resumed = app.run_feed({"feed", "resume", "articles", "--wait"});
        expect(eq(resumed.code, 0)) << resumed.err;
        expect(resumed.complains("6 bad items to be tried again"));
        expect(app.run_feed({"feed", "bad"}).complains("no item is bad"));
    };

    "runs: newest first, filtered, page by page"_test = [] {
        stage::feed_program app;
        const auto first = run_failing(app);
        const auto second =
            id_in(app.run_feed({"feed", "start", "articles", "--full", "--wait"}).out);
        app.source.put("a100", 7);
        const auto third = id_in(app.run_feed({"feed", "start", "articles"}).out);
        const auto all = lines(app.run_feed({"feed", "runs"}).out);
        expect(fatal(eq(all.size(), 4u)));
        expect(all[1].starts_with(third) && all[1].ends_with("  created")) << all[1];
        expect(all[2].starts_with(second) && all[2].ends_with("  completed")) << all[2];
        expect(all[3].starts_with(first) && all[3].ends_with("  consolidation skipped")) << all[3];
        const auto only = [&](words more) {
            more.insert(more.begin(), {"feed", "runs", "articles"});
            const auto said = app.run_feed(more);
            return lines(said.out).size() == 2 ? id_in(said.out) : said.out + said.err;
        };
        expect(eq(only({"--active"}), third));
        expect(eq(only({"--type", "incremental"}), third));
        expect(eq(only({"--state", "completed"}), second));
        expect(eq(only({"--state", "consolidation-skipped"}), first));
        expect(app.run_feed({"feed", "runs", "--to", "2020-01-01"}).out.empty());
        expect(app.run_feed({"feed", "runs", "--from", "2020-01-02", "--to", "2020-01-01"})
                   .complains("started_from is later than started_to"));
        const auto page = app.run_feed({"feed", "runs", "--limit", "2"});
        const auto rest = app.run_feed({"feed", "runs", "--after", after_in(page.err)});
        expect(rest.says(first) && !rest.says(second)) << page.err << rest.err;
        const auto json = lines(app.run_feed({"feed", "runs", "--json", "--limit", "1"}).out);
        expect(fatal(eq(json.size(), 2u)));
        expect(eq(parsed{json[0]}["id"], third) && eq(parsed{json[1]}["type"], "next"s));
    };

    "list: the feeds, and where each stands"_test = [] {
        stage::feed_program app;
        const auto before = lines(app.run_feed({"feed", "list"}).out);
        expect(fatal(eq(before.size(), 2u)));
        expect(before[1].starts_with("articles  -  ") && before[1].ends_with("  -")) << before[1];
        (void)app.run_feed({"feed", "start", "articles", "--wait"});
        const auto after = app.run_feed({"feed", "list"});
        const auto id = id_in(after.out);
        expect(lines(after.out)[1].ends_with("  completed")) << after.out;
        expect(app.run_chain({"feed", "list"}).says("second"));
        const parsed line{app.run_feed({"feed", "list", "--json"}).out};
        expect(eq(line["type"], "feed"s) && eq(line["description"], "What the shop sells"s));
        expect(eq(line["version"], "1"s) && line["watermark"].ends_with('Z'));
        expect(eq(parsed{line["newest_run"]}["id"], id));
    };

    "status: by its id, its feed, or the newest"_test = [] {
        stage::feed_program app;
        const auto none = app.run_feed({"feed", "status"});
        expect(eq(none.code, 1));
        expect(none.complains("there is no run yet; `feed start NAME` makes one"));
        expect(app.run_feed({"feed", "status", "articles"})
                   .complains("feed 'articles' has no run yet; `feed start articles` makes one"));
        const auto odd = app.run_feed({"feed", "status", "artikles"});
        expect(eq(odd.code, 2));
        expect(odd.complains("'artikles' is neither the id of a run nor a feed"));
        expect(odd.complains("did you mean 'articles'?")) << odd.err;
        const auto other = app.run_feed({"feed", "status", "0190163d-8694-739b-aea5-966c26f8ad90"});
        expect(eq(other.code, 1));
        expect(other.complains("there is no run 0190163d-8694-739b-aea5-966c26f8ad90"));
        const auto id = id_in(app.run_feed({"feed", "start", "articles", "--wait"}).out);
        for (const std::string& word : {"last"s, "ARTICLES"s, id})
            expect(eq(id_in(app.run_feed({"feed", "status", word}).out), id)) << word;
        expect(app.run_feed({"feed", "status", "--follow"}).says("articles: completed"));
    };

    "status --follow: watches, and does not work"_test = [] {
        stage::feed_program app;
        (void)app.run_feed({"feed", "start", "articles"});
        app.interrupted = true;
        const auto said = app.run_feed({"feed", "status", "--follow"});
        expect(eq(said.code, 130));
        expect(said.says("articles: created")) << said.out;
    };

    "cancel and remove"_test = [] {
        stage::feed_program app;
        const auto id = id_in(app.run_feed({"feed", "start", "articles"}).out);
        const auto active = app.run_feed({"feed", "remove", id});
        expect(eq(active.code, 1));
        expect(active.complains("is active: cancel it first"));
        const auto said = app.run_feed({"feed", "cancel", "articles", "--reason", "too early"});
        expect(eq(said.code, 0));
        expect(eq(said.out, id + " is cancelled; the watermark of 'articles' is kept\n"));
        const auto status = app.run_feed({"feed", "status"});
        expect(status.says("articles: cancelled in ") && status.says("\n  too early\n"));
        const auto late = app.run_feed({"feed", "cancel", id});
        expect(eq(late.code, 1));
        expect(late.complains("is cancelled already"));
        expect(eq(app.run_feed({"feed", "retry", id}).code, 1));
        const parsed line{app.run_feed({"feed", "remove", id, "--json"}).out};
        expect(eq(line["id"], id) && eq(line["is_removed"], "true"s));
        expect(eq(app.run_feed({"feed", "status", id}).code, 1));
        expect(eq(app.run_feed({"feed", "cancel"}).code, 2)) << "what is changed must be named";
    };

    "watermark: shown, set and cleared"_test = [] {
        stage::feed_program app;
        const auto none = app.run_feed({"feed", "watermark", "articles"});
        expect(eq(none.code, 0));
        expect(none.says("articles: no watermark, the next run is a full one; version 0"));
        const auto id = id_in(app.run_feed({"feed", "start", "articles", "--wait"}).out);
        expect(app.run_feed({"feed", "watermark", "articles"}).says(" by run " + id));
        const auto set =
            app.run_feed({"feed", "watermark", "articles", "--set", "2026-01-02", "--by", "ops"});
        expect(eq(set.code, 0)) << set.err;
        expect(set.says("articles: 2026-01-02 00:00:00 UTC; moved at ") && set.says(" by hand"));
        const parsed line{app.run_feed({"feed", "watermark", "articles", "--json"}).out};
        expect(eq(line["watermark"], "2026-01-02T00:00:00.000000Z"s));
        expect(eq(line["feed"], "articles"s) && eq(line["version"], "1"s));
        expect(app.run_feed({"feed", "plan", "articles"}).says("articles: incremental run"));
        const auto future = app.run_feed({"feed", "watermark", "articles", "--set", "2990-01-01"});
        expect(eq(future.code, 2));
        expect(future.complains("would be in the future"));
        expect(eq(app.run_feed({"feed", "watermark", "articles", "--clear"}).code, 0));
        expect(app.run_feed({"feed", "plan", "articles"}).says("articles: full run"));
        expect(eq(
            app.run_feed({"feed", "watermark", "articles", "--clear", "--set", "2026-01-01"}).code,
            2));
    };

    "items: the canonical set, by key"_test = [] {
        stage::feed_program app;
        expect(app.run_feed({"feed", "items", "articles"}).complains("no item is like that"));
        (void)app.run_feed({"feed", "start", "articles", "--wait"});
        const auto some = app.run_feed({"feed", "items", "articles", "--limit", "2"});
        expect(eq(lines(some.out).size(), 3u)) << some.out;
        expect(some.says("{\"id\":\"a100\",\"label\":\"a100 at 0\"}")) << some.out;
        const auto next =
            app.run_feed({"feed", "items", "articles", "--after", after_in(some.err)});
        expect(next.says("a102") && !next.says("a101")) << some.err << next.err;

        app.source.put("a101", 50);
        app.source.remove("a102");
        (void)app.run_feed({"feed", "start", "articles", "--full", "--wait"});
        const auto changed = app.run_feed({"feed", "items", "articles", "--since", "1"});
        expect(eq(lines(changed.out).size(), 2u) && changed.says("a101 at 50")) << changed.out;
        const auto deleted =
            app.run_feed({"feed", "items", "articles", "--since", "1", "--deleted", "--json"});
        const auto both = lines(deleted.out);
        expect(fatal(eq(both.size(), 2u))) << deleted.out;
        expect(eq(parsed{both[0]}["item"], R"({"id":"a101","label":"a101 at 50"})"s));
        expect(eq(parsed{both[1]}["is_deleted"], "true"s) && eq(parsed{both[1]}["version"], "2"s));
        expect(app.run_feed({"feed", "items", "articles", "--key", "a102"}).says("deleted"));
        const auto none = app.run_feed({"feed", "items", "articles", "--key", "zz"});
        expect(eq(none.code, 1));
        expect(none.complains("feed 'articles' has no item 'zz'"));
    };
}
