// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/catalog.hpp>
#include <bulk/cli/command.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/verbs/change.hpp>
#include <bulk/cli/verbs/errors.hpp>
#include <bulk/cli/verbs/export.hpp>
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
#include <bulk/core/error.hpp>
#include <bulk/core/log.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/any_service.hpp>
#include <bulk/service/service.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Every verb of a program, in the order of its help.
[[nodiscard]] inline std::vector<std::unique_ptr<verb>> all_verbs() {
    std::vector<std::unique_ptr<verb>> verbs;
    verbs.push_back(std::make_unique<run_verb>());
    verbs.push_back(std::make_unique<validate_verb>());
    verbs.push_back(std::make_unique<submit_verb>());
    verbs.push_back(std::make_unique<worker_verb>());
    verbs.push_back(std::make_unique<status_verb>());
    verbs.push_back(std::make_unique<list_verb>());
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

/// Does what the words of a command line say (the first is the program's name); its exit code.
inline int perform(session& program, const std::vector<std::string>& words) {
    const auto verbs = all_verbs();
    const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    const int code = command{program, verbs}.run(rest);
    program.write_log();
    program.err().stream.flush();
    program.out().stream.flush();
    if (program.out().stream || code != exit_code::success) return code;
    return program.complain(
        "cannot write to the output: is there space left, and somebody who reads?");
}

/// A whole program around some operations. `open_storage(const storage_settings&)` gives the storage
/// as a `result`; it is called when a verb needs one.
template <typename... Ops, typename OpenStorage>
int run_program(OpenStorage open_storage, const std::vector<std::string>& words,
                surroundings around) {
    const typed_catalog<Ops...> operations;
    session program{
        words, std::move(around), operations,
        [&](const program_settings& settings,
            log_handler log) -> result<std::unique_ptr<any_service>> {
            auto storage = open_storage(settings.storage);
            if (!storage) return std::unexpected{std::move(storage).error()};
            using storage_type = typename decltype(storage)::value_type;
            return std::make_unique<typed_service<service<operation_list<Ops...>, storage_type>>>(
                operation_list<Ops...>{}, std::move(*storage), settings.service, read_options{},
                std::move(log));
        }};
    return perform(program, words);
}

}  // namespace bulk::cli
