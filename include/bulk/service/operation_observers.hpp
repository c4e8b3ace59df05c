// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/log.hpp>
#include <bulk/core/names.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/metrics.hpp>

#include <cstddef>
#include <deque>
#include <string_view>
#include <vector>

namespace bulk {

/// What this process has counted of each operation of a catalog.
class operation_observers {
public:
    operation_observers(const catalog& operations, const log_handler& log)
        : operations_{operations} {
        for (const auto& each : operations.all()) observers_.emplace_back(each.steps.size(), log);
    }

    /// Of an operation that the catalog has.
    [[nodiscard]] observer& of(std::string_view name) {
        std::size_t at = 0;
        while (at + 1 < observers_.size() && !same_name(operations_.all()[at].name, name)) ++at;
        return observers_[at];
    }

    [[nodiscard]] std::vector<service_metrics::operation> metrics() const {
        std::vector<service_metrics::operation> all;
        const auto known = operations_.all();
        for (std::size_t i = 0; i < observers_.size(); ++i) {
            const observer& seen = observers_[i];
            auto& each = all.emplace_back(
                service_metrics::operation{.name = known[i].name,
                                           .succeeded_rows = seen.succeeded(),
                                           .failed_rows = seen.failed(),
                                           .refused_rows = seen.refused(),
                                           .timed_out_rows = seen.timed_out(),
                                           .retried_steps = seen.retried(),
                                           .waiting_rows = seen.waiting(),
                                           .flushes = seen.flushes(),
                                           .failed_flushes = seen.failed_flushes()});
            for (std::size_t step = 0; step < known[i].steps.size(); ++step)
                each.steps.push_back({known[i].steps[step].name, seen.step(step)});
        }
        return all;
    }

private:
    const catalog& operations_;
    std::deque<observer> observers_;  ///< one for each operation, as listed
};

}  // namespace bulk
