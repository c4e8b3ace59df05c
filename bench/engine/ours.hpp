// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <bulk/bulk.hpp>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

// bulk: validated, run and recorded, row by row and step by step.

struct three_steps : bulk::operation<three_steps, narrow> {
    BULK_OPERATION("three-steps")
    bulk::result<> validate(const narrow& row, const bulk::no_metadata&) {
        if (!workload::is_valid(row)) return bulk::fail("the quantity is negative");
        return {};
    }
    BULK_STEP(one, "One", .order = 1)
    (const narrow& row, const bulk::no_metadata&, bulk::context&) { workload::first_step(row); }
    BULK_STEP(two, "Two", .order = 2)
    (const narrow& row, const bulk::no_metadata&, bulk::context&) { workload::second_step(row); }
    BULK_STEP(three, "Three", .order = 3)
    (const narrow& row, const bulk::no_metadata&, bulk::context&) { workload::third_step(row); }
};

struct one_number {
    std::uint64_t id = 0;
};
BULK_ROW(one_number, id);

/// A step that waits for somebody else.
struct blocking : bulk::operation<blocking, one_number> {
    BULK_OPERATION("blocking")
    void process(const one_number&, const bulk::no_metadata&, bulk::context&) {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
};

/// A step that computes for some ten microseconds.
struct busy : bulk::operation<busy, narrow> {
    BULK_OPERATION("busy")
    void process(const narrow& row, const bulk::no_metadata&, bulk::context&) {
        workload::compute(row.id);
    }
};

namespace ours {

/// Seconds from the moment when the file is stored to the last record.
template <typename Op = three_steps>
double run(const std::string& text, bulk::service_options options = {}) {
    options.max_file_size = 0;
    bulk::service service{bulk::operations<Op>, bulk::memory::storage{}, options};
    const auto id = service.create(bulk::description_of<Op>.name,
                                   bulk::upload{"rows.csv", bulk::bytes_of_text(text)});
    if (!id) std::abort();
    const auto done = service.wait(*id);
    if (!done || done->state != bulk::operation_state::completed) std::abort();
    const std::chrono::duration<double> took = *done->completed_at - *done->started_at;
    return took.count();
}

inline double run_busy(const std::string& text, int concurrency) {
    return run<busy>(text, {.max_row_concurrency = concurrency});
}
inline double run_blocking(const std::string& text, int concurrency) {
    return run<blocking>(text, {.max_row_concurrency = concurrency});
}

}  // namespace ours
