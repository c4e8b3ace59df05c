// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/density.hpp>
#include <bulk/feed/partitioner.hpp>
#include <bulk/feed/source.hpp>
#include <bulk/feed/window.hpp>
#include <bulk/storage/feed_port.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bulk {

struct start_options {
    std::optional<run_type> type{};  ///< unset: incremental where there is a watermark
    std::string trace{};             ///< unset: the run's id
    std::string started_by{};
    std::optional<std::uint64_t> max_records{};  ///< instead of the feed's own
};

/// What a run would do.
struct run_plan {
    std::string feed{};
    run_outline outline{};
    std::optional<timestamp> watermark{};
    key_range extent{};
    density found{};
    std::vector<planned_partition> partitions{};
    bool is_capped = false;  ///< there is more than `max_records`
};

/// From the watermark to a run: looks at the source, cuts it, and stores the run with all of its
/// partitions at once, so that none can be missing. Whoever is second is refused.
class run_starter {
public:
    using pause = std::function<void(std::chrono::milliseconds)>;

    run_starter(feed_port& store, executor& jobs, bool in_threads, pause wait)
        : store_{store}, jobs_{jobs}, in_threads_{in_threads}, wait_{std::move(wait)} {}

    [[nodiscard]] result<run_plan> plan(any_feed& feed, const start_options& options) {
        const auto& said = feed.options();
        const auto standing = store_.watermark_of(std::string{said.name});
        if (!standing) return std::unexpected{standing.error()};
        const auto outline = outline_run(said, *standing, options.type, jobs_.now());
        if (!outline) return std::unexpected{outline.error()};
        run_plan made{
            .feed = std::string{said.name}, .outline = *outline, .watermark = standing->value};
        const auto window = window_to_read(outline->type, outline->window);
        const auto extent = patiently<key_range>(said, [&] { return feed.extent(window); });
        if (!extent) return std::unexpected{extent.error()};
        made.extent = *extent;
        auto found = scan(made.extent, scan_options_of(said), [&](std::span<const key_range> all) {
            return count_all(feed, all, window);
        });
        if (!found) return std::unexpected{std::move(found).error()};
        made.found = std::move(*found);
        const auto most =
            outline->type == run_type::full ? said.max_workers : said.max_workers_incremental;
        auto cut = partition(made.found, made.extent,
                             {.workers = worker_count(made.found.total, said.min_per_worker, most),
                              .granularity = said.granularity,
                              .max_records = options.max_records.value_or(said.max_records)});
        if (!cut) return std::unexpected{std::move(cut).error()};
        made.partitions = std::move(cut->partitions);
        made.is_capped = cut->is_capped;
        return made;
    }

    /// None when the source has nothing for it.
    [[nodiscard]] result<std::optional<feed_run>> start(any_feed& feed,
                                                        const start_options& options) {
        const auto planned = plan(feed, options);
        if (!planned) return std::unexpected{planned.error()};
        if (planned->partitions.empty()) return std::nullopt;
        const auto& said = feed.options();
        feed_run run{.id = {make_uuid(jobs_.now(), jobs_.random(), jobs_.random())},
                     .feed = planned->feed,
                     .type = planned->outline.type,
                     .rules = {.min_success_ratio = said.min_success_ratio,
                               .partial_delay = said.partial_delay,
                               .max_deliveries = said.max_deliveries,
                               .tolerate_bad_items = said.tolerate_bad_items},
                     .window = planned->outline.window,
                     .trace = options.trace,
                     .started_by = options.started_by,
                     .started_at = jobs_.now(),
                     .is_capped = planned->is_capped,
                     .watermark_before = planned->watermark};
        if (run.trace.empty()) run.trace = to_text(run.id);
        std::vector<feed_partition> partitions;
        for (const auto& each : planned->partitions) {
            run.estimated += each.estimated;
            partitions.push_back({.number = static_cast<std::uint32_t>(partitions.size()),
                                  .range = each.range,
                                  .estimated = each.estimated,
                                  .most_records = each.most_records,
                                  .due = run.started_at});
        }
        auto started = store_.start_run(run, partitions);
        if (!started) return std::unexpected{std::move(started).error()};
        return std::move(*started);
    }

private:
    /// The longest steps follow from the first one, so that they fit an axis of any length.
    [[nodiscard]] static scan_options scan_options_of(const feed_options& said) {
        constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max() / 32;
        const std::int64_t dense = std::min(said.dense_step, longest);
        const std::int64_t sparse = std::min(said.sparse_step, longest);
        scan_options options;
        options.dense_below = said.dense_below;
        options.dense_step = dense;
        options.sparse_step = options.coarse_step = sparse;
        options.largest_step = std::max(10 * sparse, 2 * dense);
        options.largest_empty_step = std::max(20 * sparse, options.largest_step);
        options.largest_fine_step = std::max(2 * sparse, dense);
        options.target = said.target_per_partition;
        options.concurrency = static_cast<int>(said.scan_concurrency);
        options.two_pass = said.two_pass;
        options.granularity = said.granularity;
        return options;
    }

    /// As often as a page is tried.
    template <typename T, typename Call>
    [[nodiscard]] result<T> patiently(const feed_options& said, Call call) {
        for (int attempt = 1;; ++attempt) {
            auto answer = call();
            if (answer || !is_passing(answer.error().code) || attempt > said.max_retries)
                return answer;
            wait_(delay_before(said.backoff, attempt, random_share(jobs_)));
        }
    }

    /// Each in a thread of its own: a source takes its time for every one of them.
    [[nodiscard]] result<std::vector<std::uint64_t>> count_all(any_feed& feed,
                                                               std::span<const key_range> ranges,
                                                               const update_window& window) {
        std::vector<result<std::uint64_t>> answers(ranges.size());
        const auto count = [&](std::size_t i) {
            answers[i] = patiently<std::uint64_t>(feed.options(),
                                                  [&] { return feed.count(ranges[i], window); });
        };
        {
            std::vector<std::jthread> threads;
            const auto start = [&](std::size_t i) {
                try {
                    threads.emplace_back(count, i);
                } catch (const std::system_error&) {
                    return false;
                }
                return true;
            };
            std::size_t begun = 1;  // the first is counted here, and what no thread can be had for
            while (in_threads_ && begun < ranges.size() && start(begun)) ++begun;
            for (std::size_t i = 0; i < ranges.size(); ++i)
                if (i == 0 || i >= begun) count(i);
        }
        std::vector<std::uint64_t> counts;
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            if (!answers[i])
                return fail(
                    answers[i].error().code,
                    concat("feed '", feed.options().name, "': counting ",
                           feed.text_of(ranges[i].first), " to ", feed.text_of(ranges[i].last),
                           " failed: ", answers[i].error().message));
            counts.push_back(*answers[i]);
        }
        return counts;
    }

    feed_port& store_;
    executor& jobs_;
    bool in_threads_;
    pause wait_;
};

}  // namespace bulk
