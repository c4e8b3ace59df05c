// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/service.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::cli {

/// The operation that somebody means: by its id, or the newest of all by the word `last`.
[[nodiscard]] inline result<operation_record> find_operation(bulk::service& service,
                                                             std::string_view word) {
    if (word == "last") {
        auto newest = service.query(operation_query{.page_size = 1, .with_total = false});
        if (!newest) return std::unexpected{std::move(newest).error()};
        if (newest->items.empty())
            return fail(errc::not_found, "there is no operation yet; `run FILE` makes one");
        return std::move(newest->items.front());
    }
    const auto id = parse_operation_id(word);
    if (!id)
        return fail(errc::invalid_argument,
                    concat('\'', word,
                           "' is not the id of an operation; `list` shows them, and `last` is the "
                           "newest"));
    auto found = service.get(*id);
    if (!found && found.error().code == errc::not_found)
        return fail(errc::not_found,
                    concat("there is no operation ", word, " in this database; `list` shows them"));
    return found;
}

/// The operation that a file is for: the one that is named, or the only one that there is.
[[nodiscard]] inline result<const operation_description*> choose_operation(const catalog& all,
                                                                           std::string_view name) {
    if (!name.empty()) {
        auto found = all.find(name);
        if (!found) return fail(errc::invalid_argument, std::move(found).error().message);
        return found;
    }
    if (all.all().size() == 1) return &all.all().front();
    std::string names;
    for (const auto& each : all.all()) names += concat(names.empty() ? "" : ", ", each.name);
    return fail(errc::invalid_argument,
                concat("this program has several operations; say --operation with one of ", names));
}

/// Whether an operation was begun by a program whose steps had other names: this one may refuse it.
[[nodiscard]] inline bool has_other_steps(const catalog& all, const operation_record& record) {
    const auto about = all.find(record.name);
    if (!about) return true;
    return !record.steps.empty() && !std::ranges::equal(record.steps, (*about)->steps, same_name,
                                                        {}, &step_description::name);
}

/// What is known of the operation of a record; none for one that the program does not have.
[[nodiscard]] inline const operation_description* description_for(const catalog& all,
                                                                  std::string_view name) {
    const auto found = all.find(name);
    return found ? *found : nullptr;
}

}  // namespace bulk::cli
