// How long does it take after a kill until rows move again? `durable_resume DIRECTORY ROWS` starts an
// operation, kills its process with SIGKILL when most rows are through, starts it again, and prints the
// milliseconds from that start to the first row that is run.
#include "../engine/ours.hpp"

#include <bulk/storage/sqlite/storage.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// What a child tells its parent, in memory that they share.
struct told {
    std::atomic<std::uint64_t> steps{0};
    std::atomic<std::int64_t> first_step{0};  ///< of this life; nanoseconds
};
told* shared = nullptr;

std::int64_t now() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

struct watched : bulk::operation<watched, narrow> {
    BULK_OPERATION("watched")
    void process(const narrow& row, const bulk::no_metadata&, bulk::context&) {
        workload::first_step(row);
        if (shared->first_step.load(std::memory_order_relaxed) == 0) shared->first_step = now();
        shared->steps.fetch_add(1, std::memory_order_relaxed);
    }
};

/// One life of the process.
pid_t begin_life(const std::string& directory) {
    shared->first_step = 0;
    const pid_t child = ::fork();
    if (child != 0) return child;
    bulk::service service{bulk::operations<watched>,
                          bulk::sqlite::storage::open(directory + "/bulk.db").value(),
                          {.max_file_size = 0, .flush_batch_size = 10'000}};
    const auto id = service.create("watched", bulk::file(directory + "/rows.csv"),
                                   {.idempotency_key = "the only one"});
    const auto done = id ? service.wait(*id) : bulk::result<bulk::operation_record>{};
    ::_exit(done && done->state == bulk::operation_state::completed ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string directory = argv[1];
    const auto rows = std::strtoull(argv[2], nullptr, 10);
    workload::write_rows(directory + "/rows.csv", rows);
    void* memory =
        ::mmap(nullptr, sizeof(told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    shared = new (memory) told;

    const pid_t first = begin_life(directory);
    while (shared->steps < rows * 6 / 10) {
        if (::waitpid(first, nullptr, WNOHANG) != 0) return 1;
        std::this_thread::yield();
    }
    ::kill(first, SIGKILL);
    ::waitpid(first, nullptr, 0);

    const auto start = now();
    const pid_t second = begin_life(directory);
    int status = 0;
    ::waitpid(second, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    std::printf("%.0f\n", static_cast<double>(shared->first_step - start) / 1e6);
    return shared->steps < rows + 100'000 ? 0 : 1;  // what was done is not done again
}
