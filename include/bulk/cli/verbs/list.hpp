// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/listing.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>

namespace bulk::cli {

/// Operations, newest first.
class list_verb final : public verb {
public:
    list_verb()
        : verb{{.name = "list",
                .summary = "list operations, newest first",
                .examples = "list --state running\n"
                            "list --from 2026-06-01 --created-by ops --limit 100"}} {}

    void declare(flags& to) override {
        to.text("--name", query_.name_contains, "part of the operation's name");
        to.text("--created-by", query_.created_by_contains, "part of who asked for it");
        to.choice("--state", query_.state, "in this state");
        to.moment("--from", query_.created_from, "created then or later");
        to.moment("--to", query_.created_to, "created then or earlier");
        to.choice("--sort", query_.sort, "by what (created_at)");
        to.yes("--ascending", ascending_, "the other way round");
        declare_page(to, query_.page_size, query_.after);
    }

    int perform(invocation& program) override {
        query_.descending = !ascending_;
        if (auto valid = validate(query_); !valid) return program.complain(valid.error());
        auto service = program.open(scheduling::none);
        if (!service) return program.complain(service.error());
        const auto found = (*service)->query(query_);
        if (!found) return program.complain(found.error());
        return print_list(
            program, found->items, found->next,
            [](const operation_record& each) { return json_of(each); },
            [&] { write(program, *found); });
    }

private:
    static void write(const invocation& program, const page<operation_record>& found) {
        const screen& on = program.out();
        if (found.items.empty()) return program.remark("no operation is like that");
        table lines{{{"id"},
                     {"operation"},
                     {"created (UTC)"},
                     {"rows", align::right},
                     {"done", align::right},
                     {"failed", align::right},
                     {"state"},
                     {"file"}}};
        for (const auto& each : found.items)
            lines.add({to_text(each.id),
                       each.name,
                       moment_text(each.created_at),
                       each.validated ? grouped(each.rows.total) : "-",
                       each.validated ? concat(static_cast<int>(percent(each.rows)), '%') : "-",
                       {grouped(each.rows.failed), each.rows.failed > 0 ? tint::bad : tint::plain},
                       {state_text(each), tint_of(each.state)},
                       each.file_name});
        lines.write(on);
        if (!found.next.empty())
            program.remark(concat(grouped(found.items.size()), " of ", grouped(found.total),
                                  "; for more: --after ", found.next));
    }

    operation_query query_;
    bool ascending_ = false;
};

}  // namespace bulk::cli
