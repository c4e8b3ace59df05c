// SPDX-License-Identifier: MIT
#pragma once

namespace bulk {

/// A row with everything that its fields refer to.
template <typename Row>
class owned_row {
public:
    owned_row() = default;
    owned_row(const owned_row&) = delete;
    owned_row& operator=(const owned_row&) = delete;
    virtual ~owned_row() = default;

    [[nodiscard]] virtual const Row& value() const = 0;
};

}  // namespace bulk
