// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/row_batch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// The rows of an operation that a process was at when it died, and which of them are not tried any
/// more because it happened too often.
class crashed_rows {
public:
    explicit crashed_rows(int most) : most_{static_cast<std::uint32_t>(most)} {}

    /// What the store knows, by row.
    void set(std::vector<crashed_row> rows);

    /// Nearly always: then no row has to be looked for.
    [[nodiscard]] bool empty() const { return given_up_.empty(); }

    /// Why a row is not tried again, if it is not. One that has done the step since, as the store knows
    /// it, has moved on.
    [[nodiscard]] std::optional<std::string> refusal(row_number row,
                                                     const std::optional<row_progress>& known,
                                                     const operation_description& about) const;

private:
    std::uint32_t most_;
    std::vector<crashed_row> given_up_;  ///< by row
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/run/implementation.hpp>
#endif
