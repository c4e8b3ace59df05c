// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/histogram.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/workers.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/metrics.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

/// The text format of Prometheus: families, one after the other, with their samples.
class metrics_text {
public:
    void family(std::string_view name, std::string_view type, std::string_view help) {
        text_ += concat("# HELP ", name, ' ', help, "\n# TYPE ", name, ' ', type, '\n');
        name_ = name;
    }
    using labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
    template <typename Number>
    void sample(labels with, const Number& value, std::string_view suffix = {},
                std::string_view bound = {}) {
        text_ += concat(name_, suffix);
        char before = '{';
        const auto add = [&](std::string_view name, std::string_view said) {
            text_ += concat(before, name, "=\"");
            for (const char c : said)
                text_ += c == '\\'   ? "\\\\"
                         : c == '"'  ? "\\\""
                         : c == '\n' ? "\\n"
                                     : std::string(1, c);
            text_ += '"';
            before = ',';
        };
        for (const auto& [name, said] : with) add(name, said);
        if (!bound.empty()) add("le", bound);
        text_ += concat(before == ',' ? "} " : " ", value, '\n');
    }
    /// Fewer buckets than ours: four times as long each, from 1 µs to about a day.
    void durations(labels with, const histogram& all) {
        for (int power = 0; power <= 36; power += 2) {
            const std::chrono::microseconds bound{std::int64_t{1} << power};
            sample(with, all.up_to(histogram::bucket_of(bound)), "_bucket", seconds(bound));
        }
        sample(with, all.count, "_bucket", "+Inf");
        sample(with, seconds(all.sum), "_sum");
        sample(with, all.count, "_count");
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    [[nodiscard]] static std::string seconds(std::chrono::microseconds span) {
        const std::string micros = std::to_string(1'000'000 + span.count() % 1'000'000);
        return concat(span.count() / 1'000'000, '.', std::string_view{micros}.substr(1));
    }

    std::string text_;
    std::string_view name_;
};

[[nodiscard]] inline std::string metrics_of(const service_metrics& now) {
    using operation = service_metrics::operation;
    metrics_text text;
    text.family("bulk_rows_total", "counter", "Rows that came to an end, by outcome.");
    for (const auto& each : now.operations) {
        text.sample({{"type", each.name}, {"outcome", "succeeded"}}, each.succeeded_rows);
        text.sample({{"type", each.name}, {"outcome", "failed"}}, each.failed_rows);
        text.sample({{"type", each.name}, {"outcome", "refused"}}, each.refused_rows);
        text.sample({{"type", each.name}, {"outcome", "timed_out"}}, each.timed_out_rows);
    }
    const auto each_operation = [&](std::string_view name, std::string_view type,
                                    std::string_view help, auto member) {
        text.family(name, type, help);
        for (const operation& each : now.operations)
            text.sample({{"type", each.name}}, each.*member);
    };
    each_operation("bulk_step_retries_total", "counter", "Tries of steps that are repeated.",
                   &operation::retried_steps);
    each_operation("bulk_waiting_rows", "gauge", "Rows that wait, in this process.",
                   &operation::waiting_rows);
    each_operation("bulk_failed_flushes_total", "counter", "Batches that could not be recorded.",
                   &operation::failed_flushes);
    text.family("bulk_step_duration_seconds", "histogram", "How long steps took.");
    for (const auto& each : now.operations)
        for (const auto& step : each.steps)
            text.durations({{"type", each.name}, {"step", step.name}}, step.durations);
    text.family("bulk_flush_duration_seconds", "histogram", "How long writing records took.");
    for (const auto& each : now.operations) text.durations({{"type", each.name}}, each.flushes);
    text.family("bulk_running_operations", "gauge", "Operations that run in this process.");
    text.sample({}, now.running_operations);
    text.family("bulk_queue_depth", "gauge", "Jobs that wait for a thread.");
    text.sample({}, now.queue_depth);
    return text.take();
}

/// Of all processes; nothing when the storage does not say.
[[nodiscard]] inline std::string worker_metrics(const backend& to) {
    const auto found = workers_of(to);
    if (!found) return {};
    const auto now = time_of(to);
    metrics_text text;
    text.family("bulk_workers", "gauge", "Services that work on the storage, in any process.");
    for (const auto& kind : enumerators_of<worker_kind>)
        for (const bool silent : {false, true})
            text.sample({{"kind", kind.name}, {"silent", silent ? "true" : "false"}},
                        std::ranges::count_if(*found, [&](const worker_record& each) {
                            return each.kind == kind.value && is_silent(each, now) == silent;
                        }));
    return text.take();
}

[[nodiscard]] inline reply get_metrics(call& asked) {
    response said{.body = metrics_of(asked.to.operations != nullptr ? asked.service().metrics()
                                                                    : service_metrics{}) +
                          worker_metrics(asked.to)};
    said.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    return said;
}

}  // namespace bulk::http::api
