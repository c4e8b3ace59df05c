// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/page_fetch.hpp>
#include <bulk/feed/source.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace bulk {

/// A partition on its way through its pages: each is fetched and stored, and what is stored says which
/// one is next. One page is one job, so that others have their turn. When the storage does not answer,
/// the same is tried again until the lease has ended; then somebody else does it.
template <typename Engine>
class page_job : public std::enable_shared_from_this<page_job<Engine>> {
public:
    page_job(std::shared_ptr<Engine> engine, any_feed& feed, page_work work)
        : engine_{std::move(engine)}, feed_{feed}, work_{std::move(work)} {}

    void begin() {
        engine_->jobs().submit(job{[self = this->shared_from_this()] { self->fetch(); }});
    }

private:
    static constexpr std::chrono::milliseconds retry_delay{1'000};

    void fetch() {
        page_fetch asked{feed_, work_};
        auto page = asked.run();
        const auto request = engine_->page_request();
        until_ = engine_->jobs().steady_now() + request.lease_time;
        if (!page) return give_up(page.error(), asked.goes_on_from());
        page_ = std::move(*page);
        store();
    }

    void store() {
        auto stored = engine_->ledger().store_page(work_, page_, engine_->page_request());
        if (!stored) return again(stored.error(), [](page_job& self) { self.store(); });
        if (stored->outcome != page_outcome::advanced || !stored->next)
            return engine_->done_with_page();
        work_ = std::move(*stored->next);
        if (engine_->is_stopping()) {
            (void)engine_->ledger().return_page(work_, engine_->jobs().now());
            return engine_->done_with_page();
        }
        engine_->jobs().submit_next(job{[self = this->shared_from_this()] { self->fetch(); }});
    }

    /// The page could not be fetched: it is tried again later, by anybody, or its partition fails.
    void give_up(const error& why, retry_from from) {
        const auto& options = feed_.options();
        const timestamp now = engine_->jobs().now();
        const bool tries_again = is_passing(why.code) &&
                                 work_.attempt <= static_cast<std::uint32_t>(options.max_retries);
        const auto at = now + delay_before(options.backoff, static_cast<int>(work_.attempt),
                                           random_share(engine_->jobs()));
        engine_->tell(tries_again ? log_level::warning : log_level::error,
                      tries_again ? "page is tried again" : "partition failed", work_, why.message);
        auto noted = tries_again ? engine_->ledger().retry_page(work_, why.message, at, now)
                                 : engine_->ledger().fail_page(work_, why.message, now, from);
        if (!noted)
            return again(noted.error(), [why, from](page_job& self) { self.give_up(why, from); });
        engine_->done_with_page();
    }

    template <typename Call>
    void again(const error& why, Call call) {
        engine_->warn("storage does not answer", why.message);
        const timestamp now = engine_->jobs().now();
        if (why.code != errc::unavailable || engine_->jobs().steady_now() >= until_ ||
            engine_->is_stopping())
            return engine_->done_with_page();
        engine_->jobs().submit_at(now + retry_delay,
                                  job{[self = this->shared_from_this(), call] { call(*self); }});
    }

    std::shared_ptr<Engine> engine_;
    any_feed& feed_;
    page_work work_;
    fetched_page page_{};
    timestamp until_{};  ///< it is ours for sure; by the clock that nobody sets
};

}  // namespace bulk
