// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/declared.hpp>
#include <bulk/cli/program_parts.hpp>
#include <bulk/cli/storage_settings.hpp>
#include <bulk/cli/surroundings.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/storage/any_storage.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Does what the words of a command line say (the first is the program's name); the exit code.
int perform(program_parts parts, const std::vector<std::string>& words, surroundings around);

/// The feeds of a program. Only feed_program.hpp has them, so that programs without feeds do not pay
/// for them.
template <typename... Feeds>
struct feed_part;

/// The verb `serve`. Only serve_program.hpp has it, which main.hpp includes where `bulk_http` is linked.
template <typename Open>
struct serve_part;

/// The storage of a program: how it is opened, copied and examined, if it can be.
template <typename Open>
void add_storage(program_parts& parts, Open open) {
    if constexpr (requires(const storage_settings& of, const std::string& copy) {
                      Open::backup(of, copy);
                      Open::restore(of, copy);
                  }) {
        parts.backup = Open::backup;
        parts.restore = Open::restore;
    }
    if constexpr (requires(const storage_settings& of) { Open::examine(of, true); })
        parts.examine = Open::examine;
    parts.open_storage =  // shared: what opens it may be movable only
        [open = std::make_shared<Open>(std::move(open))](
            const storage_settings& settings) -> result<any_storage> {
        auto opened = (*open)(settings);
        if (!opened) return std::unexpected{std::move(opened).error()};
        return any_storage{std::move(*opened)};
    };
}

template <typename... Ops, typename... Feeds, typename Open>
int run_declared(type_list<Ops...>, type_list<Feeds...>, Open open_storage,
                 const std::vector<std::string>& words, surroundings around) {
    static_assert(sizeof...(Ops) + sizeof...(Feeds) > 0,
                  "bulk::main<...> needs at least one operation or feed");
    using storage_type = typename std::invoke_result_t<Open&, const storage_settings&>::value_type;
    program_parts parts;
    if constexpr (sizeof...(Ops) > 0) parts.operations.emplace(operation_list<Ops...>{});
    if constexpr (sizeof...(Feeds) > 0) {
        constexpr bool is_known = requires { sizeof(feed_part<Feeds...>); };
        static_assert(is_known,
                      "bulk::main<...>: a program with feeds includes <bulk/feed_main.hpp> instead "
                      "of <bulk/main.hpp>");
        if constexpr (is_known)
            parts.make_feeds = feed_part<Feeds...>::template makers<storage_type>();
    }
    if constexpr (requires { sizeof(serve_part<Open>); })
        parts.make_serve_verb = serve_part<Open>::make;
    add_storage(parts, std::move(open_storage));
    return perform(std::move(parts), words, std::move(around));
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

#ifndef BULK_COMPILED
#include <bulk/cli/implementation.hpp>
#endif
