// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/completed_run.hpp>
#include <bulk/storage/row_batch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// How far the rows of an operation had come before this run. Tasks ask for a few rows each, and a
/// storage keeps thousands of them together: so it is asked for that many, once. What the run does
/// meanwhile is not seen in it; it asks for each row before it does anything with it.
class standings {
public:
    using known_rows = std::vector<std::optional<row_progress>>;

    /// Of `count` rows from `first` on; none for rows that have no record.
    [[nodiscard]] result<known_rows> of(any_storage& storage, operation_id id, row_number first,
                                        std::uint64_t count) {
        known_rows found;
        found.reserve(count);
        const std::scoped_lock lock{mutex_};
        for (auto at = to_number(first) - 1, end = at + count; at < end;) {
            const auto page = at / rows_per_page, place = at % rows_per_page;
            auto known = pages_.find(page);
            if (known == pages_.end()) {
                auto read =
                    storage.progress(id, row_number{page * rows_per_page + 1}, rows_per_page);
                if (!read) return std::unexpected{std::move(read).error()};
                if (pages_.size() == most_pages) pages_.erase(pages_.begin());
                known = pages_.emplace(page, std::move(*read)).first;
            }
            const auto here = std::min(end - at, rows_per_page - place);
            const auto from = known->second.begin() + static_cast<std::ptrdiff_t>(place);
            found.insert(found.end(), from, from + static_cast<std::ptrdiff_t>(here));
            at += here;
        }
        return found;
    }

    /// Rows are asked for once more from now on, and may have come further.
    void forget() {
        const std::scoped_lock lock{mutex_};
        pages_.clear();
    }

private:
    /// Tasks go through the file in order, and so are never far from each other.
    static constexpr std::size_t most_pages = 4;

    std::mutex mutex_;
    std::map<std::uint64_t, known_rows> pages_;
};

}  // namespace bulk
