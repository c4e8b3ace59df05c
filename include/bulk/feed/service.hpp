// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/feed/run_starter.hpp>
#include <bulk/feed/service_options.hpp>
#include <bulk/storage/any_storage.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

class feed_service_core;

/// A run with everything that it consists of.
struct run_report {
    feed_run run{};
    run_state state{};
    std::vector<feed_partition> partitions{};
};

/// Keeps the canonical sets of a program's feeds: starts runs, works on them together with all other
/// processes that have the same storage, and answers for them. When it goes, it shuts down: runs go on
/// elsewhere, or with the next start. Every function may be called from any thread.
class feed_service {
public:
    /// `feeds` is `bulk::feeds<...>`.
    feed_service(feed_catalog feeds, any_storage storage, feed_service_options options = {},
                 log_handler log = {});
    /// On an executor of the caller's, which outlives the service: for tests.
    feed_service(feed_catalog feeds, any_storage storage, feed_service_options options,
                 executor* jobs, log_handler log = {});
    feed_service(feed_service&&) noexcept = default;
    feed_service& operator=(feed_service&&) noexcept = default;
    ~feed_service();

    // --- runs ------------------------------------------------------------------------------------

    /// The feeds of this program.
    [[nodiscard]] const std::vector<std::unique_ptr<any_feed>>& feeds() const;

    /// What a run would do; nothing is stored.
    [[nodiscard]] result<run_plan> plan(std::string_view feed, const start_options& options = {});
    /// Looks at the source and starts a run; none when there is nothing to read. `conflict`: the feed
    /// has a run already.
    [[nodiscard]] result<std::optional<feed_run>> start(std::string_view feed,
                                                        const start_options& options = {});

    [[nodiscard]] result<feed_run> get(run_id id);
    [[nodiscard]] result<run_report> report(run_id id);
    [[nodiscard]] run_state state_of(const feed_run& run) const;
    [[nodiscard]] result<page<feed_run>> query(run_query query);
    /// Those that somebody works on, or should.
    [[nodiscard]] result<page<feed_run>> active_runs();
    /// Those that were started within that time.
    [[nodiscard]] result<page<feed_run>> recent_runs(
        std::chrono::milliseconds time = std::chrono::hours{24});
    [[nodiscard]] result<std::vector<feed_partition>> partitions(run_id id);
    [[nodiscard]] result<std::vector<feed_partition>> failed_partitions(run_id id);
    [[nodiscard]] result<std::vector<feed_partition>> unfinished_partitions(run_id id);
    /// Waits until nobody works on a run any more; fails when it is not in time.
    [[nodiscard]] result<feed_run> wait(run_id id,
                                        std::chrono::milliseconds time = std::chrono::hours{24});

    /// Failed partitions go on at the page at which they failed; one of them, or all. How many. `who`
    /// asks for it stands in the event; so below.
    [[nodiscard]] result<std::uint32_t> retry_partitions(
        run_id id, std::optional<std::uint32_t> number = std::nullopt, const std::string& who = {});
    /// With failed partitions it must be forced: the watermark moves on without them.
    [[nodiscard]] result<feed_run> consolidate(run_id id, bool force = false,
                                               const std::string& who = {});
    /// Items that could not be mapped are tried again; how many.
    [[nodiscard]] result<std::uint64_t> resume_consolidation(run_id id,
                                                             const std::string& who = {});
    [[nodiscard]] result<feed_run> cancel(run_id id, const std::string& reason = {},
                                          const std::string& who = {});
    /// Forgets a run that nobody works on.
    [[nodiscard]] result<> remove(run_id id);

    // --- what they make ----------------------------------------------------------------------------

    /// Items that have no key or could not be mapped.
    [[nodiscard]] result<std::vector<bad_item>> bad_items(run_id id, const std::string& after = {},
                                                          std::uint32_t limit = 100);
    [[nodiscard]] result<watermark> watermark_of(std::string_view feed);
    /// None makes the next run a full one.
    [[nodiscard]] result<watermark> set_watermark(std::string_view feed,
                                                  std::optional<timestamp> value,
                                                  const std::string& who = {});
    [[nodiscard]] result<std::optional<canonical_item>> item(std::string_view feed,
                                                             const std::string& key);
    [[nodiscard]] result<page<canonical_item>> items(const item_query& query);

    // --- the service itself --------------------------------------------------------------------------

    /// Calls the handler for everything that happens from now on, until `unsubscribe`.
    [[nodiscard]] std::uint64_t subscribe(event_handler handler);
    void unsubscribe(std::uint64_t number);
    [[nodiscard]] result<std::vector<event>> events(std::optional<run_id> id,
                                                    std::optional<std::uint64_t> after = {},
                                                    std::uint32_t limit = 100);
    [[nodiscard]] result<std::vector<event>> events(std::optional<std::uint64_t> after);
    /// Who works on this storage, in any process, as they have last said.
    [[nodiscard]] result<std::vector<worker_record>> workers();
    /// Whether this process does nothing for feeds at the moment, nor is about to start one that
    /// follows another.
    [[nodiscard]] bool is_idle() const;
    /// Whether it works on anything: its options are right, it has threads, and nobody has shut it down.
    [[nodiscard]] result<> usable() const;
    /// Begins nothing new and lets pages in flight finish. Fails when they do not in time.
    [[nodiscard]] result<> shutdown();
    [[nodiscard]] any_storage& storage();
    /// By the clock that dates its runs.
    [[nodiscard]] timestamp now() const;

private:
    [[nodiscard]] result<any_feed*> find(std::string_view name);

    template <typename T>
    [[nodiscard]] result<T> then_work(run_id id, result<T> done);
    template <typename Wanted>
    [[nodiscard]] result<std::vector<feed_partition>> partitions_if(run_id id, Wanted wanted);

    std::shared_ptr<feed_service_core> core_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/feed/implementation.hpp>
#endif
