// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/flags.hpp>
#include <bulk/cli/input_file.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/metadata_flags.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/service/service.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/stored_file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::cli {

/// A file and what it is for, as `run`, `submit` and `validate` are told.
struct file_flags {
    std::string path{};
    std::string name{};
    std::string operation{};
    metadata_flags metadata{};

    void declare(flags& to) {
        to.word("FILE", path, "CSV, TSV, JSON or NDJSON; also .gz and .zst; -: standard input");
        to.text("--name", name,
                "file name to record; its extension tells the format of a stream (stdin for -)",
                "NAME");
        to.text("--operation,-o", operation, "what to do with it; not needed if there is only one",
                "NAME");
        metadata.declare(to);
    }
};

/// The operation that a file has become.
struct taken_in {
    operation_record record{};
    bool is_new = true;
};

/// Makes operations of files. The same content, operation and metadata are the same operation: a
/// command that is repeated goes on with what it had begun.
class intake {
public:
    void declare(flags& to) {
        file.declare(to);
        to.text("--created-by", created_by_, "who asked for it", "NAME");
        to.text("--key", key_, "tells it from others; by default what is in the file", "TEXT");
        to.yes("--again", again_, "once more, though the same has run to its end");
    }

    [[nodiscard]] result<taken_in> take(const invocation& program, bulk::service& service) const {
        const auto about = choose_operation(program.operations(), file.operation);
        if (!about) return std::unexpected{about.error()};
        auto metadata = file.metadata.text(program.operations(), **about);
        if (!metadata) return std::unexpected{std::move(metadata).error()};
        const create_request request{.service = service,
                                     .operation = std::string{(*about)->name},
                                     .metadata = std::move(*metadata)};
        return key_.empty() ? take_by_content(program, request) : take_by_key(program, request);
    }

    file_flags file{};

private:
    struct create_request {
        bulk::service& service;
        std::string operation;
        std::string metadata;
    };

    [[nodiscard]] result<taken_in> take_by_key(const invocation& program,
                                               const create_request& request) const {
        auto known = newest(request, key_);
        if (!known) return std::unexpected{std::move(known).error()};
        if (goes_on_with(*known)) return taken_in{.record = std::move(**known), .is_new = false};
        auto input = open(program);
        if (!input) return std::unexpected{std::move(input).error()};
        return create(
            request, std::move(input->content),
            {.idempotency_key = *known ? next_key(key_, (*known)->idempotency_key) : key_});
    }

    /// The key is made of what was stored, which no second reading could tell: a stream is gone then,
    /// and a file may have changed. A file is read before only to copy nothing that is known already.
    [[nodiscard]] result<taken_in> take_by_content(const invocation& program,
                                                   const create_request& request) const {
        auto input = open(program);
        if (!input) return std::unexpected{std::move(input).error()};
        if (!input->is_stream) {
            const auto key = content_key(program, request.metadata, std::move(input->content));
            if (!key) return std::unexpected{key.error()};
            auto known = newest(request, *key);
            if (!known) return std::unexpected{std::move(known).error()};
            if (goes_on_with(*known))
                return taken_in{.record = std::move(**known), .is_new = false};
            input = open(program);
            if (!input) return std::unexpected{std::move(input).error()};
        }
        return create(request, std::move(input->content),
                      {.key_of_file = [&](const stored_file& stored) -> result<std::string> {
                          auto key = key_of(request.metadata, stored.checksum, stored.size);
                          const auto known = newest(request, key);
                          if (!known) return std::unexpected{known.error()};
                          if (!*known) return key;
                          return goes_on_with(*known) ? (*known)->idempotency_key
                                                      : next_key(key, (*known)->idempotency_key);
                      }});
    }

    [[nodiscard]] result<taken_in> create(const create_request& request, upload content,
                                          create_options<> about) const {
        about.metadata = request.metadata;
        about.created_by = created_by_;
        auto taken = request.service.take_in(request.operation, std::move(content), about);
        if (!taken) return std::unexpected{std::move(taken).error()};
        return taken_in{.record = std::move(taken->record), .is_new = taken->is_new};
    }

    [[nodiscard]] result<input_file> open(const invocation& program) const {
        return input_opener{program}.open(file.path, file.name);
    }

    /// Whether an operation that is there is what the command means.
    [[nodiscard]] bool goes_on_with(const std::optional<operation_record>& known) const {
        return known && (!again_ || !is_final(known->state));
    }

    /// What is in a file and in the metadata, as a text. Stops where the file is too large.
    [[nodiscard]] static result<std::string> content_key(const invocation& program,
                                                         std::string_view metadata, upload opened) {
        auto bytes = at_most(std::move(opened.bytes), opened.name,
                             static_cast<std::uint64_t>(program.settings().service.max_file_size));
        checksum content;
        std::string buffer(std::size_t{256} * 1024, '\0');
        std::uint64_t size = 0;
        while (true) {
            const auto got = bytes.read_some(buffer);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) break;
            content.add(std::span{buffer}.first(*got));
            size += *got;
        }
        return key_of(metadata, content.value(), size);
    }

    [[nodiscard]] static std::string key_of(std::string_view metadata, std::uint64_t content,
                                            std::uint64_t size) {
        return concat("file:", to_text(uuid{content, content_hash(metadata)}), ':', size);
    }

    /// What `--again` makes of a key: `key#2`, `key#3` …
    [[nodiscard]] static std::string next_key(std::string_view key, std::string_view last) {
        std::uint64_t number = 1;
        if (last.size() > key.size() + 1)
            if (const auto said = read_number<std::uint64_t>(last.substr(key.size() + 1)))
                number = *said;
        return concat(key, '#', number + 1);
    }

    /// The newest operation of that key, or of one that `--again` made of it.
    [[nodiscard]] static result<std::optional<operation_record>> newest(
        const create_request& request, std::string_view key) {
        const std::string made = concat(key, '#');
        operation_query query{
            .name_contains = request.operation, .page_size = largest_page, .with_total = false};
        do {
            auto found = request.service.query(query);
            if (!found) return std::unexpected{std::move(found).error()};
            for (auto& each : found->items)
                if (each.name == request.operation &&
                    (each.idempotency_key == key || each.idempotency_key.starts_with(made)))
                    return std::move(each);
            query.after = found->next;
        } while (!query.after.empty());
        return std::nullopt;
    }

    std::string created_by_{};
    std::string key_{};
    bool again_ = false;
};

}  // namespace bulk::cli
