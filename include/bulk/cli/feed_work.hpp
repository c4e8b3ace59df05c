// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/workplace.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/page.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/feed/service.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace bulk::cli {

/// The feeds of a program as a worker works on them.
class feed_work final : public workplace {
public:
    explicit feed_work(std::unique_ptr<bulk::feed_service> service)
        : service_{std::move(service)} {}

    void subscribe(event_handler handler) override {
        (void)service_->subscribe(std::move(handler));
    }
    result<std::vector<event>> events(std::optional<std::uint64_t> after) override {
        return service_->events(after);
    }
    /// Idle first: between the end of a run and the start of the feed that follows it, no run is
    /// active. A run of a feed that this program does not have is for another.
    result<bool> is_busy() override {
        if (!service_->is_idle()) return true;
        run_query query{.active_only = true, .page_size = largest_page};
        do {
            const auto found = service_->query(query);
            if (!found) return std::unexpected{found.error()};
            for (const auto& each : found->items)
                if (find_feed(service_->feeds(), each.feed)) return true;
            query.after = found->next;
        } while (!query.after.empty());
        return false;
    }
    result<> shutdown() override { return service_->shutdown(); }

private:
    std::unique_ptr<bulk::feed_service> service_;
};

}  // namespace bulk::cli
