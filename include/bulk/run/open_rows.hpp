// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/run/row_work.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/supply.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace bulk {

[[nodiscard]] inline result<std::unique_ptr<unit_source>> open_rows_of_file(run_core& core,
                                                                            row_work& work) {
    const auto& record = core.operation.record();
    auto& storage = core.around.storage;
    return work.open_file(
        [&]() -> result<byte_source> {
            if (auto content = storage.file_memory(record.file_id))
                return byte_source{std::string_view{*content}, content};
            auto pull = storage.open_file(record.file_id, 0);
            if (!pull) return std::unexpected{std::move(pull).error()};
            return byte_source{std::move(*pull)};
        },
        record.file_name, core.around.reading, core.concurrency() == 1);
}

/// The rows of a pass. When the file is gone, what the records keep of the rows is enough for their steps.
[[nodiscard]] inline result<std::unique_ptr<unit_source>> open_rows(run_core& core, row_work& work,
                                                                    operation_state state) {
    auto rows = open_rows_of_file(core, work);
    if (!rows && rows.error().code == errc::not_found && core.operation.was_begun() &&
        keeps_rows(core.description) && state == operation_state::running)
        return work.open_records(core.around.storage, core.id(),
                                 core.operation.record().rows.total);
    return rows;
}

}  // namespace bulk
