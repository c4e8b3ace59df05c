// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/http/api/bodies/operation.hpp>
#include <bulk/http/api/bodies/run.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::http::api::bodies {

struct health {
    static constexpr schema_text schema{"health", "whether it is well"};
    std::string status{};
    std::optional<std::string> detail{};
};
BOOST_DESCRIBE_STRUCT(health, (), (status, detail))

struct principal {
    static constexpr schema_text schema{"principal", "who asks"};
    std::string name{};
    bool may_operate = false;
    bool may_read_files = false;
};
BOOST_DESCRIBE_STRUCT(principal, (), (name, may_operate, may_read_files))

struct index {
    static constexpr schema_text schema{"index", "what this is, and who asks"};
    std::string name{};
    std::string version{};
    bool read_only = false;
    bodies::principal principal{};
    object_text links{};
};
BOOST_DESCRIBE_STRUCT(index, (), (name, version, read_only, principal, links))

struct throughput {
    static constexpr schema_text schema{"throughput", "of all processes together"};
    double rows_per_s = 0;
};
BOOST_DESCRIBE_STRUCT(throughput, (), (rows_per_s))

struct step_latency {
    static constexpr schema_text schema{"step_latency", "how long a step takes in this process"};
    std::string type{};
    std::string step{};
    double p50_ms = 0;
    double p95_ms = 0;
    std::uint64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(step_latency, (), (type, step, p50_ms, p95_ms, count))

struct overview {
    static constexpr schema_text schema{
        "overview", "what there is, how fast it goes, and what needs attention"};
    object_text states{};
    std::vector<operation> attention{};
    std::vector<run> attention_runs{};
    bodies::throughput throughput{};
    std::vector<bodies::step_latency> step_latency{};
    std::uint32_t running_operations = 0;
    std::uint32_t queue_depth = 0;
};
BOOST_DESCRIBE_STRUCT(overview, (),
                      (states, attention, attention_runs, throughput, step_latency,
                       running_operations, queue_depth))

struct worker {
    static constexpr schema_text schema{
        "worker", "a service of a process that works, as it has last said itself"};
    uuid id{};
    worker_kind kind{};
    std::string name{};
    std::string host{};
    std::int32_t pid = 0;
    timestamp started_at{};
    timestamp last_seen{};
    bool is_silent = false;
    std::uint32_t running_operations = 0;
    std::uint32_t running_pages = 0;
};
BOOST_DESCRIBE_STRUCT(worker, (),
                      (id, kind, name, host, pid, started_at, last_seen, is_silent,
                       running_operations, running_pages))

}  // namespace bulk::http::api::bodies
