// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/catalog.hpp>
#include <bulk/cli/command.hpp>
#include <bulk/cli/declared.hpp>
#include <bulk/cli/operation_work.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/verbs/backup.hpp>
#include <bulk/cli/verbs/change.hpp>
#include <bulk/cli/verbs/doctor.hpp>
#include <bulk/cli/verbs/errors.hpp>
#include <bulk/cli/verbs/export.hpp>
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
#include <bulk/core/log.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/any_service.hpp>
#include <bulk/service/service.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

/// The verbs for a storage as a whole, if it has them: `Open::backup` and `Open::restore` copy it,
/// `Open::examine` says how it is.
template <typename Open>
void add_storage_verbs(std::vector<std::unique_ptr<verb>>& verbs) {
    if constexpr (requires(const storage_settings& of, const std::string& copy) {
                      Open::backup(of, copy);
                      Open::restore(of, copy);
                  }) {
        verbs.push_back(std::make_unique<backup_verb>(Open::backup));
        verbs.push_back(std::make_unique<restore_verb>(Open::restore));
    }
    if constexpr (requires(const storage_settings& of) { Open::examine(of, true); })
        verbs.push_back(std::make_unique<doctor_verb>(Open::examine));
}

/// Does what the words of a command line say (the first is the program's name); its exit code.
inline int perform(session& program, const std::vector<std::string>& words,
                   const std::vector<verb_group>& verbs) {
    const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    const int code = command{program, verbs}.run(rest);
    program.write_log();
    program.err().stream.flush();
    program.out().stream.flush();
    if (program.out().stream || code != exit_code::success) return code;
    return program.complain("cannot write to the output: disk full, or the pipe was closed");
}

/// A storage that is opened when the first verb needs it; whoever else needs it shares it, if it is a
/// handle, so that a worker opens no file twice.
template <typename Open>
class lazy_storage {
public:
    using type = typename std::invoke_result_t<Open&, const storage_settings&>::value_type;

    explicit lazy_storage(Open open) : open_{std::move(open)} {}

    [[nodiscard]] result<type> operator()(const storage_settings& settings) {
        if constexpr (std::copy_constructible<type>) {
            if (!opened_) {
                auto opened = open_(settings);
                if (!opened) return std::unexpected{std::move(opened).error()};
                opened_.emplace(std::move(*opened));
            }
            return *opened_;
        } else {
            return open_(settings);
        }
    }

private:
    Open open_;
    std::optional<type> opened_;
};

/// What a program does with its feeds: `add(storage, groups, work)`. Only feed_program.hpp has it, so
/// that programs without feeds do not pay for them.
template <typename... Feeds>
struct feed_part;

/// What a program serves: `add(verbs, has_operations, open_feeds)`. Only serve_program.hpp has it, which
/// main.hpp includes where `bulk_http` is linked.
template <typename Open>
struct serve_part;

template <typename... Ops, typename... Feeds, typename Open>
int run_declared(type_list<Ops...>, type_list<Feeds...>, Open open_storage,
                 const std::vector<std::string>& words, surroundings around) {
    static_assert(sizeof...(Ops) + sizeof...(Feeds) > 0,
                  "bulk::main<...> needs at least one operation or feed");
    constexpr bool has_operations = sizeof...(Ops) > 0, has_feeds = sizeof...(Feeds) > 0;
    lazy_storage storage{std::move(open_storage)};
    std::vector<verb_group> groups(1);
    std::vector<open_workplace> work;
    if constexpr (has_operations) work.emplace_back(operation_work::open);
    if constexpr (has_feeds) {
        constexpr bool is_known = requires { sizeof(feed_part<Feeds...>); };
        static_assert(is_known,
                      "bulk::main<...>: a program with feeds includes <bulk/feed_main.hpp> instead "
                      "of <bulk/main.hpp>");
        if constexpr (is_known) feed_part<Feeds...>::add(storage, groups, work);
    }
    const auto add_serve = [&] {
        if constexpr (requires { sizeof(serve_part<Open>); }) {
            if constexpr (has_feeds)
                serve_part<Open>::add(groups.front().verbs, has_operations,
                                      feed_part<Feeds...>::opener(storage));
            else
                serve_part<Open>::add(groups.front().verbs, has_operations, nullptr);
        }
    };
    if constexpr (has_operations) {
        groups.front().verbs = operation_verbs(std::move(work));
        add_storage_verbs<Open>(groups.front().verbs);
        add_serve();
        const typed_catalog<Ops...> operations;
        session program{words, std::move(around), operations,
                        [&](const program_settings& settings,
                            log_handler log) -> result<std::unique_ptr<any_service>> {
                            auto opened = storage(settings.storage);
                            if (!opened) return std::unexpected{std::move(opened).error()};
                            using storage_type = typename decltype(storage)::type;
                            return std::make_unique<
                                typed_service<service<operation_list<Ops...>, storage_type>>>(
                                operation_list<Ops...>{}, std::move(*opened), settings.service,
                                read_options{}, std::move(log));
                        },
                        has_feeds};
        return perform(program, words, groups);
    } else {
        groups.front().verbs.push_back(std::make_unique<worker_verb>(std::move(work)));
        add_storage_verbs<Open>(groups.front().verbs);
        add_serve();
        session program{words, std::move(around)};
        return perform(program, words, groups);
    }
}

/// A whole program around some operations and feeds. `open_storage(const storage_settings&)` gives
/// the storage as a `result`; it is called when a verb needs one.
template <typename... Declared, typename OpenStorage>
int run_program(OpenStorage open_storage, const std::vector<std::string>& words,
                surroundings around) {
    return run_declared(operations_among<Declared...>{}, feeds_among<Declared...>{},
                        std::move(open_storage), words, std::move(around));
}

}  // namespace bulk::cli
