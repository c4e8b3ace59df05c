// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/operation_verb.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/summary.hpp>
#include <bulk/cli/verbs/rows.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/service/service.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace bulk::cli {

/// Why rows failed: in groups, or row by row.
class errors_verb final : public operation_verb {
public:
    errors_verb()
        : operation_verb{{.name = "errors",
                          .summary = "show why rows failed, the same reasons together",
                          .examples = "errors\n"
                                      "errors last --rows --limit 20"},
                         id_word::optional} {}

private:
    void declare_own(flags& to) override {
        to.yes("--rows", row_by_row_, "each failed row, not the groups");
        to.number("--limit", limit_, "how many groups or rows, at most 1000 (100)");
        to.text("--after", after_, "with --rows: go on where another list ended", "CURSOR");
    }

    [[nodiscard]] result<> check(const invocation&) const override {
        return check_page_size(limit_);
    }

    int perform(const invocation& program, bulk::service& service, operation_record of) override {
        const auto* about = description_for(program.operations(), of.name);
        return row_by_row_ ? show_rows(program, service, of.id, about)
                           : show_groups(program, service, of.id, about);
    }

    int show_rows(const invocation& program, bulk::service& service, operation_id id,
                  const operation_description* about) const {
        const auto rows = service.query(
            row_query{.operation = id, .errors_only = true, .page_size = limit_, .after = after_});
        if (!rows) return program.complain(rows.error());
        return print_rows(program, *rows, about);
    }

    int show_groups(const invocation& program, bulk::service& service, operation_id id,
                    const operation_description* about) const {
        const auto groups = service.error_groups(id);
        if (!groups) return program.complain(groups.error());
        if (program.settings().json) {
            for (std::size_t i = 0; i < groups->size() && i < limit_; ++i)
                program.print(json_of((*groups)[i], about));
            return exit_code::success;
        }
        if (groups->empty())
            program.remark("no row has failed");
        else
            write_groups(program.out(), *groups, about, limit_);
        return exit_code::success;
    }

    std::string after_;
    bool row_by_row_ = false;
    std::uint32_t limit_ = 100;
};

}  // namespace bulk::cli
