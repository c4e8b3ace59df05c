// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/worker_record.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace bulk::memory {

/// Who works, as they have said themselves.
class worker_table {
public:
    void put_worker(const worker_record& record) { all_.insert_or_assign(record.id, record); }
    void remove_worker(worker_id id) { all_.erase(id); }
    void forget_workers(timestamp seen_before) {
        std::erase_if(all_, [&](const auto& each) { return each.second.seen_at < seen_before; });
    }

    [[nodiscard]] std::vector<worker_record> find_workers(std::size_t most) const {
        std::vector<worker_record> found;
        for (const auto& [id, each] : all_) found.push_back(each);
        if (found.size() > most) {
            std::ranges::sort(found, std::greater{}, &worker_record::seen_at);
            found.resize(most);
        }
        return found;
    }

private:
    std::map<worker_id, worker_record> all_;
};

}  // namespace bulk::memory
