// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/http/api/bodies/row.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/recipients.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/api/uploads.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/json/object.hpp>
#include <bulk/rows/utf8.hpp>
#include <bulk/service/intake.hpp>
#include <bulk/service/reading_limits.hpp>
#include <bulk/service/upload.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// The file of a request, within the limits of the service.
[[nodiscard]] inline or_problem<incoming_file> open_file(call& asked) {
    return incoming_file::open(asked.asked,
                               limited_reading({}, asked.service().options()).unpacking);
}

/// What is said with a file: in the fields of a form, else in the query.
class upload_facts {
public:
    upload_facts(const call& asked, const incoming_file& file) : asked_{asked}, file_{file} {}

    [[nodiscard]] std::string operator[](std::string_view name) const {
        if (file_.is_form()) return file_.field(std::string{name}).value_or("");
        return asked_.text(name);
    }

    /// Fields that nobody knows are refused, as members of JSON are.
    [[nodiscard]] or_problem<void> check(std::initializer_list<std::string_view> known) const {
        for (const auto& [name, value] : file_.fields())
            if (std::ranges::find(known, name) == known.end())
                return refuse(problems::invalid_argument, concat("there is no field '", name, '\''),
                              name);
        if (!file_.has_file())
            return refuse(problems::invalid_argument, "there is no file: the last part is `file`",
                          "file");
        return {};
    }

    [[nodiscard]] std::string file_name() const {
        return file_.is_form() ? file_.name() : bare_file_name((*this)["file_name"]);
    }

private:
    const call& asked_;
    const incoming_file& file_;
};

[[nodiscard]] inline or_problem<std::string> idempotency_key_of(const call& asked) {
    std::string key{asked.headers().get("idempotency-key")};
    if (key.size() <= 255 && is_valid_utf8(key)) return key;
    return refuse(problems::invalid_argument,
                  "the idempotency key has more than 255 bytes, or is no UTF-8", "Idempotency-Key");
}

/// Whether an operation that has the same key was made of the same things.
[[nodiscard]] inline or_problem<void> check_replay(bulk::service& service,
                                                   const operation_record& of,
                                                   std::string_view file_name,
                                                   std::string_view metadata,
                                                   const std::vector<recipient>& recipients,
                                                   const upload_course& course) {
    const auto differs = [&](std::string_view what) {
        return refuse(
            problems::unprocessable,
            concat("the idempotency key '", of.idempotency_key, "' was used for operation ",
                   to_text(of.id), ", with ", what, ": choose another key"),
            "Idempotency-Key");
    };
    if (of.file_size != course.bytes || of.file_name != file_name) return differs("another file");
    if (const auto stored = service.file(of.file_id);
        stored && stored->checksum != course.content.value())
        return differs("another file");
    const auto now = service.operations().same_metadata(of.name, metadata, true);
    const auto then = service.operations().same_metadata(of.name, of.metadata, true);
    if (!now || !then || *now != *then) return differs("other metadata");
    if (of.recipients != recipients) return differs("other recipients");
    return {};
}

/// A member that the operation does not know was meant to do something, as anywhere else.
[[nodiscard]] inline or_problem<void> check_metadata(const operation_description& about,
                                                     std::string_view metadata) {
    std::vector<std::string_view> known;
    for (const auto& field : about.metadata) known.push_back(field.name);
    const auto members = json::read_members(is_blank(metadata) ? "{}" : metadata);
    if (!members) return {};  // said by whoever reads it
    for (const auto& [name, value] : *members) {
        const auto is_it = [&](std::string_view field) { return same_column(field, name); };
        if (std::ranges::any_of(known, is_it)) continue;
        const auto near = nearest_name(name, known);
        return refuse(problems::invalid_argument,
                      concat("the metadata has no field '", name.substr(0, 64), '\'',
                             near ? concat("; did you mean '", *near, "'?") : std::string{}),
                      "metadata");
    }
    return {};
}

[[nodiscard]] inline reply create_operation(call& asked) {
    auto file = open_file(asked);
    if (!file) return std::unexpected{std::move(file).error()};
    const upload_facts facts{asked, *file};
    if (auto known = facts.check({"type", "metadata", "recipients"}); !known)
        return std::unexpected{std::move(known).error()};
    if (facts["type"].empty())
        return refuse(problems::invalid_argument,
                      "say which operation type: `type`, in front of the file", "type");
    const auto about = http::asked(asked.service().operations().find(facts["type"]), "type");
    if (!about) return std::unexpected{about.error()};
    auto metadata =
        asked.service().operations().same_metadata((*about)->name, facts["metadata"], true);
    if (!metadata) return std::unexpected{problem_of(std::move(metadata).error(), "metadata")};
    if (auto known = check_metadata(**about, facts["metadata"]); !known)
        return std::unexpected{std::move(known).error()};
    auto recipients = read_recipients(facts["recipients"]);
    if (!recipients) return std::unexpected{std::move(recipients).error()};
    auto key = idempotency_key_of(asked);
    if (!key) return std::unexpected{std::move(key).error()};
    auto taken = asked.service().take_in((*about)->name,
                                         upload{facts.file_name(), file->bytes(), file->type()},
                                         create_options<>{.metadata = facts["metadata"],
                                                          .created_by = asked.who.name,
                                                          .idempotency_key = *key,
                                                          .recipients = *recipients});
    if (!taken)
        return std::unexpected{upload_problem(std::move(taken).error(), file->course(),
                                              asked.service().options().max_file_size)};
    if (!taken->is_new)
        if (auto same = check_replay(asked.service(), taken->record, facts.file_name(),
                                     facts["metadata"], *recipients, file->course());
            !same)
            return std::unexpected{std::move(same).error()};
    auto said = operation_response(asked, taken->is_new ? 202 : 200, taken->record);
    said.headers.add("Location", concat("/api/v1/operations/", to_text(taken->record.id)));
    return said;
}

[[nodiscard]] inline bodies::dry_run dry_run_body(const dry_run_report& report,
                                                  const operation_description* about) {
    constexpr std::size_t most = 100;
    std::string metadata_error;
    for (const auto& each : report.metadata_errors)
        metadata_error += concat(metadata_error.empty() ? "" : "; ", each);
    bodies::dry_run body{.is_valid = report.is_valid,
                         .rows = report.rows.total,
                         .bad_rows = report.rows.failed,
                         .metadata_error = bodies::given(metadata_error),
                         .file_error = bodies::given(report.file_error),
                         .operation_error = bodies::given(report.operation_error)};
    for (std::size_t i = 0; i < report.errors.size() && i < most; ++i) {
        const auto& record = report.errors[i];
        const auto& place = report.places[i];
        body.errors.push_back(
            {.row = to_number(record.row),
             .row_id = bodies::given(record.row_id),
             .line = place.line > 0 ? std::optional<std::uint64_t>{place.line} : std::nullopt,
             .column = bodies::given(place.column),
             .cell = bodies::given(place.cell),
             .failure = record.failure,
             .message = place.reason});
    }
    for (const auto& each : report.groups) body.groups.push_back(error_group_body(each, about));
    return body;
}

[[nodiscard]] inline reply validate_file(call& asked) {
    const auto about = http::asked(asked.service().operations().find(asked.path("name")), "name");
    if (!about) return std::unexpected{about.error()};
    auto file = open_file(asked);
    if (!file) return std::unexpected{std::move(file).error()};
    const upload_facts facts{asked, *file};
    if (auto known = facts.check({"metadata", "type"}); !known)
        return std::unexpected{std::move(known).error()};
    // A dry run takes one of few turns: a slow client must not hold it.
    auto spooled = spool(*file, asked.service().options().max_file_size);
    if (!spooled) return std::unexpected{std::move(spooled).error()};
    const auto report = http::asked(asked.service().validate(
        (*about)->name, upload{facts.file_name(), spooled->bytes(), file->type()},
        facts["metadata"]));
    if (!report) return std::unexpected{report.error()};
    return json_response(200, dry_run_body(*report, *about));
}

}  // namespace bulk::http::api
