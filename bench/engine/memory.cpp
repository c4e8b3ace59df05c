// How much memory does an operation of so many rows take? `memory ROWS FILE` writes the file, runs it
// through three steps with its records in memory, and prints the most memory that the process had.
#include "ours.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <sys/resource.h>

namespace {

/// Records in memory, files on disk: a file in memory would be all that is measured.
class disk_files : public bulk::memory::records {
public:
    explicit disk_files(std::string path) : path_{std::move(path)} {}
    bulk::result<bulk::stored_file> put_file(const std::string& name, const bulk::byte_pull&,
                                             std::uint64_t, bulk::timestamp now,
                                             const bulk::file_origin& = {}) {
        return bulk::stored_file{.id = path_, .name = name, .size = 1, .stored_at = now};
    }
    bulk::result<bulk::byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        auto bytes = bulk::bytes_of_file(id, offset);
        if (!bytes) return std::unexpected{bytes.error()};
        auto shared = std::make_shared<bulk::byte_source>(std::move(*bytes));
        return bulk::byte_pull{[shared](std::span<char> into) { return shared->read_some(into); }};
    }

private:
    std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const auto rows = std::strtoull(argv[1], nullptr, 10);
    {
        const std::string part = workload::million_rows(100'000);
        const auto header = part.find('\n') + 1;
        std::ofstream file{argv[2], std::ios::binary};
        file << part.substr(0, header);
        for (std::uint64_t written = 0; written < rows; written += 100'000)
            file.write(part.data() + header, static_cast<std::streamsize>(part.size() - header));
    }
    bulk::service service{bulk::operations<three_steps>, disk_files{argv[2]}};
    const auto id =
        service.create("three-steps", bulk::upload{"rows.csv", bulk::bytes_of_text("")});
    if (!id) return 1;
    const auto done = service.wait(*id);
    if (!done || done->rows.successful != rows) return 1;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%ld\n", usage.ru_maxrss);
}
