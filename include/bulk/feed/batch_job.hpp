// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/feed/any_feed.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk {

/// One batch on its way into the canonical set: in chunks, some of them at once, each mapped and then
/// stored in one transaction. When the storage does not answer, a chunk is tried again until the lease
/// has ended; then somebody else has what is left.
template <typename Engine>
class batch_job : public std::enable_shared_from_this<batch_job<Engine>> {
public:
    batch_job(std::shared_ptr<Engine> engine, any_feed& feed, item_batch batch)
        : engine_{std::move(engine)},
          feed_{feed},
          batch_{std::move(batch)},
          until_{engine_->jobs().steady_now() + engine_->batch_request().lease_time} {}

    void begin() {
        run_soon([](batch_job& self) { self.prepare(1); });
    }

private:
    using chunk = std::shared_ptr<const std::vector<mapped_item>>;

    void prepare(int attempt) {
        auto ready = engine_->prepare(feed_, batch_.run);
        if (ready) return map_all();
        engine_->warn("consolidation cannot begin", ready.error().message);
        if (is_over()) return give_back();
        const auto delay =
            delay_before(feed_.options().backoff, attempt, random_share(engine_->jobs()));
        run_at(engine_->jobs().now() + delay,
               [attempt](batch_job& self) { self.prepare(attempt + 1); });
    }

    void map_all() {
        const std::size_t count = chunk_count();
        if (count == 0) return finish();
        const auto lanes = std::min<std::size_t>(feed_.options().upsert_concurrency, count);
        lanes_ = lanes;
        for (std::size_t i = 0; i < lanes; ++i) run_soon([](batch_job& self) { self.map_next(); });
    }

    [[nodiscard]] std::size_t chunk_count() const {
        const std::size_t size = feed_.options().upsert_size;
        return (batch_.items.size() + size - 1) / size;
    }

    void map_next() {
        const std::size_t at = next_++;
        if (at >= chunk_count() || is_lost_ || engine_->is_stopping()) return leave_lane();
        const std::size_t size = feed_.options().upsert_size;
        const auto items = std::span{batch_.items}.subspan(
            at * size, std::min(size, batch_.items.size() - at * size));
        store(std::make_shared<const std::vector<mapped_item>>(feed_.map(items)));
    }

    void store(const chunk& mapped) {
        const auto stored =
            engine_->ledger().store_items(batch_, *mapped, engine_->batch_request());
        if (stored) {
            ++stored_;
            until_ = engine_->jobs().steady_now() + engine_->batch_request().lease_time;
            // Its thread goes on, and no other is woken.
            return engine_->jobs().submit_next(
                job{[self = this->shared_from_this()] { self->map_next(); }});
        }
        engine_->warn("items are not stored", stored.error().message);
        if (stored.error().code == errc::unavailable && !is_over())
            return run_at(engine_->jobs().now() + retry_delay,
                          [mapped](batch_job& self) { self.store(mapped); });
        is_lost_ = true;
        leave_lane();
    }

    void leave_lane() {
        if (--lanes_ > 0) return;
        if (stored_ < chunk_count()) return give_back();
        finish();
    }

    void finish() {
        auto run = engine_->ledger().finish_batch(batch_, engine_->jobs().now());
        if (run) return engine_->done_with_batch(std::move(*run));
        engine_->warn("batch is not finished", run.error().message);
        if (run.error().code == errc::unavailable && !is_over())
            return run_at(engine_->jobs().now() + retry_delay,
                          [](batch_job& self) { self.finish(); });
        give_back();
    }

    /// What is left of it is somebody else's.
    void give_back() {
        (void)engine_->ledger().return_batch(batch_, engine_->jobs().now());
        engine_->done_with_batch(std::nullopt);
    }

    [[nodiscard]] bool is_over() const {
        return engine_->is_stopping() || engine_->jobs().steady_now() >= until_.load();
    }

    template <typename Call>
    void run_soon(Call call) {
        engine_->jobs().submit(job{[self = this->shared_from_this(), call] { call(*self); }});
    }
    template <typename Call>
    void run_at(timestamp at, Call call) {
        engine_->jobs().submit_at(at,
                                  job{[self = this->shared_from_this(), call] { call(*self); }});
    }

    static constexpr std::chrono::milliseconds retry_delay{1'000};

    std::shared_ptr<Engine> engine_;
    any_feed& feed_;
    const item_batch batch_;
    std::atomic<timestamp> until_;  ///< it is ours for sure; by the clock that nobody sets
    std::atomic<std::size_t> next_ = 0;
    std::atomic<std::size_t> stored_ = 0;
    std::atomic<std::size_t> lanes_ = 0;
    std::atomic<bool> is_lost_ = false;
};

}  // namespace bulk
