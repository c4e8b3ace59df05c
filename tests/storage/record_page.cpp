#include <bulk/storage/record_page.hpp>

#include <support/ut.hpp>

#include <random>
#include <vector>

using namespace boost::ut;

namespace {

suite<"record page"> pages = [] {
    "rows that were done together take one run"_test = [] {
        bulk::record_page page;
        for (std::uint16_t first = 0; first < 4000; first = static_cast<std::uint16_t>(first + 100))
            page.add({.first = first, .count = 100, .took = 9});
        expect(page.runs().size() == 1_ul and page.runs()[0].count == 4000_u);
        expect(page.find(3999) != nullptr and page.find(4000) == nullptr);
    };

    "any order of adding finds the same rows, and bytes bring them back"_test = [] {
        std::mt19937 random{2};
        for (int seed = 0; seed < 300; ++seed) {
            std::vector<bulk::completed_run> runs;
            for (std::size_t row = random() % 20; row < bulk::rows_per_page;) {
                const auto count =
                    std::min<std::size_t>(1 + random() % 300, bulk::rows_per_page - row);
                runs.push_back({.first = static_cast<std::uint16_t>(row),
                                .count = static_cast<std::uint16_t>(count),
                                .took = static_cast<std::uint32_t>(random()),
                                .started_at = bulk::timestamp{std::chrono::microseconds{
                                    static_cast<std::int64_t>(random()) * 1'000'000 -
                                    static_cast<std::int64_t>(random())}}});
                row += count + random() % 30;
            }
            const auto ordered = runs;
            std::ranges::shuffle(runs, random);
            bulk::record_page page;
            for (const auto& run : runs) page.add(run);
            expect(page.runs() == ordered);

            // Some of them first, the others together in between.
            bulk::record_page together;
            std::vector<bulk::completed_run> others;
            for (const auto& run : ordered)
                if (random() % 3 == 0)
                    others.push_back(run);
                else
                    together.add(run);
            together.add(others);
            expect(together.runs() == ordered);
            for (const auto& run : ordered)
                expect(*page.find(run.first) == run and *page.find(run.end() - 1) == run);
            expect(bulk::page_from_bytes(to_bytes(page)).value() == page);
        }
    };

    "a million rows in hundreds are few bytes"_test = [] {
        std::size_t size = 0, rows = 0;
        for (int number = 0; rows < 1'000'000; ++number) {
            bulk::record_page page;
            for (std::uint16_t i = 0; i < 40; ++i)
                page.add({.first = static_cast<std::uint16_t>(i * 100),
                          .count = 100,
                          .took = 14,
                          .started_at = bulk::timestamp{std::chrono::microseconds{
                              1'770'000'000'000'000 + (number * 40 + i) * 14}}});
            expect(page.runs().size() == 40_ul);
            size += to_bytes(page).size();
            rows += 4000;
        }
        expect(size < 42'500_ul) << size;
    };

    "bytes that are no page are refused"_test = [] {
        using namespace std::string_literals;
        for (const auto& bytes : {""s, "\2"s, "\1\0"s, "\1\0\0\0\0"s, "\1\xff\xff\xff\xff\xff\xff"s,
                                  "\1\0\xff\x7f\0\0"s, "\1\0\1\0\xff\xff\xff\xff\x7f"s})
            expect(!bulk::page_from_bytes(bytes).has_value());
    };
};

}  // namespace

int main() {}
