// A feed service on one thread, whose clock moves only when there is nothing else to do, with a source
// that does what a test wants.
#pragma once

#include <bulk/feed.hpp>

#include <support/article_feed.hpp>
#include <support/catalogue.hpp>
#include <support/seeded_executor.hpp>
#include <support/ut.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace support {

template <typename Feed, typename... More>
class feed_stage {
public:
    using service_type = bulk::feed_service;

    explicit feed_stage(std::uint64_t seed = 1) : jobs{seed} {
        source_behaviour::now() = &source;
        restart();
    }
    ~feed_stage() {
        service.reset();
        jobs.drop_all();
    }

    /// As if the process had died.
    void restart() {
        jobs.drop_all();
        service.reset();
        jobs.drop_all();
        service = make();
    }
    [[nodiscard]] std::unique_ptr<service_type> make() {
        return std::make_unique<service_type>(
            bulk::feeds<Feed, More...>, storage, bulk::feed_service_options{.worker_name = "test"},
            &jobs, [this](const bulk::log_entry& entry) { log.push_back(to_text(entry)); });
    }

    /// Four fifths of them in a tenth of the prices, all of them a day old.
    void fill(std::uint64_t count, std::uint64_t seed = 7) {
        std::mt19937_64 random{seed};
        for (std::uint64_t i = 0; i < count; ++i) {
            const bool is_cheap = random() % 100 < 80;
            put("a" + std::to_string(10'000 + i),
                static_cast<std::int64_t>(random() % (is_cheap ? 100U : 1000U)), 1,
                std::chrono::hours{24});
        }
    }
    void put(const std::string& id, std::int64_t price, std::int64_t stock = 1,
             std::chrono::microseconds age = std::chrono::seconds{1}) {
        source.data.put({id, price, stock, (jobs.now() - age).time_since_epoch().count()});
    }

    [[nodiscard]] std::string name() const { return std::string{bulk::options_of_feed<Feed>.name}; }
    bulk::feed_run start(const bulk::start_options& options = {}) {
        using namespace boost::ut;
        const auto started = service->start(name(), options);
        expect(started.has_value()) << (started ? "" : started.error().message);
        expect(fatal(started.has_value()));
        expect(fatal(started->has_value())) << "there was nothing to read";
        return **started;
    }
    /// Until nobody works on it any more.
    bulk::feed_run finish(bulk::run_id id) {
        using namespace boost::ut;
        for (int i = 0; i < 1'000'000; ++i) {
            const auto run = service->get(id);
            expect(fatal(run.has_value()));
            if (!bulk::is_active(*run)) return *run;
            expect(fatal(jobs.step()));
        }
        expect(false) << "the run does not end";
        return {};
    }
    bulk::feed_run run(const bulk::start_options& options = {}) {
        return finish(start(options).id);
    }

    /// Whether the canonical set is what the source has.
    [[nodiscard]] bool is_exact() {
        std::map<std::string, listing> wanted;
        for (const auto& [id, each] : source.data.all()) wanted[id] = listing_of(each);
        return canonical() == wanted;
    }
    [[nodiscard]] std::map<std::string, listing> canonical() {
        using namespace boost::ut;
        std::map<std::string, listing> all;
        const auto read = bulk::for_each_item<Feed>(
            *service,
            [&](const bulk::canonical_item& item, const listing& row) { all[item.key] = row; });
        expect(read.has_value()) << (read ? "" : read.error().message);
        return all;
    }
    [[nodiscard]] std::optional<bulk::timestamp> watermark() {
        return service->watermark_of(name())->value;
    }
    [[nodiscard]] std::vector<bulk::event> events(bulk::run_id id, bulk::event_kind kind) {
        auto all = service->events(id, 0, 1000).value();
        std::erase_if(all, [&](const bulk::event& each) { return each.kind != kind; });
        return all;
    }

    source_behaviour source;
    bulk::memory::storage storage;
    support::seeded_executor jobs;
    std::vector<std::string> log;
    std::unique_ptr<service_type> service;
};

}  // namespace support
