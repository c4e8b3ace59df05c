#include <bulk/storage/memory/record_page.hpp>

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

    "any order of adding finds the same rows"_test = [] {
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
        }
    };
};

}  // namespace

int main() {}
