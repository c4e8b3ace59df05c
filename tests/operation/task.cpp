#include <bulk/operation/context.hpp>
#include <bulk/operation/task.hpp>
#include <bulk/run/journal.hpp>

#include <support/ut.hpp>

#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::task, bulk::step_waits, bulk::wait_answer;

namespace {

using kind = wait_answer::kind;

task<int> half(int number) {
    co_await bulk::context::sleep(1s);
    co_return number / 2;
}

task<> waits_for_three(std::string& trace) {
    trace += "begin ";
    trace += std::to_string(co_await half(84)) + ' ';
    const auto told = co_await bulk::context::signal("a", 2s);
    trace += told ? "told " : told.error().message + ' ';
    co_await bulk::context::sleep(5s);
    trace += "end";
}

task<> asks_three_times(std::string& trace) {
    for (const auto* key : {"a", "b", "c"}) {
        const auto told = co_await bulk::context::signal(key, 2s);
        trace += (told ? "told" : told.error().message) + "; ";
    }
}

/// Resumed by whoever holds it.
struct doorbell {
    std::coroutine_handle<>& waiting;
    static bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> from) { waiting = from; }
    static int await_resume() { return 7; }
};

task<int> waits_outside(std::coroutine_handle<>& bell) { co_return 1 + co_await doorbell{bell}; }

struct throwing {
    static bool await_ready() { return true; }
    static void await_suspend(std::coroutine_handle<>) {}
    static void await_resume() { throw std::runtime_error{"outside"}; }
};

task<> fails_outside() { co_await throwing{}; }
task<> fails_itself() {
    throw std::runtime_error{"inside"};
    co_return;
}
task<> fails_in_a_part() { co_await fails_itself(); }

template <typename T>
std::string thrown_by(task<T> body) {
    const auto waits = std::make_shared<step_waits>();
    body.resume(*waits);
    if (!body.is_done()) {  // what is outside has come already
        if (waits->park([] {})) return "it waits";
        body.resume(*waits);
    }
    try {
        body.take();
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
    return "nothing";
}

suite<"task"> tasks = [] {
    "a task goes on where it waited, also within another"_test = [] {
        std::string trace;
        const auto waits = std::make_shared<step_waits>();
        auto body = waits_for_three(trace);
        expect(trace.empty()) << "it begins when it is resumed";
        body.resume(*waits);
        expect(std::get<bulk::sleep_request>(waits->waiting()).time == 1s);
        waits->answer({kind::slept});
        body.resume(*waits);
        const auto& wanted = std::get<bulk::signal_request>(waits->waiting());
        expect(wanted.key == "a" and wanted.timeout == 2s);
        waits->answer({kind::told_failure, "not today"});
        body.resume(*waits);
        waits->answer({kind::slept});
        body.resume(*waits);
        expect(body.is_done() and trace == "begin 42 not today end") << trace;
    };

    "begun anew, it is told what it was told before"_test = [] {
        std::string trace;
        const auto waits = std::make_shared<step_waits>();
        waits->replay({{kind::slept}, {kind::told}});
        auto body = waits_for_three(trace);
        body.resume(*waits);
        expect(trace == "begin 42 told ") << trace;
        expect(std::get<bulk::sleep_request>(waits->waiting()).time == 5s);
        expect(waits->told().size() == 2_ul);
    };

    "each wait is told again what it was told, in order"_test = [] {
        std::string trace;
        const auto waits = std::make_shared<step_waits>();
        waits->replay({{kind::told_failure, "one"}, {kind::told}, {kind::timed_out}});
        auto body = asks_three_times(trace);
        body.resume(*waits);
        expect(body.is_done() and trace == "one; told; no signal came for 'c' in time; ") << trace;
    };

    "what is awaited outside comes back from any thread"_test = [] {
        std::coroutine_handle<> bell;
        const auto waits = std::make_shared<step_waits>();
        auto body = waits_outside(bell);
        body.resume(*waits);
        expect(std::holds_alternative<step_waits::outside>(waits->waiting()));
        bool has_come = false;
        expect(waits->park([&] { has_come = true; }));
        std::thread{[&] { bell.resume(); }}.join();
        expect(has_come and !body.is_done()) << "the step itself does not go on there";
        body.resume(*waits);
        expect(body.is_done() and body.take() == 8_i);
    };

    "it may come before anybody waits"_test = [] {
        std::coroutine_handle<> bell;
        const auto waits = std::make_shared<step_waits>();
        auto body = waits_outside(bell);
        body.resume(*waits);
        bell.resume();
        expect(!waits->park([] {}));
        body.resume(*waits);
        expect(body.take() == 8_i);
    };

    "what is awaited may outlive whoever waited"_test = [] {
        struct frame : step_waits {
            std::optional<task<int>> body;
        };
        std::coroutine_handle<> bell;
        std::weak_ptr<frame> left;
        bool has_come = false;
        {
            const auto waits = std::make_shared<frame>();
            left = waits;
            waits->body = waits_outside(bell);
            waits->body->resume(*waits);
            expect(waits->park([&] { has_come = true; }));
        }
        expect(!left.expired()) << "what is awaited holds the frame that it writes to";
        bell.resume();
        expect(has_come and left.expired()) << "and lets go of it when it has come";
    };

    "what is thrown comes out at the end"_test = [] {
        expect(thrown_by(fails_itself()) == "inside");
        expect(thrown_by(fails_in_a_part()) == "inside");
        expect(thrown_by(fails_outside()) == "outside");
    };
};

suite<"journal"> journals = [] {
    "a journal reads as it was written"_test = [] {
        const std::vector<wait_answer> told{{kind::slept},
                                            {kind::told},
                                            {kind::told_failure, "12:s"},
                                            {kind::timed_out},
                                            {kind::told_failure, ""}};
        expect(bulk::to_journal(told) == "sof4:12:stf0:");
        expect(bulk::parse_journal(bulk::to_journal(told)) == told);
        expect(bulk::parse_journal("").empty());
    };
    "a broken one tells what it can"_test = [] {
        expect(bulk::parse_journal("ssx").size() == 2_ul);
        expect(bulk::parse_journal("sf9:abc").size() == 1_ul);
        expect(bulk::parse_journal("sf:abc").size() == 1_ul);
    };
};

}  // namespace

int main() {}
