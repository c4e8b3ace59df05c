#include "stage.hpp"

#include <support/ut.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using stage::id_in;
using stage::lines;
using stage::parsed;

namespace {

std::string many(const stage::program& app, int rows) {
    std::string text = "account,amount\n";
    for (int i = 1; i <= rows; ++i) text += "B-" + std::to_string(i) + ",1\n";
    return app.file("many.csv", text);
}

/// Keeps a step from returning until somebody opens it, or asks the step to stop.
class gate {
public:
    void open() {
        {
            const std::scoped_lock lock{mutex_};
            is_open_ = true;
        }
        changed_.notify_all();
    }
    void pass(const std::stop_token& stop) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, stop, [this] { return is_open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool is_open_ = false;
};

/// Keeps the third row of `many` in its step until the gate opens.
void stop_third_at(gate& hold) {
    stage::book = [&](std::string_view account, const std::stop_token& stop) {
        if (account == "B-3") hold.pass(stop);
        return bulk::outcome::done();
    };
}

/// The program's clock goes on by some seconds with each look at it. Some looks after so many rows
/// were recorded the gate is opened: what is shown before is of an operation under way, however long
/// that takes.
void look_at(stage::program& app, gate& until, std::uint64_t rows) {
    app.now = [&app, &until, rows, looks = 0, clock = bulk::timestamp{}]() mutable {
        const auto found = app.storage.query(bulk::operation_query{}).value().items;
        const bool is_there =
            !found.empty() && found[0].validated && found[0].rows.processed == rows;
        if (is_there && ++looks == 20) until.open();
        return clock += 3s;
    };
}

}  // namespace

int main() {
    "progress elsewhere than on a terminal: now and then a line"_test = [] {
        stage::program app;
        gate hold;
        stop_third_at(hold);
        look_at(app, hold, 2);
        const auto said = app.run({"run", many(app, 4), "--set", "by=ops", "--flush-rows", "1",
                                   "--flush-interval", "1ms"});
        expect(eq(said.code, 0));
        const auto shown = lines(said.err);
        expect(fatal(!shown.empty()));
        expect(shown.size() < 10u) << "not one for each look\n" << said.err;
        expect(shown.back().starts_with("many.csv: running  50%  2 / 4 rows")) << said.err;
        expect(shown.back().contains("failed 0  (Check ")) << said.err;
        expect(!said.complains("\x1b") && !said.complains("\r"));
        expect(said.says("many.csv: completed"));
    };

    "progress on a terminal: a bar that is drawn over, and gone at the end"_test = [] {
        stage::program app;
        gate hold;
        stop_third_at(hold);
        app.is_terminal = true;
        app.has_color = true;
        app.width = 60;
        look_at(app, hold, 2);
        const auto said = app.run({"run", many(app, 4), "--set", "by=ops", "--flush-rows", "1",
                                   "--flush-interval", "1ms"});
        expect(eq(said.code, 0));
        expect(said.complains("\r\x1b[J\x1b[32mmany.csv  ")) << said.err;
        expect(said.complains(" 50%  2 / 4 rows")) << said.err;
        expect(said.complains("\n\x1b[2m  Check ")) << said.err;
        expect(said.err.ends_with("\r\x1b[J")) << "the bar is gone";
    };

    "without colours the bar has no escape sequence"_test = [] {
        stage::program app;
        gate hold;
        stop_third_at(hold);
        app.is_terminal = true;
        look_at(app, hold, 2);
        const auto said = app.run({"run", many(app, 4), "--set", "by=ops", "--flush-rows", "1"});
        expect(eq(said.code, 0));
        expect(said.complains("\rmany.csv  ") && !said.complains("\x1b")) << said.err;
        expect(said.err.ends_with('\r')) << said.err;
        expect(!said.says("\x1b"));
    };

    "progress for machines: an object a line, then the answer"_test = [] {
        stage::program app;
        gate hold;
        stop_third_at(hold);
        look_at(app, hold, 2);
        const auto said = app.run({"run", many(app, 4), "--set", "by=ops", "--flush-rows", "1",
                                   "--flush-interval", "1ms", "--json"});
        const auto shown = lines(said.out);
        expect(fatal(shown.size() >= 2u));
        const parsed before{shown[shown.size() - 2]};
        expect(eq(before["type"], "progress"s) && eq(before["state"], "running"s));
        expect(eq(before["total"], "4"s) && eq(before["processed"], "2"s)) << said.out;
        expect(eq(parsed{shown.back()}["type"], "operation"s));
        expect(eq(said.err, ""s));
    };

    "Ctrl-C: rows in flight finish, and the same command goes on"_test = [] {
        stage::program app;
        std::atomic<int> calls = 0;
        gate hold;
        stage::book = [&](std::string_view account, const std::stop_token& stop) {
            ++calls;
            if (account == "B-3") {
                app.interrupted = true;
                hold.pass(stop);  // until the program asks it to stop
            }
            return bulk::outcome::done();
        };
        const std::vector<std::string> command{"run", many(app, 10), "--set", "by=the boss"};
        const auto first = app.run(command);
        expect(eq(first.code, 130));
        expect(first.says("many.csv: running")) << first.out;
        expect(first.says("  succeeded   3  30%\n  failed      0   0%\n  to do       7  70%\n"))
            << first.out;
        expect(first.complains("app: interrupted: rows in flight are finishing"));
        expect(first.complains("app: nothing is lost; go on with: app run " + command[1] +
                               " --set 'by=the boss'\n"))
            << first.err;
        app.interrupted = false;
        hold.open();
        stage::book = [&](auto, auto&) {
            ++calls;
            return bulk::outcome::done();
        };
        const auto second = app.run(command);
        expect(eq(second.code, 0));
        expect(eq(id_in(second.out), id_in(first.out)));
        expect(second.complains("app: goes on with " + id_in(first.out)));
        expect(second.says("  succeeded  10  100%")) << second.out;
        expect(eq(calls.load(), 10)) << "no row ran twice";
    };

    "Ctrl-C while the file is taken in keeps nothing of it"_test = [] {
        stage::program app;
        app.interrupted = true;
        const auto said = app.run({"submit", app.good(), "--set", "by=ops"});
        expect(eq(said.code, 130));
        expect(said.complains("interrupted; nothing was kept of the file"));
        app.interrupted = false;
        expect(app.run({"list"}).complains("no operation is like that"));
    };

    "status --follow watches what another runs"_test = [] {
        stage::program app;
        gate hold;
        const auto path = many(app, 2);
        (void)app.run({"submit", path, "--set", "by=ops"});
        stage::program worker{app.storage};
        stage::book = [&](auto, const std::stop_token& stop) {
            hold.pass(stop);
            return bulk::outcome::done();
        };
        std::jthread other{[&] { (void)worker.run({"worker", "--drain"}); }};
        look_at(app, hold, 0);
        const auto said = app.run({"status", "last", "--follow"});
        expect(eq(said.code, 0));
        expect(said.says("many.csv: completed in "));
        expect(said.complains("many.csv: ")) << "and showed progress before";
    };
}
