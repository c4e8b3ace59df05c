// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/uuid.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <unistd.h>

namespace bulk {

/// Says now and then in the storage that a service is there and what it does, so that others see it.
/// When the storage does not answer, nothing is said until the next time, and nothing else suffers.
class worker_report {
public:
    /// `add_work` fills in what there is to do now.
    worker_report(any_storage& storage, executor& jobs, worker_kind kind, std::string name,
                  std::chrono::milliseconds lease_time,
                  std::function<void(worker_record&)> add_work)
        : storage_{storage},
          jobs_{jobs},
          interval_{std::max(lease_time / 6, shortest_interval)},
          add_work_{std::move(add_work)},
          about_{.kind = kind,
                 .name = std::move(name),
                 .host = host_name(),
                 .pid = ::getpid(),
                 .silent_after = 6 * interval_} {}
    worker_report(const worker_report&) = delete;
    worker_report& operator=(const worker_report&) = delete;

    /// The first report is a job, and so are all others, for as long as there is an owner.
    void begin(const std::weak_ptr<const void>& owner) {
        about_.started_at = jobs_.now();
        about_.id = {make_uuid(about_.started_at, jobs_.random(), jobs_.random())};
        has_begun_ = true;
        jobs_.submit(next(owner));
    }

    /// Nobody is to see it any more. If something is being said just now, that is taken back by
    /// whoever says it.
    void end() {
        {
            const std::scoped_lock lock{mutex_};
            if (!has_begun_ || std::exchange(is_over_, true) || is_talking_) return;
        }
        (void)storage_.remove_worker(about_.id);
    }

private:
    /// However short a lease is, reports are nothing that a storage is busy with.
    static constexpr std::chrono::milliseconds shortest_interval{100};

    [[nodiscard]] static std::string host_name() {
        std::array<char, 256> name{};
        if (::gethostname(name.data(), name.size() - 1) != 0) return {};
        return name.data();
    }

    [[nodiscard]] job next(const std::weak_ptr<const void>& owner) {
        return job{[this, owner] {
            const auto kept = owner.lock();
            if (kept == nullptr || !report()) return;
            jobs_.submit_at(jobs_.now() + interval_, next(owner));
        }};
    }

    /// False when it was the last time.
    [[nodiscard]] bool report() {
        {
            const std::scoped_lock lock{mutex_};
            if (is_over_) return false;
            is_talking_ = true;
        }
        auto now = about_;
        now.seen_at = jobs_.now();
        add_work_(now);
        (void)storage_.save_worker(now);
        {
            const std::scoped_lock lock{mutex_};
            is_talking_ = false;
            if (!is_over_) return true;
        }
        (void)storage_.remove_worker(about_.id);
        return false;
    }

    any_storage& storage_;
    executor& jobs_;
    const std::chrono::milliseconds interval_;
    const std::function<void(worker_record&)> add_work_;
    worker_record about_;  ///< what does not change
    bool has_begun_ = false;
    std::mutex mutex_;
    bool is_talking_ = false;
    bool is_over_ = false;
};

}  // namespace bulk
