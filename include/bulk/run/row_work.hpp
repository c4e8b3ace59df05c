// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/repeated_value.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/run_host.hpp>
#include <bulk/run/supply.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace bulk {

class any_storage;

/// What a run does with its rows: all of it that needs the types of the operation. One virtual call for each
/// unit of rows, and one for each row that has waited.
class row_work {
public:
    row_work() = default;
    row_work(const row_work&) = delete;
    row_work& operator=(const row_work&) = delete;
    virtual ~row_work() = default;

    /// Begins with the operation's metadata; fails with a sentence for the operation.
    [[nodiscard]] virtual result<> set_up(std::string_view metadata) = 0;
    [[nodiscard]] virtual result<> validate_metadata() = 0;

    /// Opens the file for a pass; `by_one`: one task alone reads it.
    [[nodiscard]] virtual result<std::unique_ptr<unit_source>> open_file(
        const std::function<result<byte_source>()>& open, std::string_view name,
        const read_options& reading, bool by_one) = 0;
    /// The rows as their records keep them.
    [[nodiscard]] virtual std::unique_ptr<unit_source> open_records(any_storage& storage,
                                                                    operation_id id,
                                                                    std::uint64_t rows) = 0;

    /// Reads the rows of a unit of `rows`, which this has opened, and does what the pass does with each.
    [[nodiscard]] virtual result<unit_end> read(unit_source& rows, const row_unit& unit,
                                                row_task& at, const pass_state& pass) = 0;
    /// A row whose wait is over goes on.
    virtual void wake(row_task& at, woken_row woken) = 0;

    /// Whether validation reads rows even if an earlier run has let them pass.
    [[nodiscard]] virtual bool reads_all() const = 0;
    [[nodiscard]] virtual std::vector<repeated_value> take_repeated() = 0;
    virtual void refuse_repeated(row_task& at, row_record record,
                                 const repeated_value& repeated) = 0;
};

/// Makes the work of one run; both arguments outlive it.
using make_row_work = std::function<std::unique_ptr<row_work>(
    run_host& host, executor& jobs, const operation_record& about, bool data_in_errors)>;

}  // namespace bulk
