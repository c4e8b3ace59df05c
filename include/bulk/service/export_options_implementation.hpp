// SPDX-License-Identifier: MIT
#pragma once

// What the options of an export ask for: see core/linkage.hpp for who includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/names.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/export_options.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE result<std::optional<step_index>> find_step(const operation_description& operation,
                                                        std::string_view name) {
    if (name.empty()) return std::nullopt;
    if (same_name(name, operation.step_name(validation_step))) return validation_step;
    std::vector<std::string_view> known{operation.step_name(validation_step)};
    for (std::size_t i = 0; i < operation.steps.size(); ++i) {
        if (same_name(name, operation.steps[i].name)) return static_cast<step_index>(i);
        known.push_back(operation.steps[i].name);
    }
    const auto near = nearest_name(name, known);
    return fail(errc::invalid_argument,
                concat("operation '", operation.name, "' has no step '", name, '\'',
                       near ? concat("; did you mean '", *near, "'?") : std::string{}));
}

BULK_INLINE std::string export_file_name(std::string_view source, std::string_view operation,
                                         const export_options& options,
                                         std::string_view extension) {
    source = source.substr(source.find_last_of("/\\") + 1);
    if (const auto ending = format_extension(source); !ending.empty())
        source = source.substr(0, static_cast<std::size_t>(ending.data() - source.data()) - 1);
    std::string name{source};
    if (name.empty()) name = operation;
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 0x20 ||
            std::string_view{"\"'\\/:*?<>|;%\x7f"}.contains(c))
            c = '_';
    if (options.rows != export_rows::all) name += concat('-', name_of(options.rows));
    if (options.kind == export_kind::report) name += "-report";
    return concat(name, '.', extension);
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
