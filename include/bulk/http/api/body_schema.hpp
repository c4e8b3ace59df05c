// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/schema.hpp>
#include <bulk/operation/step_options.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::http::api {

/// What the OpenAPI document calls an enumeration.
template <described_enum E>
inline constexpr std::string_view enum_schema_name{};
template <>
inline constexpr std::string_view enum_schema_name<operation_state> = "operation_state";
template <>
inline constexpr std::string_view enum_schema_name<row_state> = "row_state";
template <>
inline constexpr std::string_view enum_schema_name<error_type> = "error_type";
template <>
inline constexpr std::string_view enum_schema_name<event_kind> = "event_kind";
template <>
inline constexpr std::string_view enum_schema_name<severity> = "severity";
template <>
inline constexpr std::string_view enum_schema_name<step_kind> = "step_kind";
template <>
inline constexpr std::string_view enum_schema_name<worker_kind> = "worker_kind";
template <>
inline constexpr std::string_view enum_schema_name<run_type> = "run_type";
template <>
inline constexpr std::string_view enum_schema_name<run_state> = "run_state";
template <>
inline constexpr std::string_view enum_schema_name<partition_state> = "partition_state";

namespace detail {

/// The type of a member of a body, in the words of `schema`.
template <typename T>
struct type_text {
    [[nodiscard]] static std::string get() {
        if constexpr (std::same_as<T, bool>) {
            return "truth";
        } else if constexpr (std::integral<T>) {
            return sizeof(T) == 8 ? "count" : "whole";
        } else if constexpr (described_enum<T>) {
            static_assert(!enum_schema_name<T>.empty(), "the enumeration has no name in OpenAPI");
            return std::string{enum_schema_name<T>};
        } else {
            return std::string{T::schema.name};
        }
    }
};
template <>
struct type_text<double> {
    [[nodiscard]] static std::string get() { return "number"; }
};
template <>
struct type_text<std::string> {
    [[nodiscard]] static std::string get() { return "text"; }
};
template <>
struct type_text<timestamp> {
    [[nodiscard]] static std::string get() { return "moment"; }
};
template <>
struct type_text<uuid> {
    [[nodiscard]] static std::string get() { return "uuid"; }
};
template <>
struct type_text<bodies::object_text> {
    [[nodiscard]] static std::string get() { return "object"; }
};
template <>
struct type_text<bodies::any_text> {
    [[nodiscard]] static std::string get() { return "anything"; }
};
template <typename T>
struct type_text<std::optional<T>> {
    [[nodiscard]] static std::string get() { return type_text<T>::get() + '?'; }
};
template <typename T>
struct type_text<std::vector<T>> {
    [[nodiscard]] static std::string get() { return concat('[', type_text<T>::get(), ']'); }
};

}  // namespace detail

/// The schema of a body, from its members.
template <described_struct Body>
[[nodiscard]] schema schema_of() {
    static const std::string members = [] {
        std::string all;
        for_each_described<Body>([&]<typename T>(std::string_view name, T Body::*) {
            all += concat(all.empty() ? "" : ", ", name, ':', detail::type_text<T>::get());
        });
        return all;
    }();
    return {Body::schema.name, Body::schema.about, members};
}

/// The schema of a page of bodies: see `list_json`.
template <described_struct Body>
[[nodiscard]] schema list_schema_of(std::string_view name, std::string_view about) {
    static const std::string members =
        concat("items:[", Body::schema.name, "], next:text?, total:count?");
    return {name, about, members};
}

}  // namespace bulk::http::api
