// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/service/retention.hpp>
#include <bulk/service/retry_desk.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/service/upload.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// A service without the types of its operations and its storage: the verbs are compiled once, for
/// every program. Each function is the service's own.
class any_service {
public:
    any_service() = default;
    any_service(const any_service&) = delete;
    any_service& operator=(const any_service&) = delete;
    virtual ~any_service() = default;

    virtual result<operation_id> create(std::string_view name, upload file,
                                        const create_options<>& about) = 0;
    virtual result<operation_record> get(operation_id id) = 0;
    virtual result<operation_record> wait(operation_id id, std::chrono::milliseconds time) = 0;
    virtual result<page<operation_record>> query(const operation_query& query) = 0;
    virtual result<page<row_record>> query(const row_query& query) = 0;
    virtual result<std::vector<error_group>> error_groups(operation_id id) = 0;
    virtual result<export_summary> export_rows(operation_id id, const export_options& options,
                                               const export_sink& sink) = 0;
    virtual result<signal_receipt> signal(operation_id id, std::string key) = 0;
    virtual result<signal_receipt> signal(std::string_view full_key) = 0;
    virtual result<signal_receipt> fail_signal(operation_id id, std::string key,
                                               std::string why) = 0;
    virtual result<signal_receipt> fail_signal(std::string_view full_key, std::string why) = 0;
    virtual result<retry_answer> retry(operation_id id, const retry_filter& filter) = 0;
    virtual result<> cancel(operation_id id) = 0;
    virtual result<> pause(operation_id id) = 0;
    virtual result<> resume(operation_id id) = 0;
    virtual result<> remove(operation_id id) = 0;
    virtual result<prune_report> prune(const prune_options& options) = 0;
    virtual result<std::vector<event>> events(std::optional<std::uint64_t> after) = 0;
    virtual void subscribe(event_handler handler) = 0;
    virtual service_metrics metrics() = 0;
    virtual result<> shutdown() = 0;
};

template <typename Service>
class typed_service final : public any_service {
public:
    /// From what the service is made of.
    template <typename... Parts>
    explicit typed_service(Parts&&... parts) : service_{std::forward<Parts>(parts)...} {}

    result<operation_id> create(std::string_view name, upload file,
                                const create_options<>& about) override {
        return service_.create(name, std::move(file), about);
    }
    result<operation_record> get(operation_id id) override { return service_.get(id); }
    result<operation_record> wait(operation_id id, std::chrono::milliseconds time) override {
        return service_.wait(id, time);
    }
    result<page<operation_record>> query(const operation_query& query) override {
        return service_.query(query);
    }
    result<page<row_record>> query(const row_query& query) override {
        return service_.query(query);
    }
    result<std::vector<error_group>> error_groups(operation_id id) override {
        return service_.error_groups(id);
    }
    result<export_summary> export_rows(operation_id id, const export_options& options,
                                       const export_sink& sink) override {
        return service_.export_rows(id, options, sink);
    }
    result<signal_receipt> signal(operation_id id, std::string key) override {
        return service_.signal(id, std::move(key));
    }
    result<signal_receipt> signal(std::string_view full_key) override {
        return service_.signal(full_key);
    }
    result<signal_receipt> fail_signal(operation_id id, std::string key, std::string why) override {
        return service_.fail_signal(id, std::move(key), std::move(why));
    }
    result<signal_receipt> fail_signal(std::string_view full_key, std::string why) override {
        return service_.fail_signal(full_key, std::move(why));
    }
    result<retry_answer> retry(operation_id id, const retry_filter& filter) override {
        return service_.retry(id, filter);
    }
    result<> cancel(operation_id id) override { return service_.cancel(id); }
    result<> pause(operation_id id) override { return service_.pause(id); }
    result<> resume(operation_id id) override { return service_.resume(id); }
    result<> remove(operation_id id) override { return service_.remove(id); }
    result<prune_report> prune(const prune_options& options) override {
        return service_.prune(options);
    }
    result<std::vector<event>> events(std::optional<std::uint64_t> after) override {
        return service_.events(std::nullopt, after, largest_page);
    }
    void subscribe(event_handler handler) override { (void)service_.subscribe(std::move(handler)); }
    service_metrics metrics() override { return service_.metrics(); }
    result<> shutdown() override { return service_.shutdown(); }

private:
    Service service_;
};

}  // namespace bulk::cli
