// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/log.hpp>
#include <bulk/engine/clock_steps.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/batch_job.hpp>
#include <bulk/feed/page_job.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/feed/service_options.hpp>
#include <bulk/storage/feed_port.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// Works on runs of feeds, whoever has started them: fetches pages and consolidates batches, as many
/// at once as it may, for as long as there are any. What is to be done is in the store alone; here is
/// only what is being done.
class feed_engine : public std::enable_shared_from_this<feed_engine> {
public:
    /// `ended` is told of every run that this process has brought to its end, `changed` of everything.
    feed_engine(std::unique_ptr<feed_port> ledger, std::vector<std::unique_ptr<any_feed>> feeds,
                executor& jobs, feed_service_options options, log_handler log,
                std::function<void()> changed, std::function<void(const feed_run&)> ended)
        : ledger_{std::move(ledger)},
          feeds_{std::move(feeds)},
          jobs_{jobs},
          options_{std::move(options)},
          log_{std::move(log)},
          changed_{std::move(changed)},
          ended_{std::move(ended)} {
        for (const auto& each : feeds_) names_.emplace_back(each->options().name);
    }

    [[nodiscard]] feed_port& ledger() { return *ledger_; }
    [[nodiscard]] const std::vector<std::unique_ptr<any_feed>>& feeds() const { return feeds_; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    /// There may be something to do.
    void look_for_work() {
        if (options_.scheduler == scheduling::none) return;
        {
            const std::scoped_lock lock{mutex_};
            if (is_stopping_) return;
            is_due_ = true;
            if (std::exchange(is_looking_, true)) return;
        }
        jobs_.submit(job{[self = this->shared_from_this()] { self->look(); }});
    }

    /// Begins nothing new; what is in flight comes to its end.
    void stop() {
        const std::scoped_lock lock{mutex_};
        is_stopping_ = true;
    }
    [[nodiscard]] bool is_idle() const {
        const std::scoped_lock lock{mutex_};
        return pages_ == 0 && batches_ == 0 && !is_looking_;
    }
    /// Pages and batches.
    [[nodiscard]] int in_work() const {
        const std::scoped_lock lock{mutex_};
        return pages_ + batches_;
    }
    [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds time) const {
        std::unique_lock lock{mutex_};
        return is_idle_.wait_for(lock, time,
                                 [&] { return pages_ == 0 && batches_ == 0 && !is_looking_; });
    }

private:
    /// After the storage did not answer.
    static constexpr std::chrono::milliseconds retry_delay{1'000};

    using page = page_job<feed_engine>;
    using batch = batch_job<feed_engine>;

    // --- looking for work ----------------------------------------------------------------------

    void look() {
        bool is_late = false;
        while (true) {
            {
                const std::scoped_lock lock{mutex_};
                is_due_ = false;
            }
            is_late = !take_pages() || !take_batches();
            const std::scoped_lock lock{mutex_};
            if (is_due_ && !is_late && !is_stopping_) continue;
            is_looking_ = false;
            is_idle_.notify_all();
            break;
        }
        look_later(is_late);
    }

    /// False when the storage does not answer.
    [[nodiscard]] bool take_pages() {
        while (reserve(pages_, options_.workers)) {
            auto work = ledger_->claim_page(request(options_.lease_time));
            if (!work || !*work) {
                release(pages_);
                return work.has_value();
            }
            std::make_shared<page>(this->shared_from_this(), *feed_of((*work)->feed),
                                   std::move(**work))
                ->begin();
        }
        return true;
    }

    [[nodiscard]] bool take_batches() {
        for (const auto& feed : feeds_) {
            auto wanted = request(options_.batch_lease_time);
            wanted.feeds = {std::string{feed->options().name}};
            while (reserve(batches_, options_.consolidators)) {
                auto taken = ledger_->claim_batch(wanted, feed->options().batch_size);
                if (taken && *taken) {
                    std::make_shared<batch>(this->shared_from_this(), *feed, std::move(**taken))
                        ->begin();
                    continue;
                }
                release(batches_);
                if (!taken) return false;
                break;
            }
        }
        return true;
    }

    /// When something is due, or when another process may have begun something.
    void look_later(bool is_late) {
        const timestamp now = jobs_.now();
        timestamp at = now + (is_late ? std::min(retry_delay, options_.poll_interval)
                                      : options_.poll_interval);
        if (!is_late)
            if (const auto due = ledger_->next_due(names_); due && *due && **due > now)
                at = std::min(at, **due);
        {
            const std::scoped_lock lock{mutex_};
            if (is_stopping_ || (next_look_ && *next_look_ <= at && *next_look_ > now)) return;
            next_look_ = at;
        }
        jobs_.submit_at(at, job{[weak = this->weak_from_this(), at] {
                            if (const auto self = weak.lock()) {
                                {
                                    const std::scoped_lock lock{self->mutex_};
                                    if (self->next_look_ == at) self->next_look_.reset();
                                }
                                self->look_for_work();
                            }
                        }});
    }

    // --- what pages and batches need -------------------------------------------------------------

public:
    [[nodiscard]] executor& jobs() { return jobs_; }
    [[nodiscard]] work_request page_request() const { return request(options_.lease_time); }
    [[nodiscard]] work_request batch_request() const { return request(options_.batch_lease_time); }
    [[nodiscard]] bool is_stopping() const {
        const std::scoped_lock lock{mutex_};
        return is_stopping_;
    }
    /// Once for each run; when it fails, it is called again.
    [[nodiscard]] result<> prepare(any_feed& feed, run_id id) {
        {
            const std::scoped_lock lock{mutex_};
            if (prepared_ == id) return {};
        }
        const auto run = ledger_->run(id);
        if (!run) return std::unexpected{run.error()};
        if (auto ready = feed.prepare(*run); !ready) return ready;
        const std::scoped_lock lock{mutex_};
        prepared_ = id;
        return {};
    }
    void warn(std::string_view what, const std::string& why) {
        if (log_) log_({log_level::warning, what, {{"why", why}}});
    }
    void tell(log_level level, std::string_view what, const page_work& work,
              const std::string& why) {
        if (!log_) return;
        log_({level,
              what,
              {{"feed", work.feed},
               {"page", to_text(work)},
               {"trace", work.trace},
               {"attempt", std::to_string(work.attempt)},
               {"why", why}}});
    }
    void done_with_page() {
        release(pages_);
        changed_();
        look_for_work();
    }
    void done_with_batch(const std::optional<feed_run>& run) {
        if (run && !is_active(*run)) ended_(*run);  // before it is idle: another feed may follow
        release(batches_);
        changed_();
        look_for_work();
    }

private:
    [[nodiscard]] any_feed* feed_of(std::string_view name) const {
        return find_feed(feeds_, name).value();  // only these are asked for
    }

    [[nodiscard]] work_request request(std::chrono::milliseconds lease) const {
        const std::scoped_lock lock{mutex_};
        return {
            .worker = options_.worker_name,
            .feeds = names_,
            .now = jobs_.now(),
            .lease_time = lease,
            .clock_doubt = doubt_.look(jobs_.now(), jobs_.steady_now(),
                                       std::max(options_.lease_time, options_.batch_lease_time))};
    }

    [[nodiscard]] bool reserve(int& count, int most) {
        const std::scoped_lock lock{mutex_};
        if (is_stopping_ || count >= most) return false;
        ++count;
        return true;
    }
    void release(int& count) {
        {
            const std::scoped_lock lock{mutex_};
            --count;
        }
        is_idle_.notify_all();
    }

    const std::unique_ptr<feed_port> ledger_;
    std::vector<std::unique_ptr<any_feed>> feeds_;
    std::vector<std::string> names_;
    executor& jobs_;
    const feed_service_options options_;
    const log_handler log_;
    const std::function<void()> changed_;
    const std::function<void(const feed_run&)> ended_;

    mutable std::mutex mutex_;
    mutable std::condition_variable is_idle_;
    mutable clock_doubt doubt_{jobs_.now(), jobs_.steady_now()};
    int pages_ = 0;
    int batches_ = 0;
    bool is_looking_ = false;
    bool is_due_ = false;  ///< somebody asked for it while it was looking
    bool is_stopping_ = false;
    std::optional<timestamp> next_look_;
    std::optional<run_id> prepared_;  ///< the last one
};

}  // namespace bulk
