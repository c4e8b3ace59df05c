// How much memory does reading a big file take? `write FILE BYTES` makes one, `read FILE` streams it
// into structs and prints the most memory that the process ever had.
#include "../peak_memory.hpp"
#include "workload.hpp"

#include <bulk/rows/csv/reader.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
    const std::string_view verb = argc > 2 ? argv[1] : "";
    if (verb == "write" && argc == 4) {
        const std::string part = workload::narrow_file(8 << 20);
        const auto header = part.find('\n') + 1;
        std::ofstream file{argv[2], std::ios::binary};
        file.write(part.data(), static_cast<std::streamsize>(header));
        for (auto left = std::strtoull(argv[3], nullptr, 10); left > part.size();
             left -= part.size())
            file.write(part.data() + header, static_cast<std::streamsize>(part.size() - header));
        return file.flush() ? 0 : 1;
    }
    if (verb != "read") return 2;
    auto source = bulk::bytes_of_file(argv[2]);
    if (!source) return 1;
    auto reader = bulk::csv::reader<narrow>::open(std::move(*source)).value();
    narrow row;
    bulk::read_status status{};
    while ((status = reader.next(row)) == bulk::read_status::row) {
    }
    if (status != bulk::read_status::end) return 1;
    std::printf("csv memory: %llu rows\n",
                static_cast<unsigned long long>(to_number(reader.row())));
    std::printf("figure csv.rss_mb %.1f\n", static_cast<double>(bench::peak_memory()) / 1024);
}
