// How much memory does one long row take? Each file is read by a process of its own, whose peak is
// what the system says it was.
#include <bulk/operation/declare.hpp>
#include <bulk/rows/csv/reader.hpp>
#include <bulk/rows/csv/slices.hpp>

#include <support/long_text.hpp>
#include <support/ut.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

struct entry {
    std::string_view key;
    std::string_view value;
};
BULK_ROW(entry, key, value);

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Some rows, then `before`, `part` again and again for so many bytes, `behind`, and some rows.
bulk::byte_source file(const std::string& before, const std::string& part, std::size_t bytes,
                       const std::string& behind) {
    return support::long_text("key,value\na,1\n" + before, part, bytes, behind + "\nb,2\nc,3\n");
}

struct counted {
    std::uint64_t good = 0, bad = 0;
};

counted read(bulk::byte_source source) {
    auto rows = bulk::csv::reader<entry>::open(std::move(source)).value();
    counted seen;
    entry row;
    while (true) {
        switch (rows.next(row)) {
            case bulk::read_status::row:
                ++seen.good;
                break;
            case bulk::read_status::bad_row:
                ++seen.bad;
                break;
            default:
                return seen;
        }
    }
}

counted cut(bulk::byte_source source) {
    bulk::csv::slicer slicer{std::move(source)};
    counted seen;
    while (const auto slice = slicer.next().value()) seen.good += slice->rows;
    return seen;
}

/// Does it in a process of its own: whether it saw as many rows, and the most memory it had.
template <typename Work>
double megabytes_of(Work work, counted expected) {
    const pid_t child = ::fork();
    if (child == 0) {
        const counted seen = work();
        std::_Exit(seen.good == expected.good && seen.bad == expected.bad ? 0 : 1);
    }
    int status = 0;
    rusage usage{};
    expect(fatal(::wait4(child, &status, 0, &usage) == child));
    expect(WIFEXITED(status) and WEXITSTATUS(status) == 0) << "another number of rows";
    return static_cast<double>(usage.ru_maxrss) / 1000;
}

suite<"memory"> memory = [] {
    struct sample {
        const char* name;
        std::string before, part;
        std::size_t bytes;
        std::string behind;
        counted expected{3, 1};
    };
    const auto samples = [] {
        return std::vector<sample>{
            {"20 MiB of text", "", "x", 20 * mebibyte, ""},
            {"200 MiB of text", "", "x", 200 * mebibyte, ""},
            {"15 MiB of fields", "", "x,", 15 * mebibyte, "x"},
            {"15 MiB of empty fields", "", ",", 15 * mebibyte, ""},
            {"15 MiB of pairs of quotes", "\"", "\"\"", 15 * mebibyte, "\",1"},
            {"15 MiB of lines in quotes", "\"", "text\n", 15 * mebibyte, "\",1"},
            {"20 MiB of lines in quotes", "\"", "text\n", 20 * mebibyte, "\",1"},
            {"20 MiB of quoted fields", "", "\"x\",", 20 * mebibyte, ""},
            {"a quote that is never closed",
             "1,\"\n",
             "2,3\n",
             40 * mebibyte,
             "4,5",
             {10 * mebibyte + 4, 1}},
        };
    };

    "one long row takes less than 32 MB"_test = [&] {
        for (const auto& each : samples()) {
            const auto source = [&] {
                return file(each.before, each.part, each.bytes, each.behind);
            };
            const double reading = megabytes_of([&] { return read(source()); }, each.expected);
            const auto rows = each.expected.good + each.expected.bad;
            const double cutting = megabytes_of([&] { return cut(source()); }, {rows, 0});
            std::printf("%s: %.1f MB to read, %.1f MB to slice\n", each.name, reading, cutting);
            expect(reading < 32.0 and cutting < 32.0) << each.name;
        }
    };
};

}  // namespace

int main() {}
