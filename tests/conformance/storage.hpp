// What a storage of records and files must do, feeds apart.
#pragma once

#include "combinations.hpp"
#include "events_and_files.hpp"
#include "operations.hpp"
#include "read_limits.hpp"
#include "removal.hpp"
#include "retry.hpp"
#include "rows.hpp"
#include "signals.hpp"
#include "steps.hpp"
#include "workers.hpp"

namespace conformance {

template <typename Make>
void check_storage(Make make) {
    check_operations(make);
    check_rows(make);
    check_read_limits(make);
    check_combinations(make);
    check_signals(make);
    check_retry(make);
    check_steps(make);
    check_removal(make);
    check_events(make);
    check_workers(make);
    check_files(make);
}

}  // namespace conformance
