// Two processes that work on one database.
#include <bulk/bulk.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/raw_database.hpp>
#include <support/stage.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state;
using bulk::sqlite::storage;
using support::number, support::numbers;

namespace {

constexpr int operations = 12, rows = 50;

/// In memory that both processes have: who runs what, how often.
struct seen {
    std::atomic<int> workers = 0;  ///< that have begun a row
    std::atomic<int> runs[operations][rows + 1] = {};
    std::atomic<pid_t> owner[operations] = {};
    std::atomic<int> strangers = 0;  ///< rows that ran in another process than their operation's
};
seen* shared = nullptr;

struct request {
    int number = 0;
};
BULK_METADATA(request, number);

struct shared_work : bulk::operation<shared_work, number, request> {
    BULK_OPERATION("shared-work")
    bulk::result<> process(const number& row, const request& asked, bulk::context&) {
        static const bool is_first = [] {
            ++shared->workers;
            // Whoever comes first does not do everything before the other has begun.
            const auto end = std::chrono::steady_clock::now() + 30s;
            while (shared->workers < 2 && std::chrono::steady_clock::now() < end)
                std::this_thread::yield();
            return true;
        }();
        (void)is_first;
        ++shared->runs[asked.number][row.value];
        pid_t nobody = 0;
        if (!shared->owner[asked.number].compare_exchange_strong(nobody, ::getpid()) &&
            nobody != ::getpid())
            ++shared->strangers;
        return {};
    }
};

/// Works until all operations have ended; 0 if that went well.
int work(const std::string& path) {
    auto store = storage::open(path);
    if (!store) return 1;
    auto watched = *store;
    bulk::service service{bulk::operations<shared_work>,
                          std::move(*store),
                          {.worker_count = 1, .pending_poll_interval = 20ms}};
    for (const auto found = watched.query(bulk::operation_query{}).value();
         const auto& each : found.items)
        if (!service.wait(each.id, 60s)) return 2;
    return 0;
}

suite<"two workers"> two_workers = [] {
    "each operation is run by one of them, all end, and no row runs twice"_test = [] {
        const support::temporary_directory directory;
        const auto path = directory.path("bulk.db");
        void* const memory = ::mmap(nullptr, sizeof(seen), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        expect(fatal(memory != MAP_FAILED));
        shared = new (memory) seen;
        {
            bulk::service intake{bulk::operations<shared_work>,
                                 storage::open(path).value(),
                                 {.scheduler = bulk::scheduling::none}};
            for (int i = 0; i < operations; ++i)
                expect(intake
                           .create("shared-work", support::text(numbers(rows)),
                                   bulk::create_options<request>{.metadata = request{i}})
                           .has_value());
        }
        std::vector<pid_t>
            workers;  // begun while this process has neither threads nor the database
        for (int i = 0; i < 2; ++i) {
            const pid_t child = ::fork();
            if (child == 0) ::_exit(work(path));
            workers.push_back(child);
        }
        for (const pid_t each : workers) {
            int status = 0;
            ::waitpid(each, &status, 0);
            expect(WIFEXITED(status) and WEXITSTATUS(status) == 0) << status;
        }
        expect(shared->strangers == 0);
        std::set<pid_t> owners;
        for (int i = 0; i < operations; ++i) {
            owners.insert(shared->owner[i]);
            for (int row = 1; row <= rows; ++row) expect(shared->runs[i][row] == 1) << i << row;
        }
        expect(owners.size() == 2_ul) << "both have worked";
        auto store = storage::open(path).value();
        const auto all = store.query(bulk::operation_query{}).value().items;
        expect(all.size() == static_cast<std::size_t>(operations));
        for (const auto& each : all) {
            expect(each.state == operation_state::completed);
            expect(each.rows == bulk::row_counters{rows, rows, rows, 0});
        }
        expect(support::raw_database{path}.run("PRAGMA integrity_check") == "ok");
        ::munmap(memory, sizeof(seen));
    };
};

}  // namespace

int main() {}
