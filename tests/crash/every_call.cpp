// At every call to the storage in turn something goes wrong: it fails once, it fails for a while, the
// process is killed before it, the process is killed after it. Whatever was going on then, the work is
// done in the end, and everything is as if nothing had happened.

#include <support/crash_audit.hpp>
#include <support/effects.hpp>
#include <support/faulty_storage.hpp>
#include <support/sqlite_backend.hpp>
#include <support/stage.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_id, bulk::operation_state, bulk::row_number, bulk::row_state;
using support::crash_audit;

namespace {

/// What is going on when something goes wrong.
enum class scene { validation, running, parking, signals, retry, cancel, pause };

struct item {
    std::uint64_t number = 0;
    std::string name;
};
BULK_ROW(item, number, (name, .row_id = true, .unique = true));

constexpr std::uint64_t row_count = 5;

std::string file_of(scene played) {
    std::string text = "number,name\n";
    for (std::uint64_t row = 1; row <= row_count; ++row)
        text += std::to_string(row) + ",row " + std::to_string(row) + '\n';
    if (played == scene::validation) text += "x,unreadable\n7,invalid\n8,row 1\n";
    return text;
}
std::uint64_t rows_of(scene played) { return played == scene::validation ? 8 : row_count; }

/// This process, and what its steps have been asked.
struct process {
    scene played;
    std::string directory;
    int life = 1;
    support::effects_file effects{crash_audit::effects_in(directory)};
    std::map<std::pair<std::uint64_t, int>, int> asked{};

    [[nodiscard]] std::string note(const std::string& of) const {
        return directory + "/note-" + of;
    }
    [[nodiscard]] bool is_noted(const std::string& what) const {
        return std::filesystem::exists(note(what));
    }
    void write_note(const std::string& what) const { std::ofstream{note(what)}; }
};
process* now_in = nullptr;

support::effect execute(bulk::context& ctx) {
    auto done = support::effect_of(ctx, now_in->is_noted("retried") ? 2 : 1, now_in->life);
    (void)now_in->effects.note(done);
    return done;
}
bool is_playing(scene one) { return now_in->played == one; }
/// Whether a step of a row has been asked so often, in this process.
bool is_asked(const item& row, int step, int times) {
    return ++now_in->asked[{row.number, step}] >= times;
}
std::string key_of(std::uint64_t row) { return "key-" + std::to_string(row); }

struct polled_step {
    static constexpr bulk::step_options options{
        .name = "Poll", .order = 3, .poll_interval = 2s, .timeout = 10h};
    void execute(const item&, const bulk::no_metadata&, bulk::context& ctx) { ::execute(ctx); }
    bulk::result<bool> is_complete(const item& row, const bulk::no_metadata&, bulk::context&) {
        return !is_playing(scene::parking) || row.number == 1 || is_asked(row, 2, 3);
    }
};

struct work : bulk::operation<work, item> {
    BULK_OPERATION("work", .retryable = true)
    bulk::result<> validate(const item& row, const bulk::no_metadata&) {
        if (row.name == "invalid") return bulk::fail("invalid");
        return {};
    }
    auto steps() { return bulk::steps(polled_step{}); }

    BULK_STEP(send, "Send", .order = 1, .max_retries = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx)->bulk::result<> {
        execute(ctx);
        if (!is_playing(scene::running)) return {};
        if (row.number == 2 && ctx.attempt() == 1) return bulk::fail("not yet");
        if (row.number == 3) return bulk::fail("never");
        return {};
    }
    BULK_STEP(pay, "Pay", .order = 2)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx)->bulk::result<> {
        const auto done = execute(ctx);
        if (auto entered = support::enter_in_ledger(ctx, done); !entered) return entered;
        if (is_playing(scene::retry) && row.number % 2 == 0 && done.run == 1)
            return bulk::fail("there is no money");
        return {};
    }
    BULK_STEP(wait, "Wait", .order = 4)
    (const item& row, const bulk::no_metadata&, bulk::context& ctx)->bulk::outcome {
        execute(ctx);
        const auto wait = [&] { return bulk::outcome::wait_for_signal(key_of(row.number), 10h); };
        switch (now_in->played) {
            case scene::parking:
                if (row.number == 3 && !is_asked(row, 3, 3)) return bulk::outcome::poll(3s, 10h);
                return bulk::outcome::done();
            case scene::signals:
                return wait();
            case scene::cancel:
                return row.number > 2 ? wait() : bulk::outcome::done();
            case scene::pause:
                return row.number == 2 ? wait() : bulk::outcome::done();
            default:
                return bulk::outcome::done();
        }
    }
    BULK_STEP(close, "Close", .order = 5)
    (const item&, const bulk::no_metadata&, bulk::context& ctx)->bulk::result<> {
        return support::enter_in_ledger(ctx, execute(ctx));
    }
};
constexpr int wait_step = 3, last_step = 4;

using storage = support::faulty_transactional_storage<support::sqlite_backend>;
using stage = support::stage<bulk::operation_list<work>, storage>;

const bulk::service_options options{
    .flush_batch_size = 2, .max_row_concurrency = 2, .unused_upload_age = 1s};

/// What goes wrong, at which call.
struct trouble {
    enum kind { none, once, a_while, longer_than_the_lease, kill_before, kill_after } what = none;
    int at = 0;
};

/// A process on the database: its storage, with the trouble, and whoever uses the service.
class actor {
public:
    actor(const std::string& directory, scene played, int life, trouble in)
        : here_{.played = played, .directory = directory, .life = life},
          in_{in},
          real_{support::sqlite_backend::open(crash_audit::database_in(directory)).value()} {
        now_in = &here_;
    }
    actor(const actor&) = delete;
    actor& operator=(const actor&) = delete;
    ~actor() { now_in = nullptr; }

    /// What is wrong; empty when it came to its end.
    std::string play() {
        stage on{options, storage{real_, [this](const char* name) { return fails(name); },
                                  [this](const char*) { is_made(); }}};
        jobs_ = &on.jobs;
        on.jobs.advance(1h * here_.life);
        bool has_ended = false;
        for (int most = 100'000; most > 0 && !has_ended; --most) {
            has_ended = act(*on.service);
            if (!on.jobs.step()) on.jobs.advance(1s);
        }
        if (has_ended) on.drive_for(1min);  // there may be something left to do
        jobs_ = nullptr;
        return has_ended ? "" : "it did not come to an end\n" + on.log;
    }

    [[nodiscard]] bool is_reached() const { return calls_ >= in_.at; }
    [[nodiscard]] int calls() const { return calls_; }
    [[nodiscard]] const std::string& where() const { return where_; }

private:
    // --- trouble ---------------------------------------------------------------------------------

    bool fails(const char* name) {
        if (jobs_ == nullptr) return false;
        if (++calls_ == in_.at) {
            where_ = name;
            until_ = jobs_->now() + (in_.what == trouble::a_while ? 5s : 45s);
        }
        switch (in_.what) {
            case trouble::once:
                return calls_ == in_.at;
            case trouble::a_while:
            case trouble::longer_than_the_lease:
                return calls_ >= in_.at && jobs_->now() < until_;
            case trouble::kill_before:
                if (calls_ == in_.at) ::kill(::getpid(), SIGKILL);
                return false;
            default:
                return false;
        }
    }
    void is_made() const {
        if (in_.what == trouble::kill_after && calls_ == in_.at) ::kill(::getpid(), SIGKILL);
    }

    // --- what a user does ------------------------------------------------------------------------

    using service = bulk::service;

    /// The next thing to do, as the store looks now: whoever is killed has forgotten everything. What
    /// fails is done again the next time. True when nothing is left.
    bool act(service& on) {
        if (!id_) {
            const auto id = on.create("work", support::text(file_of(here_.played)),
                                      {.idempotency_key = "once"});
            if (id) id_ = *id;
            return false;
        }
        const auto now = real_.get(*id_).value();
        const bool has_ended = is_final(now.state);
        switch (here_.played) {
            case scene::signals:
                if (!has_ended) send_signals(on);
                return has_ended;
            case scene::retry:
                if (!has_ended) return false;
                if (now.retry_count > 0) return true;
                here_.write_note("retried");
                (void)on.retry(*id_);
                return false;
            case scene::cancel:
                if (!has_ended && !now.cancel_requested && now.rows.successful == 2 &&
                    is_waiting(3))
                    (void)on.cancel(*id_);
                return has_ended;
            case scene::pause:
                if (!has_ended) pause_and_resume(on, now);
                return has_ended;
            default:
                return has_ended;
        }
    }

    [[nodiscard]] bool is_waiting(std::uint64_t row) {
        const auto found =
            real_.get(*id_, row_number{row}, static_cast<bulk::step_index>(wait_step)).value();
        return found && found->state == row_state::waiting_for_completion;
    }

    /// To two rows before they wait, to one by its key alone, and to one that it has failed.
    void send_signals(service& on) {
        for (std::uint64_t row = 1; row <= row_count; ++row) {
            if (sent_.contains(row) || (row > 2 && !is_waiting(row))) continue;
            const auto key = bulk::full_signal_key(*id_, key_of(row), row_number{row});
            const auto receipt = row == 2   ? on.signal(*id_, key_of(row))
                                 : row == 4 ? on.fail_signal(key, "no")
                                            : on.signal(key);
            // Refused: somebody was here before us.
            if (receipt || receipt.error().code == bulk::errc::illegal_transition)
                sent_.insert(row);
        }
    }

    void pause_and_resume(service& on, const bulk::operation_record& now) {
        if (!here_.is_noted("paused")) {
            if (now.paused) {
                here_.write_note("paused");
                resume_at_ = jobs_->now() + 2s;
            } else if (is_waiting(2)) {
                (void)on.pause(*id_);
            }
        } else if (!here_.is_noted("resumed")) {
            if (!now.paused)
                here_.write_note("resumed");
            else if (jobs_->now() >= resume_at_)
                (void)on.resume(*id_);
        } else if (is_waiting(2) && !sent_.contains(2)) {
            if (on.signal(*id_, key_of(2))) sent_.insert(2);
        }
    }

    process here_;
    trouble in_;
    support::sqlite_backend real_;
    support::seeded_executor* jobs_ = nullptr;
    int calls_ = 0;
    std::string where_;
    bulk::timestamp until_{};
    bulk::timestamp resume_at_{};
    std::optional<operation_id> id_;
    std::set<std::uint64_t> sent_;
};

/// The last process of all, which finds nothing to do but to tidy up.
void tidy_up(const std::string& directory) {
    stage on{options,
             storage{support::sqlite_backend::open(crash_audit::database_in(directory)).value(),
                     [](const char*) { return false; }}};
    on.jobs.advance(100h);
    on.crash();
    on.start(options);
    on.drive_for(1s);
}

/// How the rows stand.
using standings = std::vector<std::pair<int, row_state>>;

std::string audit(const std::string& directory, scene played, standings& found) {
    tidy_up(directory);
    crash_audit looking{directory, last_step, {1, last_step}};
    const auto all = looking.operations();
    if (all.size() != 1) return std::to_string(all.size()) + " operations\n";
    for (const auto& each : looking.check(all.front(), rows_of(played)))
        found.emplace_back(each.last, each.state);
    if (played == scene::cancel) {
        if (all.front().state != operation_state::cancelled) looking.wrong("it was not cancelled");
        found.resize(2);  // which of the others were begun is a matter of luck
    }
    looking.check_files();
    return looking.problems();
}

/// One time through, with trouble at one call.
class attempt {
public:
    attempt(scene played, trouble in) : played_{played}, in_{in} {}

    /// False when that call was not reached.
    bool run() {
        const bool is_deadly = in_.what == trouble::kill_before || in_.what == trouble::kill_after;
        if (!(is_deadly ? survives_kill() : survives_errors())) return false;
        if (problems.empty()) problems = audit(directory_.path(), played_, found);
        return true;
    }

    standings found;
    std::string problems;
    std::string where;

private:
    bool survives_errors() {
        actor only{directory_.path(), played_, 1, in_};
        problems = only.play();
        where = only.where();
        return only.is_reached();
    }

    bool survives_kill() {
        const pid_t child = ::fork();
        if (child == 0) {
            const bool is_over = actor{directory_.path(), played_, 1, in_}.play().empty();
            ::_exit(is_over ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFEXITED(status)) {
            if (WEXITSTATUS(status) != 0) problems = "the first process did not end\n";
            return !problems.empty();
        }
        actor next{directory_.path(), played_, 2, {}};
        problems = next.play();
        return true;
    }

    scene played_;
    trouble in_;
    support::temporary_directory directory_;
};

/// At every call in turn, until one is not reached.
void check_all_calls(scene played) {
    support::prefer_memory();
    attempt calm{played, {}};
    expect(calm.run());
    expect(calm.problems.empty()) << calm.problems;
    constexpr std::pair<trouble::kind, std::string_view> kinds[] = {
        {trouble::once, "fails once"},
        {trouble::a_while, "fails for a while"},
        {trouble::longer_than_the_lease, "fails for longer than the lease"},
        {trouble::kill_before, "is killed before it"},
        {trouble::kill_after, "is killed after it"}};
    int wrong = 0;
    for (const auto& [what, name] : kinds) {
        for (int at = 1; wrong < 5; ++at) {
            attempt now{played, {what, at}};
            if (!now.run()) {
                expect(at > 20_i) << "there are more calls than that";
                break;
            }
            if (now.problems.empty() && now.found != calm.found)
                now.problems = "the rows do not stand as they should\n";
            wrong += !now.problems.empty();
            expect(now.problems.empty()) << "call" << at << now.where << name << ":\n"
                                         << now.problems;
        }
    }
}

suite<"every call"> every_call = [] {
    "in the validation"_test = [] { check_all_calls(scene::validation); };
    "while rows run"_test = [] { check_all_calls(scene::running); };
    "while rows are parked"_test = [] { check_all_calls(scene::parking); };
    "around signals"_test = [] { check_all_calls(scene::signals); };
    "around the retry of an operation"_test = [] { check_all_calls(scene::retry); };
    "around a cancel"_test = [] { check_all_calls(scene::cancel); };
    "around a pause"_test = [] { check_all_calls(scene::pause); };
};

}  // namespace

int main() {}
