// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/row_counters.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace bulk::http::api {

/// How fast operations go: by what they said the last times that somebody asked, whoever runs them. In
/// memory that does not grow with them.
class operation_rates {
public:
    /// Rows a second; none unless it is running.
    [[nodiscard]] std::optional<double> rate(const operation_record& of, timestamp now) {
        const std::scoped_lock lock{mutex_};
        if (of.state != operation_state::running || of.paused) {
            seen_.erase(of.id);
            return std::nullopt;
        }
        if (seen_.size() >= most_operations && !seen_.contains(of.id)) seen_.erase(seen_.begin());
        auto& samples = seen_[of.id];
        if (samples.empty() && of.run_started_at && of.retry_count == 0)
            samples.push_back({*of.run_started_at, 0});
        const bool is_news = samples.empty() || samples.size() == 1 ||
                             now - samples.back().when >= std::chrono::milliseconds{500};
        if (is_news) samples.push_back({now, of.rows.processed});
        while (samples.size() > 2 && now - samples[1].when > window) samples.pop_front();
        const auto elapsed = std::chrono::duration<double>(now - samples.front().when).count();
        if (elapsed <= 0 || of.rows.processed < samples.front().rows) return std::nullopt;
        return static_cast<double>(of.rows.processed - samples.front().rows) / elapsed;
    }

private:
    struct sample {
        timestamp when{};
        std::uint64_t rows = 0;
    };
    static constexpr std::size_t most_operations = 256;
    static constexpr std::chrono::seconds window{15};

    std::mutex mutex_;
    std::map<operation_id, std::deque<sample>> seen_;
};

/// Whole seconds until all rows are tried, at that rate.
[[nodiscard]] inline std::optional<std::uint32_t> eta_of(const operation_record& of,
                                                         std::optional<double> rate) {
    if (!rate || *rate <= 0 || !of.validated) return std::nullopt;
    const double seconds = static_cast<double>(unprocessed(of.rows)) / *rate;
    return static_cast<std::uint32_t>(std::min(seconds, 4e9));
}

}  // namespace bulk::http::api
