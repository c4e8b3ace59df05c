// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/intake.hpp>
#include <bulk/http/api/older_shapes.hpp>
#include <bulk/http/api/recipients.hpp>
#include <bulk/http/api/spooled_file.hpp>
#include <bulk/http/api/uploads.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/upload.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

/// A form in any order, as their clients send it: a file that comes in front of what says what it is
/// waits on disk.
class older_form {
public:
    [[nodiscard]] static or_problem<older_form> open(call& asked) {
        if (!incoming_file::is_form(asked.headers().get("content-type")))
            return refuse(problems::invalid_argument, "Form data required");
        auto file = incoming_file::open(asked.asked);
        if (!file) return std::unexpected{std::move(file).error()};
        older_form form{std::move(*file)};
        const bool is_first = form.file_.has_file() && form["operationName"].empty();
        if (!is_first) return form;
        auto spooled =
            spooled_file::keep(form.file_.bytes(false), asked.service().options().max_file_size);
        if (!spooled)
            return std::unexpected{upload_problem(std::move(spooled).error(), form.file_.course(),
                                                  asked.service().options().max_file_size)};
        form.spooled_.emplace(std::move(*spooled));
        if (auto more = form.file_.read_more_fields(); !more)
            return std::unexpected{std::move(more).error()};
        return form;
    }

    /// Of a field, in whatever case its name is.
    [[nodiscard]] std::string operator[](std::string_view name) const {
        for (const auto& [known, value] : file_.fields())
            if (same_name(known, name)) return value;
        return {};
    }
    [[nodiscard]] const incoming_file& file() const { return file_; }
    [[nodiscard]] upload take() {
        return {file_.name(), spooled_ ? spooled_->bytes() : file_.bytes()};
    }

private:
    explicit older_form(incoming_file file) : file_{std::move(file)} {}

    incoming_file file_;
    std::optional<spooled_file> spooled_;
};

/// Errors of this one are texts, and nothing else.
[[nodiscard]] inline response older_refusal(int status, std::string_view why) {
    std::string text;
    write_json_text(text, why);
    return json_response(status, std::move(text));
}

/// What is too large is a wrong request to them.
[[nodiscard]] inline int older_status_of(const problem& why) {
    return why.kind.status == 413 ? 400 : why.kind.status;
}

[[nodiscard]] inline reply older_create(call& asked) {
    auto form = older_form::open(asked);
    if (!form) return older_refusal(older_status_of(form.error()), form.error().detail);
    if (!form->file().has_file()) return older_refusal(400, "File is required");
    const std::string name = (*form)["operationName"];
    if (name.empty()) return older_refusal(400, "Operation name is required");
    if (name.size() > 200) return older_refusal(400, "Operation name is longer than 200");
    if (const auto known = asked.service().find(name); !known)
        return older_refusal(400, known.error().message);
    auto recipients = read_older_recipients((*form)["notifications"]);
    if (!recipients) return older_refusal(400, "Invalid notifications JSON");
    const auto key = idempotency_key_of(asked);  // their clients send none; whoever does, means it
    if (!key) return older_refusal(400, key.error().detail);
    // Who asks is known; what the form says about it is not asked for.
    auto taken = asked.service().take_in(name, form->take(),
                                         {.metadata = (*form)["metadata"],
                                          .created_by = asked.who.name,
                                          .idempotency_key = *key,
                                          .recipients = *recipients});
    if (!taken) {
        const auto why = upload_problem(std::move(taken).error(), form->file().course(),
                                        asked.service().options().max_file_size);
        return older_refusal(older_status_of(why), why.detail);
    }
    if (!taken->is_new)
        if (auto same = check_replay(asked.service(), taken->record, form->file().name(),
                                     (*form)["metadata"], *recipients, form->file().course());
            !same)
            return older_refusal(same.error().kind.status, same.error().detail);
    return json_response(200, older_object{}.text("operationId", to_text(taken->record.id)).json());
}

[[nodiscard]] inline reply older_validate(call& asked) {
    auto form = older_form::open(asked);
    if (!form)
        return refuse(
            form.error().kind.status == 413 ? problems::invalid_argument : form.error().kind,
            form.error().detail);
    const std::string name = (*form)["operationName"];
    if (name.empty()) return refuse(problems::invalid_argument, "Operation name is required");
    json_array metadata_errors, file_errors;
    bool is_valid = false;
    if (!form->file().has_file()) {
        const auto read = asked.service().same_metadata(name, (*form)["metadata"], true);
        if (!read) metadata_errors.add(read.error().message);
        is_valid = read.has_value();
    } else {
        const auto report = asked.service().validate(name, form->take(), (*form)["metadata"]);
        if (!report || form->file().course().broken)
            return refuse(problems::invalid_argument,
                          report ? form->file().course().broken->message : report.error().message);
        for (const auto& each : report->metadata_errors) metadata_errors.add(each);
        if (!report->file_error.empty()) file_errors.add(report->file_error);
        for (const auto& each : report->groups)
            file_errors.add(concat("Row ", to_number(each.first_row), ": ", each.sample));
        is_valid = report->is_valid;
    }
    return json_response(200, older_object{}
                                  .truth("valid", is_valid)
                                  .raw("metadataErrors", metadata_errors.json())
                                  .raw("fileErrors", file_errors.json())
                                  .json());
}

}  // namespace bulk::http::api
