#include <bulk/run/batch_writer.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::row_number, bulk::step_index;

namespace {

/// A clock that counts how often somebody looks at it.
class counting_executor final : public bulk::executor {
public:
    void submit(bulk::job) override {}
    void submit_at(bulk::timestamp, bulk::job) override {}
    [[nodiscard]] bulk::timestamp now() const override {
        ++looks;
        return time;
    }
    [[nodiscard]] std::size_t concurrency() const override { return 1; }

    bulk::timestamp time{};
    mutable int looks = 0;
};

struct writing {
    counting_executor clock;
    bulk::stopwatch watch{clock};
    bulk::batch_writer writer{watch};

    void quickly_retried(std::uint64_t row) {
        writer.quickly_done(bulk::row_record{.row = row_number{row},
                                             .step = step_index{1},
                                             .state = bulk::row_state::completed,
                                             .attempt = 1,
                                             .retry_attempt = 1});
    }

    /// As "first row+rows began-ended" in microseconds, records behind.
    std::string hand_over() {
        std::string text;
        const auto add = [&](row_number row, std::uint64_t rows, bulk::timestamp from,
                             bulk::timestamp to) {
            text += std::to_string(to_number(row)) + '+' + std::to_string(rows) + ' ' +
                    std::to_string(from.time_since_epoch().count()) + '-' +
                    std::to_string(to.time_since_epoch().count()) + "; ";
        };
        (void)writer.hand_over([&](bulk::row_batch& batch, std::uint64_t) {
            for (const auto& each : batch.completed)
                add(each.first_row, each.rows, each.started_at, each.completed_at);
            for (const auto& each : batch.records)
                add(each.row, 1, each.started_at.value_or(bulk::timestamp{}),
                    each.completed_at.value_or(bulk::timestamp{}));
            return true;
        });
        return text;
    }
};

suite<"batch writer"> writers = [] {
    "rows one behind the other are one stretch, from one look at the clock to the next"_test = [] {
        writing at;
        for (std::uint64_t row = 1; row <= 50; ++row)
            at.writer.quickly_done(row_number{row}, step_index{0}, step_index{2});
        at.clock.time += 70us;
        expect(eq(at.hand_over(), std::string{"1+50 0-70; "}));
        expect(at.clock.looks == 2_i);
        at.clock.time += 1s;  // of which nothing is the next window's
        at.writer.quickly_done(row_number{51}, step_index{0}, step_index{2});
        at.clock.time += 5us;
        expect(eq(at.hand_over(), std::string{"51+1 1000070-1000075; "}));
    };

    "rows with gaps between them share a window, each by what was done"_test = [] {
        writing at;
        for (std::uint64_t row = 3; row < 1000; row += 10)
            at.writer.quickly_done(row_number{row}, step_index{0}, step_index{0});
        at.clock.time += 100us;
        expect(at.hand_over().starts_with("3+1 0-1; 13+1 1-2; 23+1 2-3; "));
        expect(at.clock.looks == 2_i);
        at.writer.quickly_done(row_number{1}, step_index{0}, step_index{2});
        at.writer.quickly_done(row_number{2}, step_index{0}, step_index{2});
        at.writer.quickly_done(row_number{3}, step_index{2}, step_index{2});
        at.clock.time += 7us;
        expect(eq(at.hand_over(), std::string{"1+2 100-106; 3+1 106-107; "}));
    };

    "rows that went through other steps are a stretch of their own"_test = [] {
        writing at;
        const auto done = [&](std::uint64_t row, int first, int last) {
            at.writer.quickly_done(row_number{row}, static_cast<step_index>(first),
                                   static_cast<step_index>(last));
        };
        done(1, 0, 2);
        done(2, 0, 1);  // begins with the same step
        done(3, 0, 1);
        done(4, 1, 1);  // ends with the same step
        done(5, 1, 1);
        std::string steps;
        for (const auto& each : at.writer.take().completed)
            steps += std::to_string(to_number(each.first_row)) + '+' + std::to_string(each.rows) +
                     ' ' + std::to_string(to_number(each.first_step)) + '-' +
                     std::to_string(to_number(each.last_step)) + "; ";
        expect(eq(steps, std::string{"1+1 0-2; 2+2 0-1; 4+2 1-1; "}));
    };

    "a step with a record of its own has its share, too"_test = [] {
        writing at;
        for (const std::uint64_t row : {5U, 8U}) {
            at.quickly_retried(row);
            at.writer.quickly_done(row_number{row}, step_index{2}, step_index{2});
        }
        at.clock.time += 40us;
        expect(eq(at.hand_over(), std::string{"5+1 10-20; 8+1 30-40; 5+1 0-10; 8+1 20-30; "}));
        expect(at.clock.looks == 2_i);
        expect(eq(at.hand_over(), std::string{}));
    };

    "only what was done last can have taken long"_test = [] {
        writing at;
        at.quickly_retried(1);
        at.quickly_retried(5);
        at.quickly_retried(9);
        at.clock.time += 2s;
        at.writer.close_window();
        expect(eq(at.hand_over(), std::string{"1+1 0-20; 5+1 20-40; 9+1 40-2000000; "}));
    };

    "a window that follows another begins where that ended"_test = [] {
        writing at;
        at.writer.quickly_done(row_number{1}, step_index{0}, step_index{1});
        at.clock.time += 3us;
        at.writer.close_window();
        at.writer.quickly_done(row_number{2}, step_index{0}, step_index{0});
        expect(at.clock.looks == 2_i);
        at.clock.time += 2us;
        expect(eq(at.hand_over(), std::string{"1+1 0-3; 2+1 3-5; "}));
    };
};

}  // namespace

int main() {}
