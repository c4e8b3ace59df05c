// The work of the processes that are killed: files whose rows go wrong in every way there is, from a
// seed, through a pipeline with every kind of step. What must become of each row is known beforehand.
#pragma once

#include <bulk/bulk.hpp>

#include <support/effects.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crash {

using namespace std::chrono_literals;

struct item {
    std::uint64_t number = 0;
    std::string_view kind;
};
BULK_ROW(item, number, kind);

struct batch {
    int index = 0;
};
BULK_METADATA(batch, index);

/// Where this process is, and which one of those that follow each other.
struct world {
    std::string directory;
    int life = 0;
    support::effects_file effects;
};
inline world* now_in = nullptr;

/// Written before an operation is retried; its rows look whether it is there.
inline std::string retry_note(const std::string& directory, int index) {
    return directory + "/note-retried-" + std::to_string(index);
}
inline int run_of(const batch& of) {
    return std::filesystem::exists(retry_note(now_in->directory, of.index)) ? 2 : 1;
}

inline support::effect note(bulk::context& ctx, const batch& of) {
    auto done = support::effect_of(ctx, run_of(of), now_in->life);
    if (!now_in->effects.note(done)) throw std::runtime_error{"the effects cannot be written"};
    return done;
}

struct polled_step {
    static constexpr bulk::step_options options{
        .name = "Poll", .order = 3, .poll_interval = 1ms, .timeout = 1h};
    void execute(const item&, const batch& of, bulk::context& ctx) { note(ctx, of); }
    bulk::result<bool> is_complete(const item&, const batch&, bulk::context&) {
        thread_local std::minstd_rand random;
        return random() % 3 == 0;
    }
};

/// One for each run, so that what was meant for the first is not taken for the second's.
inline std::string key_of(std::uint64_t row, int run) {
    return "ask-" + std::to_string(row) + '-' + std::to_string(run);
}

struct asking_step {
    static constexpr bulk::step_options options{.name = "Ask", .order = 4, .timeout = 1h};
    void execute(const item&, const batch& of, bulk::context& ctx) { note(ctx, of); }
    std::string signal_key(const item& row, const batch& of) const {
        return key_of(row.number, run_of(of));
    }
};

struct transfer : bulk::operation<transfer, item, batch> {
    BULK_OPERATION("transfer", .retryable = true)

    bulk::result<> validate(const item& row, const batch& of) {
        const support::effect done{
            std::to_string(of.index), row.number, -1, 1, 1, now_in->life};  // its id is not known
        if (!now_in->effects.note(done)) throw std::runtime_error{"the effects cannot be written"};
        if (row.kind == "invalid") return bulk::fail("invalid");
        if (row.kind == "throwing") throw std::runtime_error{"thrown"};
        return {};
    }
    auto steps() { return bulk::steps(polled_step{}, asking_step{}); }

    BULK_STEP(send, "Send", .order = 1, .max_retries = 2, .backoff = {.base = 2ms, .cap = 4ms})
    (const item& row, const batch& of, bulk::context& ctx)->bulk::result<> {
        note(ctx, of);
        if (row.kind == "hopeless" || (row.kind == "flaky" && ctx.attempt() == 1))
            return bulk::fail("it cannot be sent");
        return {};
    }
    BULK_STEP(pay, "Pay", .order = 2)
    (const item& row, const batch& of, bulk::context& ctx)->bulk::result<> {
        const auto done = note(ctx, of);
        if (auto entered = support::enter_in_ledger(ctx, done); !entered) return entered;
        if (row.kind == "unpaid" && done.run == 1) return bulk::fail("there is no money");
        return {};
    }
    BULK_STEP(close, "Close", .order = 5)
    (const item&, const batch& of, bulk::context& ctx)->bulk::result<> {
        return support::enter_in_ledger(ctx, note(ctx, of));
    }
};
constexpr int validation = -1, send_step = 0, pay_step = 1, ask_step = 3, close_step = 4;
constexpr std::uint32_t most_attempts = 3;

/// Of the rows of one file.
inline std::vector<std::string> kinds_of(std::uint64_t seed, int index) {
    std::mt19937_64 random{seed * 7919 + static_cast<std::uint64_t>(index)};
    std::vector<std::string> kinds(10 + random() % 30);
    for (auto& each : kinds) {
        constexpr const char* bad[] = {"invalid",  "throwing", "unreadable", "flaky",
                                       "hopeless", "unpaid",   "refused"};
        const auto dice = random() % 20;
        each = dice < std::size(bad) ? bad[dice] : "good";
    }
    return kinds;
}

inline std::string file_of(const std::vector<std::string>& kinds) {
    std::string text = "number,kind\n";
    for (std::size_t i = 0; i < kinds.size(); ++i)
        text += (kinds[i] == "unreadable" ? "x" : std::to_string(i + 1)) + ',' + kinds[i] + '\n';
    return text;
}

/// At which step a row of that kind fails in the end; past the last one when it does not.
inline int end_of(const std::string& kind, bool was_retried) {
    if (kind == "invalid" || kind == "throwing" || kind == "unreadable") return validation;
    if (kind == "hopeless") return send_step;
    if (kind == "unpaid" && !was_retried) return pay_step;
    if (kind == "refused" && !was_retried) return ask_step;
    return close_step + 1;
}

/// One that goes well and takes long, for the time that a takeover takes.
struct strides : bulk::operation<strides, item, batch> {
    BULK_OPERATION("strides")
    bulk::result<> process(const item&, const batch& of, bulk::context& ctx) {
        note(ctx, of);
        return {};
    }
};

/// Few rows at once in every respect, so that a kill finds as many places as there are.
inline bulk::service_options options() {
    return {.flush_batch_size = 4,
            .flush_interval = 5ms,
            .max_row_concurrency = 3,
            .max_retry_attempts = 0,
            .max_crashes = 0,  // the rows are not to blame for these
            .worker_count = 2,
            .lease_time = 30s};
}
/// A batch, and what the tasks have in hand.
inline std::size_t most_rows_redone() {
    return static_cast<std::size_t>(options().flush_batch_size + options().max_row_concurrency);
}

}  // namespace crash
