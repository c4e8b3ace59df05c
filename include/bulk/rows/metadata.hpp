// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/column_type.hpp>
#include <bulk/rows/members.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace bulk {

/// What `BULK_METADATA` can say about a field.
struct field_options {
    std::string_view name{};         ///< in JSON and on forms; unset: the member's name
    std::optional<bool> required{};  ///< unset: unless the member is optional
    std::string_view description{};
};

/// One field as the API and the page's form show it.
struct field_description {
    std::string_view name{};
    std::string_view member{};
    std::string_view type{};
    bool required = true;
    bool nullable = false;
    std::string_view description{};
    std::span<const std::string_view> choices{};
};

/// A struct declared with `BULK_METADATA`.
template <typename T>
concept declared_metadata = requires { bulk_fields(std::type_identity<T>{}); };

template <declared_metadata Metadata>
inline constexpr auto fields_of = bulk_fields(std::type_identity<Metadata>{});

template <declared_metadata Metadata>
inline constexpr auto field_descriptions = [] {
    std::array<field_description, fields_of<Metadata>.size> fields{};
    for_each_pointer(fields_of<Metadata>, [&]<auto Pointer>(std::size_t i) {
        using type = member_type_of<Pointer>;
        const auto& [name, options] = fields_of<Metadata>.all[i];
        fields[i] = {.name = options.name.empty() ? name : options.name,
                     .member = name,
                     .type = type_name<type>(),
                     .required = options.required.value_or(!is_optional<type>),
                     .nullable = is_optional<type>,
                     .description = options.description,
                     .choices = choices_of<type>()};
    });
    return fields;
}();

template <typename Metadata>
[[nodiscard]] consteval bool has_twin_fields() {
    if constexpr (declared_metadata<Metadata>)
        return has_twins(field_descriptions<Metadata>);
    else
        return false;  // another sentence says so
}

/// For operations that need nothing but the file.
struct no_metadata {
    bool operator==(const no_metadata&) const = default;
};

constexpr member_list<field_options> bulk_fields(std::type_identity<no_metadata>) { return {}; }

}  // namespace bulk
