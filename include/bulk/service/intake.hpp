// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/content_type.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/given_operation.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/any_storage.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// The metadata of an operation as JSON; fails when it is that of another operation.
[[nodiscard]] inline result<std::string> metadata_text(const any_operation& operation,
                                                       const given_metadata& metadata) {
    if (metadata.type == nullptr || *metadata.type == operation.metadata_type())
        return metadata.text;
    return fail(errc::invalid_argument, concat("the metadata is of another type than operation '",
                                               operation.description().name, "' takes"));
}

/// What is known of a new operation before its file is taken. Refuses an unknown operation, and
/// metadata that it cannot read.
[[nodiscard]] inline result<operation_record> prepare_operation(const catalog& operations,
                                                                std::string_view name,
                                                                const given_operation& about) {
    const auto known = operations.operation(name);
    if (!known) return std::unexpected{known.error()};
    auto text = metadata_text(**known, about.metadata);
    if (!text) return std::unexpected{std::move(text).error()};
    if (const auto read = (*known)->same_metadata(*text, true); !read)
        return std::unexpected{read.error()};
    return operation_record{.name = std::string{(*known)->description().name},
                            .metadata = std::move(*text),
                            .created_by = about.created_by,
                            .idempotency_key = about.idempotency_key,
                            .recipients = about.recipients};
}

/// The metadata of an operation as everybody may read it: personal values are hidden. Empty when it
/// cannot be read, since then nobody knows what of it is personal.
[[nodiscard]] inline std::string public_metadata(const catalog& operations,
                                                 const operation_record& record) {
    return operations.same_metadata(record.name, record.metadata, false).value_or("");
}

/// Stores the file, then the operation: whoever sees the operation sees its file. Nothing is kept of
/// what cannot be stored whole, and nothing of a file whose operation exists already. What is left of
/// a process that dies in between, `unused_uploads` finds by the moment that both have in common.
[[nodiscard]] inline result<operation_record> store_operation(const catalog& operations,
                                                              any_storage& storage,
                                                              operation_record record, upload& file,
                                                              std::int64_t most,
                                                              const given_operation& about) {
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
            storage.create(record, {created_event(record, public_metadata(operations, record))});
    } else {
        created = std::unexpected{std::move(key).error()};
    }
    if (!created || created->id != record.id) (void)storage.remove_file(stored->id);
    return created;
}

}  // namespace bulk
