// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/json_writer.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::http::api::bulksharp {

/// A JSON object as BulkSharp writes it: numbers stand bare, enums are PascalCase, and a member whose
/// type can be null is left out when it is.
class object {
public:
    object& number(std::string_view name, std::uint64_t value) {
        object_.add_raw(name, std::to_string(value));
        return *this;
    }
    /// Of 32 bits there: what is more is the largest that its clients can read.
    object& count(std::string_view name, std::uint64_t value) {
        return number(name,
                      std::min<std::uint64_t>(value, std::numeric_limits<std::int32_t>::max()));
    }
    object& index(std::string_view name, int value) {
        object_.add_raw(name, std::to_string(value));
        return *this;
    }
    object& truth(std::string_view name, bool value) {
        object_.add(name, value);
        return *this;
    }
    /// Cannot be null there: empty is an empty text.
    object& text(std::string_view name, std::string_view value) {
        object_.add(name, value);
        return *this;
    }
    /// Can be null there: empty is none.
    object& text_if(std::string_view name, std::string_view value) {
        if (!value.empty()) object_.add(name, value);
        return *this;
    }
    /// What failed has a message, even an empty one; what has not failed may have a note.
    object& error_message(bool has_failed, std::string_view value) {
        return has_failed ? text("errorMessage", value) : text_if("errorMessage", value);
    }
    object& time(std::string_view name, timestamp value) {
        object_.add(name, value);
        return *this;
    }
    object& time_if(std::string_view name, const std::optional<timestamp>& value) {
        return value ? time(name, *value) : *this;
    }
    template <described_enum E>
    object& choice(std::string_view name, E value) {
        object_.add(name, bulksharp_name(value));
        return *this;
    }
    template <described_enum E>
    object& choice_if(std::string_view name, const std::optional<E>& value) {
        return value ? choice(name, *value) : *this;
    }
    object& raw(std::string_view name, std::string_view value) {
        object_.add_raw(name, value);
        return *this;
    }
    [[nodiscard]] std::string json() const { return object_.json(); }

private:
    json_object object_;
};

}  // namespace bulk::http::api::bulksharp
