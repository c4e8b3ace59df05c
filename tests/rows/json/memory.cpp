// Rows and keys of any size cost a fixed amount of memory: every allocation of the program is counted.
#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/reader.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <malloc.h>

namespace {

std::atomic<std::size_t> in_use{0}, most_in_use{0};

void* counted(std::size_t size) {
    void* const memory = std::malloc(size);
    if (memory == nullptr) std::abort();
    const auto now = in_use += malloc_usable_size(memory);
    auto most = most_in_use.load();
    while (now > most && !most_in_use.compare_exchange_weak(most, now)) {
    }
    return memory;
}

void release(void* memory) {
    if (memory != nullptr) in_use -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

using namespace boost::ut;
using namespace std::string_literals;

namespace {

using bulk::json::layout;

struct entry {
    std::string key;
    std::optional<int> value;
};
BULK_ROW(entry, key, value);

/// A text that is made while it is read: `part(0)`, `part(1)` and so on until one is empty.
bulk::byte_source made(std::function<std::string(std::size_t)> part) {
    return bulk::byte_source{
        [part = std::move(part), text = std::string{}, at = std::size_t{0},
         number = std::size_t{0}](std::span<char> into) mutable -> bulk::result<std::size_t> {
            if (at == text.size()) {
                text = part(number++);
                at = 0;
            }
            const auto count = std::min(text.size() - at, into.size());
            std::copy_n(text.data() + at, count, into.data());
            at += count;
            return count;
        }};
}

constexpr std::size_t mib = std::size_t{1} << 20;

/// 64 KiB parts, so many of them.
bulk::byte_source filled(std::string before, std::string_view filler, std::size_t parts,
                         std::string behind) {
    std::string part;
    while (part.size() + filler.size() <= std::size_t{64} * 1024) part += filler;
    return made([before = std::move(before), part = std::move(part), parts,
                 behind = std::move(behind)](std::size_t number) {
        return number == 0 ? before : number <= parts ? part : number == parts + 1 ? behind : ""s;
    });
}

struct outcome {
    std::size_t rows = 0, bad = 0, peak = 0;
    std::string last_problem;
};

/// Reads all of it; `peak` is what that needed more than was in use before.
outcome read(bulk::byte_source source, layout layout) {
    outcome found;
    const auto before = in_use.load();
    most_in_use = before;
    {
        auto reader = bulk::json::reader<entry>::open(std::move(source), layout);
        entry row;
        while (true) {
            const auto status = reader.next(row);
            if (status == bulk::read_status::row) {
                ++found.rows;
            } else if (status == bulk::read_status::bad_row) {
                ++found.bad;
                found.last_problem = to_text(reader.problem());
            } else {
                if (status == bulk::read_status::failure)
                    found.last_problem = reader.error().message;
                break;
            }
        }
    }
    found.peak = most_in_use - before;
    return found;
}

suite<"memory"> memory = [] {
    const std::string good = R"({"key":"a","value":1})";

    "a row over its limit is passed over, and the next one is read"_test = [&] {
        for (const std::string_view filler : {"x", "\\n", "\xc3\xa9"})
            for (const std::size_t size : {20 * mib, 40 * mib}) {
                const auto parts = size / (64 * 1024);
                const auto lines =
                    read(filled(good + "\n{\"key\":\"", filler, parts, "\"}\n" + good + "\n"),
                         layout::lines);
                expect(lines.rows == 2_u and lines.bad == 1_u);
                expect(lines.last_problem.contains("bytes; the limit is 16777216"))
                    << lines.last_problem;
                expect(lines.peak < 28 * mib) << lines.peak;
                const auto array =
                    read(filled("[" + good + ",{\"key\":\"", filler, parts, "\"}," + good + "]"),
                         layout::array);
                expect(array.rows == 2_u and array.bad == 1_u) << array.last_problem;
                expect(array.peak < 28 * mib) << array.peak;
            }
    };

    "a row just below its limit is read, and costs it once"_test = [] {
        const auto parts = 16 * mib / (64 * 1024) - 1;
        const auto long_key =
            read(filled("{\"key\":\"a\",\"", "x", parts, "\":1}\n"), layout::lines);
        expect(long_key.rows == 1_u) << long_key.last_problem;
        expect(long_key.peak < 28 * mib) << long_key.peak;
        const auto members =
            read(filled("{\"key\":\"a\"", ",\"x\":[1,{}]", parts, "}\n"), layout::lines);
        expect(members.rows == 1_u) << members.last_problem;
        expect(members.peak < 28 * mib) << members.peak;
    };

    "many huge keys are not kept"_test = [] {
        const auto found = read(made([](std::size_t number) {
                                    if (number == 300) return ""s;
                                    return "{\"key\":\"a\",\"" + std::string(mib, 'k') +
                                           std::to_string(number) + "\":1}\n";
                                }),
                                layout::lines);
        expect(found.rows == 300_u) << found.last_problem;
        expect(found.peak < 16 * mib) << found.peak;
    };

    "what a row lacks is told in little memory, however many keys it has"_test = [] {
        const auto found = read(filled("{\"value\":1", ",\"\":0", 255, "}\n"), layout::lines);
        expect(found.bad == 1_u and found.last_problem.contains("no 'key'")) << found.last_problem;
        expect(found.peak < 28 * mib) << found.peak;
    };
};

}  // namespace

int main() {}
