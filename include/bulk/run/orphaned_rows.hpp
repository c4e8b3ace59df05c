// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/run/row_pass.hpp>
#include <bulk/run/run_core.hpp>

#include <string>

namespace bulk {

/// Rows that waited when the process that had their operation crashed, and whose steps must not run twice. They
/// fail; the others keep their state.
class orphaned_rows {
public:
    orphaned_rows(run_core& core, row_pass& rows) : core_{core}, rows_{rows} {}

    /// Fails some of them; false when there are no more.
    [[nodiscard]] result<bool> fail_some() {
        const auto waiting =
            core_.around.storage.query(row_query{.operation = core_.id(),
                                                 .state = row_state::waiting_for_completion,
                                                 .page_size = largest_page,
                                                 .with_total = false});
        if (!waiting) return std::unexpected{waiting.error()};
        if (waiting->items.empty()) return false;
        were_some_ = true;
        const auto failed = rows_.fail(
            waiting->items, "Recovery: step was waiting for signal when application restarted");
        if (!failed) return std::unexpected{failed.error()};
        return true;
    }

    /// Why the operation fails with them.
    [[nodiscard]] std::string reason() const {
        return were_some_ ? "Operation had orphaned signal-based steps on application restart"
                          : "Operation was stuck in Running state after application restart";
    }

private:
    run_core& core_;
    row_pass& rows_;
    bool were_some_ = false;
};

}  // namespace bulk
