// SPDX-License-Identifier: MIT
#pragma once

// What the functions of `bulk::feed_service` do: see core/linkage.hpp for who includes this.

#include <bulk/core/linkage.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/feed/service_core.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

template <typename T>
result<T> feed_service::then_work(run_id id, result<T> done) {
    if (done) core_->begin_work(id);
    return done;
}

template <typename Wanted>
result<std::vector<feed_partition>> feed_service::partitions_if(run_id id, Wanted wanted) {
    auto all = core_->store().partitions(id);
    if (all) std::erase_if(*all, [&](const feed_partition& each) { return !wanted(each.state); });
    return all;
}

BULK_INLINE feed_service::feed_service(feed_catalog feeds, any_storage storage,
                                       feed_service_options options, log_handler log)
    : core_{std::make_shared<feed_service_core>(std::move(storage), std::move(options), nullptr,
                                                std::move(log))} {
    core_->start(feeds.make());
}

BULK_INLINE feed_service::feed_service(feed_catalog feeds, any_storage storage,
                                       feed_service_options options, executor* jobs,
                                       log_handler log)
    : core_{std::make_shared<feed_service_core>(std::move(storage), std::move(options), jobs,
                                                std::move(log))} {
    core_->start(feeds.make());
}

BULK_INLINE feed_service::~feed_service() {
    if (core_ != nullptr) core_->let_go();
}

BULK_INLINE const std::vector<std::unique_ptr<any_feed>>& feed_service::feeds() const {
    return core_->engine().feeds();
}

BULK_INLINE result<run_plan> feed_service::plan(std::string_view feed,
                                                const start_options& options) {
    const auto found = find(feed);
    if (!found) return std::unexpected{found.error()};
    return core_->starter().plan(**found, options);
}

BULK_INLINE result<std::optional<feed_run>> feed_service::start(std::string_view feed,
                                                                const start_options& options) {
    const auto found = find(feed);
    if (!found) return std::unexpected{found.error()};
    auto started = core_->starter().start(**found, options);
    if (started && *started) core_->begin_work((*started)->id);
    return started;
}

BULK_INLINE result<feed_run> feed_service::get(run_id id) { return core_->store().run(id); }

BULK_INLINE result<run_report> feed_service::report(run_id id) {
    auto run = core_->store().run(id);
    if (!run) return std::unexpected{std::move(run).error()};
    auto parts = core_->store().partitions(id);
    if (!parts) return std::unexpected{std::move(parts).error()};
    const auto state = state_of(*run);
    return run_report{std::move(*run), state, std::move(*parts)};
}

BULK_INLINE run_state feed_service::state_of(const feed_run& run) const {
    return bulk::state_of(run, core_->jobs().now(), core_->options().stall_after);
}

BULK_INLINE result<page<feed_run>> feed_service::query(run_query query) {
    query.now = core_->jobs().now();
    query.stall_after = core_->options().stall_after;
    return core_->store().runs(query);
}

BULK_INLINE result<page<feed_run>> feed_service::active_runs() {
    return query({.active_only = true, .page_size = largest_page});
}

BULK_INLINE result<page<feed_run>> feed_service::recent_runs(std::chrono::milliseconds time) {
    return query({.started_from = core_->jobs().now() - time, .page_size = largest_page});
}

BULK_INLINE result<std::vector<feed_partition>> feed_service::partitions(run_id id) {
    return core_->store().partitions(id);
}

BULK_INLINE result<std::vector<feed_partition>> feed_service::failed_partitions(run_id id) {
    return partitions_if(id, [](partition_state s) { return s == partition_state::failed; });
}

BULK_INLINE result<std::vector<feed_partition>> feed_service::unfinished_partitions(run_id id) {
    return partitions_if(id, [](partition_state s) { return s != partition_state::completed; });
}

BULK_INLINE result<feed_run> feed_service::wait(run_id id, std::chrono::milliseconds time) {
    return core_->wait(id, time);
}

BULK_INLINE result<std::uint32_t> feed_service::retry_partitions(
    run_id id, std::optional<std::uint32_t> number, const std::string& who) {
    return then_work(id, core_->store().retry_partitions(id, number, core_->jobs().now(), who));
}

BULK_INLINE result<feed_run> feed_service::consolidate(run_id id, bool force,
                                                       const std::string& who) {
    return then_work(id, core_->store().consolidate(id, force, core_->jobs().now(), who));
}

BULK_INLINE result<std::uint64_t> feed_service::resume_consolidation(run_id id,
                                                                     const std::string& who) {
    return then_work(id, core_->store().resume_consolidation(id, core_->jobs().now(), who));
}

BULK_INLINE result<feed_run> feed_service::cancel(run_id id, const std::string& reason,
                                                  const std::string& who) {
    auto cancelled = core_->store().cancel_run(id, reason, core_->jobs().now(), who);
    core_->changed();
    return cancelled;
}

BULK_INLINE result<> feed_service::remove(run_id id) { return core_->store().remove_run(id); }

BULK_INLINE result<std::vector<bad_item>> feed_service::bad_items(run_id id,
                                                                  const std::string& after,
                                                                  std::uint32_t limit) {
    return core_->store().bad_items(id, after, limit);
}

BULK_INLINE result<watermark> feed_service::watermark_of(std::string_view feed) {
    return core_->store().watermark_of(std::string{feed});
}

BULK_INLINE result<watermark> feed_service::set_watermark(std::string_view feed,
                                                          std::optional<timestamp> value,
                                                          const std::string& who) {
    if (const auto known = find(feed); !known) return std::unexpected{known.error()};
    auto set = core_->store().set_watermark(std::string{feed}, value, who, core_->jobs().now());
    core_->changed();
    return set;
}

BULK_INLINE result<std::optional<canonical_item>> feed_service::item(std::string_view feed,
                                                                     const std::string& key) {
    return core_->store().item(std::string{feed}, key);
}

BULK_INLINE result<page<canonical_item>> feed_service::items(const item_query& query) {
    return core_->store().items(query);
}

BULK_INLINE std::uint64_t feed_service::subscribe(event_handler handler) {
    return core_->events().add(std::move(handler));
}

BULK_INLINE void feed_service::unsubscribe(std::uint64_t number) { core_->events().remove(number); }

BULK_INLINE result<std::vector<event>> feed_service::events(std::optional<run_id> id,
                                                            std::optional<std::uint64_t> after,
                                                            std::uint32_t limit) {
    return core_->storage().events(id ? std::optional{operation_id{id->value}} : std::nullopt,
                                   after, limit);
}

BULK_INLINE result<std::vector<event>> feed_service::events(std::optional<std::uint64_t> after) {
    return events(std::nullopt, after, largest_page);
}

BULK_INLINE result<std::vector<worker_record>> feed_service::workers() {
    return storage().workers();
}

BULK_INLINE bool feed_service::is_idle() const { return core_->is_idle(); }

BULK_INLINE result<> feed_service::usable() const { return core_->usable(); }

BULK_INLINE result<> feed_service::shutdown() { return core_->shutdown(); }

BULK_INLINE any_storage& feed_service::storage() { return core_->storage(); }

BULK_INLINE timestamp feed_service::now() const { return core_->jobs().now(); }

BULK_INLINE result<any_feed*> feed_service::find(std::string_view name) {
    if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
    return find_feed(core_->engine().feeds(), name);
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
