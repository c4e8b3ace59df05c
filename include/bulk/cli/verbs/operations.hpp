// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/operation/description.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::cli {

/// What a program can do with files, and what they look like.
class operations_verb final : public verb {
public:
    operations_verb()
        : verb{{.name = "operations",
                .summary = "show the operations of this program: columns, metadata, steps",
                .examples = "operations\n"
                            "operations device-provisioning --json"}} {}

    void declare(flags& to) override { to.optional_word("OPERATION", operation_, "only this one"); }

    int perform(invocation& program) override {
        std::vector<const operation_description*> shown;
        if (operation_.empty()) {
            for (const auto& each : program.operations().all()) shown.push_back(&each);
        } else {
            const auto found = choose_operation(program.operations(), operation_);
            if (!found) return program.complain(found.error());
            shown.push_back(*found);
        }
        for (const auto* each : shown) {
            if (program.settings().json) {
                program.print(json_of(*each));
                continue;
            }
            if (each != shown.front()) program.out().stream << '\n';
            write(program.out(), *each);
        }
        return exit_code::success;
    }

private:
    [[nodiscard]] static std::string names(std::span<const std::string_view> all) {
        std::string text;
        for (const auto each : all) text += concat(text.empty() ? "" : ", ", each);
        return text;
    }

    [[nodiscard]] static std::string remarks(const column_description& column) {
        std::vector<std::string_view> all;
        if (column.row_id) all.emplace_back("row id");
        if (column.unique) all.emplace_back("unique");
        if (column.hidden) all.emplace_back("personal");
        const std::string choices = names(column.choices);
        if (!choices.empty()) all.push_back(choices);
        return names(all);
    }

    /// What columns and metadata fields have in common.
    template <typename Field>
    [[nodiscard]] static json_line typed_line(const Field& field) {
        return json_line{}
            .add("name", field.name)
            .add("type", field.type)
            .add("required", field.required);
    }

    [[nodiscard]] static json_line json_of(const operation_description& about) {
        std::vector<json_line> columns, fields, steps;
        for (const auto& each : about.columns)
            columns.push_back(typed_line(each)
                                  .add("row_id", each.row_id)
                                  .add("unique", each.unique)
                                  .add("hidden", each.hidden)
                                  .add("format", each.format)
                                  .add("choices", texts(each.choices)));
        for (const auto& each : about.metadata)
            fields.push_back(typed_line(each)
                                 .add("description", each.description)
                                 .add("choices", texts(each.choices)));
        for (const auto& each : about.steps)
            steps.push_back(json_line{}
                                .add("name", each.name)
                                .add("kind", each.kind)
                                .add("max_retries", each.max_retries)
                                .add("timeout_ms", each.timeout
                                                       ? std::optional{each.timeout->count()}
                                                       : std::nullopt));
        return line_of("operation_description")
            .add("operation", about.name)
            .add("description", about.description)
            .add("retryable", about.retryable)
            .add("columns", columns)
            .add("metadata", fields)
            .add("steps", steps);
    }

    [[nodiscard]] static std::vector<std::string> texts(std::span<const std::string_view> all) {
        return {all.begin(), all.end()};
    }

    static void write(const screen& on, const operation_description& about) {
        on.stream << tinted(on, tint::strong, about.name);
        if (!about.description.empty()) on.stream << ": " << about.description;
        on.stream << '\n';
        table columns{{{"column"}, {"type"}, {}, {}}, "  "};
        for (const auto& each : about.columns)
            columns.add(
                {each.name, each.type, each.required ? "required" : "optional", remarks(each)});
        columns.write(on);
        if (!about.metadata.empty()) {
            on.stream << '\n';
            table fields{{{"metadata"}, {"type"}, {}, {}}, "  "};
            for (const auto& each : about.metadata)
                fields.add({each.name, each.type, each.required ? "required" : "optional",
                            each.description.empty() ? names(each.choices)
                                                     : std::string{each.description}});
            fields.write(on);
        }
        on.stream << '\n';
        table steps{{{"step"}, {"kind"}, {"retries", align::right}, {"time-out", align::right}},
                    "  "};
        for (const auto& each : about.steps)
            steps.add({each.name, name_of(each.kind), std::to_string(each.max_retries),
                       each.timeout ? span_text(*each.timeout) : "-"});
        steps.write(on);
    }

    std::string operation_;
};

}  // namespace bulk::cli
