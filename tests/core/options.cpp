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
        expect(service.max_unpacked_size == 10737418240_ll and service.max_unpack_ratio == 250_i);
        expect(service.max_dry_runs == 4_i and service.dry_run_wait == 10s);
        expect(service.flush_batch_size == 100_i and service.flush_interval == 1s);
        expect(service.max_row_concurrency == 1_i and service.max_retry_attempts == 10_i);
        expect(service.orphans == bulk::orphan_policy::resume and service.service_name.empty());
        expect(service.worker_count == 4_i and service.queue_capacity == 1000_i);
        expect(service.shutdown_timeout == 30s and !service.pending_poll_interval);
        expect(service.lease_time == 30s and service.early_signal_ttl == 24h);
        expect(service.max_crashes == 3_i and service.scheduler == bulk::scheduling::channels);
        expect(service.on_changed_steps == bulk::changed_steps::refuse);
        expect(service.unused_upload_age == 24h);

        expect(bulk::directory_options{}.base_path == "bulk-storage"s);
        const bulk::sqlite_options sqlite;
        expect(sqlite.durability == bulk::durability::normal and sqlite.busy_timeout == 10s);
        expect(sqlite.cache_kib == 2'048_i and sqlite.files_directory.empty());
    };

    "the defaults are valid, where nothing must be given"_test = [] {
        expect(validate(bulk::service_options{}).has_value());
        expect(validate(bulk::directory_options{}).has_value());
        expect(validate(bulk::sqlite_options{}).has_value());
    };

    "zero means unlimited where that makes sense"_test = [] {
        expect(validate(bulk::service_options{.max_file_size = 0,
                                              .max_unpacked_size = 0,
                                              .max_unpack_ratio = 0,
                                              .max_retry_attempts = 0,
                                              .shutdown_timeout = 0s})
                   .has_value());
    };

    "each bad service option has its sentence"_test = [] {
        using o = bulk::service_options;
        refuses(o{.max_file_size = -1}, "max_file_size is -1; it must be at least 0");
        refuses(o{.max_unpacked_size = -1}, "max_unpacked_size is -1; it must be at least 0");
        refuses(o{.max_unpack_ratio = -1}, "max_unpack_ratio is -1; it must be at least 0");
        refuses(o{.max_dry_runs = 0}, "max_dry_runs is 0; it must be at least 1");
        refuses(o{.dry_run_wait = -1ms}, "dry_run_wait is -1 ms; it cannot be negative");
        refuses(o{.flush_batch_size = 0}, "flush_batch_size is 0; it must be at least 1");
        refuses(o{.flush_interval = 0ms}, "flush_interval is 0 ms; it must be longer than 0");
        refuses(o{.max_row_concurrency = 0}, "max_row_concurrency is 0; it must be at least 1");
        refuses(o{.max_retry_attempts = -1}, "max_retry_attempts is -1; it must be at least 0");
        refuses(o{.max_crashes = -1}, "max_crashes is -1; it must be at least 0");
        refuses(o{.worker_count = 0}, "worker_count is 0; it must be at least 1");
        refuses(o{.queue_capacity = -5}, "queue_capacity is -5; it must be at least 1");
        refuses(o{.shutdown_timeout = -1s}, "shutdown_timeout is -1000 ms; it cannot be negative");
        refuses(o{.pending_poll_interval = 0ms},
                "pending_poll_interval is 0 ms; it must be longer than 0");
        refuses(o{.early_signal_ttl = 0ms}, "early_signal_ttl is 0 ms; it must be longer than 0");
        refuses(o{.lease_time = 0s}, "lease_time is 0 ms; it must be longer than 0");
        refuses(o{.unused_upload_age = -1ms}, "unused_upload_age is -1 ms; it cannot be negative");
    };

    "each bad storage option has its sentence"_test = [] {
        refuses(bulk::directory_options{.base_path = " "}, "base_path is blank; it must be given");
        refuses(bulk::sqlite_options{.busy_timeout = -1ms},
                "busy_timeout is -1 ms; it cannot be negative");
        refuses(bulk::sqlite_options{.cache_kib = 63}, "cache_kib is 63; it must be at least 64");
    };
};

}  // namespace

int main() {}
