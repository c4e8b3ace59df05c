// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/http/api/bodies/run.hpp>
#include <bulk/http/api/bodies/service.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/run_shapes.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/metrics.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// What an operator would look at first, from a few small questions to the storage.
class overview {
public:
    explicit overview(call& asked) : asked_{asked} {}

    [[nodiscard]] or_problem<bodies::overview> read() {
        json_object states;
        for (const auto state : enumerators_of<operation_state>) {
            auto found = look(state.value);
            if (!found) return std::unexpected{std::move(found).error()};
            states.add(state.name, *found);
        }
        std::ranges::sort(attention_, std::ranges::greater{}, &operation_record::created_at);
        if (attention_.size() > most_shown) attention_.resize(most_shown);
        auto runs = runs_in_trouble();
        if (!runs) return std::unexpected{std::move(runs).error()};
        bodies::overview body{.states = {states.json()},
                              .attention_runs = std::move(*runs),
                              .throughput = {rows_per_s_},
                              .step_latency = latencies(asked_.service().metrics()),
                              .running_operations = running_,
                              .queue_depth = pending_};
        for (const auto& each : attention_)
            body.attention.push_back(operation_body(each, asked_.service(), asked_.to.rates));
        return body;
    }

private:
    static constexpr std::uint32_t most_shown = 20;
    static constexpr std::chrono::minutes long_wait{5};
    /// Behind the first page, operations that have ended are looked for among those of so many days: an
    /// archive of years is not read each time.
    static constexpr std::chrono::days longest_run{30};

    /// How many operations are in that state. Operations with an issue are kept; all pages are read until
    /// there are as many issues as are shown: a page without an issue must not hide the next.
    [[nodiscard]] or_problem<std::uint64_t> look(operation_state state) {
        const bool can_be_trouble =
            state != operation_state::completed && state != operation_state::cancelled;
        operation_query query{.state = state, .page_size = can_be_trouble ? largest_page : 1};
        const std::size_t enough = attention_.size() + most_shown;
        std::uint64_t total = 0;
        do {
            const auto found = http::asked(asked_.service().query(query));
            if (!found) return std::unexpected{found.error()};
            if (query.with_total) total = found->total;
            if (auto kept = keep_issues(found->items, enough); !kept)
                return std::unexpected{std::move(kept).error()};
            query.after = found->next;
            query.with_total = false;
            if (is_final(state)) query.created_from = asked_.service().now() - longest_run;
        } while (can_be_trouble && !query.after.empty() && attention_.size() < enough);
        if (state == operation_state::pending)
            pending_ = static_cast<std::uint32_t>(total);
        else if (!is_final(state))
            running_ += static_cast<std::uint32_t>(total);
        return total;
    }

    [[nodiscard]] or_problem<void> keep_issues(const std::vector<operation_record>& some,
                                               std::size_t enough) {
        const auto now = asked_.service().now();
        for (const auto& each : some) {
            if (const auto rate = asked_.to.rates.rate(each, now)) rows_per_s_ += *rate;
            if (attention_.size() == enough) continue;
            const auto needed = needs_attention(each, now);
            if (!needed) return std::unexpected{needed.error()};
            if (*needed) attention_.push_back(each);
        }
        return {};
    }

    [[nodiscard]] or_problem<bool> needs_attention(const operation_record& each, timestamp now) {
        if (each.paused && !is_final(each.state)) return true;
        if (each.state == operation_state::pending) return now - each.created_at > long_wait;
        if (!is_final(each.state)) {
            if (each.rows.failed > 0) return true;
            return waits_for_signal(each);
        }
        const bool is_trouble = each.state == operation_state::failed ||
                                each.state == operation_state::completed_with_errors;
        return is_trouble &&
               now - each.completed_at.value_or(each.created_at) < std::chrono::hours{24};
    }

    /// Whether any of its rows waits for a signal. Rows that are polled or backed off wait as well: the
    /// first row that waits often tells, which is cheap, and otherwise those with a key are looked for.
    [[nodiscard]] or_problem<bool> waits_for_signal(const operation_record& of) {
        for (const bool has_key : {false, true}) {
            const auto found = http::asked(
                asked_.service().query(row_query{.operation = of.id,
                                                 .awaits_signal = has_key,
                                                 .state = row_state::waiting_for_completion,
                                                 .page_size = 1,
                                                 .with_total = false}));
            if (!found) return std::unexpected{found.error()};
            if (found->items.empty()) return false;
            if (!found->items.front().signal_key.empty()) return true;
        }
        return false;
    }

    /// The newest run of each feed, if it does not go on by itself.
    [[nodiscard]] or_problem<std::vector<bodies::run>> runs_in_trouble() {
        std::vector<bodies::run> runs;
        if (asked_.to.feeds == nullptr) return runs;
        for (const auto& feed : asked_.feeds().feeds()) {
            const auto newest = http::asked(asked_.feeds().query(
                run_query{.feed = std::string{feed->options().name}, .page_size = 1}));
            if (!newest) return std::unexpected{newest.error()};
            for (const auto& run : newest->items) {
                const auto state = asked_.feeds().state_of(run);
                if (state == run_state::stalled || state == run_state::failed ||
                    state == run_state::consolidation_skipped)
                    runs.push_back(run_body(run, asked_.feeds()));
            }
        }
        return runs;
    }

    [[nodiscard]] static std::vector<bodies::step_latency> latencies(
        const service_metrics& metrics) {
        const auto ms = [](std::chrono::microseconds span) {
            return static_cast<double>(span.count()) / 1000;
        };
        std::vector<bodies::step_latency> all;
        for (const auto& operation : metrics.operations)
            for (const auto& step : operation.steps)
                if (step.durations.count > 0)
                    all.push_back({.type = std::string{operation.name},
                                   .step = std::string{step.name},
                                   .p50_ms = ms(step.durations.quantile(0.5)),
                                   .p95_ms = ms(step.durations.quantile(0.95)),
                                   .count = step.durations.count});
        return all;
    }

    call& asked_;
    std::vector<operation_record> attention_;
    double rows_per_s_ = 0;
    std::uint32_t running_ = 0, pending_ = 0;
};

[[nodiscard]] inline reply get_overview(call& asked) {
    const auto body = overview{asked}.read();
    if (!body) return std::unexpected{body.error()};
    return json_response(200, *body);
}

}  // namespace bulk::http::api
