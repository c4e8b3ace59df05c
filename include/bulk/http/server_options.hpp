// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/setting_rules.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace bulk::http {

/// How a server listens, and what it puts up with.
struct server_options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;    ///< 0: any that is free
    int threads = 4;              ///< that answer what takes no time; two more move bytes
    int max_queries = 4;          ///< at once, at most half of them for one principal; others wait
    int max_connections = 4'096;  ///< or what descriptors allow; more are told 503, and closed
    int max_streams = 64;         ///< uploads, downloads and exports at once; 503
    int max_listeners = 4'096;    ///< of event streams; 503
    std::uint32_t max_header_bytes = 16'384;           ///< 431
    std::uint32_t max_target_bytes = 8'192;            ///< 414
    std::uint64_t max_body_bytes = 1'048'576;          ///< of a body that is read whole; 413
    std::chrono::milliseconds header_timeout{10'000};  ///< for a whole head; 408
    std::chrono::milliseconds idle_timeout{60'000};    ///< between requests
    std::chrono::milliseconds body_timeout{30'000};    ///< of waiting for a body; 408
    std::chrono::milliseconds write_timeout{30'000};   ///< of waiting to be read; closed
    std::uint32_t min_bytes_per_second = 1'024;  ///< either way; slower uses those two up; 0: none
    std::chrono::milliseconds query_timeout{2'000};  ///< for a query, and as long to begin; 503
    std::uint32_t min_stream_bytes_per_second =
        16'384;  ///< when all streams are in use; 408; 0: none
    std::chrono::milliseconds slow_stream_time{
        5'000};  ///< that a slower one is waited for, and a new one waits when all are in use
    std::chrono::milliseconds thread_idle_time{
        10'000};                                  ///< then a thread of queries or streams ends
    std::chrono::milliseconds heartbeat{15'000};  ///< a comment in event streams that are still
    std::chrono::milliseconds shutdown_timeout{10'000};  ///< for requests in flight
};

[[nodiscard]] inline result<> validate(const server_options& options) {
    using namespace setting_rules;
    return first_failure({
        not_blank("address", options.address),
        at_least("threads", options.threads, 1),
        at_least("max_queries", options.max_queries, 1),
        at_least("max_connections", options.max_connections, 1),
        at_least("max_streams", options.max_streams, 1),
        at_least("max_listeners", options.max_listeners, 1),
        at_least<std::uint32_t>("max_header_bytes", options.max_header_bytes, 256),
        at_least<std::uint32_t>("max_target_bytes", options.max_target_bytes, 64),
        positive("header_timeout", options.header_timeout),
        positive("idle_timeout", options.idle_timeout),
        positive("body_timeout", options.body_timeout),
        positive("write_timeout", options.write_timeout),
        positive("query_timeout", options.query_timeout),
        positive("slow_stream_time", options.slow_stream_time),
        positive("thread_idle_time", options.thread_idle_time),
        positive("heartbeat", options.heartbeat),
        not_negative("shutdown_timeout", options.shutdown_timeout),
    });
}

}  // namespace bulk::http
