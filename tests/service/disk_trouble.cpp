// Operations on SQLite while the disk, the database or their file is not as it should be.
#include <bulk/bulk.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/faulty_vfs.hpp>
#include <support/raw_database.hpp>
#include <support/stage.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state;
using bulk::sqlite::storage;
using support::disk_fault, support::number, support::numbers;

namespace {

auto& disk = support::install_faulty_disk();

/// Notes every row that it runs.
struct noted : bulk::operation<noted, number> {
    BULK_OPERATION("noted", .retryable = true)
    bulk::result<> validate(const number& row, const bulk::no_metadata&) {
        return support::now_playing->validate ? support::now_playing->validate(row)
                                              : bulk::result<>{};
    }
    bulk::outcome process(const number& row, const bulk::no_metadata&, bulk::context& ctx) {
        return support::script::play(support::now_playing->first, row, ctx);
    }
};

using known = std::remove_const_t<decltype(bulk::operations<noted>)>;
using stage = support::stage<known, storage>;

struct on_disk {
    support::temporary_directory directory;
    std::string path = directory.path("bulk.db");
    support::script script;
    stage at;

    explicit on_disk(const bulk::service_options& options = {},
                     const bulk::sqlite_options& how = {})
        : at{options, storage::open(path, how).value()} {}
    ~on_disk() { disk.heal(); }

    /// The content of an operation's upload.
    std::string upload_of(bulk::operation_id id) {
        for (const auto& each :
             std::filesystem::recursive_directory_iterator{path + "-files/" + at.get(id).file_id})
            if (each.path().filename() == "content") return each.path().string();
        return {};
    }

    void expect_all_rows(bulk::operation_id id, std::uint64_t rows) {
        const auto done = at.get(id);
        expect(done.state == operation_state::completed) << done.error_message;
        expect(done.rows == bulk::row_counters{rows, rows, rows, 0});
        expect(support::raw_database{path}.run("PRAGMA integrity_check") == "ok");
    }
};

std::string read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

suite<"trouble on disk"> trouble = [] {
    "full in the middle: nothing new begins, the log says why, and it goes on with room"_test = [] {
        for (const auto how : {disk_fault::full, disk_fault::broken, disk_fault::not_synced}) {
            on_disk here{{.flush_batch_size = 10}, {.durability = bulk::durability::full}};
            int ran = 0;
            here.script.first = [&](const number&, bulk::context&) {
                if (++ran == 100) disk.fail_at(1, how, true);
                return bulk::outcome::done();
            };
            const auto id = here.at.create(numbers(2000), "noted");
            expect(here.at.drive([&] { return ran >= 100; }));
            here.at.drive_for(5s);
            const int stopped = ran;
            expect(stopped < 2000_i) << "it does not go on with what cannot be recorded";
            here.at.drive_for(5s);
            expect(ran == stopped);
            for (const std::string_view part :
                 {std::string_view{here.path}, std::string_view{"storage failed"},
                  std::string_view{how == disk_fault::full ? "disk is full" : "disk I/O error"}})
                expect(here.at.log.contains(part)) << here.at.log.substr(0, 1000);
            disk.heal();
            (void)here.at.finish(id);
            here.expect_all_rows(id, 2000);
            expect(ran == 2000_i) << "no row twice, as its run never ended";
        }
    };

    "for longer than the lease: the run lets go, and another goes on"_test = [] {
        on_disk here{{.flush_batch_size = 10, .pending_poll_interval = 1s, .lease_time = 10s}};
        int ran = 0;
        here.script.first = [&](const number&, bulk::context&) {
            if (++ran == 100) disk.fail_at(1, disk_fault::broken, true);
            return bulk::outcome::done();
        };
        const auto id = here.at.create(numbers(2000), "noted");
        expect(here.at.drive([&] { return ran >= 100; }));
        here.at.drive_for(1min);
        expect(here.at.log.contains("reason=lost")) << here.at.log.substr(0, 1000);
        disk.heal();
        (void)here.at.finish(id);
        here.expect_all_rows(id, 2000);
    };

    "a database that another program has for too long: the same"_test = [] {
        on_disk here{{.flush_batch_size = 10}, {.busy_timeout = 1ms}};
        std::optional<support::raw_database> other;
        int ran = 0;
        here.script.first = [&](const number&, bulk::context&) {
            if (++ran == 100) other.emplace(here.path).run("BEGIN IMMEDIATE");
            return bulk::outcome::done();
        };
        const auto id = here.at.create(numbers(2000), "noted");
        expect(here.at.drive([&] { return ran >= 100; }));
        here.at.drive_for(5s);
        expect(ran < 2000_i);
        for (const std::string_view part : {std::string_view{here.path}, std::string_view{"locked"},
                                            std::string_view{"busy_timeout"}})
            expect(here.at.log.contains(part)) << here.at.log.substr(0, 1000);
        other.reset();
        (void)here.at.finish(id);
        here.expect_all_rows(id, 2000);
        expect(ran == 2000_i);
    };

    "a damaged page: the operation keeps the reason, is not tried again, and holds up nobody"_test =
        [] {
            on_disk here{{.flush_batch_size = 10, .pending_poll_interval = 1s, .lease_time = 10s}};
            int ran = 0;
            here.script.first = [&](const number&, bulk::context&) {
                if (++ran == 100)
                    support::raw_database{here.path}.run("UPDATE bulk_pages SET seal = seal + 1");
                return bulk::outcome::done();
            };
            const auto id = here.at.create(numbers(2000), "noted");
            expect(here.at.drive([&] { return ran >= 100; }));
            here.at.drive_for(10min);
            const int stopped = ran;
            expect(stopped < 2000_i);
            const auto left = here.at.get(id);
            expect(left.state == operation_state::running);
            for (const std::string_view part :
                 {"rows 1 to 4096", "is damaged", "restore a backup", "doctor --check"})
                expect(left.error_message.contains(part)) << left.error_message;
            const auto first = here.at.log.find("reason=lost");
            expect(first != std::string::npos &&
                   here.at.log.find("reason=lost", first + 1) == std::string::npos)
                << here.at.log;
            const auto other = here.at.create(numbers(20), "noted");
            (void)here.at.finish(other);
            here.expect_all_rows(other, 20);
            expect(ran == stopped + 20);
        };

    "a damaged operation is listed, does not run, and can be removed in any state"_test = [] {
        on_disk here;
        here.script.first = [](const number&, bulk::context&) { return bulk::outcome::done(); };
        const auto id = here.at.create(numbers(20), "noted");
        support::raw_database{here.path}.run("UPDATE bulk_operations SET created_by = 'eve'");
        here.at.drive_for(1min);
        const auto found = here.at.service->get(id);
        expect(!found && found.error().code == bulk::errc::damaged);
        const auto all = here.at.service->query(bulk::operation_query{});
        expect(fatal(all.has_value() && all->items.size() == 1_ul));
        expect(all->items[0].error_message.contains("is damaged")) << all->items[0].error_message;
        expect(here.at.service->remove(id).has_value());
        expect(here.at.service->query(bulk::operation_query{})->items.empty());
        expect(support::raw_database{here.path}.run("SELECT count(*) FROM bulk_events") == "0");
    };

    "a file that is deleted or changed after its rows were validated, and then put back"_test = [] {
        struct change {
            std::string_view says;
            std::function<void(const std::string&)> make;
        };
        const auto rewrite = [](const std::string& path, auto how) {
            auto text = read_file(path);
            how(text);
            std::ofstream{path, std::ios::binary} << text;
        };
        for (const auto& [says, make] :
             {change{"was deleted since it was stored: put its ",
                     [](const std::string& path) { std::filesystem::remove(path); }},
              change{"was changed since it was stored: it has ",
                     [&](const std::string& path) {
                         rewrite(path, [](std::string& text) { text += "401\n"; });
                     }},
              change{"was changed since it was stored: its checksum is ",
                     [&](const std::string& path) {
                         rewrite(path, [](std::string& text) { text[text.size() - 2] = '7'; });
                     }}}) {
            on_disk here{{.flush_batch_size = 10}};
            bulk::operation_id id{};
            std::string path;
            int ran = 0;
            here.script.validate = [&](const number& row) -> bulk::result<> {
                if (row.value == 400) make(path = here.upload_of(id));
                return {};
            };
            here.script.first = [&](const number& row, bulk::context&) {
                expect(row.value != 407_i) << "what nobody has validated is not run";
                ++ran;
                return bulk::outcome::done();
            };
            id = here.at.create(numbers(400), "noted");
            const auto before = read_file(here.upload_of(id));
            const auto failed = here.at.finish(id);
            expect(failed.state == operation_state::failed);
            for (const std::string_view part :
                 {std::string_view{"'x.csv'"}, std::string_view{failed.file_id}, says})
                expect(failed.error_message.contains(part)) << failed.error_message;
            expect(ran == 0_i);
            expect(failed.rows.processed == 0_u and unprocessed(failed.rows) == 400_u);
            std::ofstream{path, std::ios::binary} << before;
            here.script.validate = {};
            const auto again = here.at.service->retry(id);
            expect(again.has_value()) << (again ? "" : again.error().message);
            (void)here.at.finish(id);
            here.expect_all_rows(id, 400);
            expect(ran == 400_i);
        }
    };
};

}  // namespace

int main() {}
