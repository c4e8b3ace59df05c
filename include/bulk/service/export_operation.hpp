// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/storage/any_storage.hpp>

#include <utility>

namespace bulk {

/// Writes the rows of an operation to `sink`, in the order of their file and in memory of fixed size.
[[nodiscard]] inline result<export_summary> export_operation(const catalog& operations,
                                                             any_storage storage, operation_id id,
                                                             const export_options& options,
                                                             const read_options& reading,
                                                             const export_sink& sink) {
    auto record = storage.get(id);
    if (!record) return std::unexpected{std::move(record).error()};
    const auto known = operations.operation(record->name);
    if (!known) return std::unexpected{known.error()};
    return (*known)->export_rows(storage, *record, options, reading, sink);
}

}  // namespace bulk
