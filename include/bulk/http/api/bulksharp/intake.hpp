// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/recipients.hpp>
#include <bulk/http/api/bulksharp/refusals.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/bulksharp/texts.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/intake.hpp>
#include <bulk/http/api/spooled_file.hpp>
#include <bulk/http/api/uploads.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/service/upload.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api::bulksharp {

/// A form in any order, as their clients send it: unless all fields that matter are in front of it, the
/// file waits on disk until the others have come.
class upload_form {
public:
    [[nodiscard]] static or_problem<upload_form> open(call& asked) {
        if (!incoming_file::is_form(asked.headers().get("content-type")))
            return refuse(problems::invalid_argument, "Form data required");
        auto file = open_file(asked);
        if (!file) return std::unexpected{std::move(file).error()};
        upload_form form{std::move(*file)};
        if (!form.file_.has_file()) return form;
        const bool is_last = std::ranges::all_of(
            std::array{"operationName", "metadata", "createdBy", "notifications"},
            [&](const char* name) { return form.find(name) != nullptr; });
        if (is_last) return form;
        if (auto kept = form.spool(asked, false); !kept)
            return std::unexpected{std::move(kept).error()};
        if (auto more = form.file_.read_more_fields(); !more)
            return std::unexpected{std::move(more).error()};
        return form;
    }

    /// Of a field, in whatever case its name is.
    [[nodiscard]] std::string operator[](std::string_view name) const {
        const auto* value = find(name);
        return value == nullptr ? std::string{} : *value;
    }
    [[nodiscard]] const incoming_file& file() const { return file_; }
    /// Reads the file to its end, so that nothing waits for the client any more.
    [[nodiscard]] or_problem<void> spool(const call& asked, bool is_last = true) {
        if (spooled_) return {};
        auto kept = api::spool(file_, asked.service().options().max_file_size, is_last);
        if (!kept) return std::unexpected{std::move(kept).error()};
        spooled_.emplace(std::move(*kept));
        return {};
    }
    [[nodiscard]] upload take() {
        return {file_.name(), spooled_ ? spooled_->bytes() : file_.bytes(), file_.type()};
    }

private:
    explicit upload_form(incoming_file file) : file_{std::move(file)} {}

    [[nodiscard]] const std::string* find(std::string_view name) const {
        for (const auto& [known, value] : file_.fields())
            if (same_name(known, name)) return &value;
        return nullptr;
    }

    incoming_file file_;
    std::optional<spooled_file> spooled_;
};

/// Whether a byte comes at all; it is not lost.
[[nodiscard]] inline result<bool> has_bytes(byte_source& source) {
    char first = 0;
    const auto count = source.read_some(std::span{&first, 1});
    if (!count) return std::unexpected{count.error()};
    if (*count == 0) return false;
    source = byte_source{[first, is_given = false, rest = std::move(source)](
                             std::span<char> into) mutable -> result<std::size_t> {
        if (is_given || into.empty()) return rest.read_some(into);
        is_given = true;
        into[0] = first;
        return std::size_t{1};
    }};
    return true;
}

[[nodiscard]] inline reply create_bulk(call& asked) {
    auto form = upload_form::open(asked);
    if (!form) return text_refusal(form.error());
    if (!form->file().has_file()) return text_refusal(400, "File is required");
    upload file = form->take();
    const auto refused = [&](error why) {
        return text_refusal(upload_problem(std::move(why), form->file().course(),
                                           asked.service().options().max_file_size));
    };
    const auto filled = has_bytes(file.bytes);
    if (!filled) return refused(filled.error());
    if (!*filled) return text_refusal(400, "File is required");
    const std::string name = (*form)["operationName"];
    if (is_blank(name)) return text_refusal(400, "Operation name is required");
    // Whoever has said who they are cannot be somebody else in a form.
    const bool is_known = !asked.who.is_anonymous && !asked.who.name.empty();
    const std::string creator = is_known ? asked.who.name : (*form)["createdBy"];
    if (is_blank(creator)) return text_refusal(400, "Created by is required");
    if (utf16_length(name) > 200)
        return text_refusal(400, "Operation name must not exceed 200 characters");
    if (utf16_length(creator) > 200)
        return text_refusal(400, "Created by must not exceed 200 characters");
    if (const auto known = asked.service().operations().find(name); !known)
        return text_refusal(400, known.error().message);
    auto recipients = read_recipients((*form)["notifications"]);
    if (!recipients) return text_refusal(400, "Invalid notifications JSON");
    const auto key = idempotency_key_of(asked);  // their clients send none; whoever does, means it
    if (!key) return text_refusal(400, key.error().detail);
    auto taken = asked.service().take_in(name, std::move(file),
                                         {.metadata = (*form)["metadata"],
                                          .created_by = creator,
                                          .idempotency_key = *key,
                                          .recipients = *recipients});
    if (!taken) return refused(std::move(taken).error());
    if (!taken->is_new)
        if (auto same = check_replay(asked.service(), taken->record, form->file().name(),
                                     (*form)["metadata"], *recipients, form->file().course());
            !same)
            return text_refusal(same.error());
    return answer(bodies::create_operation_response{taken->record.id.value});
}

[[nodiscard]] inline reply validate_bulk(call& asked) {
    auto form = upload_form::open(asked);
    if (!form) return text_refusal(form.error());
    const std::string name = (*form)["operationName"];
    if (name.empty()) return refuse(problems::invalid_argument, "Operation name is required");
    bodies::validation_response said;
    if (!asked.service().operations().find(name)) {
        said.metadata_errors.push_back(concat("Operation '", name, "' not found"));
        return answer(said);
    }
    if (!form->file().has_file()) {
        const auto read =
            asked.service().operations().same_metadata(name, (*form)["metadata"], true);
        said.valid = read.has_value();
        if (!read) said.metadata_errors.push_back(read.error().message);
        return answer(said);
    }
    // A dry run takes one of few turns: a slow client must not hold it.
    if (auto kept = form->spool(asked); !kept) return text_refusal(kept.error());
    const auto report =
        http::asked(asked.service().validate(name, form->take(), (*form)["metadata"]));
    if (!report) return text_refusal(report.error());
    said.valid = report->is_valid;
    said.metadata_errors = report->metadata_errors;
    for (const auto* each : {&report->file_error, &report->operation_error})
        if (!each->empty()) said.file_errors.push_back(*each);
    for (const auto& each : report->groups)
        said.file_errors.push_back(concat("Row ", to_number(each.first_row), ": ", each.sample));
    return answer(said);
}

}  // namespace bulk::http::api::bulksharp
