// A database file: made, kept, brought up to date, refused.
#include "../../conformance/events_and_files.hpp"
#include "../../conformance/operations.hpp"
#include "../../conformance/retry.hpp"
#include "../../conformance/signals.hpp"
#include "../../conformance/workers.hpp"
#include "older_file.hpp"

#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/doctor.hpp>
#include <bulk/storage/sqlite/records.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/raw_database.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace boost::ut;
using namespace conformance;
using bulk::errc, bulk::operation_state, bulk::row_state;
using bulk::sqlite::storage;
using support::raw_database, support::temporary_directory;

namespace {

std::string read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void write_file(const std::string& path, std::string_view text) {
    std::ofstream{path, std::ios::binary} << text;
}

/// What a user who may do little is told who opens a database: root may do everything. In a process
/// of its own, since that cannot be taken back for one thread alone.
std::string told_nobody(const std::string& path) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return {};
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr uid_t nobody = 65534;
        if (::geteuid() == 0 && (::setegid(nobody) != 0 || ::seteuid(nobody) != 0)) ::_exit(1);
        const auto opened = storage::open(path);
        const std::string said = opened ? "it was opened" : opened.error().message;
        (void)!::write(ends[1], said.data(), said.size());
        ::_exit(0);
    }
    ::close(ends[1]);
    std::array<char, 4096> said{};
    const auto size = ::read(ends[0], said.data(), said.size());
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return {said.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

suite<"opening a database"> opening = [] {
    "everything is there again after it was closed, and nothing else is left"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        std::string file_id;
        const auto everything = [&](storage& store) {
            const auto id = operation(1).id;
            bulk::row_query rows{.operation = id, .page_size = 1000};
            return std::tuple{store.get(id).value(),
                              store.query(rows).value().items,
                              store.events(std::nullopt, 0, 100).value(),
                              store.signals(id, 0, 100).value(),
                              store.retry_history({.operation = id}).value().items,
                              store.event_position("mail").value(),
                              store.workers().value(),
                              store.file(file_id).value()};
        };
        const auto before = [&] {
            auto store = storage::open(path).value();
            auto wanted = operation(1);
            wanted.recipients = {{.channel = "mail", .target = "a@b", .when = bulk::trigger::all},
                                 {}};
            wanted.steps = {"a", "", "c"};
            wanted.metadata = "{}";
            (void)store.create(wanted, {created_event(wanted)});
            auto claimed = store.claim(request(0)).value().value();
            (void)store.record(
                claimed.held,
                {.completed = {{row(1), 500, step(-1), step(1), at(0), at(1)}},
                 .records = {failed_row(7, 2), waiting(8, 2, "k"), waiting(9, 2, "l")},
                 .row_ids = {{row(3), "three"}},
                 .counted = {.processed = 10, .successful = 9, .failed = 1}});
            (void)store.send(signal_for("k"), at(100));
            (void)store.send(signal_for("early"), at(100));
            (void)store.set_event_position("mail", 1);
            (void)store.save_worker(worker(1, "a", 5));
            claimed.operation.state = operation_state::completed_with_errors;
            claimed.operation.rows.total = 10;
            auto ended = store.update(claimed.held, claimed.operation, {}).value();
            (void)move_to(ended, operation_state::retrying, at(9));
            (void)store.retry(ended, {}, {}, {});
            file_id = store.put_file("a.csv", pull_of("a,b\n"), 0, at(0)).value().id;
            return everything(store);
        }();
        expect(directory.names() == std::vector<std::string>{"bulk.db", "bulk.db-files"});
        auto store = storage::open(path).value();
        expect(bool{everything(store) == before});
        const auto held = store.claim(request(50)).value().value().held;
        (void)store.record(held, {.records = {waiting(11, 0, "early", 20)}});
        expect(given_in(store) == "8c 11a") << "an early signal is kept, and numbers go on";
    };

    "nobody else may read it, nor what SQLite keeps beside it"_test = [] {
        const support::temporary_directory directory;
        const mode_t before = ::umask(0);
        {
            auto store = bulk::sqlite::storage::open(directory.path("bulk.db")).value();
            expect(store.create(operation(1), {}).has_value());
            int found = 0;
            for (const auto* name : {"bulk.db", "bulk.db-wal", "bulk.db-shm"}) {
                struct stat about{};
                expect(::stat(directory.path(name).c_str(), &about) == 0_i) << name;
                expect((about.st_mode & 0777) == mode_t{0640}) << name << (about.st_mode & 0777);
                ++found;
            }
            expect(found == 3_i);
        }
        const auto again = bulk::sqlite::storage::open(directory.path("bulk.db"));
        ::umask(before);
        expect(again.has_value());
    };

    "an older file is brought up to date once, and a newer one refused"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        std::vector<bulk::sqlite::migration> later{bulk::sqlite::migrations.begin(),
                                                   bulk::sqlite::migrations.end()};
        later.emplace_back("CREATE TABLE bulk_more (a); INSERT INTO bulk_more VALUES (1)");
        const auto known = bulk::sqlite::migrations.size();
        (void)storage::open(path).value().create(operation(1), {});
        for (int i = 0; i < 2; ++i)
            expect(bulk::sqlite::records::open(path, {}, later)
                       .value()
                       .get(operation(1).id)
                       .has_value());
        expect(raw_database{path}.run("SELECT count(*) FROM bulk_more") == "1");
        expect(raw_database{path}.run("PRAGMA user_version") == std::to_string(known + 1));
        const auto refused = storage::open(path);
        expect(fatal(!refused.has_value()));
        expect(refused.error().code == errc::invalid_argument);
        for (const auto& part : {std::string{"bulk.db"}, "version " + std::to_string(known + 1),
                                 "up to " + std::to_string(known)})
            expect(refused.error().message.contains(part)) << refused.error().message;
    };

    "a number that damage makes a float of the same bits has another checksum"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        (void)storage::open(path).value();
        auto database = bulk::sqlite::connection::open(path, {}).value();
        const auto seal_of = [&](auto value) {
            return database->value<std::int64_t>("SELECT bulk_seal(?1)", value).value();
        };
        const std::int64_t moment = 1'767'232'800'000'000;
        expect(fatal(seal_of(moment).has_value()));
        expect(seal_of(moment) == seal_of(moment));
        expect(seal_of(moment) != seal_of(std::bit_cast<double>(moment)));
    };

    "a column added to a sealed table is sealed with the others, and damage stays damage"_test =
        [] {
            const temporary_directory directory;
            const auto path = directory.path("bulk.db");
            for (const int number : {1, 2})
                (void)storage::open(path).value().create(operation(number), {}).value();
            {  // as a version before the column has left it
                auto earlier = bulk::sqlite::connection::open(path, {}).value();
                std::string seal{bulk::sqlite::seals::operation};
                seal.erase(seal.find(", source"), std::string_view{", source"}.size());
                expect(
                    earlier->execute("ALTER TABLE bulk_operations DROP COLUMN source").has_value());
                expect(earlier->execute("UPDATE bulk_operations SET seal = " + seal).has_value());
            }
            raw_database{path}.run(
                "UPDATE bulk_operations SET file_size = file_size + 1 WHERE number = 2");
            std::vector<bulk::sqlite::migration> later{bulk::sqlite::migrations.begin(),
                                                       bulk::sqlite::migrations.end()};
            later.emplace_back(
                "ALTER TABLE bulk_operations ADD COLUMN source TEXT NOT NULL DEFAULT ''");
            auto store = bulk::sqlite::records::open(path, {}, later).value();
            auto kept = operation(1);
            kept.version = 1;
            kept.source.clear();
            expect(bool{store.get(kept.id).value() == kept});
            const auto damaged = store.get(operation(2).id);
            expect(fatal(!damaged.has_value()));
            expect(damaged.error().code == errc::damaged) << damaged.error().message;
        };

    "a file of version 2 keeps what it has, and learns who works"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        const std::array before{bulk::sqlite::migrations[0], bulk::sqlite::migrations[1]};
        support::make_older_file(path, before, operation(1));
        expect(raw_database{path}.run("PRAGMA user_version") == "2");
        auto store = storage::open(path).value();
        expect(raw_database{path}.run("PRAGMA user_version") ==
               std::to_string(bulk::sqlite::migrations.size()));
        expect(store.get(operation(1).id).has_value() and store.workers().value().empty());
        expect(store.save_worker(worker(1, "a", 5)).has_value());
        expect(store.workers().value().size() == 1_ul);
    };

    "history and events from before version 4 are read, with the row data of validation"_test = [] {
        for (std::size_t version = 1; version <= 3; ++version) {
            const temporary_directory directory;
            const auto path = directory.path("bulk.db");
            support::make_older_file(path, std::span{bulk::sqlite::migrations}.first(version),
                                     operation(1));
            raw_database{path}.run(R"(
                INSERT INTO bulk_records (operation, row, step, state, attempt, retry_attempt,
                    failure, signal_key, error_message, journal, row_data)
                VALUES (1, 7, -1, 3, 1, 0, NULL, '', '', x'', '{"a":7}'),
                       (1, 7, 0, 4, 1, 1, 3, '', 'again', x'', '');
                INSERT INTO bulk_retry_history (operation, row, step, retry_attempt, failure,
                    failed_at, error_message)
                VALUES (1, 7, 0, 0, 3, 5000000, 'did not work'), (1, 8, 0, 0, 3, NULL, 'nor this');
                INSERT INTO bulk_events (operation, kind, level, state, row, failure, time,
                    operation_name, message)
                SELECT id, 0, 0, 0, NULL, NULL, 1000000, 'old', 'Operation created' FROM bulk_operations
                UNION ALL SELECT id, 5, 2, 2, 7, 3, 2000000, 'old', 'Row 7: did not work'
                FROM bulk_operations
                UNION ALL SELECT id, 3, 2, 5, NULL, NULL, 3000000, 'old', 'no such column'
                FROM bulk_operations)");
            auto store = storage::open(path).value();
            expect(raw_database{path}.run("PRAGMA user_version") ==
                   std::to_string(bulk::sqlite::migrations.size()));
            const auto id = operation(1).id;
            const auto old = store.retry_history({.operation = id}).value().items;
            expect(fatal(old.size() == 2_ul)) << version;
            expect(old[0] ==
                   bulk::retry_entry{.operation = id,
                                     .row = row(7),
                                     .step = step(0),
                                     .failure = bulk::error_type::step_failure,
                                     .error_message = "did not work",
                                     .failed_at = bulk::timestamp{std::chrono::seconds{5}},
                                     .row_data = R"({"a":7})"})
                << version;
            expect(old[1].error_message == "nor this" and old[1].row_data.empty()) << version;
            const auto events = store.events(id, 0, 10).value();
            expect(fatal(events.size() == 3_ul)) << version;
            expect(!events[0].created and !events[2].ended) << "nobody has stored it";
            expect(events[1].row == row(7) and events[1].error_message() == "did not work");
            expect(events[2].error_message() == "no such column");

            auto ended = store.get(id).value();
            ended.state = operation_state::completed_with_errors;
            ended = store.update(ended, {}).value();
            (void)move_to(ended, operation_state::retrying, at(9));
            expect(store.retry(ended, {}, {}, {}).value().submitted == 1_u) << version;
            const auto both = store.retry_history({.operation = id, .row = row(7)}).value().items;
            expect(fatal(both.size() == 2_ul)) << version;
            expect(both[1].error_message == "again" and both[1].row_data == R"({"a":7})");
        }
    };

    "a migration that fails changes nothing"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        (void)storage::open(path).value().create(operation(1), {});
        std::vector<bulk::sqlite::migration> broken{bulk::sqlite::migrations.begin(),
                                                    bulk::sqlite::migrations.end()};
        broken.emplace_back("CREATE TABLE bulk_more (a); NONSENSE");
        const auto refused = bulk::sqlite::records::open(path, {}, broken);
        expect(fatal(!refused.has_value()));
        expect(refused.error().message.contains("NONSENSE")) << refused.error().message;
        expect(storage::open(path).value().get(operation(1).id).has_value());
        expect(raw_database{path}.run("SELECT count(*) FROM sqlite_schema WHERE name = "
                                      "'bulk_more'") == "0");
    };

    "what is no database of ours is refused by name, and stays as it was"_test = [] {
        const temporary_directory directory;
        const auto text = directory.path("text.db"), other = directory.path("other.db");
        write_file(text, std::string(5000, 'x'));
        raw_database{other}.run("CREATE TABLE theirs (a); PRAGMA user_version = 1");
        for (const auto& path : {text, other}) {
            const auto before = read_file(path);
            const auto refused = storage::open(path);
            expect(fatal(!refused.has_value()));
            expect(refused.error().code == errc::invalid_argument);
            expect(refused.error().message.contains(path)) << refused.error().message;
            expect(bool{read_file(path) == before});
        }
        expect(storage::open(text).error().message.contains("not a database"))
            << storage::open(text).error().message;
        expect(storage::open(other).error().message.contains("another program"))
            << storage::open(other).error().message;
        write_file(directory.path("empty.db"), "");
        expect(storage::open(directory.path("empty.db")).has_value())
            << "an empty file may be used";
    };

    "a path that cannot be a file is refused by name"_test = [] {
        const temporary_directory directory;
        std::filesystem::create_directory(directory.path("folder"));
        write_file(directory.path("file"), "x");
        for (const auto* name : {"folder", "missing/bulk.db", "file/bulk.db"}) {
            const auto refused = storage::open(directory.path(name));
            expect(fatal(!refused.has_value())) << name;
            expect(refused.error().code == errc::invalid_argument) << refused.error().message;
            expect(refused.error().message.contains(directory.path(name)));
            expect(refused.error().message.contains("opening it")) << refused.error().message;
        }
        expect(storage::open(" ").error().code == errc::invalid_argument);
        expect(storage::open(directory.path("a.db"), {.cache_kib = 1})
                   .error()
                   .message.contains("cache_kib"));
    };

    "a file or directory that this user may not use is told of, and used when it may be"_test = [] {
        const temporary_directory directory;
        const auto secret = directory.path("secret.db"), kept = directory.path("kept.db");
        const auto folder = directory.path("folder"), fresh = folder + "/bulk.db";
        {
            (void)storage::open(secret).value().create(operation(1), {});
            (void)storage::open(kept).value().create(operation(1), {});
        }
        std::filesystem::create_directory(folder);
        for (const auto& [path, mode] : std::map<std::string, mode_t>{
                 {directory.path(), 0755}, {secret, 0}, {kept, 0444}, {folder, 0555}})
            expect(::chmod(path.c_str(), mode) == 0_i);
        for (const auto& [path, cause] : std::map<std::string, std::string_view>{
                 {secret, "unable to open database file"},
                 {fresh, "in a directory that there is and that this program may write"}}) {
            const auto said = told_nobody(path);
            expect(said.contains(path) and said.contains(cause)) << said;
            expect(said.contains("unable to open") or said.contains("readonly")) << said;
        }
        expect(told_nobody(kept) == "it was opened") << "what can be read is read";
        for (const auto& [path, mode] :
             std::map<std::string, mode_t>{{secret, 0600}, {kept, 0600}, {folder, 0700}})
            expect(::chmod(path.c_str(), mode) == 0_i);
        for (const auto& path : {secret, kept})
            expect(storage::open(path).value().get(operation(1).id).has_value());
        expect(storage::open(fresh).has_value());
    };

    "a database of this version is opened while another writes, and without any write"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        (void)storage::open(path).value().create(operation(1), {});
        raw_database other{path};
        other.run("BEGIN IMMEDIATE");
        auto store = storage::open(path, {.busy_timeout = std::chrono::milliseconds{0}});
        expect(fatal(store.has_value())) << store.error().message;
        expect(store->get(operation(1).id).has_value());
        expect(store->query(bulk::operation_query{}).value().total == 1_u);
        expect(!store->create(operation(2), {}).has_value()) << "who writes has to wait";
        other.run("ROLLBACK");
        expect(store->create(operation(2), {}).has_value());
        for (const auto& name : directory.names())
            expect(!name.contains("-process-")) << "who claims nothing leaves no file:" << name;
    };

    "a database that is deleted, or replaced by another, takes nothing more"_test = [] {
        for (const bool is_replaced : {false, true}) {
            const temporary_directory directory;
            const auto path = directory.path("bulk.db");
            auto store = storage::open(path).value();
            (void)store.create(operation(1), {});
            const auto held = store.claim(request(0)).value().value().held;
            if (is_replaced) std::filesystem::copy_file(path, directory.path("other.db"));
            if (is_replaced)
                std::filesystem::rename(directory.path("other.db"), path);
            else
                std::filesystem::remove(path);
            const auto renewed = store.renew(held, at(1), std::chrono::seconds{10});
            const auto found = store.get(operation(1).id);
            const auto begun = store.begin(held);
            expect(!renewed.has_value() and renewed.error().code == errc::storage_lost);
            expect(!found.has_value() and found.error().code == errc::storage_lost);
            expect(!begun.has_value() and begun.error().code == errc::storage_lost);
            expect(renewed.error().message.contains(path) and
                   renewed.error().message.contains("deleted or replaced"))
                << renewed.error().message;
        }
    };

    "a damaged file is told of, and does no harm"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        {
            auto store = storage::open(path).value();
            for (int i = 1; i < 200; ++i) (void)store.create(operation(i), {});
        }
        auto bytes = read_file(path);
        std::fill(bytes.begin() + 4096, bytes.end(), '\x7f');
        write_file(path, bytes);
        auto store = storage::open(path);
        const auto found =
            store ? store->query(bulk::operation_query{}).error() : bulk::error{store.error()};
        expect(found.message.contains("damaged") and found.message.contains(path)) << found.message;
        expect(found.code == errc::unavailable) << found.message;
        if (store) {
            expect(store->create(operation(500), {}).error().message.contains("damaged"));
            expect(store->claim(request(0)).error().message.contains("damaged"));
        }
        store = bulk::fail(errc::unavailable, "closed");
        expect(bool{read_file(path) == bytes}) << "what is left of it can still be repaired";
    };

    "a page that cannot be read is told of"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path).value();
        (void)store.create(operation(1), {});
        const auto held = store.claim(request(0)).value().value().held;
        (void)store.record(held, {.completed = {{row(1), 5, step(0), step(0), at(0), at(0)}}});
        raw_database{path}.run("UPDATE bulk_pages SET windows = x'0102'");
        const auto found = store.query(bulk::row_query{.operation = operation(1).id});
        expect(fatal(!found.has_value()));
        expect(found.error().code == errc::damaged);
        for (const auto& part : {to_text(operation(1).id), std::string{"rows 1 to 4096"}})
            expect(found.error().message.contains(part)) << found.error().message;
        expect(!found.error().message.contains(path)) << "clients see it";
        expect(store.get(operation(1).id).has_value()) << "everything else can be read";
        expect(store.query(bulk::operation_query{}).value().items.size() == 1_ul);
    };

    "a damaged record fails the page that has it, and no page before it"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        auto store = storage::open(path).value();
        (void)store.create(operation(1), {});
        const auto held = store.claim(request(0)).value().value().held;
        bulk::row_batch failures;
        for (const std::uint64_t number : {1U, 2U, 3U})
            failures.records.push_back({.row = row(number),
                                        .step = step(0),
                                        .state = bulk::row_state::failed,
                                        .failure = bulk::error_type::step_failure,
                                        .error_message = "no"});
        (void)store.record(held, failures);
        raw_database{path}.run("UPDATE bulk_records SET error_message = 'yes' WHERE row = 3");
        for (const auto sort : {bulk::row_sort::row, bulk::row_sort::started_at}) {
            bulk::row_query query{.operation = operation(1).id, .sort = sort, .page_size = 2};
            const auto whole = store.query(query);
            expect(fatal(whole.has_value())) << whole.error().message;
            expect(whole->items.size() == 2_ul and !whole->next.empty());
            query.after = whole->next;
            const auto damaged = store.query(query);
            expect(!damaged.has_value() and damaged.error().code == errc::damaged);
        }
    };

    "rows of an older file are sealed when it is brought up to date"_test = [] {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        support::make_older_file(path, std::span{bulk::sqlite::migrations}.first(4), operation(1));
        raw_database{path}.run(R"(
            INSERT INTO bulk_records (operation, row, step, state, attempt, retry_attempt,
                failure, signal_key, error_message, journal, row_data)
            VALUES (1, 7, 0, 4, 1, 1, 3, '', 'again', x'', '');
            INSERT INTO bulk_row_ids (operation, row, id) VALUES (1, 7, 'seven');
            INSERT INTO bulk_events (operation, kind, level, state, time, operation_name, message)
            SELECT id, 0, 0, 0, 5000000, name, 'Operation created' FROM bulk_operations)");
        const auto older = bulk::sqlite::examine(path, {}, bulk::sqlite::examination::everything);
        expect(fatal(older.has_value()));
        expect(older->version == 4_i and older->damage.empty()) << "looking changes nothing";
        auto store = storage::open(path).value();
        expect(store.query(bulk::row_query{.operation = operation(1).id}).value().items.size() ==
               1_ul);
        const auto now = bulk::sqlite::examine(path, {}, bulk::sqlite::examination::everything);
        expect(fatal(now.has_value()));
        for (const auto& each : now->damage)
            expect(each.what.starts_with("upload:")) << to_text(each);
        for (const auto* change :
             {"UPDATE bulk_records SET error_message = 'once'", "UPDATE bulk_row_ids SET id = 's'",
              "UPDATE bulk_events SET message = ''", "UPDATE bulk_operations SET total = 9"}) {
            raw_database{path}.run(change);
            const auto found =
                bulk::sqlite::examine(path, {}, bulk::sqlite::examination::everything);
            expect(fatal(found.has_value())) << change;
            const auto count = std::ranges::count_if(found->damage, [](const auto& each) {
                return each.operation == to_text(operation(1).id) &&
                       each.what.starts_with("damaged ");
            });
            expect(count > 0) << change;
        }
        expect(store.get(operation(1).id).error().code == errc::damaged);
        expect(store.query(bulk::row_query{.operation = operation(1).id}).error().code ==
               errc::damaged);
        const auto listed = store.query(bulk::operation_query{}).value().items;
        expect(fatal(listed.size() == 1_ul));
        expect(listed[0].error_message.contains("is damaged")) << listed[0].error_message;
        expect(!store.claim(request(0)).value()) << "it is not run";
        expect(!store.may_use("another file").value());
        raw_database{path}.run("UPDATE bulk_operations SET file_id = 'other'");
        expect(store.may_use("another file").value()) << "nobody knows which upload it has";
    };

    "uploads go where they are told to"_test = [] {
        const temporary_directory directory;
        auto store =
            storage::open(directory.path("bulk.db"), {.files_directory = directory.path("uploads")})
                .value();
        expect(store.put_file("a", pull_of("a"), 0, at(0)).has_value());
        expect(std::filesystem::exists(directory.path("uploads")));
        expect(!std::filesystem::exists(directory.path("bulk.db-files")));
    };

    "the durability is what was asked for"_test = [] {
        const temporary_directory directory;
        for (const auto& [durability, expected] :
             {std::pair{bulk::durability::normal, 1}, std::pair{bulk::durability::full, 2}}) {
            const auto database =
                bulk::sqlite::database::open(directory.path("bulk.db"), {.durability = durability})
                    .value();
            const auto is = database->write("looking", [](auto& session) -> bulk::result<int> {
                int value = 0;
                auto row = session.rows("PRAGMA synchronous");
                if (row.next()) row.read(value);
                return value;
            });
            expect(is.value() == expected);
        }
    };
};

}  // namespace

int main() {}
