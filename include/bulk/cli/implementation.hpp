// SPDX-License-Identifier: MIT
#pragma once

// What a program does with its command line: see core/linkage.hpp for who includes this.

#include <bulk/cli/command.hpp>
#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/feed_work.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/operation_work.hpp>
#include <bulk/cli/program.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/cli/verbs/backup.hpp>
#include <bulk/cli/verbs/change.hpp>
#include <bulk/cli/verbs/doctor.hpp>
#include <bulk/cli/verbs/errors.hpp>
#include <bulk/cli/verbs/export.hpp>
#include <bulk/cli/verbs/feed/bad.hpp>
#include <bulk/cli/verbs/feed/cancel.hpp>
#include <bulk/cli/verbs/feed/items.hpp>
#include <bulk/cli/verbs/feed/list.hpp>
#include <bulk/cli/verbs/feed/plan.hpp>
#include <bulk/cli/verbs/feed/revive.hpp>
#include <bulk/cli/verbs/feed/runs.hpp>
#include <bulk/cli/verbs/feed/start.hpp>
#include <bulk/cli/verbs/feed/status.hpp>
#include <bulk/cli/verbs/feed/watermark.hpp>
#include <bulk/cli/verbs/files.hpp>
#include <bulk/cli/verbs/list.hpp>
#include <bulk/cli/verbs/operations.hpp>
#include <bulk/cli/verbs/prune.hpp>
#include <bulk/cli/verbs/retry.hpp>
#include <bulk/cli/verbs/rows.hpp>
#include <bulk/cli/verbs/run.hpp>
#include <bulk/cli/verbs/signal.hpp>
#include <bulk/cli/verbs/status.hpp>
#include <bulk/cli/verbs/submit.hpp>
#include <bulk/cli/verbs/template.hpp>
#include <bulk/cli/verbs/validate.hpp>
#include <bulk/cli/verbs/worker.hpp>
#include <bulk/cli/workplace.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/log.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/service/service.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk::cli {

/// The verbs for operations, in the order of their help, and the worker's, which is for feeds, too.
[[nodiscard]] inline std::vector<std::unique_ptr<verb>> operation_verbs(
    std::vector<open_workplace> work) {
    std::vector<std::unique_ptr<verb>> verbs;
    verbs.push_back(std::make_unique<run_verb>());
    verbs.push_back(std::make_unique<validate_verb>());
    verbs.push_back(std::make_unique<submit_verb>());
    verbs.push_back(std::make_unique<worker_verb>(std::move(work)));
    verbs.push_back(std::make_unique<status_verb>());
    verbs.push_back(std::make_unique<list_verb>());
    verbs.push_back(std::make_unique<files_verb>());
    verbs.push_back(std::make_unique<rows_verb>());
    verbs.push_back(std::make_unique<errors_verb>());
    verbs.push_back(std::make_unique<retry_verb>());
    for (const change* each : {&cancel_change, &pause_change, &resume_change})
        verbs.push_back(std::make_unique<change_verb>(*each));
    verbs.push_back(std::make_unique<signal_verb>());
    verbs.push_back(std::make_unique<export_verb>());
    verbs.push_back(std::make_unique<prune_verb>());
    verbs.push_back(std::make_unique<template_verb>());
    verbs.push_back(std::make_unique<operations_verb>());
    return verbs;
}

/// The verbs for feeds, in the order of their help.
[[nodiscard]] inline verb_group feed_verbs(const open_feeds& open) {
    verb_group group{.name = "feed",
                     .summary = "plan, start and look after runs of feeds, by verbs of its own"};
    group.verbs.push_back(std::make_unique<feed_list_verb>(open));
    group.verbs.push_back(std::make_unique<feed_plan_verb>(open));
    group.verbs.push_back(std::make_unique<feed_start_verb>(open));
    group.verbs.push_back(std::make_unique<feed_runs_verb>(open));
    group.verbs.push_back(std::make_unique<feed_status_verb>(open));
    group.verbs.push_back(std::make_unique<feed_retry_verb>(open));
    group.verbs.push_back(std::make_unique<feed_consolidate_verb>(open));
    group.verbs.push_back(std::make_unique<feed_bad_verb>(open));
    group.verbs.push_back(std::make_unique<feed_resume_verb>(open));
    group.verbs.push_back(std::make_unique<feed_cancel_verb>(open));
    group.verbs.push_back(std::make_unique<feed_remove_verb>(open));
    group.verbs.push_back(std::make_unique<feed_items_verb>(open));
    group.verbs.push_back(std::make_unique<feed_watermark_verb>(open));
    return group;
}

/// Does what the words of a command line say (the first is the program's name); its exit code.
inline int perform(invocation& program, const std::vector<std::string>& words,
                   const std::vector<verb_group>& verbs) {
    const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    const int code = command{program, verbs}.run(rest);
    program.write_log();
    program.err().stream.flush();
    program.out().stream.flush();
    if (program.out().stream || code != exit_code::success) return code;
    return program.complain("cannot write to the output: disk full, or the pipe was closed");
}

/// A storage that is opened when the first verb needs it; whoever else needs it shares it, so that a worker
/// opens no file twice.
class lazy_storage {
public:
    explicit lazy_storage(std::function<result<any_storage>(const storage_settings&)> open)
        : open_{std::move(open)} {}

    [[nodiscard]] result<any_storage> operator()(const storage_settings& settings) {
        if (!opened_) {
            auto opened = open_(settings);
            if (!opened) return opened;
            opened_.emplace(std::move(*opened));
        }
        return *opened_;
    }

private:
    std::function<result<any_storage>(const storage_settings&)> open_;
    std::optional<any_storage> opened_;
};

/// How the service of a program's feeds is opened; `storage` outlives what is given.
[[nodiscard]] inline open_feeds feeds_on(lazy_storage& storage, feed_catalog feeds) {
    return [&storage, feeds](const invocation& program,
                             scheduling where) -> result<std::unique_ptr<bulk::feed_service>> {
        const auto options = feeds_of(program.settings(), where);
        if (auto valid = validate(options); !valid)
            return std::unexpected{std::move(valid).error()};
        auto opened = storage(program.settings().storage);
        if (!opened) return std::unexpected{std::move(opened).error()};
        auto service =
            std::make_unique<bulk::feed_service>(feeds, std::move(*opened), options, program.log());
        if (where != scheduling::none)  // else it would never do anything
            if (auto usable = service->usable(); !usable)
                return std::unexpected{std::move(usable).error()};
        return service;
    };
}

/// How the service of a program's operations is opened; both arguments outlive what is given.
[[nodiscard]] inline invocation::open_service operations_on(lazy_storage& storage,
                                                            const catalog& operations) {
    return [&](const program_settings& settings,
               log_handler log) -> result<std::unique_ptr<bulk::service>> {
        auto opened = storage(settings.storage);
        if (!opened) return std::unexpected{std::move(opened).error()};
        return std::make_unique<bulk::service>(operations, std::move(*opened), settings.service,
                                               read_options{}, std::move(log));
    };
}

/// The verbs for a storage as a whole, if it has them.
inline void add_storage_verbs(std::vector<std::unique_ptr<verb>>& verbs, program_parts& parts) {
    if (parts.backup) {
        verbs.push_back(std::make_unique<backup_verb>(std::move(parts.backup)));
        verbs.push_back(std::make_unique<restore_verb>(std::move(parts.restore)));
    }
    if (parts.examine) verbs.push_back(std::make_unique<doctor_verb>(std::move(parts.examine)));
}

BULK_INLINE int perform(program_parts parts, const std::vector<std::string>& words,
                        surroundings around) {
    lazy_storage storage{std::move(parts.open_storage)};
    const bool has_operations = parts.operations.has_value();
    std::vector<verb_group> groups(1);
    std::vector<open_workplace> work;
    open_feeds feeds;
    if (has_operations) work.emplace_back(operation_work::open);
    if (parts.make_feeds != nullptr) {
        feeds = feeds_on(storage, feed_catalog{parts.make_feeds});
        groups.push_back(feed_verbs(feeds));
        work.emplace_back([feeds](const invocation& program) -> result<std::unique_ptr<workplace>> {
            auto service = feeds(program, scheduling::channels);
            if (!service) return std::unexpected{std::move(service).error()};
            return std::make_unique<feed_work>(std::move(*service));
        });
    }
    auto& verbs = groups.front().verbs;
    if (has_operations)
        verbs = operation_verbs(std::move(work));
    else
        verbs.push_back(std::make_unique<worker_verb>(std::move(work)));
    add_storage_verbs(verbs, parts);
    if (parts.make_serve_verb != nullptr)
        verbs.push_back(parts.make_serve_verb(has_operations, feeds));
    if (!has_operations) {
        invocation program{words, std::move(around)};
        return perform(program, words, groups);
    }
    invocation program{words, std::move(around), *parts.operations,
                       operations_on(storage, *parts.operations), parts.make_feeds != nullptr};
    return perform(program, words, groups);
}

}  // namespace bulk::cli
// NOLINTEND(misc-definitions-in-headers)
