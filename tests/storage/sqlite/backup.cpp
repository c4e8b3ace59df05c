// Copies of a database, and how one of them is put back.
#include "../../conformance/operations.hpp"

#include <bulk/storage/sqlite/backup.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/raw_database.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

using namespace boost::ut;
using namespace conformance;
using bulk::errc;
using bulk::sqlite::storage;
using support::raw_database, support::temporary_directory;

namespace {

/// A directory with a database of one operation, and a copy of it.
struct shelf {
    temporary_directory directory;
    std::string path = directory.path("bulk.db");
    std::string copy = directory.path("copy.db");

    shelf() {
        add(1);
        expect(bulk::sqlite::backup(path, copy).has_value());
    }
    void add(int number) const {
        expect(storage::open(path).value().create(operation(number), {}).has_value());
    }
    [[nodiscard]] static std::string operations_in(const std::string& file) {
        raw_database found{file};
        expect(found.run("PRAGMA integrity_check") == "ok");
        return found.run("SELECT count(*) FROM bulk_operations");
    }

    /// As `kill -9` leaves a database: one more operation is in its log, and not in the file.
    void leave_log() const {
        const auto aside = directory.path("aside");
        std::filesystem::create_directory(aside);
        auto store = storage::open(path).value();
        expect(store.create(operation(2), {}).has_value());
        for (const std::string name : {"/bulk.db", "/bulk.db-wal"})
            std::filesystem::copy_file(directory.path() + name, aside + name);
        {
            const auto closed = std::move(store);
        }
        for (const std::string name : {"/bulk.db", "/bulk.db-wal"})
            std::filesystem::rename(aside + name, directory.path() + name);
        expect(std::filesystem::file_size(path + "-wal") > 0_u);
    }
};

suite<"backup and restore"> copies = [] {
    "a copy is a database of its own, and no file is overwritten"_test = [] {
        const shelf on;
        expect(shelf::operations_in(on.copy) == "1");
        const auto again = bulk::sqlite::backup(on.path, on.copy);
        expect(!again.has_value() and again.error().code == errc::invalid_argument);
        for (const auto& name : on.directory.names())
            expect(!name.starts_with("copy.db.")) << "nothing else is left:" << name;
    };

    "a restored database is the copy, and the one before it is kept"_test = [] {
        const shelf on;
        on.leave_log();
        const auto before = bulk::sqlite::restore(on.copy, on.path);
        expect(fatal(before.has_value())) << before.error().message;
        expect(shelf::operations_in(on.path) == "1");
        expect(shelf::operations_in(*before) == "2") << "with what was in its log";
    };

    "a log that cannot be written back does not stay beside the copy"_test = [] {
        const shelf on;
        on.leave_log();
        std::ofstream{on.path} << std::string(8192, 'x');
        const auto before = bulk::sqlite::restore(on.copy, on.path);
        expect(fatal(before.has_value())) << before.error().message;
        expect(!std::filesystem::exists(on.path + "-wal"));
        expect(std::filesystem::exists(*before + "-wal"));
        expect(shelf::operations_in(on.path) == "1");
    };

    "a database that another process has open is not replaced"_test = [] {
        const shelf on;
        on.add(2);
        std::array<int, 2> opened{};
        expect(fatal(::pipe(opened.data()) == 0));
        const pid_t child = ::fork();
        if (child == 0) {
            const auto store = storage::open(on.path);
            if (store.has_value()) (void)!::write(opened[1], "\n", 1);
            ::pause();
            std::_Exit(0);
        }
        char byte = 0;
        expect(::read(opened[0], &byte, 1) == 1);
        const auto refused = bulk::sqlite::restore(on.copy, on.path);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        for (const int end : opened) ::close(end);
        expect(fatal(!refused.has_value()));
        expect(refused.error().code == errc::conflict);
        expect(refused.error().message.contains("process " + std::to_string(child)))
            << refused.error().message;
        expect(shelf::operations_in(on.path) == "2");
        expect(bulk::sqlite::restore(on.copy, on.path).has_value()) << "its end has freed the file";
        expect(shelf::operations_in(on.path) == "1");
    };

    "what is no copy is refused, and changes nothing"_test = [] {
        const shelf on;
        const auto empty = on.directory.path("empty.db"), text = on.directory.path("text.db");
        std::ofstream{empty}.flush();
        std::ofstream{text} << std::string(8192, 'x');
        for (const auto& wrong : {empty, text, on.directory.path("missing.db"), on.path})
            expect(!bulk::sqlite::restore(wrong, on.path).has_value()) << wrong;
        expect(shelf::operations_in(on.path) == "1");
        for (const auto& name : on.directory.names())
            expect(!name.contains("restore")) << "nothing is set aside:" << name;
    };
};

}  // namespace

int main() {}
