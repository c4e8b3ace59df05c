// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/listing.hpp>
#include <bulk/cli/operation_verb.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/service.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::cli {

inline void write_rows(const invocation& program, const page<row_record>& found,
                       const operation_description* about) {
    if (found.items.empty()) return program.remark("no row is like that");
    table lines{{{"row", align::right},
                 {"id"},
                 {"step"},
                 {"state"},
                 {"tries", align::right},
                 {"ended (UTC)"},
                 {"error"}}};
    for (const auto& each : found.items)
        lines.add({grouped(to_number(each.row)),
                   each.row_id,
                   step_text(about, each.step),
                   {std::string{name_of(each.state)}, tint_of(each.state)},
                   grouped(each.attempt),
                   moment_text(each.completed_at),
                   each.error_message.empty() && !each.signal_key.empty()
                       ? concat("waits for '", each.signal_key, '\'')
                       : each.error_message});
    lines.write(program.out());
    if (!found.next.empty())
        program.remark(concat(grouped(found.items.size()), " of ", grouped(found.total),
                              "; for more: --after ", found.next));
}

/// Prints a page of row records; the exit code.
inline int print_rows(const invocation& program, const page<row_record>& found,
                      const operation_description* about) {
    return print_list(
        program, found.items, found.next,
        [&](const row_record& each) { return json_of(each, about); },
        [&] { write_rows(program, found, about); });
}

/// What became of rows, step by step.
class rows_verb final : public operation_verb {
public:
    rows_verb()
        : operation_verb{
              {.name = "rows",
               .summary = "show what became of rows, step by step",
               .examples = "rows last --row 17\n"
                           "rows last --state waiting_for_completion --step 'Carrier Approval' "
                           "--limit 20"},
              id_word::optional} {}

private:
    void declare_own(flags& to) override {
        to.numbers("--row", only_, "this row; may be given several times");
        to.number("--from", from_, "from this row on");
        to.number("--to", to_, "up to this row");
        to.text("--row-id", query_.row_id_contains, "part of the row's own id");
        to.text("--step", step_, "at this step, or at 'validation'", "NAME");
        to.choice("--state", query_.state, "in this state");
        to.choice("--failure", query_.failure, "failed like this");
        to.text("--signal-key", query_.signal_key, "waiting for this key", "KEY");
        to.yes("--errors", query_.errors_only, "failed or timed out");
        to.choice("--sort", query_.sort, "by what (row)");
        to.yes("--descending", query_.descending, "the other way round");
        declare_page(to, query_.page_size, query_.after);
    }

    int perform(const invocation& program, bulk::service& service, operation_record of) override {
        const auto* about = description_for(program.operations(), of.name);
        if (about != nullptr) {
            const auto step = find_step(*about, step_);
            if (!step) return program.complain(step.error());
            query_.step = *step;
        }
        query_.operation = of.id;
        for (const auto row : only_) query_.rows.push_back(row_number{row});
        if (from_) query_.from_row = row_number{*from_};
        if (to_) query_.to_row = row_number{*to_};
        if (auto valid = validate(query_); !valid) return program.complain(valid.error());
        const auto rows = service.query(query_);
        if (!rows) return program.complain(rows.error());
        return print_rows(program, *rows, about);
    }

    std::string step_;
    std::vector<std::uint64_t> only_;
    std::optional<std::uint64_t> from_, to_;
    row_query query_;
};

}  // namespace bulk::cli
