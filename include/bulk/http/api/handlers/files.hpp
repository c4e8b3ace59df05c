// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/content_type.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bodies/operation.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/export_pipe.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/conditions.hpp>
#include <bulk/http/disposition.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/storage/stored_file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

/// So many bytes of a stream and no more.
[[nodiscard]] inline body_pull first_of(byte_pull pull, std::uint64_t size) {
    return [pull = std::move(pull), size](std::span<char> into) mutable -> result<std::size_t> {
        const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size));
        if (most == 0) return std::size_t{0};
        auto count = pull(into.first(most));
        if (count && *count == 0)
            return fail(errc::unavailable, "the stored file is shorter than it was");
        if (count) size -= *count;
        return count;
    };
}

/// With which media type a stored file is served: what it is, as far as no browser runs it. Whatever
/// could hold a script is a stream of bytes.
[[nodiscard]] inline std::string_view served_content_type(const stored_file& file) {
    constexpr std::array<std::string_view, 7> harmless{
        "text/csv",         "text/tab-separated-values", "text/plain",      "application/json",
        "application/gzip", "application/x-ndjson",      "application/zstd"};
    for (const std::string_view each :
         {std::string_view{file.content_type}, content_type_by_name(file.name)})
        if (const auto found = std::ranges::find(harmless, each); found != harmless.end())
            return *found;
    return unknown_content_type;
}

[[nodiscard]] inline reply file_response(call& asked, const operation_record& of) {
    auto stored = asked.service().file(of.file_id);
    if (!stored && stored.error().code == errc::not_found)
        return refuse(problems::gone,
                      concat("the file of operation ", to_text(of.id), " was removed"));
    if (!stored) return std::unexpected{problem_of(std::move(stored).error())};
    const std::string etag = concat('"', stored->checksum, '-', stored->size, '"');
    if (is_known(asked.headers(), etag)) return not_modified(etag);
    byte_range part{0, stored->size};
    const auto wanted = range_of(asked.headers(), etag, stored->size, part);
    if (wanted == range_answer::unsatisfiable) {
        problem why{problems::range, concat("the file has ", stored->size, " bytes"), "Range"};
        why.headers.add("Content-Range", concat("bytes */", stored->size));
        return std::unexpected{std::move(why)};
    }
    auto pull = http::asked(asked.service().open_file(stored->id, part.first));
    if (!pull) return std::unexpected{std::move(pull).error()};
    response said{.status = wanted == range_answer::part ? 206 : 200,
                  .stream = first_of(std::move(*pull), part.length),
                  .length = part.length};
    said.headers.add("Content-Type", std::string{served_content_type(*stored)});
    said.headers.add("Content-Disposition", attachment(of.file_name));
    said.headers.add("Accept-Ranges", "bytes");
    said.headers.add("ETag", etag);
    if (wanted == range_answer::part)
        said.headers.add("Content-Range", concat("bytes ", part.first, '-',
                                                 part.first + part.length - 1, '/', stored->size));
    return said;
}

[[nodiscard]] inline reply get_file(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    return file_response(asked, *found);
}

[[nodiscard]] inline bodies::stored_file stored_file_body(const stored_file& file) {
    return {.id = file.id,
            .name = file.name,
            .size = file.size,
            .content_type = file.content_type.empty() ? std::string{content_type_by_name(file.name)}
                                                      : file.content_type,
            .uploaded_by = bodies::given(file.uploaded_by),
            .stored_at = file.stored_at};
}

[[nodiscard]] inline reply get_files(call& asked) {
    const auto page = paging::of(asked, 100);
    if (!page) return std::unexpected{page.error()};
    const auto found =
        page->asked(asked.service().files(asked.text("name"), page->place().id, page->size));
    if (!found) return std::unexpected{found.error()};
    const bool is_full = found->size() >= page->size;
    return list_response(
        bodies_of(*found, stored_file_body),
        page->next(is_full ? to_text(cursor{.id = found->back().id}) : std::string{}),
        total_of(asked, found->size(), is_full));
}

/// Writes while it is read, no faster. What is wrong before the first row is a problem document; what
/// goes wrong later cuts the answer off.
[[nodiscard]] inline reply export_response(call& asked, const operation_record& of,
                                           export_options options) {
    options.reveal_pii = asked.who.may_read_files;
    auto pipe = asked.to.exports->start(
        [&service = asked.service(), id = of.id, options](export_pipe& to) -> result<> {
            auto done = service.export_rows(id, options,
                                            [&](std::string_view piece) { return to.push(piece); });
            if (!done) return std::unexpected{std::move(done).error()};
            return {};
        });
    if (auto begun = pipe->wait(); !begun)
        return std::unexpected{problem_of(std::move(begun).error())};
    // Rows that are copied stay in the form that they have.
    const bool is_tsv = options.kind == export_kind::data && options.reveal_pii &&
                        options.format == export_format::csv &&
                        same_name(format_extension(of.file_name).substr(0, 3), "tsv");
    const std::string_view extension = is_tsv ? "tsv" : name_of(options.format);
    // Whoever lets go of it ends the writer.
    const std::shared_ptr<export_pipe> held{pipe.get(),
                                            [pipe](export_pipe* left) { left->abandon(); }};
    response said{.stream = [held](std::span<char> into) { return held->pull(into); },
                  .abandon = [held] { held->abandon(); }};
    said.headers.add("Content-Type", std::string{content_type_of(extension)});
    said.headers.add("Content-Disposition",
                     attachment(export_file_name(of.file_name, of.name, options, extension)));
    return said;
}

[[nodiscard]] inline reply export_rows_of(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    export_options options{.step = asked.text("step"), .pattern = asked.text("group")};
    auto read =
        all_of({asked.read("content", options.kind), asked.read("format", options.format),
                asked.read("rows", options.rows), asked.read("state", options.state),
                asked.read("failure", options.failure), asked.read("guard", options.guard)});
    if (!read) return std::unexpected{std::move(read).error()};
    if (const auto* about = description_of(asked.service(), found->name); about != nullptr)
        if (auto step = http::asked(find_step(*about, options.step), "step"); !step)
            return std::unexpected{std::move(step).error()};
    return export_response(asked, *found, options);
}

}  // namespace bulk::http::api
