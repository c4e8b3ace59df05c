// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace bulk {

/// Finds the uploads that no operation refers to and removes them: those of processes that died after
/// they had stored a file and before they had stored its operation. Those of `before` and later stay,
/// because their operation may be about to be stored. A page of uploads at a time, so that it can
/// share a thread with others.
class unused_uploads {
public:
    unused_uploads(any_storage& storage, timestamp before) : storage_{storage}, before_{before} {}

    [[nodiscard]] std::uint64_t removed() const { return removed_; }

    /// Looks at the next ones; false when there are no more.
    [[nodiscard]] result<bool> look_on() {
        const auto uploads = storage_.get().files(after_, largest_page);
        if (!uploads) return std::unexpected{uploads.error()};
        std::set<std::string> unused;
        timestamp first = before_, last = timestamp::min();
        for (const auto& each : *uploads) {
            if (each.stored_at >= before_) continue;
            unused.insert(each.id);
            first = std::min(first, each.stored_at);
            last = std::max(last, each.stored_at);
        }
        if (auto kept = keep_used(unused, first, last); !kept)
            return std::unexpected{std::move(kept).error()};
        for (const auto& id : unused) {
            const auto is_used = storage_.get().may_use(id);
            if (!is_used) return std::unexpected{is_used.error()};
            if (*is_used) continue;  // its operation was not found, as the storage is damaged
            const auto gone = storage_.get().remove_file(id);
            if (gone) ++removed_;
            if (!gone && gone.error().code != errc::not_found) return std::unexpected{gone.error()};
        }
        if (uploads->size() < largest_page) return false;
        after_ = uploads->back().id;
        return true;
    }

private:
    /// An operation and its file have the same moment: only those between are asked for.
    [[nodiscard]] result<> keep_used(std::set<std::string>& unused, timestamp first,
                                     timestamp last) {
        operation_query query{.created_from = first,
                              .created_to = last,
                              .descending = false,
                              .page_size = largest_page,
                              .with_total = false};
        while (!unused.empty()) {
            const auto found = storage_.get().query(query);
            if (!found) return std::unexpected{found.error()};
            for (const auto& each : found->items) unused.erase(each.file_id);
            if (found->next.empty()) break;
            query.after = found->next;
        }
        return {};
    }

    std::reference_wrapper<any_storage> storage_;
    timestamp before_;
    std::string after_;  ///< the last one that was looked at
    std::uint64_t removed_ = 0;
};

/// Removes them in as many jobs as there are pages of uploads, for as long as there is an owner, which keeps
/// the storage.
inline void remove_unused_uploads(unused_uploads search, executor& jobs, const log_handler& log,
                                  const std::function<std::shared_ptr<const void>()>& owner) {
    const auto more = search.look_on();
    if (more && *more)
        return jobs.submit(job{[search, &jobs, &log, owner]() mutable {
            if (const auto keep = owner())
                remove_unused_uploads(std::move(search), jobs, log, owner);
        }});
    if (!log) return;
    if (!more)
        log({log_level::warning,
             "unused uploads stay until the next start",
             {{"why", more.error().message}}});
    else if (search.removed() > 0)
        log({log_level::info,
             "unused uploads removed",
             {{"count", std::to_string(search.removed())}}});
}

}  // namespace bulk
