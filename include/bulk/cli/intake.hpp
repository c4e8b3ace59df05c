// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/flags.hpp>
#include <bulk/cli/metadata_flags.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/service/any_service.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/stored_file.hpp>

#include <array>
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
    std::string operation{};
    metadata_flags metadata{};

    void declare(flags& to) {
        to.word("FILE", path, "CSV, TSV, JSON or NDJSON; also .gz and .zst");
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

    [[nodiscard]] result<taken_in> take(const session& program, any_service& service) const {
        const auto about = choose_operation(program.operations(), file.operation);
        if (!about) return std::unexpected{about.error()};
        auto metadata = file.metadata.text(program.operations(), **about);
        if (!metadata) return std::unexpected{std::move(metadata).error()};
        auto key = key_.empty() ? content_key(program, *metadata) : result<std::string>{key_};
        if (!key) return std::unexpected{std::move(key).error()};
        auto known = newest(service, (*about)->name, *key);
        if (!known) return std::unexpected{std::move(known).error()};
        if (*known && (!again_ || !is_final((*known)->state)))
            return taken_in{.record = std::move(**known), .is_new = false};
        if (*known) *key = next_key(*key, (*known)->idempotency_key);
        auto bytes = open(program);
        if (!bytes) return std::unexpected{std::move(bytes).error()};
        const auto id = service.create(
            (*about)->name, std::move(*bytes),
            {.metadata = std::move(*metadata), .created_by = created_by_, .idempotency_key = *key});
        if (!id) return std::unexpected{id.error()};
        auto record = service.get(*id);
        if (!record) return std::unexpected{std::move(record).error()};
        return taken_in{.record = std::move(*record)};
    }

    /// The file, until somebody interrupts the program: a large one takes its time.
    [[nodiscard]] static result<upload> open_file(const session& program, const std::string& path) {
        auto opened = bulk::file(path);
        if (!opened) return fail(errc::invalid_argument, std::move(opened).error().message);
        opened->bytes = byte_source{[&program, bytes = std::move(opened->bytes)](
                                        std::span<char> into) mutable -> result<std::size_t> {
            if (program.is_interrupted())
                return fail(errc::unavailable, "interrupted; nothing was kept of the file");
            return bytes.read_some(into);
        }};
        return opened;
    }

    file_flags file{};

private:
    [[nodiscard]] result<upload> open(const session& program) const {
        return open_file(program, file.path);
    }

    /// What is in the file and in the metadata, as a text.
    [[nodiscard]] result<std::string> content_key(const session& program,
                                                  std::string_view metadata) const {
        auto opened = open(program);
        if (!opened) return std::unexpected{std::move(opened).error()};
        checksum content, about;
        about.add(metadata);
        std::string buffer(std::size_t{256} * 1024, '\0');
        std::uint64_t size = 0;
        while (true) {
            const auto got = opened->bytes.read_some(buffer);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) break;
            content.add(std::span{buffer}.first(*got));
            size += *got;
        }
        return concat("file:", to_text(uuid{content.value(), about.value()}), ':', size);
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
    [[nodiscard]] static result<std::optional<operation_record>> newest(any_service& service,
                                                                        std::string_view name,
                                                                        std::string_view key) {
        const std::string made = concat(key, '#');
        operation_query query{
            .name_contains = std::string{name}, .page_size = largest_page, .with_total = false};
        do {
            auto found = service.query(query);
            if (!found) return std::unexpected{std::move(found).error()};
            for (auto& each : found->items)
                if (each.name == name &&
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
