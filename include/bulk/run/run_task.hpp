// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/run/recorder.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/seen_task.hpp>
#include <bulk/run/step_transaction.hpp>

namespace bulk {

/// A task of a run, with the transaction that its steps may request.
class run_task : public seen_task {
public:
    explicit run_task(run_core& core)
        : seen_task{core.board, core.around.storage.flights(), core.around.jobs, core.id(),
                    core.lifecycle.stop_token()},
          recorder_{core.recorded},
          own_{core.around.storage, core.operation.held(), [&core] { return core.write(); }} {
        lent = recorder_.lend();
        transaction = &own_;
        ctx.take_transactions_from(&own_);
    }
    run_task(const run_task&) = delete;
    run_task& operator=(const run_task&) = delete;
    ~run_task() { recorder_.give_back(lent); }

private:
    recorder& recorder_;
    step_transaction own_;
};

}  // namespace bulk
