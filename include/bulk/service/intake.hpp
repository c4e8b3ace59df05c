// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/content_type.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/concepts.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk {

/// The metadata of an operation as JSON.
template <typename Op, typename Metadata>
[[nodiscard]] result<std::string> metadata_text(const Metadata& metadata) {
    if constexpr (std::same_as<Metadata, std::string>) {
        return is_blank(metadata) ? "{}" : metadata;
    } else if constexpr (std::same_as<Metadata, typename Op::metadata_type>) {
        return json::metadata_text(metadata);
    } else {
        return fail(errc::invalid_argument,
                    concat("the metadata is of another type than operation '",
                           description_of<Op>.name, "' takes"));
    }
}

/// The same, if the operation can read it.
template <typename Op, typename Metadata>
[[nodiscard]] result<std::string> metadata_for(const Metadata& metadata) {
    auto text = metadata_text<Op>(metadata);
    if (text)
        if (auto read = json::read_metadata<typename Op::metadata_type>(*text); !read)
            return std::unexpected{std::move(read).error()};
    return text;
}

/// What is known of a new operation before its file is taken. Refuses an operation that nobody
/// knows, and metadata that it cannot read.
template <typename Operations, typename Metadata>
[[nodiscard]] result<operation_record> prepare_operation(std::string_view name,
                                                         const create_options<Metadata>& about) {
    operation_record record{.created_by = about.created_by,
                            .idempotency_key = about.idempotency_key,
                            .recipients = about.recipients};
    result<> readable;
    auto known = Operations::visit(name, [&]<typename Op>(std::type_identity<Op>) {
        record.name = description_of<Op>.name;
        auto text = metadata_for<Op>(about.metadata);
        if (text)
            record.metadata = std::move(*text);
        else
            readable = std::unexpected{std::move(text).error()};
    });
    if (!known) return std::unexpected{std::move(known).error()};
    if (!readable) return std::unexpected{std::move(readable).error()};
    return record;
}

/// The metadata of an operation as everybody may read it: personal values are hidden. Empty when it
/// cannot be read, since then nobody knows what of it is personal.
template <typename Operations>
[[nodiscard]] std::string public_metadata(const operation_record& record) {
    std::string text;
    (void)Operations::visit(record.name, [&]<typename Op>(std::type_identity<Op>) {
        if (auto read = json::read_metadata<typename Op::metadata_type>(record.metadata))
            text = json::metadata_text(*read, {.reveal_pii = false});
    });
    return text;
}

/// An operation as it was stored.
struct taken_operation {
    operation_record record{};
    bool is_new = true;  ///< else it has the same idempotency key, and was there before
};

/// Stores the file, then the operation: whoever sees the operation sees its file. Nothing is kept of
/// what cannot be stored whole, and nothing of a file whose operation exists already. What is left of
/// a process that dies in between, `unused_uploads` finds by the moment that both have in common.
template <typename Operations, storage Storage, typename Metadata>
[[nodiscard]] result<operation_record> store_operation(Storage& storage, operation_record record,
                                                       upload& file, std::int64_t most,
                                                       const create_options<Metadata>& about) {
    auto stored = storage.put_file(
        record.file_name, [&](std::span<char> into) { return file.bytes.read_some(into); },
        static_cast<std::uint64_t>(most), record.created_at,
        {.content_type = content_type_of_upload(file.content_type, record.file_name),
         .uploaded_by = record.created_by});
    if (!stored) return std::unexpected{std::move(stored).error()};
    record.file_id = stored->id;
    record.file_size = stored->size;
    result<operation_record> created;
    auto key = about.key_of_file ? about.key_of_file(*stored)
                                 : result<std::string>{record.idempotency_key};
    if (key) {
        record.idempotency_key = std::move(*key);
        created =
            storage.create(record, {created_event(record, public_metadata<Operations>(record))});
    } else {
        created = std::unexpected{std::move(key).error()};
    }
    if (!created || created->id != record.id) (void)storage.remove_file(stored->id);
    return created;
}

}  // namespace bulk
