// A process that does everything at once and dies now and then: random files, steps, answers,
// failing storage, cancels, pauses and crashes, all from one seed. Afterwards every row must be in
// exactly one place, counters must equal records, and no step may have run that must not.
// `simulation FIRST COUNT` runs other seeds; a seed that fails can be run again alone.
#include <bulk/bulk.hpp>

#include <support/faulty_storage.hpp>
#include <support/seeded_executor.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct item {
    std::uint64_t number = 0;
    std::string_view kind;
};
BULK_ROW(item, number, kind);

/// What the steps of this seed do, and what they did.
struct world {
    std::uint64_t seed = 0;
    std::uint64_t life = 0;  ///< grows with every crash
    std::string trace;
    std::vector<std::string> wrong;
    struct standing {
        int done = -1;  ///< the last step that said so, in any life
        bool is_over = false;
        std::uint64_t life = 0;
    };
    std::map<std::uint64_t, standing> rows;

    static std::uint64_t mix(std::uint64_t x) {
        x ^= x >> 33;
        x *= 0xff51afd7ed558ccdULL;
        x ^= x >> 33;
        x *= 0xc4ceb9fe1a85ec53ULL;
        return x ^ x >> 33;
    }
    [[nodiscard]] std::uint64_t chance(std::uint64_t row, int step, std::uint64_t attempt) const {
        return mix(seed * 1'000'003 + row * 131 + static_cast<std::uint64_t>(step + 2) * 17 +
                   attempt);
    }
};
world* now_in = nullptr;

bulk::outcome do_step(const item& row, bulk::context& ctx) {
    world& w = *now_in;
    const int step = bulk::to_number(ctx.step());
    auto& standing = w.rows[row.number];
    w.trace += std::to_string(row.number) + '.' + std::to_string(step) + '.' +
               std::to_string(ctx.attempt()) + ' ';
    if (bulk::to_number(ctx.row()) != row.number) w.wrong.push_back("a row has another's number");
    if (row.kind != "good") w.wrong.push_back("a refused row was run");
    if (standing.is_over && standing.life == w.life)
        w.wrong.push_back("row " + std::to_string(row.number) + " ran after its end");
    // In one life steps are run in order; after a crash some may be run again, none left out.
    if (step > standing.done + 1) w.wrong.push_back("a step was left out");
    if (standing.life == w.life && step < standing.done + 1 && step != standing.done)
        w.wrong.push_back("a step was run again");
    standing.life = w.life;
    const auto dice = w.chance(row.number, step, ctx.attempt());
    switch (dice % 16) {
        case 0:
            if (ctx.attempt() == 3) standing.is_over = true;
            return bulk::outcome::retry("again");
        case 1:
            if (ctx.attempt() == 3) standing.is_over = true;
            throw std::runtime_error{"thrown"};
        case 2:
            standing.is_over = true;
            return bulk::outcome::fail("no");
        case 3:
            standing.done = step;
            return bulk::outcome::skip("not needed");
        case 4:
            if (ctx.attempt() == 3) standing.is_over = true;
            return bulk::outcome::retry("later", 10s);
        default:
            standing.done = step;
            if (step == 2) standing.is_over = true;
            return bulk::outcome::done();
    }
}

struct everything : bulk::operation<everything, item> {
    BULK_OPERATION("everything", .track_row_data = false)
    bulk::result<> validate(const item& row, const bulk::no_metadata&) {
        if (row.kind == "invalid") return bulk::fail("invalid");
        if (row.kind == "throwing") throw std::runtime_error{"thrown"};
        return {};
    }
    BULK_STEP(one, "One", .order = 1, .max_retries = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) { return do_step(row, ctx); }
    BULK_STEP(two, "Two", .order = 2, .max_retries = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) { return do_step(row, ctx); }
    BULK_STEP(three, "Three", .order = 3, .max_retries = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) { return do_step(row, ctx); }
};

using storage = support::faulty_storage<bulk::memory::storage>;
using service = bulk::service<std::remove_const_t<decltype(bulk::operations<everything>)>, storage>;

class simulation {
public:
    explicit simulation(std::uint64_t seed) : random_{seed} {
        world_.seed = seed;
        now_in = &world_;
    }

    /// What is wrong with this seed; empty if nothing is.
    std::string run() {
        make_file();
        options_.flush_batch_size = 1 + static_cast<int>(roll(20));
        options_.max_row_concurrency = 1 + static_cast<int>(roll(4));
        options_.worker_count = 1 + static_cast<int>(roll(3));
        options_.lease_time = 10s;
        fault_rate_ = roll(3) == 0 ? 0 : roll(60);
        begin_life();
        const auto id = create();
        if (!id) return "it cannot be created";
        const bool may_cancel = roll(6) == 0;
        const std::uint64_t crashes = roll(4);
        std::uint64_t crashed = 0;
        for (int steps = 0;; ++steps) {
            if (steps > 20'000) return "it never ends\n" + dump(*id);
            if (const auto record = memory_.get(*id); record && is_final(record->state)) break;
            if (crashed < crashes && roll(60) == 0) {
                ++crashed;
                end_life();
                begin_life();
                continue;
            }
            if (may_cancel && roll(150) == 0) (void)service_->cancel(*id);
            if (roll(100) == 0) (void)service_->pause(*id);
            if (const auto record = memory_.get(*id); record && record->paused && roll(10) == 0)
                (void)service_->resume(*id);
            if (!jobs_->step()) jobs_->advance(1s);
        }
        check(*id);
        end_life();
        std::string all;
        for (const auto& each : world_.wrong) all += each + '\n';
        return all.empty() ? all : all + dump(*id);
    }

    [[nodiscard]] const std::string& trace() const { return world_.trace; }

private:
    std::uint64_t roll(std::uint64_t sides) { return random_() % sides; }

    void make_file() {
        file_ = "number,kind\n";
        const auto rows = roll(5) == 0 ? roll(3) : roll(80);
        for (std::uint64_t row = 1; row <= rows; ++row) {
            const auto dice = roll(20);
            const char* kind = dice == 0 ? "invalid" : dice == 1 ? "throwing" : "good";
            kinds_.push_back(kind);
            if (dice == 2) {
                kinds_.back() = "unreadable";
                file_ += "x,good\n";
            } else {
                file_ += std::to_string(row) + ',' + kind + '\n';
            }
        }
    }

    void begin_life() {
        ++world_.life;
        for (auto& [row, standing] : world_.rows) standing.is_over = false;
        jobs_ = std::make_unique<support::seeded_executor>(random_());
        // Time goes on where it was.
        jobs_->advance(std::chrono::seconds{60} * world_.life);
        service_.emplace(bulk::operations<everything>,
                         storage{memory_, [this](const char*) { return roll(1000) < fault_rate_; }},
                         options_, bulk::read_options{}, jobs_.get());
    }

    /// The process dies: nothing volatile is left.
    void end_life() {
        const auto rate = std::exchange(fault_rate_, 1000);  // nothing reaches the storage any more
        service_.reset();
        jobs_->drop_all();
        fault_rate_ = rate;
    }

    std::optional<bulk::operation_id> create() {
        for (int tries = 0; tries < 100; ++tries)
            if (const auto id = service_->create("everything",
                                                 bulk::upload{"x.csv", bulk::bytes_of_text(file_)}))
                return *id;
        return std::nullopt;
    }

    void wrong(std::string what) { world_.wrong.push_back(std::move(what)); }

    /// P1: every row in exactly one place, and the counters say so.
    void check(bulk::operation_id id) {
        const auto operation = memory_.get(id).value();
        bulk::row_counters counted{.total = kinds_.size()};
        for (std::uint64_t row = 1; row <= kinds_.size(); ++row) {
            bool is_failed = false, is_done = false, is_open = false;
            int records = 0;
            for (int step = -1; step < 3; ++step) {
                const auto record =
                    memory_.get(id, bulk::row_number{row}, static_cast<bulk::step_index>(step))
                        .value();
                if (!record) {
                    // Nothing behind a gap.
                    for (int later = step + 1; later < 3; ++later)
                        if (memory_
                                .get(id, bulk::row_number{row},
                                     static_cast<bulk::step_index>(later))
                                .value())
                            wrong("row " + std::to_string(row) + " has a gap before step " +
                                  std::to_string(later));
                    break;
                }
                ++records;
                if (is_failed || is_open)
                    wrong("row " + std::to_string(row) + " goes on after its end");
                is_failed = record->state == bulk::row_state::failed;
                is_open = record->state != bulk::row_state::failed &&
                          record->state != bulk::row_state::completed;
                is_done = step == 2 && record->state == bulk::row_state::completed;
            }
            const bool is_bad = kinds_[row - 1] != "good";
            if (is_bad && records > 0 && !(is_failed && records == 1))
                wrong("row " + std::to_string(row) + " should have been refused");
            if (is_failed || is_done) count_row(counted, is_done);
            const bool ran_to_its_end =
                operation.state == bulk::operation_state::completed ||
                operation.state == bulk::operation_state::completed_with_errors;
            if (ran_to_its_end && !is_failed && !is_done)
                wrong("row " + std::to_string(row) + " is in no final state");
        }
        if (operation.state == bulk::operation_state::cancelled)
            counted.total = operation.rows.total;
        if (operation.rows != counted)
            wrong("counters say " + show(operation.rows) + ", records " + show(counted));
        if (operation.state == bulk::operation_state::failed)
            wrong("it failed: " + operation.error_message);
        // One status change after the other, and one end.
        std::string states = "pending";
        bulk::operation_state last = bulk::operation_state::pending;
        int ends = 0;
        std::uint64_t failed_rows = 0;
        for (const auto& each : all_events(id)) {
            if (each.kind == bulk::event_kind::status_changed) {
                if (each.previous != last) wrong("a status change is missing");
                last = each.state;
            }
            ends += each.kind == bulk::event_kind::completed ||
                    each.kind == bulk::event_kind::cancelled;
            failed_rows += each.kind == bulk::event_kind::row_failed;
        }
        if (last != operation.state) wrong("the last status change was not told");
        if (ends != 1) wrong("the end was told " + std::to_string(ends) + " times");
        if (failed_rows != operation.rows.failed) wrong("not every failed row was told once");
    }

    std::vector<bulk::event> all_events(bulk::operation_id id) {
        std::vector<bulk::event> all;
        while (true) {
            const auto more =
                memory_.events(id, all.empty() ? 0 : all.back().sequence, 1000).value();
            if (more.empty()) return all;
            all.insert(all.end(), more.begin(), more.end());
        }
    }

    static std::string show(const bulk::row_counters& rows) {
        return std::to_string(rows.total) + '/' + std::to_string(rows.processed) + '/' +
               std::to_string(rows.successful) + '/' + std::to_string(rows.failed);
    }

    std::string dump(bulk::operation_id id) {
        const auto operation = memory_.get(id).value();
        return std::string{bulk::name_of(operation.state)} + ' ' + show(operation.rows) +
               (operation.paused ? " paused" : "") +
               (operation.cancel_requested ? " to cancel" : "") + " concurrency " +
               std::to_string(options_.max_row_concurrency) + " batch " +
               std::to_string(options_.flush_batch_size) + " faults " +
               std::to_string(fault_rate_) + " lives " + std::to_string(world_.life) + "\n" +
               world_.trace.substr(0, 2000) + '\n';
    }

    std::mt19937_64 random_;
    world world_;
    std::string file_;
    std::vector<std::string> kinds_;
    bulk::service_options options_;
    std::uint64_t fault_rate_ = 0;  ///< calls in a thousand
    bulk::memory::storage memory_;
    std::unique_ptr<support::seeded_executor> jobs_;
    std::optional<service> service_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000;
    int failed = 0;
    for (std::uint64_t seed = first; seed < first + count && failed < 3; ++seed) {
        simulation once{seed};
        const auto problem = once.run();
        if (!problem.empty()) {
            std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), problem.c_str());
            ++failed;
        }
        if (seed % 100 == 0) {
            simulation again{seed};
            (void)again.run();
            if (again.trace() != once.trace()) {
                std::printf("seed %llu is not the same twice\n",
                            static_cast<unsigned long long>(seed));
                ++failed;
            }
        }
    }
    std::printf("%llu seeds, %d failed\n", static_cast<unsigned long long>(count), failed);
    return failed == 0 ? 0 : 1;
}
