// How much memory does an operation of so many rows take? `memory ROWS FILE` writes the file, runs it
// through three steps with its records in memory, and prints the most memory that the process had.
#include "../peak_memory.hpp"
#include "disk_files.hpp"
#include "ours.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const auto rows = std::strtoull(argv[1], nullptr, 10);
    workload::write_rows(argv[2], rows);
    bulk::service service{bulk::operations<three_steps>, disk_files{argv[2]}};
    const auto id =
        service.create("three-steps", bulk::upload{"rows.csv", bulk::bytes_of_text("")});
    if (!id) return 1;
    const auto done = service.wait(*id);
    if (!done || done->rows.successful != rows) return 1;
    std::printf("%ld\n", bench::peak_memory());
}
