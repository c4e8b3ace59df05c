// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/json/object.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/metadata.hpp>
#include <bulk/rows/row_error.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::json {

/// Metadata from a JSON object; empty text is an object without members. Names match as those of
/// columns do. Fails with every member that is missing or cannot be read.
template <declared_metadata Metadata>
[[nodiscard]] result<Metadata> read_metadata(std::string_view text) {
    auto members = read_members(is_blank(text) ? "{}" : text);
    if (!members)
        return fail(errc::invalid_argument,
                    concat("the metadata is not a JSON object: ", members.error().message));
    Metadata read{};
    std::string problems;
    const auto report = [&](std::string_view name, std::string_view why) {
        problems += concat(problems.empty() ? "" : "; ", '\'', name, "': ", why);
    };
    for_each_pointer(fields_of<Metadata>, [&]<auto Pointer>(std::size_t i) {
        using type = member_type_of<Pointer>;
        const auto& field = field_descriptions<Metadata>[i];
        const member_value* given = nullptr;
        for (const auto& [name, value] : *members)
            if (name == field.name || (given == nullptr && same_column(name, field.name)))
                given = &value;
        if (given == nullptr || (!given->is_string && given->text == "null")) {
            if (field.required) report(field.name, "it is required");
            return;
        }
        using bare = typename bare_type<type>::type;
        if constexpr (!holds_json<bare>)
            if (!given->is_string && (given->text.starts_with('{') || given->text.starts_with('[')))
                return report(field.name, "it takes one value, not an object or array");
        const std::string padded = given->text + std::string(64, '\0');
        const std::string_view cell{padded.data(), given->text.size()};
        if constexpr (std::same_as<bare, std::string_view>) {
            report(field.name, "a std::string_view has nothing to live on here");
        } else if (!read_cell(cell, {}, read.*Pointer)) {
            auto why = text_to<bare>(cell, {});
            report(field.name,
                   concat('\'', shortened(cell),
                          "': ", why ? std::string{"it cannot be read"} : why.error().message));
        }
    });
    if (!problems.empty())
        return fail(errc::invalid_argument, concat("the metadata cannot be used: ", problems));
    return read;
}

/// Metadata as a JSON object; personal values included, unless others read it than the steps.
template <declared_metadata Metadata>
[[nodiscard]] std::string metadata_text(const Metadata& metadata,
                                        const write_options& options = {.reveal_pii = true}) {
    std::string out{'{'};
    for_each_pointer(fields_of<Metadata>, [&]<auto Pointer>(std::size_t i) {
        if (i > 0) out += ',';
        write_string(out, field_descriptions<Metadata>[i].name);
        out += ':';
        write_value(out, metadata.*Pointer, {}, options);
    });
    return out + '}';
}

}  // namespace bulk::json
