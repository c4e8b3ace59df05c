// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/listing.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/content_type.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/page.hpp>
#include <bulk/storage/stored_file.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::cli {

/// Uploaded files, oldest first.
class files_verb final : public verb {
public:
    files_verb()
        : verb{{.name = "files",
                .summary = "list uploaded files, oldest first",
                .examples = "files\n"
                            "files --name 2026-06- --limit 100"}} {}

    void declare(flags& to) override {
        to.text("--name", prefix_, "beginning of the file name (case-sensitive)", "PREFIX");
        to.number("--limit", limit_, "how many, at most 1000 (20)");
        to.text("--after", after_, "id of the last file of the previous list", "ID");
    }

    int perform(invocation& program) override {
        if (limit_ < 1 || limit_ > largest_page)
            return program.complain(
                {errc::invalid_argument,
                 concat("--limit must be between 1 and ", largest_page, ", got ", limit_)});
        auto service = program.open(scheduling::none);
        if (!service) return program.complain(service.error());
        const auto found = (*service)->files(prefix_, after_, limit_);
        if (!found) return program.complain(found.error());
        const std::string next = found->size() == limit_ ? found->back().id : std::string{};
        return print_list(program, *found, next, json_of, [&] { write(program, *found, next); });
    }

private:
    [[nodiscard]] static std::string type_of(const stored_file& file) {
        return file.content_type.empty() ? std::string{content_type_by_name(file.name)}
                                         : file.content_type;
    }

    [[nodiscard]] static json_line json_of(const stored_file& file) {
        return line_of("file")
            .add("id", file.id)
            .add("name", file.name)
            .add("size", file.size)
            .add("content_type", type_of(file))
            .add("uploaded_by", file.uploaded_by)
            .add("stored_at", file.stored_at);
    }

    static void write(const invocation& program, const std::vector<stored_file>& found,
                      std::string_view next) {
        if (found.empty()) return program.remark("no files found");
        table lines{{{"id"},
                     {"stored (UTC)"},
                     {"size", align::right},
                     {"type"},
                     {"uploaded by"},
                     {"name"}}};
        for (const auto& each : found)
            lines.add({each.id, moment_text(each.stored_at), grouped(each.size), type_of(each),
                       each.uploaded_by, each.name});
        lines.write(program.out());
        if (!next.empty()) program.remark(concat("for more: --after ", next));
    }

    std::string prefix_, after_;
    std::uint32_t limit_ = 20;
};

}  // namespace bulk::cli
