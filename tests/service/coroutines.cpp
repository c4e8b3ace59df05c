#include <bulk/bulk.hpp>

#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <coroutine>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state, bulk::row_number, bulk::row_state;
using support::numbers;

namespace {

struct parcel {
    std::string_view name;  // lives as long as the row does, however long that is
    int weight = 0;
};
BULK_ROW(parcel, name, weight);

/// Where coroutines wait for something of the test's own.
std::map<int, std::coroutine_handle<>> bells;
struct bell {
    int weight;
    static bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> from) const { bells[weight] = from; }
    static int await_resume() { return 40; }
};

bulk::task<int> weighed(const parcel& p, bulk::context& ctx) {
    co_await ctx.sleep(1min);
    co_return p.weight + 1;
}

struct shipping : bulk::operation<shipping, parcel> {
    BULK_OPERATION("shipping", .retryable = true)

    BULK_STEP(ship, "Ship", .order = 1, .max_retries = 1, .backoff = {.base = 1s, .cap = 1s})
    (const parcel& p, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<bulk::result<>> {
        auto& script = *support::now_playing;
        script.note("begin-" + std::string{p.name});
        if (p.weight == 13 && ctx.attempt() == 1) throw std::runtime_error{"unlucky"};
        const int weight = co_await weighed(p, ctx);
        script.note("weighed-" + std::string{p.name});
        const auto paid = co_await ctx.signal("paid-" + std::string{p.name}, 1h);
        if (!paid) co_return bulk::fail(paid.error().message);
        script.note("paid-" + std::string{p.name} + "-" + std::to_string(weight));
        const auto sent = co_await ctx.signal("sent-" + std::string{p.name}, 1h);
        if (!sent && p.weight == 7) co_return bulk::result<>{};  // nobody has to say so
        if (!sent) co_return bulk::fail(sent.error().message);
        script.note("sent-" + std::string{p.name});
        co_return bulk::result<>{};
    }

    BULK_STEP(note, "Note", .order = 2)
    (const parcel& p, const bulk::no_metadata&, bulk::context&) {
        support::now_playing->note("noted-" + std::string{p.name});
    }
};

struct ringing : bulk::operation<ringing, parcel> {
    BULK_OPERATION("ringing")
    bulk::task<> process(const parcel& p, const bulk::no_metadata&, bulk::context&) {
        const int got = co_await bell{p.weight};
        support::now_playing->note(std::string{p.name} + std::to_string(got + p.weight));
    }
};

struct talking : bulk::operation<talking, parcel> {
    static inline bool has_line = true;
    BULK_OPERATION("talking")
    BULK_STEP(talk, "Talk", .max_retries = 3)
    (const parcel&, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<bulk::result<>> {
        if (!std::exchange(has_line, true)) throw std::runtime_error{"no line"};
        co_return co_await ctx.signal("k", 10min);
    }
};

/// Waits at its first try; at its second it goes on, or waits for something else.
struct moody : bulk::operation<moody, parcel> {
    static inline bool has_line = true;
    BULK_OPERATION("moody")
    BULK_STEP(talk, "Talk", .order = 1, .max_retries = 1)
    (const parcel& p, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<bulk::result<>> {
        if (!std::exchange(has_line, true)) throw std::runtime_error{"no line"};
        if (ctx.attempt() == 2 && p.weight == 1) co_return bulk::result<>{};
        co_return co_await ctx.signal(ctx.attempt() == 1 ? "first" : "second", 10min);
    }
    BULK_STEP(then, "Then", .order = 2)
    (const parcel&, const bulk::no_metadata&, bulk::context&) {
        return bulk::outcome::wait_for_signal("third", 10min);
    }
};

/// A coroutine as the beginning of a step that is polled, and one that asks to be called again.
struct asked_later {
    static constexpr bulk::step_options options{
        .name = "Asked", .order = 1, .poll_interval = 1s, .timeout = 1min};
    int checks = 0;
    bulk::task<> execute(const parcel& p, const bulk::no_metadata&, bulk::context& ctx) {
        co_await ctx.sleep(2s);
        support::now_playing->note("executed-" + std::string{p.name});
    }
    bool is_complete(const parcel&, const bulk::no_metadata&, bulk::context&) {
        support::now_playing->note("?");
        return ++checks == 3;
    }
};
struct mixed : bulk::operation<mixed, parcel> {
    BULK_OPERATION("mixed")
    int calls = 0;
    auto steps() { return bulk::steps(asked_later{}); }
    BULK_STEP(repeated, "Repeated", .order = 2)
    (const parcel&, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<bulk::outcome> {
        co_await ctx.sleep(1s);
        support::now_playing->note("call");
        co_return ++calls < 3 ? bulk::outcome::poll(1s, 1min) : bulk::outcome::done();
    }
};

/// Its coroutine uses the operation as it ends.
struct lending : bulk::operation<lending, parcel> {
    BULK_OPERATION("lending")
    static inline std::set<const lending*> living;
    lending() { living.insert(this); }
    lending(const lending&) = delete;
    lending& operator=(const lending&) = delete;
    ~lending() { living.erase(this); }

    struct permit {
        const lending* of;
        explicit permit(const lending& from) : of{&from} {}
        permit(const permit&) = delete;
        permit& operator=(const permit&) = delete;
        ~permit() {
            support::now_playing->note(living.contains(of) ? "given-back" : "given-back-too-late");
        }
    };
    bulk::task<> process(const parcel&, const bulk::no_metadata&, bulk::context& ctx) {
        const permit one{*this};
        support::now_playing->note("lent");
        co_await ctx.sleep(1h);
    }
};

using stage = support::stage<std::remove_const_t<
    decltype(bulk::operations<shipping, ringing, mixed, talking, moody, lending>)>>;

bool is_waiting(stage& at, bulk::operation_id id, const std::string& key) {
    return at.service->query(bulk::row_query{.operation = id, .signal_key = key}).value().total > 0;
}

/// A process that runs nothing sends the first row a signal.
template <typename Operation>
void signal_from_elsewhere(stage& at, bulk::operation_id id, const std::string& key) {
    bulk::service front{bulk::operations<Operation>, at.storage,
                        bulk::service_options{.scheduler = bulk::scheduling::none},
                        bulk::read_options{}, &at.jobs};
    expect(front.signal(id, key).value().row == row_number{1});
}

suite<"coroutines"> coroutines = [] {
    "a step waits for time and for signals, and holds no thread"_test = [] {
        support::script script;
        stage at;
        const auto id = at.create("name,weight\na,1\nb,2\n", "shipping");
        expect(at.drive([&] { return is_waiting(at, id, "paid-a"); }));
        expect(script.calls == "begin-a begin-b weighed-a weighed-b ") << script.calls;
        expect(at.service->signal(id, "paid-b").has_value());
        expect(at.drive([&] { return is_waiting(at, id, "sent-b"); }));
        expect(at.service->signal(id, "sent-b").has_value());
        expect(at.drive([&] { return at.get(id).rows.successful == 1; }));
        expect(at.service->signal(id, "paid-a").has_value());
        expect(at.service->signal(id, "sent-a").has_value()) << "early";
        const auto done = at.finish(id);
        expect(done.state == operation_state::completed);
        expect(script.calls.ends_with("paid-b-3 sent-b noted-b paid-a-2 sent-a noted-a "))
            << script.calls;
        expect(at.record(id, 1, 0)->journal.empty()) << "nothing is left of it";
    };

    "a failure and a time-out come out of the await"_test = [] {
        support::script script;
        stage at;
        const auto id = at.create("name,weight\na,1\nb,7\n", "shipping");
        expect(at.drive([&] { return is_waiting(at, id, "paid-b"); }));
        expect(at.service->fail_signal(id, "paid-a", "no money").has_value());
        expect(at.service->signal(id, "paid-b").has_value());
        (void)at.drive(
            [&] { return is_waiting(at, id, "paid-a") && is_waiting(at, id, "sent-b"); });
        // The first try of row 1 failed; the second waits in vain.
        const auto done = at.finish(id);
        expect(done.rows == bulk::row_counters{2, 2, 1, 1});
        expect(at.errors(id) == "1 step_failure: no signal came for 'paid-a' in time\n")
            << at.errors(id);
        expect(script.calls.contains("noted-b"));
    };

    "what it throws is tried again from the beginning"_test = [] {
        support::script script;
        stage at;
        const auto id = at.create("name,weight\nu,13\n", "shipping");
        expect(at.service->signal(id, "paid-u").value().is_kept);
        expect(at.service->signal(id, "sent-u").value().is_kept);
        expect(at.finish(id).state == operation_state::completed);
        expect(script.calls == "begin-u begin-u weighed-u paid-u-14 sent-u noted-u ")
            << script.calls;
        expect(at.record(id, 1, 0)->attempt == 2_u);
    };

    "after a crash it begins anew, and is told what it was told"_test = [] {
        support::script script;
        stage at{{.lease_time = 10s}};
        const auto id = at.create("name,weight\na,1\n", "shipping");
        expect(at.drive([&] { return is_waiting(at, id, "paid-a"); }));
        expect(at.service->signal(id, "paid-a").has_value());
        expect(at.drive([&] { return is_waiting(at, id, "sent-a"); }));
        const auto deadline = *at.record(id, 1, 0)->wait_until;
        expect(at.record(id, 1, 0)->journal == "so");
        at.crash();
        at.jobs.advance(1min);
        script.calls.clear();
        at.start({.lease_time = 10s});
        expect(at.drive([&] { return script.calls.contains("paid"); }));
        expect(script.calls == "begin-a weighed-a paid-a-2 ") << "no waits: " << script.calls;
        at.drive_for(1s);
        expect(at.record(id, 1, 0)->wait_until == deadline) << "not an hour from now";
        expect(at.service->signal(id, "sent-a").has_value());
        expect(at.finish(id).state == operation_state::completed);
    };

    "it ends before its operation does, also when the process ends while it waits"_test = [] {
        support::script script;
        stage at;
        (void)at.create("name,weight\na,1\n", "lending");
        at.drive_for(1min);
        expect(script.calls == "lent ") << script.calls;
        at.crash();
        expect(script.calls == "lent given-back ") << script.calls;
    };

    "one that fails while it begins anew loses nothing that it was told"_test = [] {
        support::script script;
        stage at{{.lease_time = 10s}};
        const auto id = at.create("name,weight\na,1\n", "talking");
        expect(at.drive([&] { return is_waiting(at, id, "k"); }));
        at.crash();
        signal_from_elsewhere<talking>(at, id, "k");
        talking::has_line = false;
        at.jobs.advance(1min);
        const auto begin = at.jobs.now();
        at.start({.lease_time = 10s});
        expect(at.finish(id).state == operation_state::completed) << at.errors(id);
        expect(at.jobs.now() - begin < 2min) << "and it does not wait for the deadline";
    };

    "what it was told for a wait that it gave up is told to no other wait"_test = [] {
        for (const int weight : {1, 2}) {
            support::script script;
            stage at{{.lease_time = 10s}};
            const auto id = at.create("name,weight\na," + std::to_string(weight) + '\n', "moody");
            const auto* const next = weight == 1 ? "third" : "second";
            expect(at.drive([&] { return is_waiting(at, id, "first"); }));
            at.crash();
            signal_from_elsewhere<moody>(at, id, "first");
            moody::has_line = false;
            at.jobs.advance(1min);
            at.start({.lease_time = 10s});
            at.drive_for(1min);
            expect(is_waiting(at, id, next)) << "nobody has said so: " << next;
            expect(at.service->cancel(id).has_value());
            expect(at.finish(id).state == operation_state::cancelled);
        }
    };

    "it may begin a polled step, or ask to be called again"_test = [] {
        support::script script;
        stage at;
        expect(at.run("name,weight\na,1\n", "mixed").state == operation_state::completed);
        expect(script.calls == "executed-a ? ? ? call call call ") << script.calls;
    };

    "it waits for anything that can be awaited, wherever that comes from"_test = [] {
        support::script script;
        bells.clear();
        stage at;
        const auto id = at.create("name,weight\na,1\nb,2\n", "ringing");
        expect(at.drive([&] { return bells.size() == 2; }));
        at.drive_for(5s);
        expect(at.record(id, 1, 0)->state == row_state::waiting_for_completion);
        std::thread{[] { bells.at(2).resume(); }}.join();
        expect(at.drive([&] { return script.calls == "b42 "; })) << script.calls;
        bells.at(1).resume();
        expect(at.finish(id).state == operation_state::completed);
        expect(script.calls == "b42 a41 ");
    };

    "what it waits for may come after everything is over"_test = [] {
        support::script script;
        bells.clear();
        {
            stage at;
            const auto id = at.create("name,weight\na,1\n", "ringing");
            expect(at.drive([&] { return bells.size() == 1; }));
            expect(at.service->cancel(id).has_value());
            expect(at.finish(id).state == operation_state::cancelled);
        }
        bells.at(1).resume();
        expect(script.calls.empty());
    };
};

}  // namespace

int main() {}
