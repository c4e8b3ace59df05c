// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/feed/run_starter.hpp>
#include <bulk/feed/service_core.hpp>
#include <bulk/feed/service_options.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// A run with everything that it consists of.
struct run_report {
    feed_run run{};
    run_state state{};
    std::vector<feed_partition> partitions{};
};

/// Keeps the canonical sets of a program's feeds: starts runs, works on them together with all other
/// processes that have the same storage, and answers for them. When it goes, it shuts down: runs go on
/// elsewhere, or with the next start. Every function may be called from any thread.
template <typename Storage>
    requires storage<Storage> && feed_storage<Storage>
class feed_service {
public:
    template <typename... Feeds>
    feed_service(feed_list<Feeds...> feeds, Storage storage, feed_service_options options = {},
                 log_handler log = {})
        : core_{std::make_shared<core>(std::move(storage), std::move(options), nullptr,
                                       std::move(log))} {
        core_->start(feeds.make());
    }
    /// On an executor of the caller's, which outlives the service: for tests.
    template <typename... Feeds>
    feed_service(feed_list<Feeds...> feeds, Storage storage, feed_service_options options,
                 executor* jobs, log_handler log = {})
        : core_{std::make_shared<core>(std::move(storage), std::move(options), jobs,
                                       std::move(log))} {
        core_->start(feeds.make());
    }
    feed_service(feed_service&&) noexcept = default;
    feed_service& operator=(feed_service&&) noexcept = default;
    ~feed_service() {
        if (core_ != nullptr) core_->let_go();
    }

    // --- runs ------------------------------------------------------------------------------------

    /// The feeds of this program.
    [[nodiscard]] const std::vector<std::unique_ptr<any_feed>>& feeds() const {
        return core_->engine().feeds();
    }

    /// What a run would do; nothing is stored.
    [[nodiscard]] result<run_plan> plan(std::string_view feed, const start_options& options = {}) {
        const auto found = find(feed);
        if (!found) return std::unexpected{found.error()};
        return core_->starter().plan(**found, options);
    }
    /// Looks at the source and starts a run; none when there is nothing to read. `conflict`: the feed
    /// has a run already.
    [[nodiscard]] result<std::optional<feed_run>> start(std::string_view feed,
                                                        const start_options& options = {}) {
        const auto found = find(feed);
        if (!found) return std::unexpected{found.error()};
        auto started = core_->starter().start(**found, options);
        if (started && *started) core_->begin_work((*started)->id);
        return started;
    }

    [[nodiscard]] result<feed_run> get(run_id id) { return core_->store().run(id); }
    [[nodiscard]] result<run_report> report(run_id id) {
        auto run = core_->store().run(id);
        if (!run) return std::unexpected{std::move(run).error()};
        auto parts = core_->store().partitions(id);
        if (!parts) return std::unexpected{std::move(parts).error()};
        const auto state = state_of(*run);
        return run_report{std::move(*run), state, std::move(*parts)};
    }
    [[nodiscard]] run_state state_of(const feed_run& run) const {
        return bulk::state_of(run, core_->jobs().now(), core_->options().stall_after);
    }
    [[nodiscard]] result<page<feed_run>> query(run_query query) {
        query.now = core_->jobs().now();
        query.stall_after = core_->options().stall_after;
        return core_->store().runs(query);
    }
    /// Those that somebody works on, or should.
    [[nodiscard]] result<page<feed_run>> active_runs() {
        return query({.active_only = true, .page_size = largest_page});
    }
    /// Those that were started within that time.
    [[nodiscard]] result<page<feed_run>> recent_runs(
        std::chrono::milliseconds time = std::chrono::hours{24}) {
        return query({.started_from = core_->jobs().now() - time, .page_size = largest_page});
    }
    [[nodiscard]] result<std::vector<feed_partition>> partitions(run_id id) {
        return core_->store().partitions(id);
    }
    [[nodiscard]] result<std::vector<feed_partition>> failed_partitions(run_id id) {
        return partitions_if(id, [](partition_state s) { return s == partition_state::failed; });
    }
    [[nodiscard]] result<std::vector<feed_partition>> unfinished_partitions(run_id id) {
        return partitions_if(id, [](partition_state s) { return s != partition_state::completed; });
    }
    /// Waits until nobody works on a run any more; fails when it is not in time.
    [[nodiscard]] result<feed_run> wait(run_id id,
                                        std::chrono::milliseconds time = std::chrono::hours{24}) {
        return core_->wait(id, time);
    }

    /// Failed partitions go on at the page at which they failed; one of them, or all. How many. `who`
    /// asks for it stands in the event; so below.
    [[nodiscard]] result<std::uint32_t> retry_partitions(
        run_id id, std::optional<std::uint32_t> number = std::nullopt,
        const std::string& who = {}) {
        return then_work(id, core_->store().retry_partitions(id, number, core_->jobs().now(), who));
    }
    /// With failed partitions it must be forced: the watermark moves on without them.
    [[nodiscard]] result<feed_run> consolidate(run_id id, bool force = false,
                                               const std::string& who = {}) {
        return then_work(id, core_->store().consolidate(id, force, core_->jobs().now(), who));
    }
    /// Items that could not be mapped are tried again; how many.
    [[nodiscard]] result<std::uint64_t> resume_consolidation(run_id id,
                                                             const std::string& who = {}) {
        return then_work(id, core_->store().resume_consolidation(id, core_->jobs().now(), who));
    }
    [[nodiscard]] result<feed_run> cancel(run_id id, const std::string& reason = {},
                                          const std::string& who = {}) {
        auto cancelled = core_->store().cancel_run(id, reason, core_->jobs().now(), who);
        core_->changed();
        return cancelled;
    }
    /// Forgets a run that nobody works on.
    [[nodiscard]] result<> remove(run_id id) { return core_->store().remove_run(id); }

    // --- what they make ----------------------------------------------------------------------------

    /// Items that have no key or could not be mapped.
    [[nodiscard]] result<std::vector<bad_item>> bad_items(run_id id, const std::string& after = {},
                                                          std::uint32_t limit = 100) {
        return core_->store().bad_items(id, after, limit);
    }
    [[nodiscard]] result<watermark> watermark_of(std::string_view feed) {
        return core_->store().watermark_of(std::string{feed});
    }
    /// None makes the next run a full one.
    [[nodiscard]] result<watermark> set_watermark(std::string_view feed,
                                                  std::optional<timestamp> value,
                                                  const std::string& who = {}) {
        if (const auto known = find(feed); !known) return std::unexpected{known.error()};
        auto set = core_->store().set_watermark(std::string{feed}, value, who, core_->jobs().now());
        core_->changed();
        return set;
    }
    [[nodiscard]] result<std::optional<canonical_item>> item(std::string_view feed,
                                                             const std::string& key) {
        return core_->store().item(std::string{feed}, key);
    }
    [[nodiscard]] result<page<canonical_item>> items(const item_query& query) {
        return core_->store().items(query);
    }

    // --- the service itself --------------------------------------------------------------------------

    /// Calls the handler for everything that happens from now on, until `unsubscribe`.
    [[nodiscard]] std::uint64_t subscribe(event_handler handler) {
        return core_->events().add(std::move(handler));
    }
    void unsubscribe(std::uint64_t number) { core_->events().remove(number); }
    [[nodiscard]] result<std::vector<event>> events(std::optional<run_id> id,
                                                    std::optional<std::uint64_t> after = {},
                                                    std::uint32_t limit = 100) {
        return core_->storage().events(id ? std::optional{operation_id{id->value}} : std::nullopt,
                                       after, limit);
    }
    /// Who works on this storage, in any process, as they have last said.
    [[nodiscard]] result<std::vector<worker_record>> workers() { return storage().workers(); }
    /// Whether this process does nothing for feeds at the moment, nor is about to start one that
    /// follows another.
    [[nodiscard]] bool is_idle() const { return core_->is_idle(); }
    /// Whether it works on anything: its options are right, it has threads, and nobody has shut it down.
    [[nodiscard]] result<> usable() const { return core_->usable(); }
    /// Begins nothing new and lets pages in flight finish. Fails when they do not in time.
    [[nodiscard]] result<> shutdown() { return core_->shutdown(); }
    [[nodiscard]] Storage& storage() { return core_->storage(); }
    /// By the clock that dates its runs.
    [[nodiscard]] timestamp now() const { return core_->jobs().now(); }

private:
    using core = feed_service_core<Storage>;

    [[nodiscard]] result<any_feed*> find(std::string_view name) {
        if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
        return find_feed(core_->engine().feeds(), name);
    }

    template <typename T>
    [[nodiscard]] result<T> then_work(run_id id, result<T> done) {
        if (done) core_->begin_work(id);
        return done;
    }

    template <typename Wanted>
    [[nodiscard]] result<std::vector<feed_partition>> partitions_if(run_id id, Wanted wanted) {
        auto all = core_->store().partitions(id);
        if (all)
            std::erase_if(*all, [&](const feed_partition& each) { return !wanted(each.state); });
        return all;
    }

    std::shared_ptr<core> core_;
};

template <typename... Feeds, typename Storage, typename... Rest>
feed_service(feed_list<Feeds...>, Storage, Rest...) -> feed_service<Storage>;

}  // namespace bulk
