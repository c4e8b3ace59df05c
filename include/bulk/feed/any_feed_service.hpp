// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/run_starter.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/service/subscriptions.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// A feed service without the type of its storage: front doors are compiled once, for every
/// program. Each function is the service's own.
class any_feed_service {
public:
    any_feed_service() = default;
    any_feed_service(const any_feed_service&) = delete;
    any_feed_service& operator=(const any_feed_service&) = delete;
    virtual ~any_feed_service() = default;

    [[nodiscard]] virtual const std::vector<std::unique_ptr<any_feed>>& feeds() const = 0;
    virtual result<run_plan> plan(std::string_view feed, const start_options& options) = 0;
    virtual result<std::optional<feed_run>> start(std::string_view feed,
                                                  const start_options& options) = 0;
    virtual result<feed_run> get(run_id id) = 0;
    virtual result<run_report> report(run_id id) = 0;
    [[nodiscard]] virtual run_state state_of(const feed_run& run) const = 0;
    virtual result<page<feed_run>> query(const run_query& query) = 0;
    virtual result<feed_run> wait(run_id id, std::chrono::milliseconds time) = 0;
    virtual result<std::uint32_t> retry_partitions(run_id id, std::optional<std::uint32_t> number,
                                                   const std::string& who) = 0;
    virtual result<feed_run> consolidate(run_id id, bool force, const std::string& who) = 0;
    virtual result<std::uint64_t> resume_consolidation(run_id id, const std::string& who) = 0;
    virtual result<feed_run> cancel(run_id id, const std::string& reason,
                                    const std::string& who) = 0;
    virtual result<> remove(run_id id) = 0;
    virtual result<std::vector<bad_item>> bad_items(run_id id, const std::string& after,
                                                    std::uint32_t limit) = 0;
    virtual result<watermark> watermark_of(std::string_view feed) = 0;
    virtual result<watermark> set_watermark(std::string_view feed, std::optional<timestamp> value,
                                            const std::string& who) = 0;
    virtual result<std::optional<canonical_item>> item(std::string_view feed,
                                                       const std::string& key) = 0;
    virtual result<page<canonical_item>> items(const item_query& query) = 0;
    virtual result<std::vector<event>> events(std::optional<run_id> id,
                                              std::optional<std::uint64_t> after,
                                              std::uint32_t limit) = 0;
    result<std::vector<event>> events(std::optional<std::uint64_t> after) {
        return events(std::nullopt, after, largest_page);
    }
    virtual std::uint64_t subscribe(event_handler handler) = 0;
    virtual void unsubscribe(std::uint64_t number) = 0;
    virtual result<std::vector<worker_record>> workers() = 0;
    [[nodiscard]] virtual timestamp now() const = 0;
    [[nodiscard]] virtual bool is_idle() const = 0;
    [[nodiscard]] virtual result<> usable() const = 0;
    virtual result<> shutdown() = 0;
};

/// `Service` is a `bulk::feed_service`, or a reference to one that outlives this.
template <typename Service>
class typed_feed_service final : public any_feed_service {
public:
    /// From what the service is made of.
    template <typename... Parts>
    explicit typed_feed_service(Parts&&... parts) : service_{std::forward<Parts>(parts)...} {}

    [[nodiscard]] const std::vector<std::unique_ptr<any_feed>>& feeds() const override {
        return service_.feeds();
    }
    result<run_plan> plan(std::string_view feed, const start_options& options) override {
        return service_.plan(feed, options);
    }
    result<std::optional<feed_run>> start(std::string_view feed,
                                          const start_options& options) override {
        return service_.start(feed, options);
    }
    result<feed_run> get(run_id id) override { return service_.get(id); }
    result<run_report> report(run_id id) override { return service_.report(id); }
    [[nodiscard]] run_state state_of(const feed_run& run) const override {
        return service_.state_of(run);
    }
    result<page<feed_run>> query(const run_query& query) override { return service_.query(query); }
    result<feed_run> wait(run_id id, std::chrono::milliseconds time) override {
        return service_.wait(id, time);
    }
    result<std::uint32_t> retry_partitions(run_id id, std::optional<std::uint32_t> number,
                                           const std::string& who) override {
        return service_.retry_partitions(id, number, who);
    }
    result<feed_run> consolidate(run_id id, bool force, const std::string& who) override {
        return service_.consolidate(id, force, who);
    }
    result<std::uint64_t> resume_consolidation(run_id id, const std::string& who) override {
        return service_.resume_consolidation(id, who);
    }
    result<feed_run> cancel(run_id id, const std::string& reason, const std::string& who) override {
        return service_.cancel(id, reason, who);
    }
    result<> remove(run_id id) override { return service_.remove(id); }
    result<std::vector<bad_item>> bad_items(run_id id, const std::string& after,
                                            std::uint32_t limit) override {
        return service_.bad_items(id, after, limit);
    }
    result<watermark> watermark_of(std::string_view feed) override {
        return service_.watermark_of(feed);
    }
    result<watermark> set_watermark(std::string_view feed, std::optional<timestamp> value,
                                    const std::string& who) override {
        return service_.set_watermark(feed, value, who);
    }
    result<std::optional<canonical_item>> item(std::string_view feed,
                                               const std::string& key) override {
        return service_.item(feed, key);
    }
    result<page<canonical_item>> items(const item_query& query) override {
        return service_.items(query);
    }
    result<std::vector<event>> events(std::optional<run_id> id, std::optional<std::uint64_t> after,
                                      std::uint32_t limit) override {
        return service_.events(id, after, limit);
    }
    std::uint64_t subscribe(event_handler handler) override {
        return service_.subscribe(std::move(handler));
    }
    void unsubscribe(std::uint64_t number) override { service_.unsubscribe(number); }
    result<std::vector<worker_record>> workers() override { return service_.workers(); }
    [[nodiscard]] timestamp now() const override { return service_.now(); }
    [[nodiscard]] bool is_idle() const override { return service_.is_idle(); }
    [[nodiscard]] result<> usable() const override { return service_.usable(); }
    result<> shutdown() override { return service_.shutdown(); }

private:
    Service service_;
};

}  // namespace bulk
