// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/worker_record.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace bulk::memory {

/// Who works, as they have said themselves.
class worker_table {
public:
    void save(const worker_record& record) {
        std::erase_if(all_, [&](const auto& each) {
            return each.second.seen_at < record.seen_at - worker_memory;
        });
        all_.insert_or_assign(record.id, record);
    }

    void remove(worker_id id) { all_.erase(id); }

    [[nodiscard]] std::vector<worker_record> list() const {
        std::vector<worker_record> found;
        for (const auto& [id, each] : all_) found.push_back(each);
        if (found.size() > most_workers) {
            std::ranges::sort(found, std::greater{}, &worker_record::seen_at);
            found.resize(most_workers);
        }
        std::ranges::sort(found, {}, [](const worker_record& each) {
            return std::tie(each.name, each.started_at, each.id);
        });
        return found;
    }

private:
    std::map<worker_id, worker_record> all_;
};

}  // namespace bulk::memory
