#include <bulk/core/http_options.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/storage_options.hpp>

#include <support/ut.hpp>

#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

template <typename Options>
void refuses(const Options& options, const std::string& sentence) {
    const auto checked = validate(options);
    expect(fatal(!checked.has_value())) << sentence;
    expect(checked.error() == bulk::error{bulk::errc::invalid_argument, sentence})
        << checked.error().message;
}

suite<"options"> options = [] {
    "the defaults are the documented ones"_test = [] {
        const bulk::service_options service;
        expect(service.max_file_size == 104857600_ll and !service.include_row_data_in_errors);
        expect(service.flush_batch_size == 100_i and service.flush_interval == 1s);
        expect(service.max_row_concurrency == 1_i and service.max_retry_attempts == 10_i);
        expect(service.orphans == bulk::orphan_policy::resume and service.service_name.empty());
        expect(service.worker_count == 4_i and service.queue_capacity == 1000_i);
        expect(service.shutdown_timeout == 30s and !service.pending_poll_interval);
        expect(service.lease_time == 30s);
        expect(service.unused_upload_age == 24h);

        expect(bulk::directory_options{}.base_path == "bulk-storage"s);
        const bulk::s3_options s3;
        expect(s3.bucket.empty() and s3.prefix.empty() and s3.service_url.empty());
        expect(!s3.force_path_style and s3.region == "us-east-1"s);
        const bulk::database_options database;
        expect(database.connection_string.empty() and database.max_retry_count == 3_i);
        expect(database.max_retry_delay == 5s);

        const bulk::gateway_options gateway;
        expect(gateway.http_timeout == 30s and gateway.http_retry_count == 2_i);
        expect(gateway.circuit_breaker_failure_threshold == 5_i);
        expect(gateway.circuit_breaker_break_duration == 15s);
        expect(gateway.registry_refresh_interval == 5min);
        expect(gateway.fan_out_timeout_per_backend == 10s and gateway.forward_bearer_token);
        expect(!bulk::access_options{}.read_policy and !bulk::access_options{}.operate_policy);
    };

    "the defaults are valid, where nothing must be given"_test = [] {
        expect(validate(bulk::service_options{}).has_value());
        expect(validate(bulk::directory_options{}).has_value());
        expect(validate(bulk::gateway_options{}).has_value());
        expect(validate(bulk::access_options{}).has_value());
        expect(validate(bulk::s3_options{.bucket = "b"}).has_value());
        expect(validate(bulk::database_options{.connection_string = "c"}).has_value());
    };

    "zero means unlimited where that makes sense"_test = [] {
        expect(validate(bulk::service_options{
                            .max_file_size = 0, .max_retry_attempts = 0, .shutdown_timeout = 0s})
                   .has_value());
    };

    "each bad service option has its sentence"_test = [] {
        using o = bulk::service_options;
        refuses(o{.max_file_size = -1}, "max_file_size is -1; it must be at least 0");
        refuses(o{.flush_batch_size = 0}, "flush_batch_size is 0; it must be at least 1");
        refuses(o{.flush_interval = 0ms}, "flush_interval is 0 ms; it must be longer than 0");
        refuses(o{.max_row_concurrency = 0}, "max_row_concurrency is 0; it must be at least 1");
        refuses(o{.max_retry_attempts = -1}, "max_retry_attempts is -1; it must be at least 0");
        refuses(o{.worker_count = 0}, "worker_count is 0; it must be at least 1");
        refuses(o{.queue_capacity = -5}, "queue_capacity is -5; it must be at least 1");
        refuses(o{.shutdown_timeout = -1s}, "shutdown_timeout is -1000 ms; it cannot be negative");
        refuses(o{.pending_poll_interval = 0ms},
                "pending_poll_interval is 0 ms; it must be longer than 0");
        refuses(o{.lease_time = 0s}, "lease_time is 0 ms; it must be longer than 0");
        refuses(o{.unused_upload_age = -1ms}, "unused_upload_age is -1 ms; it cannot be negative");
    };

    "each bad storage option has its sentence"_test = [] {
        refuses(bulk::directory_options{.base_path = " "}, "base_path is blank; it must be given");
        refuses(bulk::s3_options{}, "bucket is blank; it must be given");
        refuses(bulk::s3_options{.bucket = "b", .region = ""}, "region is blank; it must be given");
        refuses(bulk::database_options{}, "connection_string is blank; it must be given");
        refuses(bulk::database_options{.connection_string = "c", .max_retry_count = -1},
                "max_retry_count is -1; it must be at least 0");
        refuses(bulk::database_options{.connection_string = "c", .max_retry_delay = -1ms},
                "max_retry_delay is -1 ms; it cannot be negative");
    };

    "each bad gateway option has its sentence"_test = [] {
        using o = bulk::gateway_options;
        refuses(o{.http_timeout = 0s}, "http_timeout is 0 ms; it must be longer than 0");
        refuses(o{.http_retry_count = -1}, "http_retry_count is -1; it must be at least 0");
        refuses(o{.circuit_breaker_failure_threshold = 0},
                "circuit_breaker_failure_threshold is 0; it must be at least 1");
        refuses(o{.circuit_breaker_break_duration = 0s},
                "circuit_breaker_break_duration is 0 ms; it must be longer than 0");
        refuses(o{.registry_refresh_interval = 0s},
                "registry_refresh_interval is 0 ms; it must be longer than 0");
        refuses(o{.fan_out_timeout_per_backend = 0s},
                "fan_out_timeout_per_backend is 0 ms; it must be longer than 0");
        refuses(bulk::access_options{.read_policy = ""}, "read_policy is blank; it must be given");
        refuses(bulk::access_options{.operate_policy = ""},
                "operate_policy is blank; it must be given");
    };

    "who may operate is asked for the read policy unless there is another"_test = [] {
        expect(!bulk::policy_to_operate({}));
        expect(bulk::policy_to_operate({.read_policy = "r"}) == "r"s);
        expect(bulk::policy_to_operate({.read_policy = "r", .operate_policy = "o"}) == "o"s);
    };
};

}  // namespace

int main() {}
