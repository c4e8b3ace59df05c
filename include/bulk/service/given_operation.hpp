// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/stored_file.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace bulk {

/// Metadata on its way to an operation, as JSON; with the type that it was given as, if it was not JSON.
struct given_metadata {
    std::string text{};
    const std::type_info* type = nullptr;
};

/// What is said about a new operation, whatever type its metadata was.
struct given_operation {
    given_metadata metadata{};
    std::string created_by{};
    std::string idempotency_key{};
    std::vector<recipient> recipients{};
    std::function<result<std::string>(const stored_file&)> key_of_file{};
};

template <typename Metadata>
[[nodiscard]] given_metadata as_given(const Metadata& metadata) {
    if constexpr (std::convertible_to<const Metadata&, std::string_view>) {
        const std::string_view text = metadata;
        return {.text = is_blank(text) ? "{}" : std::string{text}};
    } else if constexpr (declared_metadata<Metadata>) {
        return {.text = json::metadata_text(metadata), .type = &typeid(Metadata)};
    } else {
        return {.type = &typeid(Metadata)};
    }
}
template <typename Metadata>
[[nodiscard]] given_operation as_given(const create_options<Metadata>& about) {
    return {.metadata = as_given(about.metadata),
            .created_by = about.created_by,
            .idempotency_key = about.idempotency_key,
            .recipients = about.recipients,
            .key_of_file = about.key_of_file};
}

/// An operation as it was stored.
struct taken_operation {
    operation_record record{};
    bool is_new = true;  ///< else it has the same idempotency key, and was there before
};

}  // namespace bulk
