// A step's own SQL in the transaction that records it.
#include "../../conformance/operations.hpp"
#include "../../conformance/rows.hpp"

#include <support/raw_database.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

using namespace boost::ut;
using namespace conformance;
using namespace std::chrono_literals;
using bulk::errc, bulk::row_state;
using storage = support::sqlite_backend;
using support::raw_database, support::temporary_directory;

namespace {

/// A database with a claimed operation and a table of the user's own.
struct ledger {
    temporary_directory directory;
    std::string path = directory.path("bulk.db");
    storage store = storage::open(path, {.busy_timeout = 20ms}).value();
    bulk::lease held;

    ledger() {
        (void)store.create(operation(1), {});
        held = store.claim(request(0)).value().value().held;
        raw_database{path}.run("CREATE TABLE ledger (line TEXT UNIQUE, amount INTEGER)");
    }
    std::string lines() {
        return raw_database{path}.run("SELECT ifnull(group_concat(line), '') FROM ledger");
    }
    std::uint64_t records() {
        return store.query(bulk::row_query{.operation = operation(1).id}).value().total;
    }
};

bulk::row_batch one_row() {
    return {.completed = {{row(1), 1, step(0), step(0), at(0), at(1)}},
            .counted = {.processed = 1, .successful = 1}};
}

suite<"transactions of steps"> transactions = [] {
    "what a step writes and its record are there together, or not at all"_test = [] {
        ledger on;
        {
            auto open = on.store.begin(on.held).value();
            expect(
                open.connection().execute("INSERT INTO ledger VALUES (?, ?)", "a", 5).has_value());
            expect(open.record(one_row()).has_value());
            expect(on.lines().empty() and on.records() == 0_u) << "not before it is committed";
            expect(open.commit().has_value());
            expect(on.lines() == "a" and on.records() == 1_u);
            expect(open.commit().error().code == errc::illegal_transition);
            expect(open.record(one_row()).error().code == errc::illegal_transition);
        }
        {
            auto open = on.store.begin(on.held).value();
            expect(open.connection().execute("INSERT INTO ledger VALUES ('b', 6)").has_value());
            expect(open.record({.records = {record_of(2, 0, row_state::failed)}}).has_value());
        }
        expect(on.lines() == "a" and on.records() == 1_u) << "undone";
        expect(on.store.record(on.held, {.counted = {.processed = 1}}).has_value());
    };

    "one that is open for too long is undone, so that others can write"_test = [] {
        ledger on;
        auto store =
            storage::open(on.path, {.busy_timeout = 5s, .transaction_timeout = 1ms}).value();
        {
            auto open = store.begin(on.held).value();
            (void)open.connection().execute("INSERT INTO ledger VALUES ('a', 1)");
            raw_database other{on.path};  // it waits for at most a second
            const auto end = std::chrono::steady_clock::now() + 30s;
            while (other.run("SELECT count(*) FROM ledger") == "0" &&
                   std::chrono::steady_clock::now() < end) {
                try {
                    other.run("INSERT INTO ledger VALUES ('b', 2)");
                } catch (const std::runtime_error&) {
                }
            }
            const auto overdue = open.overdue();
            expect(fatal(overdue.has_value()));
            expect(!overdue->message.contains(on.path)) << "clients read it" << overdue->message;
            for (const auto* part : {"longer than 1 ms (transaction_timeout)", "rolled back",
                                     "do slow work before the first write"})
                expect(overdue->message.contains(part)) << overdue->message;
            (void)open.connection().execute("INSERT INTO ledger VALUES ('c', 3)");
            (void)open.record(one_row());
            expect(!open.commit().has_value());
        }
        expect(on.lines() == "b" and on.records() == 0_u) << on.lines();
        auto again = storage::open(on.path).value().begin(on.held).value();
        (void)again.connection().execute("INSERT INTO ledger VALUES ('d', 4)");
        expect(!again.overdue().has_value() and again.commit().has_value());
        expect(on.lines() == "b,d");
    };

    "the same connection is used again, and not held against the next one"_test = [] {
        ledger on;
        auto store = storage::open(on.path, {.transaction_timeout = 1ms}).value();
        for (int round = 0; round < 3; ++round) {
            auto open = store.begin(on.held).value();
            (void)open.connection().execute("INSERT INTO ledger VALUES (?, 1)", round);
            while (!open.overdue()) std::this_thread::yield();
            const auto late = open.commit();
            expect(fatal(!late.has_value()));
            expect(late.error().code == errc::timed_out);
            for (const auto* part : {"transaction_timeout", "1 ms", "before the first write"})
                expect(late.error().message.contains(part)) << late.error().message;
        }
        expect(on.lines().empty());
        expect(store.record(on.held, one_row()).has_value()) << "and for what is no step's";
    };

    "values and rows are read as what they are"_test = [] {
        ledger on;
        auto open = on.store.begin(on.held).value();
        auto& sql = open.connection();
        expect(sql.execute("INSERT INTO ledger VALUES (?, ?), (?, ?)", std::string{"a"}, 5, "b",
                           std::nullopt)
                   .has_value());
        expect(sql.value<std::int64_t>("SELECT amount FROM ledger WHERE line = ?", "a").value() ==
               5);
        expect(!sql.value<std::int64_t>("SELECT amount FROM ledger WHERE line = 'b'").value());
        expect(!sql.value<std::int64_t>("SELECT amount FROM ledger WHERE line = 'c'").value());
        using line = std::tuple<std::string, std::optional<int>>;
        const auto all =
            sql.rows<std::string, std::optional<int>>("SELECT * FROM ledger ORDER BY line");
        expect(bool{all.value() == std::vector<line>{{"a", 5}, {"b", std::nullopt}}});
        expect(sqlite3_db_readonly(sql.handle(), "main") == 0_i);
    };

    "a step cannot leave its transaction, nor change what is not its own"_test = [] {
        ledger on;
        auto open = on.store.begin(on.held).value();
        auto& sql = open.connection();
        expect(sql.execute("INSERT INTO ledger VALUES ('a', 1)").has_value());
        for (const auto* refused :
             {"COMMIT", "END", "ROLLBACK", "BEGIN", "SAVEPOINT mine", "RELEASE bulk_inner",
              "ATTACH 'other.db' AS other", "PRAGMA journal_mode = DELETE",
              "DELETE FROM bulk_operations", "UPDATE bulk_pages SET windows = x''",
              "DROP TABLE bulk_records", "CREATE TABLE bulk_mine (a)",
              "CREATE TRIGGER mine AFTER INSERT ON bulk_events BEGIN SELECT 1; END"}) {
            const auto answer = sql.execute(refused);
            expect(fatal(!answer.has_value())) << refused;
            expect(answer.error().code == errc::invalid_argument) << answer.error().message;
            expect(sqlite3_exec(sql.handle(), refused, nullptr, nullptr, nullptr) != 0_i)
                << refused;
        }
        expect(sql.execute("CREATE TABLE other (a)").has_value());
        expect(sql.execute("CREATE TRIGGER mine AFTER INSERT ON other BEGIN DELETE FROM "
                           "bulk_events; END")
                   .has_value());
        expect(!sql.execute("INSERT INTO other VALUES (1)").has_value()) << "not by a trigger";
        expect(sql.execute("COMMIT").error().message.contains("may neither begin nor end"))
            << sql.execute("COMMIT").error().message;
        expect(sql.value<int>("SELECT count(*) FROM bulk_operations").value() == 1)
            << "it may look";
        expect(open.record(one_row()).has_value());
        expect(open.commit().has_value());
        expect(on.lines() == "a" and on.records() == 1_u);
    };

    "a statement that fails is undone alone, and says what was wrong"_test = [] {
        ledger on;
        auto open = on.store.begin(on.held).value();
        auto& sql = open.connection();
        expect(sql.execute("INSERT INTO ledger VALUES ('a', 1)").has_value());
        const auto twice = sql.execute("INSERT INTO ledger VALUES ('b', 1), ('a', 2)");
        expect(fatal(!twice.has_value()));
        expect(twice.error().code == errc::step_failed);
        expect(twice.error().message.contains("ledger.line")) << twice.error().message;
        for (const auto& [statement, words] : std::vector<std::pair<std::string, std::string>>{
                 {"INSERT INTO nowhere VALUES (1)", "nowhere"},
                 {"SELECT 1; SELECT 2", "one statement"},
                 {"", "one statement"},
                 {"SELECT ?", "parameters"}}) {
            const auto answer = sql.execute(statement);
            expect(fatal(!answer.has_value())) << statement;
            expect(answer.error().code == errc::invalid_argument);
            expect(answer.error().message.contains(words)) << answer.error().message;
        }
        expect(!sql.execute("SELECT ?", 1, 2).has_value()) << "one too many";
        expect(open.commit().has_value());
        expect(on.lines() == "a");
    };

    "SQL that undoes the whole transaction is told of, and nothing is kept"_test = [] {
        ledger on;
        {
            auto open = on.store.begin(on.held).value();
            auto& sql = open.connection();
            expect(sql.execute("INSERT INTO ledger VALUES ('a', 1)").has_value());
            expect(!sql.execute("INSERT OR ROLLBACK INTO ledger VALUES ('a', 2)").has_value());
            expect(!open.record(one_row()).has_value());
            const auto late = open.commit();
            expect(fatal(!late.has_value()));
            expect(late.error().message.contains("ended before")) << late.error().message;
        }
        expect(on.lines().empty() and on.records() == 0_u);
        auto open = on.store.begin(on.held).value();
        expect(open.record(one_row()).has_value() and open.commit().has_value());
    };

    "tables that a step creates do not disturb what is prepared"_test = [] {
        ledger on;
        expect(on.store.record(on.held, one_row()).has_value());
        auto open = on.store.begin(on.held).value();
        expect(open.connection().execute("CREATE TABLE IF NOT EXISTS more (a)").has_value());
        expect(
            open.record({.completed = {{row(2), 1, step(0), step(0), at(0), at(1)}}}).has_value());
        expect(open.connection().execute("INSERT INTO more VALUES (1)").has_value());
        expect(open.commit().has_value());
        expect(on.records() == 2_u);
    };

    "what the thread writes through the storage is part of it"_test = [] {
        ledger on;
        {
            auto open = on.store.begin(on.held).value();
            expect(on.store.record(on.held, one_row()).has_value());
            expect(on.store.set_event_position("mail", 3).has_value());
            expect(on.store.record({.operation = on.held.operation, .fence = 9}, one_row())
                       .error()
                       .code == errc::conflict)
                << "and what fails undoes itself only";
            expect(on.store.begin(on.held).error().code == errc::conflict) << "one at a time";
        }
        expect(on.records() == 0_u and !on.store.event_position("mail").value().has_value());
        auto open = on.store.begin(on.held).value();
        expect(on.store.record(on.held, one_row()).has_value());
        expect(open.commit().has_value());
        expect(on.records() == 1_u);
    };

    "others wait for it, and not for ever"_test = [] {
        ledger on;
        auto open = on.store.begin(on.held).value();
        std::jthread{[&] {
            const auto late = on.store.record(on.held, one_row());
            expect(fatal(!late.has_value()));
            expect(late.error().code == errc::unavailable);
            expect(late.error().message.contains("another thread")) << late.error().message;
            expect(on.records() == 0_u) << "who reads does not wait";
        }}.join();
        auto other = storage::open(on.path, {.busy_timeout = 1ms});
        expect(!other.has_value() || !other->release(on.held).has_value());
        expect(open.commit().has_value());
    };

    "without the lease there is none"_test = [] {
        ledger on;
        const auto refused =
            on.store.begin({.operation = on.held.operation, .fence = on.held.fence + 1});
        expect(!refused.has_value() and refused.error().code == errc::conflict);
        expect(on.store.begin({.operation = operation(9).id, .fence = 1}).error().code ==
               errc::not_found);
        expect(on.store.record(on.held, one_row()).has_value()) << "nothing is held";
    };
};

}  // namespace

int main() {}
