// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/storage/memory/kept_record.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/retry_order.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::memory {

/// How the rows of one operation had failed before they were tried again. Put in order when somebody
/// asks: a retry of a hundred thousand rows adds as many, and is asked about seldom.
class retry_table {
public:
    explicit retry_table(operation_id operation) : operation_{operation} {}

    /// Makes room for so many more at once.
    void expect(std::size_t more) {
        if (all_.capacity() - all_.size() < more)
            all_.reserve(std::max(all_.size() + more, 2 * all_.capacity()));
    }

    void add(record_place at, kept_record failed) {
        entry added{at, std::move(failed)};
        is_sorted_ = is_sorted_ && (all_.empty() || place_of(all_.back()) < place_of(added));
        all_.push_back(std::move(added));
    }

    void move_steps(const step_moves& to) {
        for (auto& each : all_) each.at = {each.at.row(), moved(each.at.step(), to)};
    }

    /// By one thread at a time, as the lock in front of searches sees to: it sorts what it looks at.
    [[nodiscard]] page<retry_entry> query(const retry_history_query& query,
                                          const std::optional<retry_order>& after) const {
        if (!std::exchange(is_sorted_, true)) std::ranges::sort(all_, {}, place_of);
        auto at = all_.begin();
        if (query.row)
            at = std::ranges::lower_bound(all_, retry_order{{*query.row, validation_step}, 0}, {},
                                          place_of);
        page<retry_entry> found;
        const bool is_restricted = query.row || query.step || query.retry_attempt;
        if (!is_restricted) {
            found.total = all_.size();
            if (after) at = std::ranges::upper_bound(all_, *after, {}, place_of);
        }
        read_pulse pulse;
        for (; at != all_.end() && !pulse.is_over(); ++at) {
            const auto& [where, failed] = *at;
            if (query.row && where.row() != *query.row) break;
            if (!matches(query, place_of(*at))) continue;
            if (is_restricted) ++found.total;
            if (after && place_of(*at) <= *after) continue;
            if (found.items.size() < query.page_size) {
                found.items.push_back({.operation = operation_,
                                       .row = where.row(),
                                       .step = where.step(),
                                       .retry_attempt = failed.retry_attempt(),
                                       .failure = failed.failure(),
                                       .error_message = std::string{failed.error_message()},
                                       .failed_at = failed.completed_at(),
                                       .row_data = std::string{failed.row_data()}});
            } else if (!is_restricted) {
                break;
            }
        }
        return found;
    }

private:
    struct entry {
        record_place at;
        kept_record failed;
    };

    static retry_order place_of(const entry& each) {
        return {.place = each.at, .attempt = each.failed.retry_attempt()};
    }

    operation_id operation_;
    mutable std::vector<entry> all_;
    mutable bool is_sorted_ = true;
};

}  // namespace bulk::memory
