// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/workplace.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>
#include <bulk/service/service.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace bulk::cli {

/// The operations of a program as a worker runs them.
class operation_work final : public workplace {
public:
    [[nodiscard]] static result<std::unique_ptr<workplace>> open(const invocation& program) {
        auto service = program.open(scheduling::channels);
        if (!service) return std::unexpected{std::move(service).error()};
        return std::make_unique<operation_work>(program, std::move(*service));
    }
    operation_work(const invocation& program, std::unique_ptr<bulk::service> service)
        : program_{program}, service_{std::move(service)} {}

    void subscribe(event_handler handler) override {
        (void)service_->subscribe(std::move(handler));
    }
    result<std::vector<event>> events(std::optional<std::uint64_t> after) override {
        return service_->events(after);
    }
    /// One that is paused waits for somebody, and one that this program does not have is for another.
    result<bool> is_busy() override {
        for (const auto state : {operation_state::pending, operation_state::validating,
                                 operation_state::running, operation_state::retrying}) {
            operation_query query{.state = state, .page_size = largest_page, .with_total = false};
            do {
                const auto found = service_->query(query);
                if (!found) return std::unexpected{found.error()};
                for (const auto& each : found->items)
                    if (!each.paused && !is_for_another(each)) return true;
                query.after = found->next;
            } while (!query.after.empty());
        }
        return false;
    }
    result<> shutdown() override { return service_->shutdown(); }

private:
    /// Whether another program must go on with it.
    [[nodiscard]] bool is_for_another(const operation_record& each) const {
        if (!program_.operations().find(each.name)) return true;
        return has_other_steps(program_.operations(), each) &&
               (program_.settings().service.on_changed_steps == changed_steps::refuse ||
                !each.error_message.empty());
    }

    const invocation& program_;
    std::unique_ptr<bulk::service> service_;
};

}  // namespace bulk::cli
