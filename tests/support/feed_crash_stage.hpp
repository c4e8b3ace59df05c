// A feed service on one thread, under a clock that moves only when nothing is left to do, on a source
// that does what the test says; its process can be made to end at any call to the storage.
#pragma once

#include <bulk/feed.hpp>

#include <support/faulty_feeds.hpp>
#include <support/feed_audit.hpp>
#include <support/feed_stage.hpp>
#include <support/seeded_executor.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace support {

struct articles : article_feed<articles> {
    BULK_FEED("articles", .page_size = 10, .target_per_partition = 50, .max_workers = 5,
              .min_per_worker = 20, .dense_below = 100, .dense_step = 50, .sparse_step = 200,
              .max_retries = 2, .batch_size = 40, .upsert_size = 7)
};

/// Bad items do not keep its watermark back.
struct loose_articles : article_feed<loose_articles> {
    BULK_FEED("loose articles", .page_size = 10, .target_per_partition = 50, .max_workers = 5,
              .min_per_worker = 20, .dense_below = 100, .dense_step = 50, .sparse_step = 200,
              .max_retries = 2, .tolerate_bad_items = true, .batch_size = 40, .upsert_size = 7)
};

/// Shorter than usual, so that a clock need not go far.
inline constexpr std::chrono::milliseconds feed_lease_time{20'000};

template <typename Storage>
class feed_crash_stage {
public:
    using faulty = faulty_feeds<Storage>;
    using service_type = bulk::feed_service;

    explicit feed_crash_stage(Storage real = Storage{}) : storage{std::move(real)} {
        source_behaviour::now() = &world;
        begin();
    }
    feed_crash_stage(const feed_crash_stage&) = delete;
    feed_crash_stage& operator=(const feed_crash_stage&) = delete;
    ~feed_crash_stage() {
        end();
        source_behaviour::now() = nullptr;
    }

    /// A process begins.
    void begin() {
        storage.faults() = {};
        is_dead_ = false;
        service = std::make_unique<service_type>(
            bulk::feeds<articles, loose_articles>, storage, options(), &jobs,
            [this](const bulk::log_entry& entry) { log += to_text(entry) + '\n'; });
    }
    /// It ends at once: nothing but the storage is left.
    void end() {
        service.reset();
        jobs.drop_all();
    }
    void restart() {
        end();
        begin();
    }

    // --- trouble ---------------------------------------------------------------------------------

    enum class moment { before, after };

    /// Fails the `nth` call of that name, counted from now on, and no other.
    void fail_once(std::string_view name, int nth = 1) {
        storage.faults() = {.before = [name, left = nth](std::string_view call) mutable {
            return call == name && --left == 0;
        }};
    }
    /// The process ends at that call, of any name if none is given: nothing that it does from then on
    /// reaches the storage, and the next step starts another one.
    void die_at(moment when, std::string_view name, int nth = 1) {
        const auto counted = [this, name, left = nth](std::string_view call) mutable {
            if ((name.empty() || call == name) && --left == 0) is_dead_ = true;
            return is_dead_;
        };
        const auto dead = [this](std::string_view) { return is_dead_; };
        if (when == moment::before)
            storage.faults() = {.before = counted, .after = dead};
        else
            storage.faults() = {.before = dead, .after = counted};
    }
    [[nodiscard]] bool is_dead() const { return is_dead_; }
    [[nodiscard]] int deaths() const { return deaths_; }

    // --- the source ------------------------------------------------------------------------------

    /// Most of them are cheap.
    void fill(std::uint64_t count, std::uint64_t seed = 7) {
        std::mt19937_64 random{seed};
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto most = random() % 100 < 80 ? 100 : 1000;
            put("a" + std::to_string(10'000 + i),
                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)), 1,
                std::chrono::hours{24});
        }
    }
    void put(const std::string& id, std::int64_t price, std::int64_t stock = 1,
             std::chrono::microseconds age = std::chrono::seconds{1}) {
        world.data.put({id, price, stock, (jobs.now() - age).time_since_epoch().count()});
        removed_.erase(id);
    }
    void remove(const std::string& id) {
        world.data.remove(id);
        removed_.insert(id);
    }

    // --- runs ------------------------------------------------------------------------------------

    /// One thing is done, by a new process if the last one has ended. False: there is nothing to do.
    bool step() {
        const bool is_done = jobs.step();
        if (!is_dead_) return is_done;
        ++deaths_;
        restart();
        return true;
    }

    /// Until nobody is to work on it any more.
    bulk::feed_run finish(bulk::run_id id) {
        for (int most = 100'000; most > 0; --most) {
            const auto now = storage.real_feeds().run(id).value();
            if (!bulk::is_active(now) || !step()) return now;
        }
        return storage.real_feeds().run(id).value();
    }

    bulk::feed_run start(const bulk::start_options& options = {},
                         std::string_view feed = "articles") {
        return service->start(feed, options).value().value();
    }
    bulk::feed_run run(const bulk::start_options& options = {},
                       std::string_view feed = "articles") {
        return finish(start(options, feed).id);
    }
    [[nodiscard]] bulk::feed_run get(bulk::run_id id) {
        return storage.real_feeds().run(id).value();
    }
    [[nodiscard]] std::optional<bulk::timestamp> watermark() {
        return storage.real_feeds().watermark_of("articles").value().value;
    }
    /// How often that was told of a run.
    [[nodiscard]] int told(bulk::run_id id, bulk::event_kind kind) {
        int times = 0;
        for (const auto found = storage.events(bulk::operation_id{id.value}, 0, 1000).value();
             const auto& each : found)
            times += each.kind == kind;
        return times;
    }

    /// What is wrong with the set and the runs; empty when both are what they must be.
    [[nodiscard]] std::string audit() {
        storage.faults() = {};
        feed_audit looking{storage, "articles"};
        std::map<std::string, std::string> wanted;
        for (const auto& [id, each] : world.data.all()) {
            auto& payload = wanted[id];
            bulk::json::write_row(payload, listing_of(each), {.reveal_pii = true});
        }
        looking.check_set(wanted, removed_);
        looking.check_runs();
        return looking.problems();
    }

    source_behaviour world;
    faulty storage;
    seeded_executor jobs{1};
    std::string log;
    std::unique_ptr<service_type> service;

private:
    [[nodiscard]] static bulk::feed_service_options options() {
        return {.lease_time = feed_lease_time,
                .batch_lease_time = feed_lease_time,
                .worker_name = "test"};
    }

    bool is_dead_ = false;
    int deaths_ = 0;
    std::set<std::string> removed_;
};

}  // namespace support
