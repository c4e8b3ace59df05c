#include <bulk/storage/window_page.hpp>

#include <support/ut.hpp>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;

namespace {

bulk::step_index step(int number) { return static_cast<bulk::step_index>(number); }

bulk::completed_window window(std::size_t first, std::size_t count, int from, int to,
                              std::int64_t started = 0, std::int64_t took = 0) {
    return {.first = static_cast<std::uint16_t>(first),
            .count = static_cast<std::uint16_t>(count),
            .first_step = step(from),
            .last_step = step(to),
            .started_at = bulk::timestamp{std::chrono::microseconds{started}},
            .took = std::chrono::microseconds{took}};
}

suite<"window page"> pages = [] {
    "windows that follow each other and are alike are one, also between others"_test = [] {
        bulk::window_page page;
        for (std::size_t first = 0; first < 4000; first += 100) {
            page.add(window(first, 100, -1, -1, 5, 9));
            page.add(window(first, 100, 0, 2, 7, 9));
        }
        expect(page.windows().size() == 2_ul);
        expect(page.find(3999, step(2)) != nullptr and page.find(4000, step(2)) == nullptr);
        expect(page.find(0, step(3)) == nullptr);
        page.add(window(4000, 96, 0, 2, 8, 9));
        expect(page.windows().size() == 3_ul);
        expect(page.find(4000, step(0))->started_at.time_since_epoch().count() == 8_i);
    };

    "a batch of a hundred rows takes about ten bytes"_test = [] {
        std::mt19937 random{5};
        bulk::window_page page;
        std::int64_t now = 1'790'000'000'000'000;
        for (std::size_t first = 0; first + 100 <= 4096; first += 100) {
            now += 50 + random() % 400;
            page.add(window(first, 100, 0, 2, now, 100 + random() % 400));
        }
        expect(to_bytes(page).size() < 10 * page.windows().size() + 10) << to_bytes(page).size();
    };

    "what was added is found, and bytes bring it back"_test = [] {
        std::mt19937 random{3};
        for (int seed = 0; seed < 200; ++seed) {
            bulk::window_page page;
            std::map<std::pair<std::size_t, int>, std::int64_t> model;
            for (int i = 0; i < 40; ++i) {
                const std::size_t first = random() % 4096;
                const std::size_t count = 1 + random() % std::min<std::size_t>(200, 4096 - first);
                const int from = static_cast<int>(random() % 4) - 1;
                const int to = from + static_cast<int>(random() % 3);
                bool is_free = true;
                for (auto row = first; row < first + count; ++row)
                    for (int at = from; at <= to; ++at) is_free &= !model.contains({row, at});
                if (!is_free) continue;
                const std::int64_t started =
                    static_cast<std::int64_t>(random()) * 1'000'000 - 2'000'000'000'000'000;
                const auto took = static_cast<std::int64_t>(random()) - 1'000'000;
                page.add(window(first, count, from, to, started, took));
                for (auto row = first; row < first + count; ++row)
                    for (int at = from; at <= to; ++at) model[{row, at}] = started;
            }
            const auto again = bulk::windows_from_bytes(to_bytes(page));
            expect(fatal(again.has_value()));
            expect(bool{*again == page}) << seed;
            for (std::size_t row = 0; row < 4096; row += 1 + random() % 20)
                for (int at = -1; at < 5; ++at) {
                    const auto* found = page.find(row, step(at));
                    const auto expected = model.find({row, at});
                    expect(fatal((found != nullptr) == (expected != model.end())));
                    if (found != nullptr)
                        expect(found->started_at.time_since_epoch().count() == expected->second);
                }
        }
    };

    "windows that are joined say the same of every row and step, with times as exact as asked"_test =
        [] {
            std::mt19937 random{11};
            for (int seed = 0; seed < 200; ++seed) {
                bulk::window_page page;
                std::map<std::pair<std::size_t, int>, std::int64_t> model;
                std::int64_t now = 0;
                for (std::size_t row = 0; row < 500; ++row) {
                    now += static_cast<std::int64_t>(random() % 3000);
                    if (random() % 10 == 0) continue;  // failed, a record apart
                    page.add(window(row, 1, -1, -1, now, 5));
                    model[{row, -1}] = now;
                }
                for (std::size_t row = 0; row < 500; ++row) {
                    if (!model.contains({row, -1})) continue;
                    now += static_cast<std::int64_t>(random() % 3000);
                    const int last = static_cast<int>(random() % 20 == 0 ? 0 : 1);
                    page.add(window(row, 1, 0, last, now, 5));
                    for (int at = 0; at <= last; ++at) model[{row, at}] = now;
                }
                const auto before = page.windows().size();
                page.join_within(std::chrono::milliseconds{10});
                expect(page.windows().size() < before / 2);
                const auto again = bulk::windows_from_bytes(to_bytes(page));
                expect(fatal(again.has_value() and *again == page));
                for (std::size_t row = 0; row < 500; ++row)
                    for (int at = -1; at < 3; ++at) {
                        const auto* found = page.find(row, step(at));
                        const auto expected = model.find({row, at});
                        expect(fatal((found != nullptr) == (expected != model.end())));
                        if (found == nullptr) continue;
                        const auto began =
                            bulk::timestamp{std::chrono::microseconds{expected->second}};
                        expect(found->started_at <= began and
                               found->completed_at() >= began + std::chrono::microseconds{5});
                        expect(found->took <= std::chrono::milliseconds{10});
                    }
            }
        };

    "of what was done twice the last counts"_test = [] {
        bulk::window_page page;
        page.add(window(10, 5, 0, 0, 1));
        page.add(window(10, 5, 0, 0, 2));
        expect(page.find(12, step(0))->started_at.time_since_epoch().count() == 2_i);
    };

    "steps that go elsewhere take their rows along"_test = [] {
        bulk::window_page page;
        page.add(window(0, 10, -1, -1, 1));
        page.add(window(0, 10, 0, 2, 2));
        const auto moved = page.moved_to({step(1), step(2), step(4)});
        for (const int at : {-1, 1, 2, 4}) expect(moved.find(9, step(at)) != nullptr) << at;
        for (const int at : {0, 3, 5}) expect(moved.find(9, step(at)) == nullptr) << at;
        expect(moved.windows().size() == 3_ul);
    };

    "bytes that nobody wrote are refused, and never read past their end"_test = [] {
        std::mt19937 random{7};
        bulk::window_page page;
        for (std::size_t first = 0; first < 4000; first += 100)
            page.add(window(first, 90, 0, 1, static_cast<std::int64_t>(first)));
        const auto bytes = to_bytes(page);
        expect(!bulk::windows_from_bytes("").has_value());
        expect(!bulk::windows_from_bytes("\2").has_value());
        expect(bulk::windows_from_bytes("\1").value().windows().empty());
        int refused = 0;
        for (std::size_t size = 1; size < bytes.size(); ++size) {
            const auto cut = bulk::windows_from_bytes(bytes.substr(0, size));
            refused += cut ? 0 : 1;
            if (cut) expect(cut->windows().size() < page.windows().size()) << size;
        }
        expect(refused + 40 == static_cast<int>(bytes.size()) - 1)
            << "what ends between two windows is a page of fewer; all else is refused";
        for (int i = 0; i < 20'000; ++i) {
            auto broken = bytes.substr(0, 1 + random() % bytes.size());
            for (auto changes = random() % 4; changes > 0; --changes)
                broken[random() % broken.size()] = static_cast<char>(random());
            if (const auto read = bulk::windows_from_bytes(broken))
                for (const auto& each : read->windows()) expect(fatal(each.end() <= 4096_ul));
        }
    };
};

}  // namespace

int main() {}
