// A process that does everything at once and dies now and then: random files, steps, answers, waits,
// signals, failing storage, cancels, pauses, retries and crashes, all from one seed. Afterwards every
// row must be in exactly one place, counters must equal records, no step may have run that must not,
// no signal may be lost and none used twice.
// `simulation FIRST COUNT` runs other seeds; a seed that fails can be run again alone.
#include <bulk/bulk.hpp>

#ifdef BULK_SIMULATE_ON_SQLITE
#include <bulk/storage/sqlite/storage.hpp>

#include <support/temporary_directory.hpp>
#endif

#include <support/faulty_storage.hpp>
#include <support/operation_story.hpp>
#include <support/seeded_executor.hpp>
#include <support/seeds.hpp>

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
    std::uint64_t life = 0;  ///< grows with every crash and every retry
    std::string trace;
    std::vector<std::string> wrong;
    struct standing {
        int done = -1;  ///< the last step that said so, in any life
        bool is_over = false;
        std::uint64_t life = 0;
        int checks = 0;
    };
    std::map<std::pair<bulk::operation_id, std::uint64_t>, standing> rows;

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

constexpr std::uint64_t keys = 4;
/// What a row waits for: of the steps "asked", "outcome" and "coroutine", each its own.
std::string key_of(std::uint64_t row, char step = 'a') { return step + std::to_string(row % keys); }

/// Notes that a step is called, and says what is wrong with that.
world::standing& enter(const item& row, bulk::context& ctx) {
    world& w = *now_in;
    const int step = bulk::to_number(ctx.step());
    auto& standing = w.rows[{ctx.operation(), row.number}];
    w.trace += std::to_string(row.number) + '.' + std::to_string(step) + '.' +
               std::to_string(ctx.attempt()) + ' ';
    const auto name = "row " + std::to_string(row.number);
    if (bulk::to_number(ctx.row()) != row.number) w.wrong.push_back("a row has another's number");
    if (row.kind != "good") w.wrong.push_back("a refused row was run");
    if (standing.is_over && standing.life == w.life) w.wrong.push_back(name + " ran after its end");
    // In one life steps are run in order; after a crash some may be run again, none left out.
    if (step > standing.done + 1) w.wrong.push_back(name + ": a step was left out");
    if (standing.life == w.life && step < standing.done)
        w.wrong.push_back(name + ": a step was run again");
    if (standing.life != w.life) standing.done = std::min(standing.done, step - 1);
    standing.life = w.life;
    return standing;
}

bulk::outcome do_step(const item& row, bulk::context& ctx) {
    auto& standing = enter(row, ctx);
    const int step = bulk::to_number(ctx.step());
    const bool is_last_try = ctx.attempt() == 3;
    switch (now_in->chance(row.number, step, ctx.attempt()) % 20) {
        case 0:
            standing.is_over = is_last_try;
            return bulk::outcome::retry("again");
        case 1:
            standing.is_over = is_last_try;
            throw std::runtime_error{"thrown"};
        case 2:
            standing.is_over = true;
            return bulk::outcome::fail("no");
        case 3:
            standing.done = step;
            return bulk::outcome::skip("not needed");
        case 4:
            standing.is_over = is_last_try;
            return bulk::outcome::retry("later", 10s);
        case 5:
            if (++standing.checks % 4 == 0) break;
            return bulk::outcome::poll(3s, 20s);
        case 6:
        case 7:
            standing.done = step;  // it may be complete without another call
            return bulk::outcome::wait_for_signal(
                key_of(row.number, 'o'), std::chrono::milliseconds{200 + row.number * 700});
        default:
            break;
    }
    standing.done = step;
    return bulk::outcome::done();
}

/// Asked until it is complete, which some never are.
struct polled {
    static constexpr bulk::step_options options{
        .name = "Two", .order = 2, .max_retries = 2, .poll_interval = 2s, .timeout = 15s};
    bulk::result<> execute(const item& row, const bulk::no_metadata&, bulk::context& ctx) {
        auto& standing = enter(row, ctx);
        standing.checks = 0;
        if (now_in->chance(row.number, 1, ctx.attempt()) % 12 == 0) {
            standing.is_over = ctx.attempt() == 3;
            return bulk::fail("not executed");
        }
        standing.done = 1;  // it may be complete without another call
        return {};
    }
    bulk::result<bool> is_complete(const item& row, const bulk::no_metadata&, bulk::context& ctx) {
        auto& standing = now_in->rows[{ctx.operation(), row.number}];
        now_in->trace += '?';
        const auto dice =
            now_in->chance(row.number, 7, static_cast<std::uint64_t>(++standing.checks));
        if (dice % 11 == 0) throw std::runtime_error{"cannot tell"};
        return now_in->chance(row.number, 8, 0) % 9 != 0 && dice % 3 == 0;
    }
};

bulk::task<bulk::result<>> wait_a_while(const item& row, bulk::context& ctx) {
    enter(row, ctx);
    const auto dice = now_in->chance(row.number, 2, ctx.attempt());
    if (dice % 10 == 0) co_return bulk::fail("not today");
    if (dice % 3 == 0) co_await ctx.sleep(std::chrono::seconds{dice % 17});
    if (dice % 5 == 0) {
        const auto told = co_await ctx.signal(key_of(row.number, 'c'),
                                              std::chrono::milliseconds{100 + row.number * 500});
        if (!told && told.error().code != bulk::errc::timed_out) co_return told;
    }
    if (dice % 15 == 0) co_await ctx.sleep(2s);
    now_in->rows[{ctx.operation(), row.number}].done = 2;
    co_return bulk::result<>{};
}

struct everything : bulk::operation<everything, item> {
    BULK_OPERATION("everything", .track_row_data = false, .retryable = true)
    bulk::result<> validate(const item& row, const bulk::no_metadata&) {
        if (row.kind == "invalid") return bulk::fail("invalid");
        if (row.kind == "throwing") throw std::runtime_error{"thrown"};
        return {};
    }
    auto steps() { return bulk::steps(polled{}); }
    BULK_STEP(one, "One", .order = 1, .max_retries = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) { return do_step(row, ctx); }
    BULK_STEP(three, "Three", .order = 3, .max_retries = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) {
        return wait_a_while(row, ctx);
    }
};

/// Every row waits for somebody.
struct asked {
    static constexpr bulk::step_options options{.name = "Asked", .order = 1, .timeout = 600ms};
    void execute(const item& row, const bulk::no_metadata&, bulk::context& ctx) {
        enter(row, ctx).done = 0;
    }
    std::string signal_key(const item& row, const bulk::no_metadata&) { return key_of(row.number); }
};

struct asking : bulk::operation<asking, item> {
    BULK_OPERATION("asking", .track_row_data = true, .retryable = true)
    bulk::result<> validate(const item& row, const bulk::no_metadata&) {
        if (row.kind == "invalid") return bulk::fail("invalid");
        if (row.kind == "throwing") throw std::runtime_error{"thrown"};
        return {};
    }
    auto steps() { return bulk::steps(asked{}); }
    BULK_STEP(then, "Then", .order = 2, .max_retries = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) { return do_step(row, ctx); }
    BULK_STEP(last, "Last", .order = 3)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx) { enter(row, ctx).done = 2; }
};

constexpr int last_step = 2;

#ifdef BULK_SIMULATE_ON_SQLITE
/// A database file of the seed's own, which every process opens anew.
class backend {
public:
    void open() {
        close();
        storage_ = bulk::sqlite::storage::open(directory_.path("bulk.db")).value();
    }
    void close() { storage_.reset(); }
    bulk::sqlite::storage& operator*() { return *storage_; }
    bulk::sqlite::storage* operator->() { return &*storage_; }

private:
    support::temporary_directory directory_;
    std::optional<bulk::sqlite::storage> storage_;
};
#else
class backend {
public:
    void open() {}
    void close() {}
    bulk::memory::storage& operator*() { return storage_; }
    bulk::memory::storage* operator->() { return &storage_; }

private:
    bulk::memory::storage storage_;
};
#endif

using storage = support::faulty_storage<std::remove_cvref_t<decltype(*std::declval<backend&>())>>;
using bulk::service;

/// An operation of the seed, and the signals that were sent to it.
struct played {
    bulk::operation_id id{};
    std::string name;
    std::vector<std::string> kinds;  ///< of its rows
    bool may_cancel = false;
    int retries = 0;
    bool was_retried = false;
    struct sent {
        std::string key;
        std::optional<bulk::row_number> row;  ///< that it was given to
        std::optional<bulk::step_index> step;
        bool is_failure = false;
        bool is_for_row = false;  ///< and no other
        bulk::timestamp at;
    };
    std::vector<sent> signals;
};

class simulation {
public:
    explicit simulation(std::uint64_t seed) : random_{seed} {
        world_.seed = seed;
        now_in = &world_;
    }

    /// What is wrong with this seed; empty if nothing is.
    std::string run() {
        options_.flush_batch_size = 1 + static_cast<int>(roll(20));
        options_.max_row_concurrency = 1 + static_cast<int>(roll(4));
        options_.worker_count = 1 + static_cast<int>(roll(3));
        options_.lease_time = 10s;
        fault_rate_ = roll(3) == 0 ? 0 : roll(60);
        begin_life();
        const auto count = 1 + (roll(4) == 0 ? roll(3) : 0);
        for (std::uint64_t i = 0; i < count; ++i)
            if (!create()) return "it cannot be created";
        const std::uint64_t crashes = roll(4);
        const std::uint64_t chattiness = 1 + roll(12);
        std::uint64_t crashed = 0;
        for (int steps = 0;; ++steps) {
            if (steps > 60'000) return "it never ends\n" + dump();
            if (std::ranges::all_of(played_, [&](played& each) { return is_over(each); })) break;
            if (crashed < crashes && roll(60) == 0) {
                ++crashed;
                end_life();
                if (roll(3) == 0) signal();  // by another process, while this one is not there
                begin_life();
                continue;
            }
            if (roll(chattiness * 4) == 0) signal();
            played& one = played_[roll(played_.size())];
            if (one.may_cancel && roll(200) == 0) (void)service_->cancel(one.id);
            if (roll(150) == 0) (void)service_->pause(one.id);
            if (const auto record = stored_->get(one.id); record && record->paused && roll(10) == 0)
                (void)service_->resume(one.id);
            if (!jobs_->step()) jobs_->advance(1s);
        }
        for (const auto& each : played_) check(each);
        end_life();
        std::string all;
        for (const auto& each : world_.wrong) all += each + '\n';
        return all.empty() ? all : all + dump();
    }

    [[nodiscard]] const std::string& trace() const { return world_.trace; }

private:
    std::uint64_t roll(std::uint64_t sides) { return random_() % sides; }

    std::string make_file(played& one) {
        std::string file = "number,kind\n";
        const auto rows = roll(5) == 0 ? roll(3) : roll(60);
        for (std::uint64_t row = 1; row <= rows; ++row) {
            const auto dice = roll(20);
            const char* kind = dice == 0 ? "invalid" : dice == 1 ? "throwing" : "good";
            one.kinds.emplace_back(kind);
            if (dice == 2) {
                one.kinds.back() = "unreadable";
                file += "x,good\n";
            } else {
                file += std::to_string(row) + ',' + kind + '\n';
            }
        }
        return file;
    }

    bool create() {
        played one;
        one.name = roll(3) == 0 ? "asking" : "everything";
        one.may_cancel = roll(6) == 0;
        const auto file = make_file(one);
        for (int tries = 0; tries < 100; ++tries)
            if (const auto id =
                    service_->create(one.name, bulk::upload{"x.csv", bulk::bytes_of_text(file)})) {
                one.id = *id;
                played_.push_back(std::move(one));
                return true;
            }
        return false;
    }

    void begin_life() {
        ++world_.life;
        for (auto& [row, standing] : world_.rows) standing.is_over = false;
        const auto time = jobs_ ? jobs_->now() - bulk::timestamp{} : 0us;
        jobs_ = std::make_unique<support::seeded_executor>(random_());
        jobs_->advance(time - (jobs_->now() - bulk::timestamp{}) + 15s);  // past the lease
        stored_.open();
        service_.emplace(
            bulk::operations<everything, asking>,
            storage{*stored_, [this](const char*) { return roll(1000) < fault_rate_; }}, options_,
            bulk::read_options{}, jobs_.get());
    }

    /// The process dies: nothing volatile is left.
    void end_life() {
        const auto rate = std::exchange(fault_rate_, 1000);  // nothing reaches the storage any more
        service_.reset();
        jobs_->drop_all();
        fault_rate_ = rate;
    }

    /// Somebody says something to a row that waits, or may wait later.
    void signal() {
        played& to = played_[roll(played_.size())];
        const char step = to.name == "asking" ? "aao"[roll(3)] : "ooc"[roll(3)];
        bulk::signal sent{
            .operation = to.id, .key = key_of(roll(keys), step), .sent_at = jobs_->now()};
        if (roll(5) == 0) sent.failure = "said no";
        if (roll(4) == 0 && !to.kinds.empty()) {
            sent.row = bulk::row_number{1 + roll(to.kinds.size())};
            sent.key = key_of(to_number(*sent.row), step);
        }
        const bool is_second = sent.row && has_gone_on(to, to_number(*sent.row), sent.key);
        bulk::result<bulk::signal_receipt> receipt;
        if (!service_) {
            receipt = stored_->send(sent, sent.sent_at + 24h);
        } else if (sent.row) {
            const auto full = bulk::full_signal_key(to.id, sent.key, *sent.row);
            receipt =
                sent.failure ? service_->fail_signal(full, *sent.failure) : service_->signal(full);
        } else {
            receipt = sent.failure ? service_->fail_signal(to.id, sent.key, *sent.failure)
                                   : service_->signal(to.id, sent.key);
        }
        if (!receipt) return;
        if (is_second)
            wrong("row " + std::to_string(to_number(*sent.row)) + " took a second signal");
        to.signals.push_back({sent.key, receipt->row, receipt->step, sent.failure.has_value(),
                              sent.row.has_value(), sent.sent_at});
    }

    /// Whether a row was signalled, and waits for that no more.
    bool has_gone_on(const played& one, std::uint64_t row, const std::string& key) {
        bool has = false;
        for (int step = 0; step <= last_step; ++step)
            if (const auto found = record(one, row, step); found && found->signal_key == key)
                has = found->state == bulk::row_state::completed;
        return has;
    }

    /// Whether an operation has come to its end, and is not tried once more.
    bool is_over(played& one) {
        const auto record = stored_->get(one.id).value();
        if (!is_final(record.state)) return false;
        if (one.retries < 2 && roll(2) == 0) {
            check(one);
            ++one.retries;
            if (const auto answer = service_->retry(one.id);
                answer && answer->submitted + answer->resumed > 0) {
                ++world_.life;
                one.signals.clear();  // what they say of the waits before says nothing any more
                one.was_retried = true;
                for (auto& [row, standing] : world_.rows) standing.is_over = false;
                return false;
            }
        } else {
            one.retries = 2;
        }
        return is_final(stored_->get(one.id).value().state);
    }

    void wrong(std::string what) { world_.wrong.push_back(std::move(what)); }

    /// P1: every row in exactly one place, and the counters say so.
    void check(const played& one) {
        const auto operation = stored_->get(one.id).value();
        bulk::row_counters counted{.total = one.kinds.size()};
        for (std::uint64_t row = 1; row <= one.kinds.size(); ++row)
            check_row(one, operation, row, counted);
        if (operation.state == bulk::operation_state::cancelled)
            counted.total = operation.rows.total;
        if (operation.rows != counted)
            wrong("counters say " + show(operation.rows) + ", records " + show(counted));
        if (operation.state == bulk::operation_state::failed)
            wrong("it failed: " + operation.error_message);
        for (const auto& each : support::operation_story_problems(*stored_, operation)) wrong(each);
        if (operation.state != bulk::operation_state::cancelled) check_signals(one);
    }

    std::optional<bulk::row_record> record(const played& one, std::uint64_t row, int step) {
        return stored_->get(one.id, bulk::row_number{row}, static_cast<bulk::step_index>(step))
            .value();
    }

    void check_row(const played& one, const bulk::operation_record& operation, std::uint64_t row,
                   bulk::row_counters& counted) {
        const auto name = "row " + std::to_string(row);
        bool is_failed = false, is_done = false, is_open = false;
        int records = 0;
        for (int step = -1; step <= last_step; ++step) {
            const auto found = record(one, row, step);
            if (!found) {
                for (int later = step + 1; later <= last_step; ++later)
                    if (record(one, row, later))
                        wrong(name + " has a gap before step " + std::to_string(later));
                break;
            }
            ++records;
            if (is_failed || is_open) wrong(name + " goes on after its end");
            is_failed = found->state == bulk::row_state::failed ||
                        found->state == bulk::row_state::timed_out;
            is_open = !is_failed && found->state != bulk::row_state::completed;
            is_done = step == last_step && found->state == bulk::row_state::completed;
        }
        const bool is_bad = one.kinds[row - 1] != "good";
        if (is_bad && records > 0 && !(is_failed && records == 1))
            wrong(name + " should have been refused");
        if (is_failed || is_done) count_row(counted, is_done);
        const bool ran_to_its_end = operation.state == bulk::operation_state::completed ||
                                    operation.state == bulk::operation_state::completed_with_errors;
        if (ran_to_its_end && !is_failed && !is_done) wrong(name + " is in no final state");
    }

    /// Each signal was used by one row at most, and none was there while a row gave up for want of it.
    void check_signals(const played& one) {
        std::map<std::pair<bulk::row_number, bulk::step_index>, int> given;
        for (const auto& each : one.signals) {
            if (!each.row) continue;
            // A coroutine that fails and is tried again may wait a second time.
            const bool is_coroutine = one.name == "everything" && to_number(*each.step) == 2;
            if (++given[{*each.row, *each.step}] > (is_coroutine ? 3 : 1))
                wrong("row " + std::to_string(to_number(*each.row)) + " was given two signals");
            const auto found = record(one, to_number(*each.row), to_number(*each.step));
            if (!found) {
                wrong("a signal is lost with its record");
            } else if (!is_coroutine) {
                const auto expected =
                    each.is_failure ? bulk::row_state::failed : bulk::row_state::completed;
                if (found->state != expected)
                    wrong("row " + std::to_string(to_number(*each.row)) + " was told " +
                          (each.is_failure ? "no" : "yes") + " and is " +
                          std::string{bulk::name_of(found->state)});
            }
        }
        if (one.was_retried) return;
        std::map<std::string, std::uint64_t> used;
        for (std::uint64_t row = 1; row <= one.kinds.size(); ++row)
            if (one.name == "asking")
                if (const auto found = record(one, row, 0);
                    found && (found->state == bulk::row_state::completed ||
                              found->failure == bulk::error_type::signal_failure))
                    ++used[key_of(row)];
        if (one.name != "asking") return;
        for (std::uint64_t key = 0; key < keys; ++key) {
            const auto name = key_of(key);
            const auto sent = static_cast<std::uint64_t>(
                std::ranges::count(one.signals, name, &played::sent::key));
            if (used[name] > sent) wrong("more rows were told than signals sent for " + name);
            for (std::uint64_t row = 1; row <= one.kinds.size(); ++row) {
                const auto found = record(one, row, 0);
                if (key_of(row) != name || !found || found->state != bulk::row_state::timed_out)
                    continue;
                const auto there = static_cast<std::uint64_t>(
                    std::ranges::count_if(one.signals, [&](const played::sent& each) {
                        return each.key == name && !each.is_for_row && each.at < *found->started_at;
                    }));
                if (there > used[name])
                    wrong("row " + std::to_string(row) + " gave up while there was a signal");
            }
        }
    }

    static std::string show(const bulk::row_counters& rows) {
        return std::to_string(rows.total) + '/' + std::to_string(rows.processed) + '/' +
               std::to_string(rows.successful) + '/' + std::to_string(rows.failed);
    }

    std::string dump() {
        std::string all;
        for (const auto& one : played_) {
            const auto operation = stored_->get(one.id).value();
            all += one.name + ' ' + std::string{bulk::name_of(operation.state)} + ' ' +
                   show(operation.rows) + (operation.paused ? " paused" : "") +
                   (operation.cancel_requested ? " to cancel" : "") + " retried " +
                   std::to_string(operation.retry_count) + " signals " +
                   std::to_string(one.signals.size()) + '\n';
        }
        return all + "concurrency " + std::to_string(options_.max_row_concurrency) + " batch " +
               std::to_string(options_.flush_batch_size) + " faults " +
               std::to_string(fault_rate_) + " lives " + std::to_string(world_.life) + "\n" +
               world_.trace.substr(0, 2000) + '\n';
    }

    std::mt19937_64 random_;
    world world_;
    std::vector<played> played_;
    bulk::service_options options_;
    std::uint64_t fault_rate_ = 0;  ///< calls in a thousand
    backend stored_;
    std::unique_ptr<support::seeded_executor> jobs_;
    std::optional<service> service_;
};

}  // namespace

int main(int argc, char** argv) {
    return support::simulate_seeds<simulation>(
        {argc, argv, 10'000}, [](const simulation&, const std::string& problem) { return problem; },
        [](const simulation&) {});
}
