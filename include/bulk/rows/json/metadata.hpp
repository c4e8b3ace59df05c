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
#include <bulk/rows/text_window.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace bulk::json {

namespace detail {

/// Makes an optional hold a value, the empty one.
template <typename T>
void put_empty(T& into) {
    if constexpr (is_optional<T>)
        put_empty(into.emplace());
    else if constexpr (is_pii<T>)
        put_empty(into.reveal());
    else
        into = {};
}

}  // namespace detail

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
        using bare = typename bare_type<type>::type;
        // To a column of JSON, null is a value like others.
        const bool is_null =
            given != nullptr && given->json == "null" && (!holds_json<bare> || is_optional<type>);
        if (given == nullptr || is_null) {
            if (is_null && is_optional<type>) read.*Pointer = type{};
            if (field.required) report(field.name, "it is required");
            return;
        }
        if constexpr (!holds_json<bare>)
            if (!given->is_string && (given->text.starts_with('{') || given->text.starts_with('[')))
                return report(field.name, "it takes one value, not an object or array");
        const std::string& content = holds_json<bare> ? given->json : given->text;
        const std::string padded = content + std::string(padding, '\0');
        const std::string_view cell{padded.data(), content.size()};
        if constexpr (std::same_as<bare, std::string_view>) {
            report(field.name, "a std::string_view has nothing to live on here");
        } else if (holds_text<type> && cell.empty()) {
            detail::put_empty(read.*Pointer);  // a cell would be no value, but this is a string
        } else if (!read_cell(cell, {}, read.*Pointer)) {
            const auto why = text_to<bare>(cell, {});
            std::string reason = why ? "it cannot be read" : why.error().message;
            // A reason of the user's own may quote the value.
            if (is_hidden<type> && !cell.empty() && reason.contains(cell))
                reason = "it cannot be read";
            report(field.name,
                   concat('\'', is_hidden<type> ? std::string{hidden_text} : shortened(cell),
                          "': ", reason));
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
