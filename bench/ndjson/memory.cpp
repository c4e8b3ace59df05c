// How much memory does reading a big packed file take? `read FILE` streams an NDJSON file, packed or
// not, into structs and prints the most memory that the process ever had; `write` prints a part of
// one, which can be packed and repeated.
#include "../peak_memory.hpp"
#include "workload.hpp"

#include <bulk/rows/open.hpp>

#include <cstdio>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "write") {
        const std::string part = workload::json_lines(8 << 20, true);
        return std::fwrite(part.data(), 1, part.size(), stdout) == part.size() ? 0 : 1;
    }
    if (argc != 3 || std::string_view{argv[1]} != "read") return 2;
    auto rows = bulk::open_rows<narrow>(std::string{argv[2]});
    if (!rows) return 1;
    narrow row;
    bulk::read_status status{};
    while ((status = rows->next(row)) == bulk::read_status::row) {
    }
    if (status != bulk::read_status::end) return 1;
    std::printf("ndjson memory: %llu rows\n",
                static_cast<unsigned long long>(to_number(rows->row())));
    std::printf("figure ndjson.rss_mb %.1f\n", static_cast<double>(bench::peak_memory()) / 1024);
}
