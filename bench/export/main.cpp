// How fast is an export, and how much memory does it take? `export ROWS FILE` writes the file, runs it
// through three steps with its records in memory and the file on disk, and exports it: a report of all
// rows, and the rows themselves. Every hundredth row has failed.
#include "../engine/disk_files.hpp"
#include "../engine/workload.hpp"
#include "../support.hpp"

#include <bulk/bulk.hpp>
#include <bulk/service/export.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

namespace {

struct checked_rows : bulk::operation<checked_rows, narrow> {
    BULK_OPERATION("checked-rows")
    BULK_STEP(one, "One", .order = 1)
    (const narrow& row, const bulk::no_metadata&, bulk::context&) { workload::first_step(row); }
    BULK_STEP(two, "Two", .order = 2)
    (const narrow& row, const bulk::no_metadata&, bulk::context&)->bulk::result<> {
        workload::second_step(row);
        if (row.id % 100 == 0) return bulk::fail("no");
        return {};
    }
    BULK_STEP(three, "Three", .order = 3)
    (const narrow& row, const bulk::no_metadata&, bulk::context&) { workload::third_step(row); }
};

/// What the process has in memory now, in MB.
double resident() {
    long size = 0, pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%ld %ld", &size, &pages) != 2) std::abort();
    std::fclose(file);
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const auto rows = std::strtoull(argv[1], nullptr, 10);
    workload::write_rows(argv[2], rows);
    bulk::service service{bulk::operations<checked_rows>, disk_files{argv[2]}};
    const auto id =
        service.create("checked-rows", bulk::upload{"rows.csv", bulk::bytes_of_text("")});
    if (!id) return 1;
    const auto done = service.wait(*id);
    if (!done || done->rows.processed != rows || done->rows.failed == 0) return 1;

    const double before = resident();
    double most = before;
    const auto write = [&](const bulk::export_options& options, std::uint64_t expected) {
        const auto start = std::chrono::steady_clock::now();
        const auto written = bulk::export_operation<checked_rows>(
            service.storage(), *done, options, {}, bulk::formats<>, [&](std::string_view) {
                most = std::max(most, resident());
                return bulk::result<>{};
            });
        if (!written || written->rows != expected) std::abort();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        return static_cast<double>(rows) / took.count();
    };
    const double report = write({}, rows);
    const double failed = write(
        {.kind = bulk::export_kind::data, .rows = bulk::export_rows::failed}, done->rows.failed);
    bench::figure("export.rss_mb", most - before);
    bench::figure("export.rows_per_s", report);
    bench::figure("export.failed_rows_per_s", failed);
    std::printf("export: of %llu rows; %.0f MB before it, %.0f MB at most\n", rows, before, most);
}
