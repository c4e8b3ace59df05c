// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/cli/storage_settings.hpp>
#include <bulk/core/options.hpp>
#include <bulk/feed/service_options.hpp>

#include <chrono>
#include <string>

namespace bulk::cli {

/// What a program is made of.
struct program_contents {
    bool operations = true;
    bool feeds = false;
};

/// What every verb can be told; from flags, else from the environment, else from a file.
struct program_settings {
    storage_settings storage{};
    service_options service{.pending_poll_interval = std::chrono::milliseconds{500}};
    feed_service_options feeds{};  ///< what it shares with the other stands there: see `feeds_of`
    bool json = false;
    bool verbose = false;
};

/// How a program works on its feeds.
[[nodiscard]] inline feed_service_options feeds_of(const program_settings& all, scheduling where) {
    auto options = all.feeds;
    options.scheduler = where;
    options.poll_interval = all.service.pending_poll_interval.value_or(options.poll_interval);
    options.shutdown_timeout = all.service.shutdown_timeout;
    options.worker_name = all.service.service_name;
    return options;
}

inline void declare_for_operations(flags& to, service_options& service);
inline void declare_for_feeds(flags& to, feed_service_options& feeds);

inline void declare(flags& to, program_settings& all, const program_contents& has = {}) {
    to.text("--db", all.storage.path, "the file that keeps everything (bulk.db)", "FILE");
    to.choice("--durability", all.storage.options.durability,
              "full: a power failure takes nothing back, and every commit waits for it (normal)");
    to.span("--busy-timeout", all.storage.options.busy_timeout,
            "how long to wait for other processes that write (10s)");
    to.span("--transaction-timeout", all.storage.options.transaction_timeout,
            "how long a step may keep its transaction open (5s)");
    to.text("--files", all.storage.options.files_directory,
            "the directory for uploads (that file's name and -files)", "DIRECTORY");
    to.yes("--json", all.json, "for machines: one JSON object a line");
    to.yes("--verbose", all.verbose, "say everything that is worth a line in a log");
    to.span("--shutdown-timeout", all.service.shutdown_timeout,
            "how long what is in flight may take to finish (30s)");
    to.span("--poll-interval", all.service.pending_poll_interval,
            "how often to look for what other processes took in (500ms)");
    to.text("--service-name", all.service.service_name, "how records say who took them in");
    if (has.operations) declare_for_operations(to, all.service);
    if (has.feeds) declare_for_feeds(to, all.feeds);
}

inline void declare_for_operations(flags& to, service_options& service) {
    to.number("--concurrency", service.max_row_concurrency,
              "rows of one operation in steps at once (1)");
    to.number("--workers", service.worker_count, "operations at once (4)");
    to.number("--flush-rows", service.flush_batch_size, "rows recorded in one transaction (100)");
    to.span("--flush-interval", service.flush_interval,
            "or this long after the first of them (1s)");
    to.size("--max-file-size", service.max_file_size, "larger files are refused; 0: none (100MB)");
    to.size("--max-unpacked-size", service.max_unpacked_size,
            "gzip and zstd files that unpack to more are refused; 0: none (10GB)");
    to.number("--max-unpack-ratio", service.max_unpack_ratio,
              "or to more than so many times their size, behind 100MB; 0: any (250)");
    to.number("--max-dry-runs", service.max_dry_runs, "dry runs at once; others wait (4)");
    to.span("--lease-time", service.lease_time,
            "without a sign of life for so long, others take over (30s)");
    to.number("--max-retries", service.max_retry_attempts,
              "how often an operation can be retried; 0: any number (10)");
    to.span("--early-signal-ttl", service.early_signal_ttl,
            "how long a signal is kept for which nobody waits yet (24h)");
    to.span("--unused-upload-age", service.unused_upload_age,
            "uploads of no operation are removed after that time; 0: never (24h)");
    to.choice("--orphans", service.orphans, "what becomes of rows whose process died (resume)");
    to.choice("--changed-steps", service.on_changed_steps,
              "what to do with operations that were begun with other steps (refuse)");
    to.number("--max-crashes", service.max_crashes,
              "how often the process may die at a row before that fails; 0: any number (3)");
    to.yes("--row-data-in-errors", service.include_row_data_in_errors,
           "keep the row with its error");
}

inline void declare_for_feeds(flags& to, feed_service_options& feeds) {
    to.number("--feed-workers", feeds.workers, "pages of feeds fetched at once (4)");
    to.number("--feed-consolidators", feeds.consolidators,
              "batches of feeds consolidated at once (1)");
    to.span("--feed-lease-time", feeds.lease_time,
            "a page that takes longer is another worker's (2m)");
    to.span("--feed-batch-lease-time", feeds.batch_lease_time, "the same for a batch (5m)");
    to.span("--feed-stall-after", feeds.stall_after,
            "a run that has not come on for so long is shown as stalled (30m)");
}

}  // namespace bulk::cli
