// Several who use one file, and things that go wrong around it.
#include "../../conformance/operations.hpp"
#include "../../conformance/retry.hpp"
#include "../../conformance/signals.hpp"

#include <support/raw_database.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace boost::ut;
using namespace conformance;
using namespace std::chrono_literals;
using bulk::errc, bulk::operation_state, bulk::row_state;
using storage = support::sqlite_backend;
using support::raw_database, support::temporary_directory;

namespace {

bulk::row_batch five_rows() {
    return {.completed = {{row(1), 5, step(0), step(0), at(0), at(1)}},
            .records = {record_of(6, 0, row_state::failed)},
            .counted = {.processed = 6, .successful = 5, .failed = 1},
            .events = {created_event(operation(1))}};
}

void expect_nothing_recorded(storage& store) {
    expect(store.get(operation(1).id).value().rows == bulk::row_counters{});
    expect(store.query(bulk::row_query{.operation = operation(1).id}).value().total == 0_u);
    expect(store.events(std::nullopt, 0, 10).value().empty());
}

suite<"sharing a database"> sharing = [] {
    "processes that open a new file at the same moment are not in each other's way"_test = [] {
        for (int round = 0; round < 20; ++round) {
            const temporary_directory directory;
            std::vector<pid_t> all;
            for (int i = 0; i < 4; ++i) {
                all.push_back(::fork());
                if (all.back() != 0) continue;
                const auto opened = storage::open(directory.path("bulk.db"));
                if (!opened) std::fputs((opened.error().message + '\n').c_str(), stderr);
                ::_exit(opened ? 0 : 1);
            }
            for (const auto each : all) {
                int status = 1;
                ::waitpid(each, &status, 0);
                expect(status == 0_i);
            }
        }
    };

    "two storages on one file see what the other does"_test = [] {
        const temporary_directory directory;
        auto mine = storage::open(directory.path("bulk.db")).value();
        auto yours = storage::open(directory.path("bulk.db")).value();
        (void)mine.create(operation(1), {});
        const auto held = yours.claim(request(0)).value().value().held;
        expect(!mine.claim(request(0)).value().has_value());
        expect(yours.record(held, five_rows()).has_value());
        expect(mine.get(operation(1).id).value().rows == five_rows().counted);
        expect(mine.query(bulk::row_query{.operation = operation(1).id}).value().total == 6_u);
        (void)yours.record(held, {.records = {waiting(7, 0, "k")}});
        expect(mine.send(signal_for("k"), at(9)).value() == given_to(7, 0));
        expect(given_in(yours) == "7a");
        const auto taken = mine.claim(request(60)).value().value().held;
        expect(yours.record(held, five_rows()).error().code == errc::conflict);
        expect(mine.record(taken, {.completed = {{row(8), 5, step(0), step(0), at(0), at(1)}}})
                   .has_value());
        expect(yours.query(bulk::row_query{.operation = operation(1).id}).value().total == 12_u);
    };

    "each operation is claimed by one of those who want it"_test = [] {
        const temporary_directory directory;
        auto store = storage::open(directory.path("bulk.db")).value();
        constexpr int operations = 60;
        for (int i = 1; i <= operations; ++i) (void)store.create(operation(i), {});
        std::mutex mutex;
        std::map<std::uint64_t, int> claimed;
        std::vector<std::jthread> workers;
        for (int i = 0; i < 3; ++i)
            workers.emplace_back([&] {
                auto own = storage::open(directory.path("bulk.db")).value();
                while (const auto one = own.claim(request(0)).value()) {
                    const std::scoped_lock lock{mutex};
                    ++claimed[one->operation.id.value.high];
                }
            });
        workers.clear();
        expect(claimed.size() == static_cast<std::size_t>(operations));
        for (const auto& [number, times] : claimed) expect(times == 1_i) << number;
    };

    "many threads write and read at once, and every count is right"_test = [] {
        const temporary_directory directory;
        auto store = storage::open(directory.path("bulk.db")).value();
        (void)store.create(operation(1), {});
        const auto held = store.claim(request(0)).value().value().held;
        constexpr std::uint64_t threads = 4, batches = 50, rows = 10;
        std::atomic<int> failures = 0;
        {
            std::vector<std::jthread> all;
            for (std::uint64_t thread = 0; thread < threads; ++thread)
                all.emplace_back([&, thread] {
                    for (std::uint64_t i = 0; i < batches; ++i) {
                        const auto first = row(1 + (i * threads + thread) * rows);
                        const auto stored = store.record(
                            held, {.completed = {{first, rows, step(-1), step(1), at(0), at(1)}},
                                   .counted = {.processed = rows, .successful = rows}});
                        if (!stored) ++failures;
                        const auto seen = store.get(operation(1).id);
                        const auto found = store.query(
                            bulk::row_query{.operation = operation(1).id, .page_size = 1});
                        if (!seen || !found || found->total < seen->rows.processed * 3) ++failures;
                    }
                });
        }
        expect(failures == 0);
        expect(store.get(operation(1).id).value().rows.processed == threads * batches * rows);
        expect(store.query(bulk::row_query{.operation = operation(1).id}).value().total ==
               threads * batches * rows * 3);
    };

    "who holds the file for too long is told of; then it goes on"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path, {.busy_timeout = 5ms}).value();
        (void)store.create(operation(1), {});
        const auto held = store.claim(request(0)).value().value().held;
        {
            raw_database other{path};
            other.run("BEGIN IMMEDIATE");
            const auto refused = store.record(held, five_rows());
            expect(fatal(!refused.has_value()));
            expect(refused.error().code == errc::unavailable);
            for (const std::string_view part :
                 {path.c_str(), "recording rows", "locked", "busy_timeout"})
                expect(refused.error().message.contains(part)) << refused.error().message;
            expect(storage::open(path, {.busy_timeout = 5ms}).has_value())
                << "that changes nothing";
            expect_nothing_recorded(store);  // who reads does not wait
            other.run("ROLLBACK");
        }
        expect(store.record(held, five_rows()).has_value());
        expect(store.get(operation(1).id).value().rows == five_rows().counted);
    };

    "a process that is stopped while it writes is named, with what to do"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path, {.busy_timeout = 5ms}).value();
        (void)store.create(operation(1), {});
        const auto held = store.claim(request(0)).value().value().held;
        std::array<int, 2> start{};
        expect(fatal(::pipe(start.data()) == 0));
        const pid_t child = ::fork();
        if (child == 0) {  // another program: what SQLite knows of locks does not outlive a fork
            ::dup2(start[0], 0);
            for (const int end : start) ::close(end);
            ::execlp("python3", "python3", "-c",
                     "import os, signal, sqlite3, sys\n"
                     "file = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                     "sys.stdin.readline()\n"
                     "file.execute('BEGIN IMMEDIATE')\n"
                     "os.kill(os.getpid(), signal.SIGSTOP)\n",
                     path.c_str(), nullptr);
            std::_Exit(1);
        }
        const auto now =
            std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
        expect(store
                   .save_worker({.id = {{.high = 1, .low = 2}},
                                 .pid = child,
                                 .started_at = now - 1h,
                                 .seen_at = now - 1h,
                                 .silent_after = 24h})
                   .has_value());
        expect(::write(start[1], "\n", 1) == 1);
        int status = 0;
        expect(::waitpid(child, &status, WUNTRACED) == child and WIFSTOPPED(status));
        const auto refused = store.record(held, five_rows());
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
        for (const int end : start) ::close(end);
        expect(fatal(!refused.has_value()));
        for (const auto& part : {"process " + std::to_string(child) + " on this host ('python3')",
                                 std::string{"is stopped"}, "kill -CONT " + std::to_string(child),
                                 std::string{"last seen 360"}})
            expect(refused.error().message.contains(part)) << refused.error().message;
        expect(store.record(held, five_rows()).has_value()) << "its end has freed the file";
    };

    "what fails in the middle has changed nothing"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path).value();
        (void)store.create(operation(1), {});
        const auto held = store.claim(request(0)).value().value().held;
        raw_database other{path};
        auto batch = five_rows();
        batch.row_ids = {{row(1), "one"}};
        const std::vector<std::string> tables{"bulk_pages", "bulk_records", "bulk_row_ids",
                                              "bulk_events"};
        for (const std::string how : {"ABORT", "ROLLBACK"})
            for (const std::string where :
                 {"INSERT ON bulk_pages", "INSERT ON bulk_records", "INSERT ON bulk_row_ids",
                  "INSERT ON bulk_events", "UPDATE ON bulk_operations"}) {
                other.run("CREATE TRIGGER last BEFORE " + where + " BEGIN SELECT RAISE(" + how +
                          ", 'no more of these'); END");
                const auto refused = store.record(held, batch);
                expect(fatal(!refused.has_value())) << where;
                expect(refused.error().message.contains("no more of these"))
                    << refused.error().message;
                other.run("DROP TRIGGER last");
                expect_nothing_recorded(store);
                for (const auto& table : tables)
                    expect(other.run("SELECT count(*) FROM " + table) == "0") << where << table;
            }
        expect(store.record(held, batch).has_value());
        for (const auto& table : tables)
            expect(other.run("SELECT count(*) FROM " + table) == "1") << table;
        expect(store.events(std::nullopt, 0, 10).value().size() == 1_ul);
    };

    "what is removed leaves no line in any table"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path).value();
        auto wanted = operation(1);
        (void)store.create(wanted, {created_event(wanted)});
        auto claimed = store.claim(request(0)).value().value();
        (void)store.record(claimed.held,
                           {.completed = {{row(1), 5, step(0), step(0), at(0), at(1)}},
                            .records = {failed_row(6, 0), waiting(7, 0, "k")},
                            .row_ids = {{row(1), "one"}},
                            .counted = {.processed = 6, .successful = 5, .failed = 1}});
        (void)store.send(signal_for("k"), at(1000));
        (void)store.send(signal_for("early"), at(1000));
        claimed.operation.state = operation_state::completed_with_errors;
        auto ended = store.update(claimed.held, claimed.operation, {}).value();
        (void)move_to(ended, operation_state::retrying, at(20));
        (void)store.retry(ended, {}, {}, {});
        raw_database other{path};
        other.run("INSERT INTO bulk_crashes SELECT number, 3, 0, 1, 0 FROM bulk_operations");
        claimed = store.claim(wanted.id, request(30)).value().value();
        claimed.operation.state = operation_state::cancelled;
        (void)store.update(claimed.held, claimed.operation, {});

        // Each table that has something to do with operations: a new one is found here by itself.
        const auto tables = [&] {
            std::vector<std::string> found;
            std::string names = other.run(
                "SELECT group_concat(m.name, ' ') FROM sqlite_schema AS m WHERE m.type = 'table' "
                "AND EXISTS (SELECT * FROM pragma_table_info(m.name) AS c WHERE c.name = "
                "'operation')");
            for (std::size_t end = 0; !names.empty(); names.erase(0, end + 1)) {
                end = std::min(names.find(' '), names.size());
                found.push_back(names.substr(0, end));
            }
            found.emplace_back("bulk_operations");
            return found;
        }();
        expect(tables.size() >= 9_ul) << "the test knows no less than there were";
        for (const auto& table : tables)
            expect(other.run("SELECT count(*) > 0 FROM " + table) == "1") << table;
        expect(store.remove(wanted.id).has_value());
        for (const auto& table : tables)
            expect(other.run("SELECT count(*) FROM " + table) == "0") << table;
    };

    "a disk that takes no more is told of, loses nothing, and goes on with room"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path).value();
        (void)store.create(operation(1), {});
        const auto held = store.claim(request(0)).value().value().held;
        (void)std::signal(SIGXFSZ, SIG_IGN);
        rlimit before{};
        ::getrlimit(RLIMIT_FSIZE, &before);
        rlimit small = before;
        small.rlim_cur = 4096;  // less than the files have already
        ::setrlimit(RLIMIT_FSIZE, &small);
        const auto refused = store.record(held, five_rows());
        const auto again = store.record(held, five_rows());
        ::setrlimit(RLIMIT_FSIZE, &before);
        expect(fatal(!refused.has_value() and !again.has_value()));
        expect(refused.error().code == errc::unavailable);
        expect(refused.error().message.contains(path) and refused.error().message.contains("disk"))
            << refused.error().message;
        expect_nothing_recorded(store);
        expect(store.record(held, five_rows()).has_value());
        expect(store.get(operation(1).id).value().rows == five_rows().counted);
    };

    "the rows of a process that was killed are counted once by who takes over"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        const auto die_at = [&](int now, std::uint64_t at_row) {
            if (const pid_t child = ::fork(); child != 0) {
                int status = 0;
                ::waitpid(child, &status, 0);
                return WIFSIGNALED(status);
            }
            auto store = storage::open(path);
            if (!store || !store->claim(request(now))) ::_exit(1);
            store->flights().take(operation(1).id)->show(row(at_row), step(2));
            store->flights().take(operation(2).id)->show(row(99), step(0));
            (void)store->record(
                {.operation = operation(1).id, .fence = static_cast<std::uint64_t>(now / 100 + 1)},
                {.counted = {.processed = 1}});
            ::raise(SIGKILL);
            ::_exit(1);
        };
        {
            (void)storage::open(path).value().create(operation(1), {});
        }
        expect(die_at(0, 7));
        expect(directory.names().size() > 2_ul) << "what it was at is left";
        expect(die_at(100, 7));
        auto store = storage::open(path).value();
        expect(store.get(operation(1).id).value().rows.processed == 2_u) << "what was committed";
        const auto claimed = store.claim(request(200)).value().value();
        expect(claimed.was_lapsed);
        const std::vector<bulk::crashed_row> twice{{.row = row(7), .step = step(2), .count = 2}};
        expect(store.crashes(operation(1).id).value() == twice);
        expect(store.claim(request(300)).value().value().was_lapsed);
        expect(store.crashes(operation(1).id).value() == twice) << "nobody has died since";
        (void)store.create(operation(2), {});
        expect(store.crashes(operation(2).id).value().empty()) << "it did not hold that one";
    };

    "rows in flight of a process that lives are no crash"_test = [] {
        const temporary_directory directory;
        auto mine = storage::open(directory.path("bulk.db")).value();
        auto yours = storage::open(directory.path("bulk.db")).value();
        (void)mine.create(operation(1), {});
        (void)mine.claim(request(0));
        mine.flights().take(operation(1).id)->show(row(1), step(0));
        expect(yours.claim(request(60)).value().value().was_lapsed);
        expect(yours.crashes(operation(1).id).value().empty());
    };
};

}  // namespace

int main() {}
