#include <bulk/run/parking_lot.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::parked_row, bulk::row_number, bulk::timestamp;

namespace {

parked_row row(std::uint64_t number) {
    return {.row = row_number{number},
            .raw = bulk::row_text{"row " + std::to_string(number), number}};
}

const timestamp start{};

suite<"parking lot"> lot = [] {
    "rows come out when they are due, earliest first"_test = [] {
        bulk::parking_lot lot;
        lot.park(row(1), start + 3s);
        lot.park(row(2), start + 1s);
        lot.park(row(3), std::nullopt);
        expect(lot.next_due() == start + 1s);
        expect(!lot.take_due(start).has_value());
        auto due = lot.take_due(start + 5s);
        expect(due and due->row == row_number{2} and due->raw.view() == "row 2" and
               due->raw.line() == 2_u);
        expect(lot.take_due(start + 5s)->row == row_number{1});
        expect(!lot.take_due(start + 1h).has_value()) << "one that nobody wakes";
        expect(lot.size() == 1_ul and !lot.next_due().has_value());
    };

    "a row that was taken leaves no deadline behind"_test = [] {
        bulk::parking_lot lot;
        lot.park(row(1), start + 1s);
        expect(lot.take(row_number{1}).has_value());
        expect(!lot.take(row_number{1}).has_value());
        expect(!lot.next_due().has_value());
        lot.park(row(2), start + 5s);  // in the same place
        expect(!lot.take_due(start + 2s).has_value());
        expect(lot.next_due() == start + 5s);
    };

    "random rows, held against a map"_test = [] {
        std::mt19937_64 random{7};
        bulk::parking_lot lot;
        std::map<std::uint64_t, std::optional<timestamp>> model;
        std::multiset<timestamp> dues;  // of those in the model that have one
        const auto forget = [&](std::uint64_t number) {
            const auto known = model.find(number);
            if (known == model.end()) return false;
            if (known->second) dues.erase(dues.find(*known->second));
            model.erase(known);
            return true;
        };
        int taken_due = 0;
        for (int i = 0; i < 200'000; ++i) {
            const std::uint64_t number = 1 + random() % 5'000;
            const timestamp now = start + std::chrono::milliseconds{i};
            switch (random() % 3) {
                case 0:
                    if (!model.contains(number)) {
                        std::optional<timestamp> due;
                        if (random() % 4 != 0)
                            due = now + std::chrono::milliseconds{random() % 9000};
                        lot.park(row(number), due);
                        model.emplace(number, due);
                        if (due) dues.insert(*due);
                    }
                    break;
                case 1: {
                    const auto taken = lot.take(row_number{number});
                    expect(fatal(taken.has_value() == forget(number)));
                    expect(fatal(!taken || to_number(taken->row) == number));
                    break;
                }
                default: {
                    const bool is_due = !dues.empty() && *dues.begin() <= now;
                    const auto taken = lot.take_due(now);
                    expect(fatal(taken.has_value() == is_due)) << i;
                    if (!is_due) break;
                    const auto known = model.find(to_number(taken->row));
                    expect(fatal(known != model.end()));
                    expect(fatal(known->second == *dues.begin())) << "the one that is due first";
                    expect(forget(to_number(taken->row)));
                    ++taken_due;
                }
            }
            expect(fatal(lot.size() == model.size()));
            expect(fatal(lot.next_due() ==
                         (dues.empty() ? std::nullopt : std::optional{*dues.begin()})));
        }
        expect(taken_due > 10'000_i);
    };
};

}  // namespace

int main() {}
