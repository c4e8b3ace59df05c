#include <bulk/bulk.hpp>

#include <support/faulty_storage.hpp>
#include <support/packing.hpp>
#include <support/seeded_executor.hpp>
#include <support/user.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace std::string_view_literals;
using bulk::operation_state;
using support::user;

namespace {

struct request {
    std::string by;
};
BULK_METADATA(request, by);

struct import_users : bulk::operation<import_users, user, request> {
    BULK_OPERATION("import-users")
    bulk::result<> validate(const request& r) {
        if (r.by == "nobody") return bulk::fail("nobody may import");
        if (r.by == "throw") throw std::runtime_error{"thrown by the metadata's validator"};
        return {};
    }
    bulk::result<> validate(const user& u, const request&) {
        if (u.age < 0) return bulk::fail("nobody is younger than 0");
        return {};
    }
    bulk::result<> process(const user& u, const request&, bulk::context&) {
        if (u.email == "bad") return bulk::fail("no such address");
        if (u.email == "throw") throw std::runtime_error{"thrown"};
        if (u.email == "odd") throw 7;
        return {};
    }
};

struct number {
    int value = 0;
};
BULK_ROW(number, value);

/// What the steps of a test do, and what they did: set by each test.
struct script {
    std::function<bulk::outcome(const number&, bulk::context&)> first, second;
    std::function<bulk::result<bool>(const number&)> is_complete;
    std::mutex mutex;
    std::string calls;

    void note(const std::string& what) {
        const std::scoped_lock lock{mutex};
        calls += what + ' ';
    }
};
script* now_playing = nullptr;

/// A step that says when it has begun, and then waits.
std::function<bulk::outcome(const number&, bulk::context&)> held_between(std::latch& begun,
                                                                         std::latch& go) {
    return [&](const number&, bulk::context&) {
        if (!begun.try_wait()) begun.count_down();
        go.wait();
        return bulk::outcome::done();
    };
}

struct pipeline : bulk::operation<pipeline, number> {
    BULK_OPERATION("pipeline")
    BULK_STEP(first, "First", .order = 1, .max_retries = 2, .backoff = {.base = 1ms, .cap = 2ms})
    (const number& n, const bulk::no_metadata&, bulk::context& ctx) {
        return now_playing->first ? now_playing->first(n, ctx) : bulk::outcome::done();
    }
    BULK_STEP(second, "Second", .order = 2)
    (const number& n, const bulk::no_metadata&, bulk::context& ctx) {
        return now_playing->second ? now_playing->second(n, ctx) : bulk::outcome::done();
    }
};

struct polled {
    static constexpr bulk::step_options options{.name = "Polled",
                                                .max_retries = 1,
                                                .backoff = {.base = 1ms, .cap = 1ms},
                                                .poll_interval = 2ms,
                                                .timeout = 30ms};
    void execute(const number&, const bulk::no_metadata&, bulk::context&) {
        now_playing->note("execute");
    }
    bulk::result<bool> is_complete(const number& n, const bulk::no_metadata&, bulk::context&) {
        now_playing->note("check");
        return now_playing->is_complete(n);
    }
};

struct polling : bulk::operation<polling, number> {
    BULK_OPERATION("polling")
    auto steps() { return bulk::steps(polled{}); }
};

struct even_only {
    bulk::result<> validate(const number& n, const bulk::no_metadata&) {
        if (n.value % 2 != 0) return bulk::fail("it is odd");
        return {};
    }
};
struct small_only {
    void validate(const number& n, const bulk::no_metadata&) {
        if (n.value > 100) throw std::runtime_error{"it is large"};
    }
};
struct validated : bulk::operation<validated, number> {
    BULK_OPERATION("validated", .track_row_data = true, .max_failed_rows = 3)
    auto validators() { return std::tuple{even_only{}, small_only{}}; }
    bulk::result<> validate(const number& n, const bulk::no_metadata&) {
        if (n.value == 0) return bulk::fail("it is nothing");
        return {};
    }
    void process(const number&, const bulk::no_metadata&, bulk::context&) {}
};

struct sparing : bulk::operation<sparing, number> {
    BULK_OPERATION("sparing", .max_failed_ratio = 0.5)
    bulk::result<> process(const number& n, const bulk::no_metadata&, bulk::context&) {
        if (n.value > 0) return bulk::fail("no");
        return {};
    }
};

bulk::upload text(std::string content, std::string name = "x.csv") {
    auto kept = std::make_shared<std::string>(std::move(content));
    return {.name = std::move(name), .bytes = bulk::byte_source{std::string_view{*kept}, kept}};
}

std::string numbers(int count) {
    std::string all = "value\n";
    for (int i = 1; i <= count; ++i) all += std::to_string(i) + '\n';
    return all;
}

constexpr auto known = bulk::operations<import_users, pipeline, polling, validated, sparing>;
using service = bulk::service;

service make_service(const bulk::service_options& options = {},
                     bulk::memory::storage storage = bulk::memory::storage{}) {
    return service{known, std::move(storage), options};
}

std::string errors_of(service& service, bulk::operation_id id) {
    std::string all;
    for (const auto found = service.errors(id).value(); const auto& each : found.items)
        all += std::to_string(to_number(each.row)) + ' ' + each.row_id + ' ' +
               std::string{bulk::name_of(*each.failure)} + ": " + each.error_message + '\n';
    return all;
}

suite<"create"> creating = [] {
    "a file goes through an operation"_test = [] {
        auto service = make_service();
        const auto id = service.create(
            "Import-Users", text("email,age\na,1\nb,x\nbad,2\nc,-1\nthrow,3\nodd,4\nd,5\n"),
            {.metadata = R"({"by":"ann"})", .created_by = "ann"});
        expect(fatal(id.has_value())) << id.error().message;
        const auto done = service.wait(*id, 10s);
        expect(fatal(done.has_value())) << done.error().message;
        expect(done->state == operation_state::completed_with_errors);
        expect(done->rows ==
               bulk::row_counters{.total = 7, .processed = 7, .successful = 2, .failed = 5});
        expect(done->name == "import-users" and done->created_by == "ann");
        const auto all = errors_of(service, *id);
        expect(all ==
               "2  parse: line 3, column 'age', 'x': it is not a whole number\n"
               "3 bad processing: no such address\n"
               "4 c validation: nobody is younger than 0\n"
               "5 throw processing: thrown\n"
               "6 odd processing: something was thrown that is no std::exception\n"s)
            << all;
        std::string told;
        for (const auto found = service.events(*id, 0).value(); const auto& each : found)
            told += std::string{bulk::name_of(each.kind)} + ' ' +
                    (each.kind == bulk::event_kind::completed ? "" : each.message) + '\n';
        expect(told ==
               "created Operation created by ann\n"
               "status_changed pending to validating\n"
               "row_failed Row 2: line 3, column 'age', 'x': it is not a whole number\n"
               "row_failed Row 4: nobody is younger than 0\n"
               "status_changed validating to running\n"
               "row_failed Row 3: no such address\n"
               "row_failed Row 5: thrown\n"
               "row_failed Row 6: something was thrown that is no std::exception\n"
               "status_changed running to completed_with_errors\n"
               "completed \n"s)
            << told;
    };

    "what can be refused is refused at once, and nothing is kept"_test = [] {
        auto service = make_service({.max_file_size = 20});
        const auto problem = [&](std::string_view name, bulk::upload file, std::string metadata) {
            const auto id =
                service.create(name, std::move(file), {.metadata = std::move(metadata)});
            return id ? "none"s : id.error().message;
        };
        expect(problem("import-user", text("x"), "{}").contains("did you mean 'import-users'?"));
        expect(problem("import-users", text("x"), "{}").contains("'by': it is required"));
        expect(problem("import-users", text("x"), "[").contains("not a JSON object"));
        expect(
            problem("pipeline", text(std::string(21, 'x')), "").contains("larger than 20 bytes"));
        expect(service.create("pipeline", bulk::file("/nowhere/x.csv")).error().code ==
               bulk::errc::not_found);
        expect(service.query(bulk::operation_query{}).value().total == 0_u);
        auto wrong = make_service({.worker_count = 0});
        expect(wrong.create("pipeline", text("x")).error().message.contains("worker_count"));
        (void)service.shutdown();
        expect(problem("pipeline", text("value\n"), "").contains("shut down"));
    };

    "metadata may be the operation's own type"_test = [] {
        auto service = make_service();
        const auto id = service.create("import-users", text("email,age\na,1\n"),
                                       bulk::create_options<request>{.metadata = {"ann"}});
        expect(fatal(id.has_value()));
        expect(service.get(*id).value().metadata == R"({"by":"ann"})");
        expect(service.wait(*id, 10s).value().state == operation_state::completed);
        expect(service
                   .create("pipeline", text("value\n"),
                           bulk::create_options<request>{.metadata = {"ann"}})
                   .error()
                   .message.contains("another type"));
    };

    "asked for twice with one key, the first operation is the answer"_test = [] {
        auto service = make_service();
        script none;
        now_playing = &none;
        const auto first = service.create("pipeline", text(numbers(1)), {.idempotency_key = "k"});
        const auto second = service.create("pipeline", text(numbers(5)), {.idempotency_key = "k"});
        expect(*first == *second);
        expect(service.wait(*first, 10s).value().rows.total == 1_u);
    };

    "every format, packed or not"_test = [] {
        auto service = make_service({.max_row_concurrency = 2});
        script none;
        now_playing = &none;
        for (auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
                 {"x.csv", "value\n1\n2\n"},
                 {"x.json", R"([{"value":1},{"value":"2"}])"},
                 {"x.ndjson", "{\"value\":1}\n{\"value\":2}\n"},
                 {"x.tsv", "other\tvalue\n\t1\n\t2\n"}}) {
            const auto succeeds = [&](const std::string& stored, const std::string& as) {
                const auto id = service.create("pipeline", text(stored, as));
                const auto done = service.wait(id.value(), 10s).value();
                expect(done.state == operation_state::completed) << as << done.error_message;
                expect(done.rows == bulk::row_counters{2, 2, 2, 0}) << as;
            };
            succeeds(content, name);
            expect(fatal(support::gzip(content) != content and support::zstd(content) != content));
            succeeds(support::gzip(content), name + ".gz");
            succeeds(support::zstd(content), name + ".zst");
            succeeds(support::gzip(content), name);  // the content says that it is packed
        }
    };
};

suite<"how operations end"> ending = [] {
    script none;
    const auto run = [](std::string_view name, std::string file, std::string metadata = "",
                        std::string file_name = "x.csv") {
        auto service = make_service();
        const auto id = service.create(name, text(std::move(file), std::move(file_name)),
                                       {.metadata = std::move(metadata)});
        return service.wait(id.value(), 10s).value();
    };

    "no rows are success"_test = [&] {
        now_playing = &none;
        const auto done = run("pipeline", "value\n");
        expect(done.state == operation_state::completed and done.rows == bulk::row_counters{});
    };

    "what is wrong with the whole fails it before any row runs"_test = [&] {
        now_playing = &none;
        auto done = run("pipeline", "wrong\n1\n");
        expect(done.state == operation_state::failed);
        expect(done.error_message == "the file has no column 'value'"s) << done.error_message;
        done = run("pipeline", R"([{"value":1},{"value":2})", "", "x.json");
        expect(done.state == operation_state::failed);
        expect(done.error_message.contains("the array is never closed"));
        expect(done.rows.processed == 0_u);
        done = run("import-users", "email,age\n", R"({"by":"nobody"})");
        expect(done.state == operation_state::failed and
               done.error_message == "nobody may import"s);
        done = run("import-users", "email,age\n", R"({"by":"throw"})");
        expect(done.error_message == "thrown by the metadata's validator"s);
    };

    "all rows failed is still an end with errors"_test = [&] {
        const auto done = run("import-users", "email,age\nbad,1\nbad,2\n", R"({"by":"x"})");
        expect(done.state == operation_state::completed_with_errors and done.rows.failed == 2_u);
    };

    "too many failed rows stop the operation"_test = [&] {
        auto done = run("validated", "value\n1\n3\n5\n2\n");
        expect(done.state == operation_state::completed_with_errors and done.rows.failed == 3_u);
        done = run("validated", "value\n1\n3\n5\n7\n2\n");
        expect(done.state == operation_state::failed);
        expect(done.error_message ==
               "4 rows have failed, more than the 3 of max_failed_rows: the rest is not processed"s)
            << done.error_message;
        done = run("sparing", "value\n1\n0\n0\n1\n");
        expect(done.state == operation_state::completed_with_errors);
        done = run("sparing", "value\n0\n1\n1\n1\n");
        expect(done.state == operation_state::failed);
        expect(done.error_message.contains("max_failed_ratio")) << done.error_message;
        expect(done.rows.total == 4_u);
    };

    "validators of the list come first, and the first that refuses counts"_test = [&] {
        auto service = make_service();
        const auto id = service.create("validated", text("value\n1\n102\n0\n2\n")).value();
        (void)service.wait(id, 10s);
        expect(
            errors_of(service, id) ==
            "1  validation: it is odd\n2  validation: it is large\n3  validation: it is nothing\n"s)
            << errors_of(service, id);
        const auto record =
            service.storage().get(id, bulk::row_number{4}, bulk::validation_step).value().value();
        expect(record.row_data == R"({"value":2})"s) << record.row_data;
    };
};

suite<"steps"> stepping = [] {
    "a step is tried again after its back-off, and holds no thread meanwhile"_test = [] {
        script play;
        now_playing = &play;
        play.first = [&](const number& n, bulk::context& ctx) {
            play.note(std::to_string(n.value) + '.' + std::to_string(ctx.attempt()));
            // The first row comes back when the others have long begun, however slow the machine is.
            if (ctx.attempt() == 1) return bulk::outcome::retry("not yet", 1s);
            if (ctx.attempt() < 3) return bulk::outcome::retry("not yet");
            return bulk::outcome::done();
        };
        auto service = make_service({.worker_count = 1});
        const auto id = service.create("pipeline", text(numbers(3))).value();
        const auto done = service.wait(id, 30s).value();
        expect(done.state == operation_state::completed and done.rows.successful == 3_u);
        expect(play.calls.starts_with("1.1 2.1 3.1 ")) << play.calls;
        for (const auto* call : {"1.2", "1.3", "2.3", "3.3"}) expect(play.calls.contains(call));
        const auto record =
            service.storage().get(id, bulk::row_number{2}, bulk::step_index{0}).value().value();
        expect(record.attempt == 3_u and record.state == bulk::row_state::completed);
    };

    "out of retries, the row fails with its last reason, and no step follows"_test = [] {
        script play;
        now_playing = &play;
        play.first = [&](const number& n, bulk::context& ctx) {
            if (n.value != 2) return bulk::outcome::done();
            return bulk::outcome::retry("try " + std::to_string(ctx.attempt()));
        };
        play.second = [&](const number& n, bulk::context&) {
            play.note(std::to_string(n.value));
            return bulk::outcome::done();
        };
        auto service = make_service();
        const auto id = service.create("pipeline", text(numbers(3))).value();
        expect(service.wait(id, 10s).value().rows.failed == 1_u);
        expect(errors_of(service, id) == "2  step_failure: try 3\n"s);
        expect(play.calls == "1 3 "s) << play.calls;
        expect(!service.storage().get(id, bulk::row_number{2}, bulk::step_index{1}).value());
    };

    "a step may fail for good, or be skipped with a reason"_test = [] {
        script play;
        now_playing = &play;
        int tries = 0;
        play.first = [&](const number& n, bulk::context&) {
            if (n.value == 1) {
                ++tries;
                return bulk::outcome::fail("never");
            }
            return bulk::outcome::skip("not needed");
        };
        auto service = make_service();
        const auto id = service.create("pipeline", text(numbers(2))).value();
        const auto done = service.wait(id, 10s).value();
        expect(done.rows.successful == 1_u and done.rows.failed == 1_u and tries == 1_i);
        const auto record =
            service.storage().get(id, bulk::row_number{2}, bulk::step_index{0}).value().value();
        expect(record.state == bulk::row_state::completed and
               record.error_message == "not needed"s);
    };

    "a polled step is asked at once, then again, until it is complete"_test = [] {
        script play;
        now_playing = &play;
        std::atomic<int> asked{0};
        play.is_complete = [&](const number&) -> bulk::result<bool> { return ++asked >= 4; };
        auto service = make_service();
        const auto id = service.create("polling", text(numbers(1))).value();
        expect(service.wait(id, 10s).value().rows.successful == 1_u);
        expect(play.calls == "execute check check check check "s) << play.calls;
    };

    "a polled step that is never complete times out; one that fails is asked again"_test = [] {
        script play;
        now_playing = &play;
        std::atomic<int> asked{0};
        play.is_complete = [&](const number& n) -> bulk::result<bool> {
            if (n.value == 1) return false;
            if (++asked == 1) throw std::runtime_error{"no line"};
            return true;
        };
        auto service = make_service();
        const auto id = service.create("polling", text(numbers(2))).value();
        const auto done = service.wait(id, 10s).value();
        expect(done.rows.failed == 1_u and done.rows.successful == 1_u);
        expect(errors_of(service, id) ==
               "1  timeout: Step 'Polled' timed out waiting for completion\n"s)
            << errors_of(service, id);
    };

    "a step may ask to be called again, or to wait for a signal that never comes"_test = [] {
        script play;
        now_playing = &play;
        std::atomic<int> called{0};
        play.first = [&](const number& n, bulk::context&) {
            if (n.value == 1)
                return ++called < 3 ? bulk::outcome::poll(1ms, 1min) : bulk::outcome::done();
            if (n.value == 2) return bulk::outcome::poll(1ms, 10ms);
            return bulk::outcome::wait_for_signal("k", 5ms);
        };
        auto service = make_service();
        const auto id = service.create("pipeline", text(numbers(3))).value();
        const auto done = service.wait(id, 10s).value();
        expect(done.rows.successful == 1_u and called.load() == 3_i);
        expect(errors_of(service, id) ==
               "2  timeout: Step 'First' timed out waiting for completion\n"
               "3  timeout: Step 'First' timed out waiting for completion\n"s)
            << errors_of(service, id);
    };

    "slow rows run at once, as many as allowed"_test = [] {
        script play;
        now_playing = &play;
        std::mutex mutex;
        std::condition_variable changed;
        int arrived = 0, inside = 0, most = 0;
        play.first = [&](const number&, bulk::context&) {
            bool is_alone = false;
            {
                std::unique_lock lock{mutex};
                most = std::max(most, ++inside);
                ++arrived;
                changed.notify_all();
                // The first wait for two others, and not for ever.
                is_alone = !changed.wait_for(lock, 20s, [&] { return arrived >= 3; });
            }
            for (int i = 0; i < 10; ++i) std::this_thread::yield();
            const std::scoped_lock lock{mutex};
            --inside;
            return is_alone ? bulk::outcome::fail("alone") : bulk::outcome::done();
        };
        auto service = make_service({.max_row_concurrency = 3});
        const auto id = service.create("pipeline", text(numbers(300))).value();
        expect(service.wait(id, 1min).value().rows.successful == 300_u);
        expect(most == 3_i) << "and no more than allowed" << most;
    };

    "never more rows at once than allowed"_test = [] {
        script play;
        now_playing = &play;
        std::atomic<int> inside{0}, most{0};
        play.first = [&](const number&, bulk::context& ctx) {
            const int now = ++inside;
            int seen = most.load();
            while (seen < now && !most.compare_exchange_weak(seen, now)) {
            }
            std::this_thread::yield();
            --inside;
            return ctx.attempt() == 1 && ctx.row() < bulk::row_number{50}
                       ? bulk::outcome::retry("again")
                       : bulk::outcome::done();
        };
        auto service = make_service({.max_row_concurrency = 3});
        const auto id = service.create("pipeline", text(numbers(2000))).value();
        expect(service.wait(id, 60s).value().rows.successful == 2000_u);
        expect(most.load() <= 3_i);
    };
};

suite<"from outside"> outside = [] {
    "cancel: rows in flight finish, the rest stays unprocessed"_test = [] {
        script play;
        now_playing = &play;
        std::latch begun{1};
        std::atomic<bool> was_asked{false};
        play.first = [&](const number& n, bulk::context& ctx) {
            if (n.value == 2) {
                begun.count_down();
                while (!ctx.stop_token().stop_requested()) std::this_thread::yield();
                was_asked = true;
            }
            return bulk::outcome::done();
        };
        auto service = make_service();
        const auto id = service.create("pipeline", text(numbers(1000))).value();
        begun.wait();
        expect(service.cancel(id).has_value());
        const auto done = service.wait(id, 10s).value();
        expect(done.state == operation_state::cancelled and was_asked.load());
        expect(done.rows.processed == 2_u and done.rows.total == 1000_u) << done.rows.processed;
        expect(service.cancel(id).error().code == bulk::errc::illegal_transition);
        expect(service.cancel({}).error().code == bulk::errc::not_found);
    };

    "cancel what nobody runs yet"_test = [] {
        script play;
        now_playing = &play;
        std::latch begun{1}, go{1};
        play.first = [&](const number&, bulk::context&) {
            begun.count_down();
            go.wait();
            return bulk::outcome::done();
        };
        auto service = make_service({.worker_count = 1});
        const auto first = service.create("pipeline", text(numbers(1))).value();
        begun.wait();
        const auto second = service.create("pipeline", text(numbers(1))).value();
        expect(service.cancel(second).has_value());
        go.count_down();
        expect(service.wait(first, 10s).value().state == operation_state::completed);
        expect(service.wait(second, 10s).value().state == operation_state::cancelled);
    };

    "pause keeps everything, resume goes on"_test = [] {
        script play;
        now_playing = &play;
        std::latch begun{1}, go{1};
        play.first = [&](const number& n, bulk::context&) {
            play.note(std::to_string(n.value));
            if (n.value == 3) {
                begun.count_down();
                go.wait();
            }
            return bulk::outcome::done();
        };
        auto service = make_service();
        const auto id = service.create("pipeline", text(numbers(6))).value();
        begun.wait();
        expect(service.pause(id).has_value());
        go.count_down();
        expect(service.wait(id, 50ms).error().code == bulk::errc::timed_out);
        const auto paused = service.get(id).value();
        expect(paused.state == operation_state::running and paused.rows.processed == 3_u);
        expect(service.resume(id).has_value());
        expect(service.wait(id, 10s).value().rows.successful == 6_u);
        expect(play.calls == "1 2 3 4 5 6 "s) << play.calls;
    };

    "shut down and started anew, it goes on where it was"_test = [] {
        script play;
        now_playing = &play;
        std::latch begun{1};
        play.first = [&](const number& n, bulk::context& ctx) {
            play.note(std::to_string(n.value));
            if (n.value == 3 && begun.try_wait() == false) {
                begun.count_down();
                while (!ctx.stop_token().stop_requested()) std::this_thread::yield();
            }
            return bulk::outcome::done();
        };
        bulk::memory::storage storage;
        bulk::operation_id id;
        {
            auto service = make_service({}, storage);
            id = service.create("pipeline", text(numbers(6))).value();
            begun.wait();
            expect(service.shutdown().has_value());
        }
        expect(storage.get(id).value().state == operation_state::running);
        auto service = make_service({}, storage);
        expect(service.wait(id, 10s).value().rows.successful == 6_u);
        expect(play.calls == "1 2 3 4 5 6 "s) << play.calls;
    };

    "a step that does not return is named, recorded, and run again by the next"_test = [] {
        static script play;
        play.calls.clear();
        now_playing = &play;
        static std::latch begun{1}, go{1}, gone{1};
        static std::atomic<bool> is_first{true};
        play.first = [](const number& n, bulk::context&) {
            if (n.value == 2 && is_first.exchange(false)) {
                struct leaving {
                    ~leaving() { gone.count_down(); }
                };
                thread_local const leaving when_its_thread_ends;
                (void)when_its_thread_ends;
                begun.count_down();
                go.wait();
            }
            return bulk::outcome::done();
        };
        bulk::memory::storage storage;
        bulk::operation_id id;
        {
            auto service = make_service({.shutdown_timeout = 20ms}, storage);
            id = service.create("pipeline", text(numbers(3))).value();
            begun.wait();
            const auto stopped = service.shutdown();
            expect(fatal(!stopped.has_value()));
            expect(stopped.error().message.contains("row 2: step 'First' did not return"))
                << stopped.error().message;
        }
        const auto record = storage.get(id, bulk::row_number{2}, bulk::step_index{0}).value();
        expect(fatal(record.has_value()));
        expect(record->error_message.contains("did not return before the shutdown time-out"));
        {
            auto service = make_service({}, storage);
            expect(service.wait(id, 10s).value().rows.successful == 3_u);
        }
        go.count_down();
        gone.wait();
    };
};

suite<"events"> events = [] {
    "handlers hear everything in order, whatever others throw"_test = [] {
        script none;
        now_playing = &none;
        auto service = make_service();
        std::mutex mutex;
        std::vector<bulk::event> heard;
        std::latch ended{1};
        const auto thrower =
            service.subscribe([](const bulk::event&) { throw std::runtime_error{"no"}; });
        const auto number = service.subscribe([&](const bulk::event& each) {
            const std::scoped_lock lock{mutex};
            heard.push_back(each);
            if (each.kind == bulk::event_kind::completed) ended.count_down();
        });
        const auto id = service.create("pipeline", text("value\n1\nx\n")).value();
        (void)service.wait(id, 10s);
        ended.wait();
        const std::scoped_lock lock{mutex};
        expect(heard == service.events(id, 0).value());
        expect(heard.size() == 6_ul);
        service.unsubscribe(number);
        service.unsubscribe(thrower);
    };
};

suite<"notifications"> notifications = [] {
    "recipients hear what they asked for, by their channel"_test = [] {
        script play;
        now_playing = &play;
        std::mutex mutex;
        std::string told, lines;
        service service{known, bulk::memory::storage{}, {}, {}, [&](const bulk::log_entry& entry) {
                            const std::scoped_lock lock{mutex};
                            lines += to_text(entry) + '\n';
                        }};
        expect(service
                   .add_channel("Mail",
                                [&](const bulk::notification& n) {
                                    const std::scoped_lock lock{mutex};
                                    told += n.to.target + ' ' + n.what.message.substr(0, 18) + '\n';
                                })
                   .has_value());
        expect(
            service.add_channel("broken", [](const bulk::notification&) { throw 7; }).has_value());
        expect(service.add_channel("MAIL", {}).error().code == bulk::errc::invalid_argument);
        const auto run = [&](std::string file) {
            using enum bulk::trigger;
            const auto id =
                service.create("pipeline", text(std::move(file)),
                               {.recipients = {{"broken", "x", all},
                                               {"pigeon", "x", all},
                                               {"mail", "good", on_completion},
                                               {"mail", "bad"},
                                               {"MAIL", "some", on_completion_with_errors},
                                               {"mail", "end", on_end},
                                               {"mail", "each", on_status_change}}});
            (void)service.wait(id.value(), 10s);
            std::latch heard{1};
            const auto number = service.subscribe([&](const bulk::event& each) {
                if (each.kind == bulk::event_kind::created) heard.count_down();
            });
            (void)service.create("pipeline",
                                 text("value\n"));  // events come in order: all were told
            heard.wait();
            service.unsubscribe(number);
            const std::scoped_lock lock{mutex};
            return std::exchange(told, {});
        };
        const std::string begin = "each pending to validat\neach validating to runn\n";
        expect(run("value\n1\n") ==
               begin +
                   "each running to complet\ngood 1/1 rows succeeded\nend 1/1 rows succeeded\n");
        expect(run("value\nx\n") ==
               begin +
                   "each running to complet\nsome 0/1 rows succeeded\nend 0/1 rows succeeded\n");
        expect(run("wrong\n") ==
               "each pending to validat\neach validating to fail\n"
               "bad the file has no co\nend the file has no co\n");
        const std::scoped_lock lock{mutex};
        expect(lines.contains("no channel is named 'pigeon'")) << lines;
        expect(lines.contains("something was thrown that is no std::exception")) << lines;
    };
};

suite<"scheduling"> schedulers = [] {
    "immediate: create returns when the operation is at rest"_test = [] {
        script play;
        now_playing = &play;
        const auto here = std::this_thread::get_id();
        play.first = [&](const number&, bulk::context& ctx) {
            expect(std::this_thread::get_id() == here);
            return ctx.attempt() < 2 ? bulk::outcome::retry("again") : bulk::outcome::done();
        };
        auto service = make_service({.scheduler = bulk::scheduling::immediate});
        const auto id = service.create("pipeline", text(numbers(3))).value();
        const auto done = service.get(id).value();
        expect(done.state == operation_state::completed and done.rows.successful == 3_u);
    };

    "none: it is taken in, and another process runs it"_test = [] {
        script none;
        now_playing = &none;
        bulk::memory::storage storage;
        auto front = make_service({.scheduler = bulk::scheduling::none}, storage);
        const auto id = front.create("pipeline", text(numbers(3))).value();
        expect(front.wait(id, 30ms).error().code == bulk::errc::timed_out);
        expect(front.get(id).value().state == operation_state::pending);
        auto worker = make_service({}, storage);
        expect(front.wait(id, 10s).value().state == operation_state::completed);
    };

    "what others took in is found by looking now and then"_test = [] {
        script none;
        now_playing = &none;
        bulk::memory::storage storage;
        std::atomic<int> looks{0};
        bulk::service worker{known,
                             support::faulty_storage{storage, [](const char*) { return false; },
                                                     [&](const char* call) {
                                                         if (call == "claim"sv) ++looks;
                                                     }},
                             {.pending_poll_interval = 5ms}};
        while (looks == 0) std::this_thread::yield();  // the look at the start is over
        auto front = make_service({.scheduler = bulk::scheduling::none}, storage);
        const auto id = front.create("pipeline", text(numbers(3))).value();
        expect(front.wait(id, 10s).value().state == operation_state::completed);
    };

    "paused operations do not fill the queue"_test = [] {
        script play;
        now_playing = &play;
        std::latch begun{1}, go{1};
        play.first = held_between(begun, go);
        bulk::memory::storage storage;
        auto service = make_service({.worker_count = 1, .queue_capacity = 2}, storage);
        const auto create = [&] { return service.create("pipeline", text(numbers(1))).value(); };
        (void)create();
        begun.wait();
        for (int i = 0; i < 2; ++i) expect(service.pause(create()).has_value());
        auto third = std::async(std::launch::async, create);
        expect(third.wait_for(10s) == std::future_status::ready);
        go.count_down();
        expect(service.wait(third.get(), 10s).value().state == operation_state::completed);
    };

    "a full queue makes whoever adds to it wait, and drops nothing"_test = [] {
        script play;
        now_playing = &play;
        std::latch begun{1}, go{1};
        play.first = held_between(begun, go);
        // The first operation holds the only worker until somebody has asked the store for room
        // and there was none, or until all were created without asking.
        bulk::memory::storage kept;
        std::atomic<int> created{0};
        std::atomic<bool> is_full{false};
        bulk::service service{
            known,
            support::faulty_storage{kept, [](const char*) { return false; },
                                    [&](const char* call) {
                                        if (call != "query"sv) return;
                                        const bulk::operation_query waiting{
                                            .state = operation_state::pending};
                                        if (kept.query(waiting).value().total >= 2) is_full = true;
                                    }},
            {.worker_count = 1, .queue_capacity = 2}};
        std::vector<bulk::operation_id> all{service.create("pipeline", text(numbers(1))).value()};
        begun.wait();
        std::jthread creator{[&] {
            for (int i = 0; i < 5; ++i) {
                all.push_back(service.create("pipeline", text(numbers(1))).value());
                ++created;
            }
        }};
        while (!is_full && created.load() < 5) std::this_thread::yield();
        go.count_down();
        creator.join();
        for (const auto id : all)
            expect(service.wait(id, 10s).value().state == operation_state::completed);
        expect(all.size() == 6_ul);

        // What the log says of every moment: how many were created and not begun.
        int waiting = 0, most = 0;
        for (const auto found = kept.events(std::nullopt, 0, 1'000).value();
             const auto& each : found) {
            if (each.kind == bulk::event_kind::created) ++waiting;
            if (each.previous == operation_state::pending) --waiting;
            most = std::max(most, waiting);
        }
        expect(most == 2_i and waiting == 0_i) << most << waiting;
    };

    "two services on one storage never run one operation twice"_test = [] {
        script play;
        now_playing = &play;
        std::mutex mutex;
        std::map<std::pair<std::string, std::uint64_t>, int> runs;
        play.first = [&](const number&, bulk::context& ctx) {
            const std::scoped_lock lock{mutex};
            ++runs[{to_text(ctx.operation()), bulk::to_number(ctx.row())}];
            return bulk::outcome::done();
        };
        bulk::memory::storage storage;
        auto one = make_service({.pending_poll_interval = 1ms}, storage);
        auto two = make_service({.pending_poll_interval = 1ms}, storage);
        std::vector<bulk::operation_id> all;
        for (int i = 0; i < 20; ++i)
            all.push_back((i % 2 == 0 ? one : two).create("pipeline", text(numbers(30))).value());
        for (const auto id : all) expect(one.wait(id, 30s).value().rows.successful == 30_u);
        expect(runs.size() == 600_ul);
        for (const auto& [row, count] : runs) expect(count == 1_i);
    };
};

suite<"observing"> observing = [] {
    "what happens is counted, and worth a line in the log"_test = [] {
        script play;
        now_playing = &play;
        play.first = [&](const number& n, bulk::context& ctx) {
            if (n.value == 1 && ctx.attempt() == 1) return bulk::outcome::retry("again");
            if (n.value == 2) return bulk::outcome::fail("no");
            return bulk::outcome::done();
        };
        std::mutex mutex;
        std::string lines;
        service service{known, bulk::memory::storage{}, {}, {}, [&](const bulk::log_entry& entry) {
                            const std::scoped_lock lock{mutex};
                            lines += to_text(entry) + '\n';
                            throw std::runtime_error{"a log that throws harms nobody"};
                        }};
        const auto id = service.create("pipeline", text("value\n1\n2\nx\n3\n")).value();
        (void)service.wait(id, 10s);
        (void)service.shutdown();
        const auto metrics = service.metrics();
        const auto& counted = metrics.operations[1];
        expect(counted.name == "pipeline");
        expect(counted.succeeded_rows == 2_u and counted.failed_rows == 1_u and
               counted.refused_rows == 1_u and counted.retried_steps == 1_u);
        expect(counted.waiting_rows == 0_i and metrics.running_operations == 0_ul);
        expect(counted.steps[0].name == "First" and counted.steps[0].durations.count == 3_u);
        expect(counted.steps[1].durations.count == 2_u);
        expect(counted.flushes.count > 0_u and counted.failed_flushes == 0_u);
        const std::scoped_lock lock{mutex};
        expect(lines.contains("state changed operation=" + to_text(id) + " state=running"))
            << lines;
        expect(lines.contains("run ended")) << lines;
    };
};

suite<"together"> together = [] {
    "many operations, many workers, many rows"_test = [] {
        script play;
        now_playing = &play;
        play.first = [&](const number& n, bulk::context& ctx) {
            if (n.value % 97 == 0 && ctx.attempt() == 1) return bulk::outcome::retry("again");
            if (n.value % 31 == 0) return bulk::outcome::fail("no");
            return bulk::outcome::done();
        };
        auto service = make_service({.max_row_concurrency = 2, .worker_count = 4});
        std::vector<bulk::operation_id> all;
        for (int i = 0; i < 8; ++i)
            all.push_back(service.create("pipeline", text(numbers(1500))).value());
        for (const auto id : all) {
            const auto done = service.wait(id, 60s).value();
            expect(done.rows ==
                   bulk::row_counters{
                       .total = 1500, .processed = 1500, .successful = 1452, .failed = 48});
        }
    };

    "a small operation is not stuck behind a large one"_test = [] {
        script play;
        now_playing = &play;
        for (const int concurrency : {1, 3}) {
            support::seeded_executor jobs{7};
            bulk::memory::storage storage;
            service service{
                known, storage, {.max_row_concurrency = concurrency, .worker_count = 2}, {}, &jobs};
            const auto large = service.create("pipeline", text(numbers(100'000))).value();
            const auto small = service.create("pipeline", text(numbers(10))).value();
            const auto is_done = [&](bulk::operation_id id) {
                return is_final(storage.get(id).value().state);
            };
            while (!is_done(small)) expect(fatal(jobs.step()));
            expect(!is_done(large));
            expect(storage.get(large).value().rows.processed < 50'000_u);
            while (!is_done(large)) expect(fatal(jobs.step()));
            jobs.drop_all();
        }
    };
};

}  // namespace

int main() {}
