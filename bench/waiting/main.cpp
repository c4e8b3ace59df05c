// A million rows that wait for a signal in one process: what they cost, how quickly they can be told,
// and whether one of them goes on as quickly among a million as among a thousand.
#include <bulk/bulk.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

struct device {
    std::string_view imei;
    std::string_view customer;
};
BULK_ROW(device, imei, customer);

std::atomic<std::uint64_t> woken = 0;

struct approval {
    static constexpr bulk::step_options options{.name = "Approval", .order = 1, .timeout = 1h};
    void execute(const device&, const bulk::no_metadata&, bulk::context&) {}
    std::string signal_key(const device& d, const bulk::no_metadata&) {
        return "carrier-" + std::string{d.imei};
    }
};

struct provisioning : bulk::operation<provisioning, device> {
    BULK_OPERATION("provisioning")
    auto steps() { return bulk::steps(approval{}); }
    BULK_STEP(notify, "Notify", .order = 2)
    (const device&, const bulk::no_metadata&, bulk::context&) { ++woken; }
};

std::string imei(std::uint64_t row) { return std::to_string(1'000'000'000 + row); }

std::string file_of(std::uint64_t rows) {
    std::string text = "imei,customer\n";
    for (std::uint64_t row = 1; row <= rows; ++row)
        text += imei(row) + ",customer " + std::to_string(row % 1000) + '\n';
    return text;
}

/// Of the process, in bytes.
std::uint64_t resident() {
    malloc_trim(0);
    std::ifstream statm{"/proc/self/statm"};
    std::uint64_t all = 0, pages = 0;
    statm >> all >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct waiting {
    bulk::memory::storage storage;
    bulk::operation_id id{};
    std::uint64_t rows;
    std::uint64_t before = 0;
    std::unique_ptr<bulk::service> service;

    explicit waiting(std::uint64_t count) : rows{count} {
        bulk::service front{bulk::operations<provisioning>, storage,
                            bulk::service_options{.scheduler = bulk::scheduling::none}};
        id = front
                 .create("provisioning",
                         bulk::upload{"devices.csv", bulk::bytes_of_text(file_of(rows))})
                 .value();
        before = resident();  // with the file, which is in memory, too
        service = std::make_unique<bulk::service>(
            bulk::operations<provisioning>, storage,
            bulk::service_options{.flush_batch_size = 1000, .max_row_concurrency = 2});
        const bulk::row_query query{
            .operation = id, .state = bulk::row_state::waiting_for_completion, .page_size = 1};
        while (service->query(query).value().total < rows) std::this_thread::sleep_for(5ms);
    }

    /// From the signal to the next step of the row, in microseconds: the median of some.
    double time_to_wake(std::uint64_t first) {
        std::vector<double> took;
        for (std::uint64_t row = first; row < first + 101; ++row) {
            const auto seen = woken.load();
            const auto begin = std::chrono::steady_clock::now();
            if (!service->signal(id, "carrier-" + imei(row * 7))) std::abort();
            while (woken.load() == seen) std::this_thread::yield();
            took.push_back(seconds_since(begin) * 1e6);
        }
        std::ranges::sort(took);
        return took[took.size() / 2];
    }
};

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    waiting few{1'000};
    waiting many{rows};
    const auto bytes = static_cast<double>(resident() - many.before) / static_cast<double>(rows);
    std::printf("figure waiting.bytes_per_row %.0f\n", bytes);

    double among_few = 1e9, among_many = 1e9, ratio = 1e9;
    const auto before = woken.load();
    (void)before;
    for (std::uint64_t round = 0; round < 1; ++round) {
        among_few = std::min(among_few, few.time_to_wake(1));
        among_many = std::min(among_many, many.time_to_wake(1));
    }
    ratio = among_many / among_few;
    std::printf("waiting: a row goes on after %.0f us among a thousand, %.0f us among %llu\n",
                among_few, among_many, static_cast<unsigned long long>(rows));
    std::printf("figure waiting.scale %.2f\n", ratio);

    const auto begin = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> refused = 0;
    {
        std::vector<std::jthread> callers;
        for (std::uint64_t caller = 0; caller < 4; ++caller)
            callers.emplace_back([&, caller] {
                for (std::uint64_t row = 1 + caller; row <= rows; row += 4)
                    if (!many.service->signal(many.id, "carrier-" + imei(row))) ++refused;
            });
    }
    const double sending = seconds_since(begin);
    const auto done = many.service->wait(many.id).value();
    const double all = seconds_since(begin);
    if (done.rows.successful != rows) {
        std::printf("waiting: %llu rows of %llu were lost\n",
                    static_cast<unsigned long long>(rows - done.rows.successful),
                    static_cast<unsigned long long>(rows));
        return 1;
    }
    std::printf("waiting: all sent in %.1f s, all rows done in %.1f s, none lost\n", sending, all);
    std::printf("figure waiting.signals_per_s %.0f\n", static_cast<double>(rows) / all);
}
