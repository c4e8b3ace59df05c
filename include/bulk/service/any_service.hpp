// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/service/dry_run_report.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/intake.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/service/retention.hpp>
#include <bulk/service/retry_desk.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/stored_file.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk {

/// A service without the types of its operations and its storage: front doors are compiled once, for
/// every program. Each function is the service's own.
class any_service {
public:
    any_service() = default;
    any_service(const any_service&) = delete;
    any_service& operator=(const any_service&) = delete;
    virtual ~any_service() = default;

    // --- what it knows -----------------------------------------------------------------------------

    [[nodiscard]] virtual std::span<const operation_description> operations() const = 0;
    [[nodiscard]] virtual result<const operation_description*> find(
        std::string_view name) const = 0;
    [[nodiscard]] virtual const service_options& options() const = 0;
    [[nodiscard]] virtual result<> usable() const = 0;
    [[nodiscard]] virtual timestamp now() const = 0;
    /// Metadata as the operation itself would write it: the same for whoever says the same. Personal
    /// values are hidden if that is wanted.
    virtual result<std::string> same_metadata(std::string_view name, std::string_view metadata,
                                              bool reveal_pii) = 0;
    virtual result<std::string> template_for(std::string_view name, export_format format) = 0;
    virtual result<dry_run_report> validate(std::string_view name, upload file,
                                            const std::string& metadata) = 0;

    // --- operations --------------------------------------------------------------------------------

    virtual result<operation_id> create(std::string_view name, upload file,
                                        const create_options<>& about) = 0;
    virtual result<taken_operation> take_in(std::string_view name, upload file,
                                            const create_options<>& about) = 0;
    virtual result<operation_record> get(operation_id id) = 0;
    virtual result<operation_record> wait(operation_id id, std::chrono::milliseconds time) = 0;
    virtual result<page<operation_record>> query(const operation_query& query) = 0;
    virtual result<page<row_record>> query(const row_query& query) = 0;
    virtual result<page<row_number>> row_numbers(const row_query& query) = 0;
    virtual result<std::vector<error_group>> error_groups(operation_id id) = 0;
    virtual result<export_summary> export_rows(operation_id id, const export_options& options,
                                               const export_sink& sink) = 0;
    virtual result<stored_file> file(const std::string& id) = 0;
    virtual result<byte_pull> open_file(const std::string& id, std::uint64_t offset) = 0;
    virtual result<std::vector<stored_file>> files(std::string_view prefix,
                                                   const std::string& after,
                                                   std::uint32_t limit) = 0;

    // --- what is done with them ----------------------------------------------------------------------

    virtual result<signal_receipt> signal(const bulk::signal& sent) = 0;
    virtual result<signal_receipt> signal(operation_id id, std::string key) = 0;
    virtual result<signal_receipt> signal(std::string_view full_key) = 0;
    virtual result<signal_receipt> fail_signal(operation_id id, std::string key,
                                               std::string why) = 0;
    virtual result<signal_receipt> fail_signal(std::string_view full_key, std::string why) = 0;
    virtual result<signal_receipt> signal_waiting(const bulk::signal& sent) = 0;
    virtual result<retry_eligibility> can_retry(operation_id id) = 0;
    virtual result<retry_answer> retry(operation_id id, const retry_filter& filter,
                                       std::string_view who) = 0;
    virtual result<page<retry_entry>> retry_history(const retry_history_query& query) = 0;
    virtual result<> cancel(operation_id id, std::string_view who) = 0;
    virtual result<> pause(operation_id id, std::string_view who) = 0;
    virtual result<> resume(operation_id id, std::string_view who) = 0;
    virtual result<> remove(operation_id id) = 0;
    virtual result<> note(operation_id id, std::string_view what, std::string_view who) = 0;
    virtual result<prune_report> prune(const prune_options& options) = 0;

    // --- events, and the service itself --------------------------------------------------------------

    virtual result<std::vector<event>> events(std::optional<operation_id> id,
                                              std::optional<std::uint64_t> after,
                                              std::uint32_t limit) = 0;
    result<std::vector<event>> events(std::optional<std::uint64_t> after) {
        return events(std::nullopt, after, largest_page);
    }
    virtual std::uint64_t subscribe(event_handler handler) = 0;
    virtual void unsubscribe(std::uint64_t number) = 0;
    virtual result<std::vector<worker_record>> workers() = 0;
    virtual service_metrics metrics() = 0;
    virtual result<> shutdown() = 0;
};

/// `Service` is a `bulk::service`, or a reference to one that outlives this.
template <typename Service>
class typed_service final : public any_service {
public:
    /// From what the service is made of.
    template <typename... Parts>
    explicit typed_service(Parts&&... parts) : service_{std::forward<Parts>(parts)...} {}

    [[nodiscard]] std::span<const operation_description> operations() const override {
        return list::descriptions;
    }
    [[nodiscard]] result<const operation_description*> find(std::string_view name) const override {
        return list::find(name);
    }
    [[nodiscard]] const service_options& options() const override { return service_.options(); }
    [[nodiscard]] result<> usable() const override { return service_.usable(); }
    [[nodiscard]] timestamp now() const override { return service_.now(); }
    result<std::string> same_metadata(std::string_view name, std::string_view metadata,
                                      bool reveal_pii) override {
        result<std::string> text;
        auto known = list::visit(name, [&]<typename Op>(std::type_identity<Op>) {
            auto read = json::read_metadata<typename Op::metadata_type>(metadata);
            if (read)
                text = json::metadata_text(*read, {.reveal_pii = reveal_pii});
            else
                text = std::unexpected{std::move(read).error()};
        });
        if (!known) return std::unexpected{std::move(known).error()};
        return text;
    }
    result<std::string> template_for(std::string_view name, export_format format) override {
        return service_.template_for(name, format);
    }
    result<dry_run_report> validate(std::string_view name, upload file,
                                    const std::string& metadata) override {
        return service_.validate(name, std::move(file), metadata);
    }

    result<operation_id> create(std::string_view name, upload file,
                                const create_options<>& about) override {
        return service_.create(name, std::move(file), about);
    }
    result<taken_operation> take_in(std::string_view name, upload file,
                                    const create_options<>& about) override {
        return service_.take_in(name, std::move(file), about);
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
    result<page<row_number>> row_numbers(const row_query& query) override {
        return service_.row_numbers(query);
    }
    result<std::vector<error_group>> error_groups(operation_id id) override {
        return service_.error_groups(id);
    }
    result<export_summary> export_rows(operation_id id, const export_options& options,
                                       const export_sink& sink) override {
        return service_.export_rows(id, options, sink);
    }
    result<stored_file> file(const std::string& id) override { return service_.storage().file(id); }
    result<byte_pull> open_file(const std::string& id, std::uint64_t offset) override {
        return service_.storage().open_file(id, offset);
    }
    result<std::vector<stored_file>> files(std::string_view prefix, const std::string& after,
                                           std::uint32_t limit) override {
        return service_.files(prefix, after, limit);
    }

    result<signal_receipt> signal(const bulk::signal& sent) override {
        return service_.signal(sent);
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
    result<signal_receipt> signal_waiting(const bulk::signal& sent) override {
        return service_.signal_waiting(sent);
    }
    result<retry_eligibility> can_retry(operation_id id) override { return service_.can_retry(id); }
    result<retry_answer> retry(operation_id id, const retry_filter& filter,
                               std::string_view who) override {
        return service_.retry(id, filter, who);
    }
    result<page<retry_entry>> retry_history(const retry_history_query& query) override {
        return service_.retry_history(query);
    }
    result<> cancel(operation_id id, std::string_view who) override {
        return service_.cancel(id, who);
    }
    result<> pause(operation_id id, std::string_view who) override {
        return service_.pause(id, who);
    }
    result<> resume(operation_id id, std::string_view who) override {
        return service_.resume(id, who);
    }
    result<> remove(operation_id id) override { return service_.remove(id); }
    result<> note(operation_id id, std::string_view what, std::string_view who) override {
        return service_.note(id, what, who);
    }
    result<prune_report> prune(const prune_options& options) override {
        return service_.prune(options);
    }

    result<std::vector<event>> events(std::optional<operation_id> id,
                                      std::optional<std::uint64_t> after,
                                      std::uint32_t limit) override {
        return service_.events(id, after, limit);
    }
    std::uint64_t subscribe(event_handler handler) override {
        return service_.subscribe(std::move(handler));
    }
    void unsubscribe(std::uint64_t number) override { service_.unsubscribe(number); }
    result<std::vector<worker_record>> workers() override { return service_.workers(); }
    service_metrics metrics() override { return service_.metrics(); }
    result<> shutdown() override { return service_.shutdown(); }

private:
    using list = typename std::remove_reference_t<Service>::operations_type;

    Service service_;
};

}  // namespace bulk
