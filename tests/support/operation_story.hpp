// Whether the events of an operation tell what became of it.
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace support {

/// What is wrong with them: each change of state follows the one before, each run has one end, and each
/// row that failed is told once.
template <typename Storage>
std::vector<std::string> operation_story_problems(Storage& storage,
                                                  const bulk::operation_record& operation) {
    std::vector<std::string> problems;
    auto last = bulk::operation_state::pending;
    std::uint64_t ends = 0, failed_rows = 0, after = 0;
    while (true) {
        const auto more = storage.events(operation.id, after, 1000).value();
        if (more.empty()) break;
        after = more.back().sequence;
        for (const auto& each : more) {
            if (each.kind == bulk::event_kind::status_changed) {
                if (each.previous != last) problems.emplace_back("a change of state was not told");
                last = each.state;
            }
            ends += each.kind == bulk::event_kind::completed ||
                    each.kind == bulk::event_kind::cancelled;
            failed_rows += each.kind == bulk::event_kind::row_failed;
        }
    }
    if (last != operation.state) problems.emplace_back("the last change of state was not told");
    if (ends != operation.retry_count + 1)
        problems.push_back("the end was told " + std::to_string(ends) + " times");
    const auto before =
        storage.retry_history({.operation = operation.id, .page_size = 1000}).value().total;
    if (failed_rows != operation.rows.failed + before)
        problems.push_back(std::to_string(failed_rows) + " failed rows were told, there are " +
                           std::to_string(operation.rows.failed + before));
    return problems;
}

}  // namespace support
