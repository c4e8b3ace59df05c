// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/json/object.hpp>
#include <bulk/rows/json/standalone.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/service/catalog.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// What the command line says about an operation's metadata: an object, and single fields that win
/// over it.
struct metadata_flags {
    std::string json{};
    std::vector<std::string> fields{};

    void declare(flags& to) {
        to.text("--metadata", json, "the operation's metadata, as a JSON object", "JSON");
        to.texts("--set", fields, "one field of it; may be given several times", "NAME=VALUE");
    }

    /// The metadata as the operation would write it, so that the same metadata is the same text.
    [[nodiscard]] result<std::string> text(const catalog& operations,
                                           const operation_description& about) const {
        auto given = given_members();
        if (!given) return std::unexpected{std::move(given).error()};
        for (const auto& field : fields)
            if (auto added = add(about, field, *given); !added)
                return std::unexpected{std::move(added).error()};
        std::string object{'{'};
        for (const auto& [name, value] : *given) {
            if (object.size() > 1) object += ',';
            json::write_string(object, name);
            object += ':';
            if (value.is_string)
                json::write_string(object, value.text);
            else
                object += value.text;
        }
        auto text = operations.same_metadata(about.name, object + '}');
        if (!text) return fail(errc::invalid_argument, concat(text.error().message, hint(about)));
        return text;
    }

private:
    using members = std::vector<std::pair<std::string, json::member_value>>;

    [[nodiscard]] result<members> given_members() const {
        if (is_blank(json)) return members{};
        auto read = json::read_members(json);
        if (!read)
            return fail(errc::invalid_argument,
                        concat("--metadata is not a JSON object: ", read.error().message));
        return read;
    }

    /// `name=value`, for a field that there is.
    [[nodiscard]] static result<> add(const operation_description& about, std::string_view field,
                                      members& to) {
        const auto equals = field.find('=');
        if (equals == std::string_view::npos)
            return fail(errc::invalid_argument,
                        concat("--set ", field, " has no value; write --set ", field, "=VALUE"));
        const auto name = field.substr(0, equals);
        std::vector<std::string_view> known;
        for (const auto& each : about.metadata) {
            known.push_back(each.name);
            if (!same_column(each.name, name)) continue;
            std::erase_if(to, [&](const auto& had) { return same_column(had.first, each.name); });
            const auto value = field.substr(equals + 1);
            const bool is_json =
                each.type == "json" &&
                json::check_standalone(value, row_limits{}.json_depth) == json::syntax::fine;
            to.emplace_back(each.name,
                            json::member_value{.text = std::string{value}, .is_string = !is_json});
            return {};
        }
        const auto near = nearest_name(name, known);
        return fail(errc::invalid_argument,
                    concat("operation '", about.name, "' has no metadata field '", name, '\'',
                           near ? concat("; did you mean '", *near, "'?") : hint(about)));
    }

    /// Which fields there are to be set.
    [[nodiscard]] static std::string hint(const operation_description& about) {
        std::string text;
        for (const auto& each : about.metadata)
            text +=
                concat(text.empty() ? "; set with --set: " : ", ", each.name, "=",
                       each.type.empty() ? "VALUE" : each.type, each.required ? "" : " (optional)");
        return text.empty() ? "; it takes no metadata" : text;
    }
};

}  // namespace bulk::cli
