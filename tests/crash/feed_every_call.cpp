// At every call to the storage that is made for a feed, in turn, something goes wrong: it fails once, its
// answer is lost, all of them fail for a while, the process ends before it, the process ends after it.
// Whatever was going on then, the runs come to their ends, and the set is the source.

#include <bulk/storage/memory/records.hpp>

#include <support/feed_crash_stage.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::run_state, bulk::run_type;

namespace {

/// What goes wrong, at which call.
struct trouble {
    enum kind { none, once, answer, a_while, longer_than_the_lease, death_before, death_after };
    kind what = none;
    int at = 0;
};

/// What is going on when something goes wrong.
enum class scene { runs, failures, bad_items, force, cancel };

/// Of a run that has completed; how often anything was tried does not matter.
using figures = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                           std::uint32_t, std::uint32_t>;

/// Whoever has the service do something, and knows only what the storage says.
template <typename Stage>
class user {
public:
    user(Stage& on, scene played) : on_{on}, played_{played} {
        on_.fill(60);
        if (played == scene::failures || played == scene::force) refuse();
        if (played == scene::bad_items) spoil();
    }

    /// The next thing to do, as the storage looks now. What fails is done again the next time. True
    /// when nothing is left.
    bool act() {
        const auto newest = on_.storage.real_feeds().runs({.feed = "articles", .page_size = 1});
        const auto& all = newest.value().items;
        if (all.empty() || all.front().id == last_) return start();
        const auto& run = all.front();
        if (run.completed_at) return next(run);
        switch (played_) {
            case scene::failures:
                if (state_of(run) == run_state::consolidation_skipped) {
                    on_.world.on_fetch = {};
                    (void)on_.service->retry_partitions(run.id);
                }
                return false;
            case scene::bad_items:
                if (state_of(run) == run_state::failed) {
                    on_.world.on_map = {};
                    (void)on_.service->resume_consolidation(run.id);
                }
                return false;
            case scene::force:
                if (state_of(run) == run_state::consolidation_skipped)
                    (void)on_.service->consolidate(run.id, true);
                return false;
            case scene::cancel:
                if (run.cancelled_at) return next(run);
                // The first while it is fetched, the second while it is consolidated.
                if ((ends_ == 0 && run.records > 0) || (ends_ == 1 && run.consolidated > 10))
                    (void)on_.service->cancel(run.id, "enough");
                return false;
            default:
                return false;
        }
    }

private:
    [[nodiscard]] run_state state_of(const bulk::feed_run& run) const {
        return on_.service->state_of(run);
    }

    bool start() {
        if (is_mark_wanted_) {
            const auto mark = on_.storage.real_feeds().watermark_of("articles").value().value;
            if (mark != wanted_mark_) {
                (void)on_.service->set_watermark("articles", wanted_mark_, "me");
                return false;
            }
            is_mark_wanted_ = false;
        }
        (void)on_.service->start("articles", {.type = type_});
        return false;
    }

    /// A run has ended: what the next one is to do. True when there is none.
    bool next(const bulk::feed_run& run) {
        last_ = run.id;
        ++ends_;
        switch (played_) {
            case scene::runs:
                return ends_ == 4 || change(run);
            case scene::force:
                on_.world.on_fetch = {};
                type_ = run_type::full;
                return ends_ == 2;
            case scene::cancel:
                type_ = run_type::full;
                return ends_ == 3;
            default:
                return true;
        }
    }

    bool change(const bulk::feed_run& run) {
        on_.jobs.advance(1h);
        on_.put("a10007", 5, 70 + ends_);
        if (ends_ == 1) {
            for (int i = 0; i < 25; ++i) on_.put("b" + std::to_string(i), i * 40);
            type_ = run_type::incremental;
        } else if (ends_ == 2) {
            for (int i = 0; i < 5; ++i) on_.remove("b" + std::to_string(i));
            type_ = run_type::full;
        } else {  // a person wants some of it once more
            on_.put("b1", 1, 9);
            type_ = run_type::incremental;
            is_mark_wanted_ = true;
            wanted_mark_ = run.window.to - 30min;
        }
        return false;
    }

    /// One page comes at the second try; one never, as long as that lasts.
    void refuse() {
        on_.world.on_fetch = [this](std::uint32_t part, std::uint64_t offset) -> bulk::result<> {
            if (part == 0 && offset == 10 && on_.world.asked[{part, offset}] == 1)
                return bulk::fail_with_status(503, "busy");
            if (part == 1 && offset == 10) return bulk::fail_with_status(403, "forbidden");
            return {};
        };
    }
    void spoil() {
        on_.world.on_map = [](const support::article& raw) -> bulk::result<> {
            if (raw.id == "a10003" || raw.id == "a10045") return bulk::fail("spoilt");
            return {};
        };
    }

    Stage& on_;
    scene played_;
    std::optional<run_type> type_;
    std::optional<bulk::run_id> last_;
    bool is_mark_wanted_ = false;
    std::optional<bulk::timestamp> wanted_mark_;
    unsigned ends_ = 0;
};

/// One time through, with trouble at one call.
template <typename Storage>
class attempt {
public:
    attempt(scene played, trouble in, Storage storage)
        : played_{played}, in_{in}, on_{std::move(storage)} {}

    /// False when that call was not reached.
    bool run() {
        make_trouble();
        user<support::feed_crash_stage<Storage>> person{on_, played_};
        bool is_over = false;
        for (int most = 20'000; most > 0 && !is_over; --most) {
            is_over = person.act();
            if (!on_.step()) on_.jobs.advance(1s);
        }
        if (!is_over) problems = "it does not come to an end\n" + on_.log;
        for (int i = 0; i < 20; ++i) (void)on_.step();  // there may be something left to do
        problems += on_.audit();
        for (const auto& each : support::feed_audit{on_.storage, "articles"}.runs())
            if (each.completed_at)
                found.emplace_back(each.records, each.changed, each.consolidated, each.removed,
                                   each.failed, each.partitions);
        return in_.what == trouble::none || is_reached_;
    }

    std::vector<figures> found;
    std::string problems;
    std::string where;
    std::set<std::string> names;  ///< of all calls

private:
    void make_trouble() {
        auto& faults = on_.storage.faults();
        const auto count = [this](std::string_view call) {
            names.emplace(call);
            if (++calls_ != in_.at) return false;
            where = call;
            is_reached_ = true;
            until_ = on_.jobs.now() + (in_.what == trouble::a_while ? 5s : 90s);
            return true;
        };
        switch (in_.what) {
            case trouble::none:
            case trouble::once:
                faults.before = count;
                return;
            case trouble::answer:
                faults.after = count;
                return;
            case trouble::a_while:
            case trouble::longer_than_the_lease:
                faults.before = [this, count](std::string_view call) {
                    return count(call) || (is_reached_ && on_.jobs.now() < until_);
                };
                return;
            case trouble::death_before:
            case trouble::death_after:
                using moment = typename support::feed_crash_stage<Storage>::moment;
                on_.die_at(in_.what == trouble::death_before ? moment::before : moment::after, "",
                           in_.at);
                const auto dies = faults.before;
                faults.before = [count, dies](std::string_view call) {
                    (void)count(call);
                    return dies(call);
                };
                return;
        }
    }

    scene played_;
    trouble in_;
    support::feed_crash_stage<Storage> on_;
    int calls_ = 0;
    bool is_reached_ = false;
    bulk::timestamp until_{};
};

constexpr std::pair<trouble::kind, std::string_view> kinds[] = {
    {trouble::once, "fails once"},
    {trouble::answer, "is made, but its answer is lost"},
    {trouble::a_while, "fails for a while"},
    {trouble::longer_than_the_lease, "fails for longer than the lease"},
    {trouble::death_before, "is where the process ends, before it"},
    {trouble::death_after, "is where the process ends, after it"}};

/// At every call in turn, until one is not reached; `open` gives a new storage each time.
template <typename Open>
void check_all_calls(scene played, const std::set<std::string>& wanted, Open open) {
    using storage = decltype(open());
    attempt<storage> calm{played, {}, open()};
    expect(calm.run());
    expect(calm.problems.empty()) << calm.problems;
    for (const auto& each : wanted) expect(calm.names.contains(each)) << each << "is never called";
    int wrong = 0;
    for (const auto& [what, name] : kinds) {
        for (int at = 1; wrong < 5; ++at) {
            attempt<storage> now{played, {what, at}, open()};
            const bool is_reached = now.run();
            // When it comes too late, a run that was to be cancelled is completed.
            if (now.problems.empty() && played != scene::cancel && now.found != calm.found)
                now.problems = "the runs did not do what they do in peace\n";
            wrong += !now.problems.empty();
            expect(now.problems.empty()) << "call" << at << now.where << name << ":\n"
                                         << now.problems;
            if (is_reached) continue;
            expect(at > 30_i) << "there are more calls than that";
            break;
        }
    }
}

template <typename Open>
void check_scenes(Open open) {
    "while runs follow each other"_test = [=] {
        check_all_calls(scene::runs,
                        {"watermark_of", "start_run", "claim_page", "store_page", "claim_batch",
                         "store_items", "finish_batch", "set_watermark", "next_due"},
                        open);
    };
    "while partitions fail and are retried"_test = [=] {
        check_all_calls(scene::failures, {"retry_page", "fail_page", "retry_partitions"}, open);
    };
    "while items are bad and tried again"_test = [=] {
        check_all_calls(scene::bad_items, {"store_items", "resume_consolidation"}, open);
    };
    "while a run is forced"_test = [=] {
        check_all_calls(scene::force, {"fail_page", "consolidate"}, open);
    };
    "while runs are cancelled"_test = [=] { check_all_calls(scene::cancel, {"cancel_run"}, open); };
}

suite<"every call, in memory"> in_memory = [] {
    check_scenes([] { return bulk::memory::records{}; });
};

suite<"every call, on SQLite"> on_sqlite = [] {
    support::prefer_memory();
    std::optional<support::temporary_directory> directory;
    check_scenes([&directory] {
        directory.emplace();
        return support::sqlite_backend::open(directory->path("bulk.db")).value();
    });
};

}  // namespace

int main() {}
