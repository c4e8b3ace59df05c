// The way of an operation from its creation to its end, as it is stored and as it is told.
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_state, bulk::row_state;
using support::number, support::numbers, support::script;

namespace {

struct thrifty : bulk::operation<thrifty, number> {
    BULK_OPERATION("thrifty", .max_failed_rows = 1)
    bulk::result<> process(const number& row, const bulk::no_metadata&, bulk::context&) {
        if (row.value > 2) return bulk::fail("too much");
        return {};
    }
};

struct request {
    std::string by;
};
BULK_METADATA(request, by);

struct requested : bulk::operation<requested, number, request> {
    BULK_OPERATION("requested")
    bulk::result<> validate(const request& asked) {
        if (asked.by == "nobody") return bulk::fail("nobody may ask");
        return {};
    }
    void process(const number&, const request&, bulk::context&) {}
};

using operations = bulk::operation_list<support::pipeline, thrifty, requested>;
using stage = support::stage<operations>;

/// What is told of every operation that was begun, and of one that ran; then the rest.
std::string begun(const std::string& rest) {
    return "created: Operation created\nstatus_changed: pending to validating\n" + rest;
}
std::string ran(const std::string& rest) {
    return begun("status_changed: validating to running\n" + rest);
}

suite<"ends"> ends = [] {
    "a clean run tells its creation, every state and its end"_test = [] {
        script play;
        stage on;
        const auto done = on.run(numbers(3));
        expect(done.state == operation_state::completed);
        expect(on.told(done.id) == ran("status_changed: running to completed\n"
                                       "completed: 3/3 rows succeeded in 0.000 s\n"));
    };

    "failed rows are told between the states in which they failed"_test = [] {
        script play;
        play.first = [](const number& row, bulk::context&) {
            return row.value == 3 ? bulk::outcome::fail("no") : bulk::outcome::done();
        };
        stage on;
        const auto done = on.run("value\n1\nx\n3\n");
        expect(done.state == operation_state::completed_with_errors);
        expect(on.told(done.id) ==
               begun("row_failed: Row 2: line 3, column 'value', 'x': it is not a whole number\n"
                     "status_changed: validating to running\n"
                     "row_failed: Row 3: no\n"
                     "status_changed: running to completed_with_errors\n"
                     "completed: 1/3 rows succeeded in 0.000 s\n"))
            << on.told(done.id);
    };

    "a file that cannot be used fails the operation before any row runs"_test = [] {
        script play;
        play.first = [&](const number& row, bulk::context&) {
            play.note(row);
            return bulk::outcome::done();
        };
        stage on;
        const auto done = on.run("wrong\n1\n");
        expect(done.state == operation_state::failed and done.completed_at.has_value());
        expect(done.error_message == "the file has no column 'value'"s);
        expect(on.told(done.id) == begun("status_changed: validating to failed\n"
                                         "failed: the file has no column 'value'\n"));
        expect(play.calls.empty());
    };

    "metadata that is refused fails the operation before any row is looked at"_test = [] {
        stage on;
        const auto done = on.run("value\nx\n", "requested", {.metadata = R"({"by":"nobody"})"});
        expect(done.state == operation_state::failed and done.rows == bulk::row_counters{});
        expect(on.told(done.id) == begun("status_changed: validating to failed\n"
                                         "failed: nobody may ask\n"));
    };

    "an operation that may not fail so often fails while it runs"_test = [] {
        stage on({.flush_batch_size = 1});
        const auto done = on.run(numbers(9), "thrifty");
        expect(done.state == operation_state::failed);
        expect(done.error_message.starts_with("2 rows have failed") and
               done.error_message.contains("max_failed_rows"))
            << done.error_message;
        expect(on.told(done.id) == ran("row_failed: Row 3: too much\n"
                                       "row_failed: Row 4: too much\n"
                                       "status_changed: running to failed\n"
                                       "failed: " +
                                       done.error_message + '\n'))
            << on.told(done.id);
        expect(done.rows ==
               bulk::row_counters{.total = 9, .processed = 4, .successful = 2, .failed = 2});
    };

    "what has ended stays as it is"_test = [] {
        script play;
        stage on({.pending_poll_interval = 1s});
        const auto done = on.run(numbers(3));
        on.drive_for(1min);
        expect(on.get(done.id) == done);
        on.crash();
        on.start();
        on.drive_for(1min);
        expect(on.get(done.id) == done);
    };
};

suite<"cancel"> cancelling = [] {
    "nobody has begun: it never started"_test = [] {
        script play;
        play.validate = [&](const number& row) {
            play.note(row);
            return bulk::result<>{};
        };
        stage on;
        const auto id = on.create(numbers(3));
        expect(on.service->cancel(id).has_value());
        const auto done = on.finish(id);
        expect(done.state == operation_state::cancelled and play.calls.empty());
        expect(!done.started_at.has_value() and done.completed_at.has_value());
        expect(on.told(id) ==
               "created: Operation created\n"
               "status_changed: pending to cancelled\n"
               "cancelled: Operation cancelled\n"s);
    };

    "while rows are validated: no more of them are, and none runs"_test = [] {
        script play;
        stage on;
        bulk::operation_id id;
        play.validate = [&](const number& row) {
            play.note(row);
            if (row.value == 2) expect(on.service->cancel(id).has_value());
            return bulk::result<>{};
        };
        play.first = [&](const number&, bulk::context&) {
            play.note("ran");
            return bulk::outcome::done();
        };
        id = on.create(numbers(9));
        expect(on.finish(id).state == operation_state::cancelled);
        expect(play.calls == "1 2 "s) << play.calls;
        expect(on.told(id) == begun("status_changed: validating to cancelled\n"
                                    "cancelled: Operation cancelled\n"))
            << on.told(id);
    };

    "while rows run: those in flight finish, the rest is counted as not processed"_test = [] {
        script play;
        stage on;
        bulk::operation_id id;
        play.first = [&](const number& row, bulk::context& ctx) {
            if (row.value == 2) {
                expect(on.service->cancel(id).has_value());
                expect(ctx.stop_token().stop_requested());
            }
            return bulk::outcome::done();
        };
        id = on.create(numbers(9));
        const auto done = on.finish(id);
        expect(done.rows == bulk::row_counters{.total = 9, .processed = 2, .successful = 2});
        expect(on.record(id, 2, 1)->state == row_state::completed);
        expect(on.told(id) == ran("status_changed: running to cancelled\n"
                                  "cancelled: Operation cancelled, 7 rows not processed\n"))
            << on.told(id);
    };

    "while a row waits: it is not waited for"_test = [] {
        script play;
        play.first = [&](const number& row, bulk::context&) {
            play.note(row);
            return bulk::outcome::retry("busy", 24h);
        };
        stage on;
        const auto id = on.create(numbers(1));
        expect(on.drive([&] { return !play.calls.empty(); }));
        expect(on.service->cancel(id).has_value());
        const auto asked = on.jobs.now();
        const auto done = on.finish(id);
        expect(done.state == operation_state::cancelled and done.rows.processed == 0_u);
        expect(on.jobs.now() - asked < 1s and play.calls == "1 "s);
        expect(on.record(id, 1, 0)->state == row_state::running);
    };

    "while it is paused: it is not resumed first"_test = [] {
        script play;
        stage on;
        const auto id = on.create(numbers(3));
        expect(on.service->pause(id).has_value());
        on.drive_for(1min);
        expect(on.get(id).state == operation_state::pending);
        expect(on.service->cancel(id).has_value());
        expect(on.finish(id).state == operation_state::cancelled);
    };

    "another process asked for it: that is seen within a second"_test = [] {
        script play;
        play.first = [](const number&, bulk::context&) { return bulk::outcome::poll(24h, 48h); };
        stage on;
        const auto id = on.create(numbers(3));
        expect(on.drive([&] { return on.get(id).state == operation_state::running; }));
        on.drive_for(10s);
        auto record = on.get(id);
        record.cancel_requested = true;
        expect(on.storage.update(record, {}).has_value());
        on.drive_for(1s);
        expect(on.get(id).state == operation_state::cancelled);
    };

    "another process paused it: no row runs any more"_test = [] {
        script play;
        int ran = 0;
        play.first = [&](const number&, bulk::context&) {
            ++ran;
            return bulk::outcome::poll(1s, 48h);
        };
        stage on;
        const auto id = on.create(numbers(3));
        expect(on.drive([&] { return ran > 10; }));
        auto record = on.get(id);
        record.paused = true;
        expect(on.storage.update(record, {}).has_value());
        on.drive_for(2s);
        const int before = ran;
        on.drive_for(1min);
        expect(ran == before) << ran - before;
        expect(on.get(id).state == operation_state::running and on.get(id).paused);
    };

    "twice is once; at rest it is refused; of nothing it is not found"_test = [] {
        script play;
        stage on;
        const auto id = on.create(numbers(3));
        expect(on.drive([&] { return on.get(id).state != operation_state::pending; }));
        expect(on.service->cancel(id).has_value() and on.service->cancel(id).has_value());
        const auto done = on.finish(id);
        expect(on.service->cancel(id).error().code == bulk::errc::illegal_transition);
        expect(on.service->pause(id).error().code == bulk::errc::illegal_transition);
        expect(on.get(id) == done);
        expect(on.service->cancel({}).error().code == bulk::errc::not_found);
    };
};

suite<"what is kept"> keeping = [] {
    "the start is that of validation, the end that of the last row"_test = [] {
        script play;
        stage on;
        play.validate = [&](const number&) {
            on.jobs.advance(1s);
            return bulk::result<>{};
        };
        play.first = [&](const number&, bulk::context&) {
            on.jobs.advance(10s);
            return bulk::outcome::done();
        };
        const auto done = on.run(numbers(2));
        expect(done.started_at == done.created_at);
        expect(*done.completed_at - *done.started_at == 22s);
        expect(on.told(done.id).contains("2/2 rows succeeded in 22.000 s"));
    };

    "an operation is kept as it was asked for"_test = [] {
        stage on({.service_name = "billing"});
        const std::vector<bulk::recipient> to{{"mail", "ann", bulk::trigger::on_end}};
        const auto id = on.create(numbers(1), "REQUESTED",
                                  {.metadata = R"({"by":"ann"})",
                                   .created_by = "ann",
                                   .idempotency_key = "k",
                                   .recipients = to});
        const auto kept = on.get(id);
        expect(kept.state == operation_state::pending and kept.created_at == on.jobs.now());
        expect(kept.name == "requested" and kept.metadata == R"({"by":"ann"})");
        expect(kept.created_by == "ann" and kept.source == "billing" and kept.recipients == to);
        expect(kept.file_name == "x.csv" and kept.file_size == 8_u and !kept.file_id.empty());
        expect(kept.retry_count == 0_u and kept.error_message.empty() and !kept.started_at);
    };

    "without a name of its own, a service signs with the program's"_test = [] {
        script play;
        stage on;
        expect(on.run(numbers(1)).source == "service_lifecycle"s);
    };

    "what cannot be stored leaves neither an operation nor a file"_test = [] {
        script play;
        std::string failing;
        bulk::memory::records kept;
        support::stage<operations, support::faulty_storage<bulk::memory::records>> on{
            {}, support::faulty_storage{kept, [&](const char* call) { return call == failing; }}};
        for (const auto* call : {"put_file", "create"}) {
            failing = call;
            const auto id = on.service->create("pipeline", support::text(numbers(1)));
            expect(id.error().code == bulk::errc::unavailable);
        }
        expect(kept.query(bulk::operation_query{}).value().total == 0_u);
        expect(kept.events(std::nullopt, 0, 10).value().empty());
        expect(!kept.file("memory-1").has_value());
    };

    "asked for twice with one key, only the first file is kept"_test = [] {
        script play;
        stage on;
        const auto first = on.create(numbers(1), "pipeline", {.idempotency_key = "k"});
        expect(on.create(numbers(2), "Pipeline", {.idempotency_key = "k"}) == first);
        expect(on.storage.file("memory-1").has_value() and !on.storage.file("memory-2"));
        expect(on.told(first) == "created: Operation created\n"s);
    };

    "what does not exist is not found"_test = [] {
        stage on;
        expect(on.service->get({}).error().code == bulk::errc::not_found);
        expect(on.service->errors({}).error().code == bulk::errc::not_found);
        expect(on.service->wait({}).error().code == bulk::errc::not_found);
        expect(on.service->resume({}).error().code == bulk::errc::not_found);
    };
};

}  // namespace

int main() {}
