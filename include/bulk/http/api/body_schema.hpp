// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/api/schema.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/json/object_writer.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace bulk::http::api {

/// What the OpenAPI document calls an enumeration; `none` is a name of its own in front of the others.
template <described_enum E>
struct enum_schema {
    std::string_view name{};
    std::string_view none{};
};

/// The enumerations of a document, in the order in which it lists them.
template <typename... Schemas>
struct enum_schemas : Schemas... {
    template <described_enum E>
    [[nodiscard]] constexpr std::string_view name_of() const {
        constexpr bool is_listed = std::derived_from<enum_schemas, enum_schema<E>>;
        static_assert(is_listed, "the enumeration has no name in OpenAPI");
        if constexpr (is_listed) return static_cast<const enum_schema<E>&>(*this).name;
        return {};
    }
    /// Calls `visit(schema)` for each.
    template <typename Visit>
    void for_each(Visit visit) const {
        (visit(static_cast<const Schemas&>(*this)), ...);
    }
};
template <typename... Schemas>
enum_schemas(Schemas...) -> enum_schemas<Schemas...>;

/// How the bodies of an API are written, what `schema` calls the types of their members, and the
/// enumerations among these (`enumerations`).
template <typename D>
concept dialect = json::writer_style<typename D::style> && requires {
    { D::whole } -> std::convertible_to<std::string_view>;  ///< a number of up to 32 bits
    { D::wide } -> std::convertible_to<std::string_view>;   ///< of 64 bits
    { D::fraction } -> std::convertible_to<std::string_view>;
};

/// The type of a member of a body, in the words of `schema`.
template <dialect Dialect, typename T>
[[nodiscard]] std::string type_text() {
    if constexpr (is_optional<T>) {
        const std::string inner = type_text<Dialect, typename T::value_type>();
        // A member that is left out is none of the values of its type.
        return json::omits_none<typename Dialect::style> ? inner : inner + '?';
    } else if constexpr (json::is_list<T>) {
        return concat('[', type_text<Dialect, typename T::value_type>(), ']');
    } else if constexpr (std::same_as<T, bool>) {
        return "truth";
    } else if constexpr (std::integral<T>) {
        return std::string{sizeof(T) == 8 ? Dialect::wide : Dialect::whole};
    } else if constexpr (std::same_as<T, double>) {
        return std::string{Dialect::fraction};
    } else if constexpr (std::same_as<T, std::string>) {
        return "text";
    } else if constexpr (std::same_as<T, timestamp>) {
        return "moment";
    } else if constexpr (std::same_as<T, uuid>) {
        return "uuid";
    } else if constexpr (described_enum<T>) {
        return std::string{Dialect::enumerations.template name_of<T>()};
    } else if constexpr (requires { T::schema_word; }) {
        return std::string{T::schema_word};
    } else {
        return std::string{T::schema.name};
    }
}

/// The members of a body, in the words of `schema`.
template <dialect Dialect, described_struct Body>
[[nodiscard]] std::string members_of() {
    using style = typename Dialect::style;
    std::string all;
    for_each_described<Body>([&]<typename T>(std::string_view name, T Body::*) {
        const bool is_rare = is_optional<T> && json::omits_none<style>;
        all += concat(all.empty() ? "" : ", ", json::member_name<style>(name), is_rare ? "?" : "",
                      ':', type_text<Dialect, T>());
    });
    return all;
}

/// The schema of a body, from its members.
template <dialect Dialect, described_struct Body>
[[nodiscard]] schema schema_of(std::string_view name, std::string_view about) {
    static const std::string members = members_of<Dialect, Body>();
    return {name, about, members};
}
template <dialect Dialect, described_struct Body>
[[nodiscard]] schema schema_of() {
    return schema_of<Dialect, Body>(Body::schema.name, Body::schema.about);
}

}  // namespace bulk::http::api
