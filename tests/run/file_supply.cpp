// How much memory do several tasks take for one row that is over the limit? Each file is read by a
// process of its own, whose peak is what the system says it was.
#include <bulk/operation/declare.hpp>
#include <bulk/run/file_supply.hpp>

#include <support/long_text.hpp>
#include <support/ut.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
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

struct sample {
    const char* name;
    std::string begin, part, end;
};

/// Notes each row.
struct visitor {
    std::string seen;

    [[nodiscard]] static bool is_selective() { return false; }
    [[nodiscard]] static std::uint64_t unwanted(bulk::row_number, std::uint64_t) { return 0; }
    bool operator()(const entry& row, bulk::read_status status, const auto& reader) {
        seen += std::to_string(to_number(reader.row())) + '@' + std::to_string(reader.line()) + ' ';
        seen += status == bulk::read_status::row ? std::string{row.key} : to_text(reader.problem());
        seen += '\n';
        return true;
    }
};

/// Reads it as `tasks` tasks would: each holds a unit while the others are cut.
std::string read(const sample& of, std::size_t bytes, std::size_t tasks) {
    auto rows = bulk::open_supply<entry, visitor>(
                    [&]() -> bulk::result<bulk::byte_source> {
                        return support::long_text(of.begin, of.part, bytes, of.end);
                    },
                    of.name, {}, tasks == 1, bulk::formats<>)
                    .value();
    visitor visit;
    std::deque<bulk::row_unit> held;
    const auto read_first = [&] {
        const bool is_more = rows->read(held.front(), visit).value() == bulk::unit_end::more;
        held.pop_front();
        return is_more;
    };
    while (auto unit = rows->cut(100).value()) {
        held.push_back(std::move(*unit));
        if (held.size() == tasks && !read_first() && rows->is_exclusive()) break;
    }
    while (!held.empty()) (void)read_first();
    return visit.seen;
}

struct outcome {
    std::string seen;
    double megabytes = 0;  ///< the most it had
};

/// The same in a process of its own.
outcome read_apart(const sample& of, std::size_t bytes, std::size_t tasks) {
    std::array<int, 2> pipe{};
    expect(fatal(::pipe(pipe.data()) == 0));
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string seen = read(of, bytes, tasks);
        const auto written = ::write(pipe[1], seen.data(), seen.size());
        std::_Exit(written == static_cast<ssize_t>(seen.size()) ? 0 : 1);
    }
    ::close(pipe[1]);
    std::string seen(4096, '\0');  // less than a pipe holds
    const bulk::descriptor from{pipe[0]};
    int status = 0;
    rusage usage{};
    expect(fatal(::wait4(child, &status, 0, &usage) == child));
    expect(WIFEXITED(status) and WEXITSTATUS(status) == 0) << of.name;
    const auto got = ::read(from.number(), seen.data(), seen.size());
    seen.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return {seen, static_cast<double>(usage.ru_maxrss) / 1000};
}

suite<"file_supply"> file_supply = [] {
    "several tasks need less than 32 MB for a row that is over the limit, and see what one sees"_test =
        [] {
            const std::string object = R"({"key":"a","value":"b"})";
            for (const sample& of :
                 {sample{"rows.csv", "key,value\na,1\n", "x", "\nb,2\nc,3\n"},
                  sample{"quoted.csv", "key,value\na,1\n\"", "text\n", "\",1\nb,2\nc,3\n"},
                  sample{"rows.ndjson", object + "\n{\"key\":\"", "x",
                         "\",\"value\":\"1\"}\n" + object + '\n'},
                  sample{"rows.json", '[' + object + ",\n{\"key\":\"", "x",
                         "\",\"value\":\"1\"}, " + object + ']'}})
                for (const std::size_t size : {20 * mebibyte, 200 * mebibyte}) {
                    const auto one = read_apart(of, size, 1), several = read_apart(of, size, 3);
                    std::printf("%s, %zu MiB: %.1f MB by one task, %.1f MB by three\n", of.name,
                                size / mebibyte, one.megabytes, several.megabytes);
                    expect(one.seen.contains("bytes; the limit is 16777216")) << one.seen;
                    expect(one.seen.contains("\n3@")) << "the row behind it is read" << one.seen;
                    expect(several.seen == one.seen) << several.seen;
                    expect(one.megabytes < 32.0 and several.megabytes < 32.0) << of.name << size;
                }
        };
};

}  // namespace

int main() {}
