// How much memory does a large file take? `durable_memory DIRECTORY BYTES` writes a file of that size,
// runs it through three steps on SQLite, and prints the most memory that the process had, in KiB.
#include "../engine/ours.hpp"
#include "../peak_memory.hpp"

#include <bulk/storage/sqlite/storage.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

/// Rows with a long text: two gigabytes of short ones would take minutes.
std::uint64_t write_file(const std::string& path, std::uint64_t bytes) {
    workload::writer w{7};
    std::string part;
    constexpr std::uint64_t rows_a_part = 10'000;
    for (std::uint64_t i = 0; i < rows_a_part; ++i)
        part += w.number(8) + ',' + w.word(380, 420) + ',' + w.word(6, 14) + ',' + w.amount() +
                ',' + w.number(2) + ",true\n";
    std::ofstream file{path, std::ios::binary};
    file << "id,name,city,amount,quantity,active\n";
    std::uint64_t rows = 0;
    for (std::uint64_t written = 0; written < bytes; written += part.size(), rows += rows_a_part)
        file.write(part.data(), static_cast<std::streamsize>(part.size()));
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string directory = argv[1], path = directory + "/large.csv";
    const auto rows = write_file(path, std::strtoull(argv[2], nullptr, 10));
    bulk::service service{bulk::operations<three_steps>,
                          bulk::sqlite::storage::open(directory + "/bulk.db").value(),
                          {.max_file_size = 0, .flush_batch_size = 10'000}};
    const auto id = service.create("three-steps", bulk::file(path));
    if (!id) return 1;
    const auto done = service.wait(*id);
    if (!done || done->rows.successful != rows) return 1;
    std::printf("%ld\n", bench::peak_memory());
}
