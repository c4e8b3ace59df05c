// Feeds in SQLite, as far as that is different from elsewhere: files of earlier versions, how things
// are found, bytes of every kind, and disks.
#include "older_file.hpp"
#include "small_feed.hpp"

#include <bulk/storage/presence.hpp>
#include <bulk/storage/sqlite/burial.hpp>
#include <bulk/storage/sqlite/database.hpp>
#include <bulk/storage/sqlite/feed_tables.hpp>

#include <support/faulty_vfs.hpp>
#include <support/raw_database.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace small_feed;
using bulk::errc, bulk::page_outcome;
using storage = support::sqlite_backend;
using support::disk_fault, support::raw_database, support::temporary_directory;

namespace {

auto& disk = support::install_faulty_disk();

/// Every key in every order of importance: NUL, bytes that are no UTF-8, one the beginning of another.
std::vector<std::string> strange_keys() {
    using namespace std::string_literals;
    return {"a"s,    "a\0"s,  "a\0b"s,     "a\0\0"s,
            "\0"s,   "\xff"s, "\xff\xfe"s, "\xc3\xa9"s,
            "\xc3"s, "A"s,    "\x80z"s,    "'; DROP TABLE x --"s,
            "1"s,    "01"s,   "1.0"s,      std::string(5000, 'k')};
}

/// Feeds on one connection, which remembers the SQL that it runs.
class traced {
public:
    using tables = bulk::sqlite::feed_tables;

    explicit traced(std::shared_ptr<bulk::sqlite::database> used) : database_{std::move(used)} {
        (void)database_->write("tracing", [&](bulk::sqlite::session& in) -> bulk::result<> {
            const auto note = [](unsigned, void* into, void*, void* sql) {
                static_cast<std::set<std::string>*>(into)->insert(static_cast<const char*>(sql));
                return 0;
            };
            sqlite3_trace_v2(in.used().handle(), SQLITE_TRACE_STMT, note, statements_.get());
            return {};
        });
    }

    template <typename Use>
    [[nodiscard]] auto write(std::string_view doing, Use use)
        -> std::invoke_result_t<Use, tables&> {
        return database_->write(doing, [&](bulk::sqlite::session& in) {
            bulk::sqlite::burial nobody{bulk::sqlite::presence_prefix(database_->path())};
            tables all{in, "me", nobody};
            return use(all);
        });
    }
    template <typename Use>
    [[nodiscard]] auto read(std::string_view doing, Use use) -> std::invoke_result_t<Use, tables&> {
        return write(doing, use);
    }

    [[nodiscard]] const std::set<std::string>& statements() const { return *statements_; }

private:
    std::shared_ptr<bulk::sqlite::database> database_;
    std::shared_ptr<std::set<std::string>> statements_ = std::make_shared<std::set<std::string>>();
};

/// What SQLite does to find rows, one line each.
std::vector<std::string> plan_of(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    sqlite3_stmt* made = nullptr;
    std::vector<std::string> lines;
    sqlite3_open(path.c_str(), &database);
    expect(sqlite3_prepare_v2(database, ("EXPLAIN QUERY PLAN " + sql).c_str(), -1, &made,
                              nullptr) == SQLITE_OK)
        << sqlite3_errmsg(database) << sql;
    while (sqlite3_step(made) == SQLITE_ROW)
        lines.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(made, 3)));
    sqlite3_finalize(made);
    sqlite3_close(database);
    return lines;
}

suite<"feeds in sqlite"> feeds_in_sqlite = [] {
    "a file from before feeds is brought up to date with everything in it"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        const std::array before{bulk::sqlite::migrations[0]};
        support::make_older_file(path, before, conformance::operation(1));
        auto wanted = conformance::operation(1);
        wanted.version = 1;
        raw_database{path}.run(
            "INSERT INTO bulk_events (operation, kind, level, state, time, operation_name, "
            "message) "
            "SELECT id, 0, 0, 0, 5000000, name, 'Operation created' FROM bulk_operations");
        expect(raw_database{path}.run("PRAGMA user_version") == "1");
        auto store = storage::open(path).value();
        expect(raw_database{path}.run("PRAGMA user_version") ==
               std::to_string(bulk::sqlite::migrations.size()));
        expect(bool{store.get(wanted.id).value() == wanted});
        expect(bool{store.events(wanted.id, 0, 10).value() ==
                    std::vector{bulk::event{.sequence = 1,
                                            .kind = bulk::event_kind::created,
                                            .operation = wanted.id,
                                            .operation_name = wanted.name,
                                            .message = "Operation created",
                                            .time = bulk::timestamp{std::chrono::seconds{5}}}}});
        expect(store.claim(conformance::request(1)).value().value().operation.id == wanted.id);
        (void)fetch(store.feeds(), 1, {raw("a")});
        consolidate(store.feeds(), 2);
        expect(canonical(store.feeds()).size() == 1_ul);
    };

    "whatever is looked for is found by an index, or in a table of a few rows"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        traced backend{bulk::sqlite::database::open(path, {}).value()};
        bulk::feed_ledger feeds{backend};
        const auto run = start(feeds, 1, 2);
        auto first = feeds.claim_page(worker(1)).value().value();
        expect(feeds.retry_page(first, "later", at(1), at(1)).value());
        first = feeds.claim_page(worker(1)).value().value();
        feeds.return_page(first, at(1)).value();
        first = feeds.claim_page(worker(1)).value().value();
        auto items = page_of({raw("a"), raw("b"), raw("a", 2)});
        items.bad.push_back({.key = "nowhere", .payload = "{}", .reason = "no key"});
        items.bad.push_back(items.bad.front());
        (void)feeds.store_page(first, items, worker(1)).value();
        const auto second = feeds.claim_page(worker(1)).value().value();
        expect(feeds.fail_page(second, "gone", at(1)).value());
        (void)feeds.retry_partitions(run.id, std::nullopt, at(1)).value();
        (void)feeds.store_page(feeds.claim_page(worker(1)).value().value(), page_of({raw("c")}),
                               worker(1));
        auto batch = feeds.claim_batch(worker(2), 2).value().value();
        feeds.return_batch(batch, at(2)).value();
        batch = feeds.claim_batch(worker(2), 2).value().value();
        auto made = mapped(batch.items);
        made.front().error = "bad";
        feeds.store_items(batch, made, worker(2)).value();
        (void)feeds.finish_batch(batch, at(2)).value();
        consolidate(feeds, 2);
        (void)feeds.resume_consolidation(run.id, at(3)).value();
        consolidate(feeds, 3);
        (void)feeds.set_watermark("diamonds", at(1), "me", at(4)).value();
        (void)fetch(feeds, 5, {raw("c"), raw("d")});
        consolidate(feeds, 5);
        (void)fetch(feeds, 6, {raw("d")});
        consolidate(feeds, 6);
        (void)read(feeds);
        (void)feeds.next_due({"diamonds"}).value();
        (void)feeds.item("diamonds", "a").value();
        (void)feeds.items({.feed = "diamonds", .changed_since = 1}).value();
        for (const bool active_only : {false, true})
            (void)feeds
                .runs({.feed = "diamonds", .active_only = active_only, .started_from = at(0)})
                .value();
        (void)feeds.cancel_run(start(feeds, 7, 1).id, "", at(7)).value();
        (void)feeds.cancel_run(run.id, "", at(7)).value();
        feeds.remove_run(run_id_of(7)).value();
        expect(feeds.run(run_id_of(6)).value().completed_at.has_value());

        // Of those that have work there are as many as feeds; the log of runs is read from its end;
        // batches are as many as workers.
        constexpr std::array<std::string_view, 3> few{
            "SCAN bulk_feed_runs USING INDEX bulk_feed_runs_active", "SCAN bulk_feed_runs",
            "USE TEMP B-TREE FOR ORDER BY"};
        std::size_t looked = 0;
        for (const auto& sql : backend.statements()) {
            if (!sql.contains("bulk_feed")) continue;
            ++looked;
            for (const auto& line : plan_of(path, sql)) {
                const bool is_few = std::ranges::find(few, line) != few.end();
                expect(line.starts_with("SEARCH ") or line.contains("SUBQUERY") or is_few)
                    << line << sql;
                if (line == few[1]) expect(sql.ends_with("WHERE true ORDER BY number DESC")) << sql;
                if (line == few[2]) expect(sql.contains("bulk_feed_batches")) << sql;
            }
        }
        expect(looked > 35_ul) << "everything that there is";
    };

    "pending items are found however many bad ones stand before them"_test = [] {
        const temporary_directory directory;
        auto store = storage::open(directory.path("bulk.db")).value();
        auto feeds = store.feeds();
        std::vector<bulk::raw_item> items;
        for (int i = 0; i < 300; ++i) items.push_back(raw("a" + std::to_string(1000 + i)));
        items.push_back(raw("b"));
        const auto run = fetch(feeds, 1, items);
        const auto batch = feeds.claim_batch(worker(1), 300).value().value();
        auto made = mapped(batch.items);
        for (auto& each : made) each.error = "no";
        feeds.store_items(batch, made, worker(1)).value();
        (void)feeds.finish_batch(batch, at(1)).value();
        const auto rest = feeds.claim_batch(worker(1), 300).value().value();
        expect(fatal(rest.items.size() == 1_ul));
        expect(bool{rest.items.front() == raw("b")});
        feeds.store_items(rest, mapped(rest.items), worker(1)).value();
        expect(feeds.finish_batch(rest, at(1)).value().failed_at.has_value());
        expect(feeds.resume_consolidation(run.id, at(2)).value() == 300_ul);
        consolidate(feeds, 2, 70);
        expect(canonical(feeds).size() == 301_ul);
        expect(feeds.bad_items(run.id, "", 10).value().empty());
    };

    "keys of any bytes stay what they are, in the order of their bytes"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto keys = strange_keys();
        std::vector<bulk::raw_item> items;
        for (const auto& key : keys) items.push_back(raw(key, items.size() + (1ULL << 63)));
        items.back().hash = std::numeric_limits<std::uint64_t>::max();
        auto store = storage::open(path).value();
        auto feeds = store.feeds();
        const auto run = fetch(feeds, 1, items);
        expect(feeds.run(run.id).value().changed == keys.size());
        std::ranges::sort(keys);
        std::vector<std::string> handed_out;
        while (const auto batch = feeds.claim_batch(worker(1), 3).value()) {
            for (const auto& each : batch->items) {
                handed_out.push_back(each.key);
                expect(std::ranges::find(items, each) != items.end());
            }
            // Somebody else goes on with it.
            const auto taken = feeds.claim_batch(worker(20), 3).value().value();
            expect(bool{taken.number == batch->number && taken.items == batch->items});
            feeds.store_items(taken, mapped(taken.items), worker(20)).value();
            (void)feeds.finish_batch(taken, at(20)).value();
        }
        expect(bool{handed_out == keys});
        std::vector<std::string> stored;
        for (const auto& each : canonical(feeds, 1)) stored.push_back(each.key);
        expect(bool{stored == keys});
        for (const auto& key : keys)
            expect(fatal(feeds.item("DIAMONDS", key).value().has_value())) << key;
        (void)fetch(feeds, 2, items);
        expect(feeds.run(run_id_of(2)).value().records == keys.size());
        expect(feeds.run(run_id_of(2)).value().changed == 0_ul) << "hashes are whole";
        expect(!feeds.item("diamonds", "b").value().has_value());
    };

    "bad items and other texts are bytes, too, and no key takes another's place"_test = [] {
        using namespace std::string_literals;
        const temporary_directory directory;
        auto store = storage::open(directory.path("bulk.db")).value();
        auto feeds = store.feeds();
        (void)start(feeds, 1, 1);
        const auto work = feeds.claim_page(worker(1)).value().value();
        auto odd = raw("same");
        odd.payload = "\0\xff"s;
        auto fetched = page_of({odd}, true);
        fetched.token = "next\0\xfe"s;
        const bulk::bad_item keyless{.key = "same", .payload = "\0p"s, .reason = "no key\xff"};
        fetched.bad = {keyless};
        const auto next = feeds.store_page(work, fetched, worker(1)).value().next.value();
        expect(bool{next.token == fetched.token});
        expect(bool{feeds.bad_items(run_id_of(1), "", 10).value() == std::vector{keyless}});
        (void)feeds.store_page(next, page_of({}), worker(1)).value();
        const auto batch = feeds.claim_batch(worker(1), 10).value().value();
        expect(bool{batch.items == std::vector{odd}}) << "the bad one is another";
        auto made = mapped(batch.items);
        made.front().error = "\xff";
        feeds.store_items(batch, made, worker(1)).value();
        expect(feeds.bad_items(run_id_of(1), "", 10).value().size() == 2_ul);
        expect(feeds.run(run_id_of(1)).value().bad_items == 2_ul);
        expect(feeds.resume_consolidation(run_id_of(1), at(1)).value() == 1_ul);
        expect(bool{feeds.bad_items(run_id_of(1), "", 10).value() == std::vector{keyless}});
    };

    "a process that ends in the middle of a run has kept all of it"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        bulk::page_work left;
        const auto before = [&] {
            auto store = storage::open(path).value();
            auto feeds = store.feeds();
            (void)fetch(feeds, 1, {raw("a"), raw("b"), raw("gone")});
            consolidate(feeds, 1);
            auto run = bulk::feed_run{.id = run_id_of(2),
                                      .feed = "Diamonds",
                                      .type = bulk::run_type::full,
                                      .rules = {.min_success_ratio = 0.3,
                                                .partial_delay = std::chrono::milliseconds{1500},
                                                .max_deliveries = 9,
                                                .tolerate_bad_items = true},
                                      .window = {.from = at(1), .to = at(2)},
                                      .trace = "T",
                                      .started_by = "me",
                                      .started_at = at(2),
                                      .estimated = 12,
                                      .watermark_before = at(1)};
            const std::vector<bulk::feed_partition> parts{
                {.number = 0,
                 .range = {std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max()},
                 .estimated = 7,
                 .most_records = 30,
                 .due = at(2)},
                {.number = 1, .range = {-3, 4}, .due = at(3)}};
            run = feeds.start_run(run, parts).value();
            expect(bool{feeds.run(run.id).value() == run}) << "every field";
            auto stored = parts;
            for (auto& each : stored) each.run = run.id;
            expect(bool{feeds.partitions(run.id).value() == stored});
            left = feeds.claim_page(worker(2)).value().value();
            auto fetched = page_of({raw("a"), raw("b", 2), raw("c")}, true);
            fetched.bad = {{.key = "0", .payload = "?", .reason = "no key"}};
            fetched.token = "t";
            fetched.counted = 99;
            left = feeds.store_page(left, fetched, worker(2)).value().next.value();
            return read(feeds);
        }();
        auto store = storage::open(path).value();
        auto feeds = store.feeds();
        expect(bool{read(feeds) == before});
        expect(feeds.store_page(left, page_of({}), worker(3)).value().outcome ==
               page_outcome::completed);
        const auto last = feeds.claim_page(worker(3)).value().value();
        (void)feeds.store_page(last, page_of({raw("d")}), worker(3)).value();
        consolidate(feeds, 4, 2);
        const auto ended = feeds.run(run_id_of(2)).value();
        expect(ended.completed_at.has_value() and ended.records == 4_ul and
               ended.consolidated == 3_ul);
        expect(ended.removed == 0_ul) << "a bad one without a key may be what seems to be gone";
        expect(feeds.watermark_of("diamonds").value().value == at(2));
        expect(feeds.next_due({"diamonds"}).value() == std::nullopt);
    };

    "a cursor of something else is refused by name"_test = [] {
        const temporary_directory directory;
        auto store = storage::open(directory.path("bulk.db")).value();
        const auto refused = store.feeds().runs({.after = to_text(bulk::cursor{"x", "y"})});
        expect(fatal(!refused.has_value()));
        expect(refused.error().code == errc::invalid_argument);
        expect(refused.error().message.contains("cursor '78.79'")) << refused.error().message;
    };

    "what fails in the middle of a page has changed nothing"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path).value();
        auto feeds = store.feeds();
        (void)start(feeds, 1, 1);
        const auto work = feeds.claim_page(worker(1)).value().value();
        const auto before = read(feeds);
        raw_database other{path};
        for (const auto* how : {"ABORT", "ROLLBACK"}) {
            other.run(std::string{"CREATE TRIGGER last BEFORE INSERT ON bulk_events BEGIN SELECT "
                                  "RAISE("} +
                      how + ", 'no more events'); END");
            const auto refused = feeds.store_page(work, page_of({raw("a")}), worker(1));
            expect(fatal(!refused.has_value()));
            expect(refused.error().message.contains("no more events")) << refused.error().message;
            expect(bool{read(feeds) == before});
            expect(other.run("SELECT count(*) FROM bulk_feed_raw") == "0");
            other.run("DROP TRIGGER last");
        }
        expect(feeds.store_page(work, page_of({raw("a")}), worker(1)).value().outcome ==
               page_outcome::completed);
    };

    "a run whose watermark cannot be saved does not end, deletes nothing, and ends later"_test =
        [] {
            const temporary_directory directory;
            const auto path = directory.path("bulk.db");
            auto store = storage::open(path).value();
            auto feeds = store.feeds();
            (void)fetch(feeds, 1, {raw("a"), raw("gone")});
            consolidate(feeds, 2);
            const auto run = fetch(feeds, 3, {raw("a", 2)});
            const auto batch = feeds.claim_batch(worker(3), 10).value().value();
            feeds.store_items(batch, mapped(batch.items), worker(3)).value();
            const auto before = read(feeds);
            raw_database other{path};
            other.run(
                "CREATE TRIGGER stuck BEFORE UPDATE ON bulk_feeds BEGIN SELECT RAISE(ABORT, "
                "'stuck'); "
                "END");
            const auto refused = feeds.finish_batch(batch, at(4));
            expect(fatal(!refused.has_value()));
            expect(refused.error().message.contains("stuck")) << refused.error().message;
            expect(bool{read(feeds) == before}) << "neither ended, nor deleted, nor moved";
            other.run("DROP TRIGGER stuck");
            const auto ended = feeds.finish_batch(batch, at(5)).value();
            expect(ended.completed_at == at(5) and ended.removed == 1_u);
            expect(feeds.watermark_of("diamonds").value().value == run.window.to);
        };

    "a disk that fails at any call while a page is stored leaves all of it or nothing"_test = [] {
        std::vector<bulk::raw_item> items;
        for (int i = 0; i < 40; ++i) items.push_back(raw("key" + std::to_string(i * 7919 % 1000)));
        for (const auto how : {disk_fault::full, disk_fault::short_write, disk_fault::broken,
                               disk_fault::not_synced})
            for (const bool is_lasting : {false, true}) {
                std::uint64_t call = 1;
                for (bool was_reached = true; was_reached; ++call) {
                    const temporary_directory directory;
                    const auto path = directory.path("bulk.db");
                    auto store =
                        storage::open(path, {.durability = bulk::durability::full}).value();
                    auto feeds = store.feeds();
                    (void)start(feeds, 1, 1);
                    const auto work = feeds.claim_page(worker(1)).value().value();
                    const auto before = read(feeds);
                    disk.fail_at(call, how, is_lasting);
                    const auto done = feeds.store_page(work, page_of(items, true), worker(1));
                    was_reached = disk.failures() > 0;
                    disk.heal();
                    const auto kept = raw_database{path}.run("SELECT count(*) FROM bulk_feed_raw");
                    if (done) {
                        expect(kept == "40");
                        continue;
                    }
                    expect(done.error().message.contains(path)) << done.error().message;
                    const bool is_kept = bool{read(feeds) != before};
                    expect(kept == (is_kept ? "40" : "0"));
                    const auto again = feeds.store_page(work, page_of(items, true), worker(1));
                    expect(fatal(again.has_value()));
                    expect(again->outcome ==
                           (is_kept ? page_outcome::skipped_duplicate : page_outcome::advanced));
                    expect(raw_database{path}.run("SELECT count(*) FROM bulk_feed_raw") == "40");
                    expect(raw_database{path}.run("PRAGMA integrity_check") == "ok");
                }
                expect(call > 2_ul) << "it has failed at least once";
            }
    };
};

}  // namespace

int main() {}
