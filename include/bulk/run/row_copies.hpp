// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/run/owned_row.hpp>
#include <bulk/run/row_place.hpp>

#include <memory>

namespace bulk {

/// Reads rows again for those who keep them.
template <typename Row>
class row_copies {
public:
    row_copies() = default;
    row_copies(const row_copies&) = delete;
    row_copies& operator=(const row_copies&) = delete;

    /// The row at that place, with everything that it refers to; null when it cannot be read.
    [[nodiscard]] virtual std::unique_ptr<owned_row<Row>> own(const row_place& place) = 0;

protected:
    ~row_copies() = default;
};

}  // namespace bulk
