// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::memory {

/// The business keys of rows. A row has one, whichever of its records said so last.
class row_ids {
public:
    void put(row_number row, std::string_view id) {
        const auto page = to_number(row) / rows_together;
        if (page >= pages_.size()) pages_.resize(page + 1);
        if (pages_[page].empty()) pages_[page].resize(rows_together);
        pages_[page][to_number(row) % rows_together] = id;
    }

    [[nodiscard]] std::string_view of(row_number row) const {
        const auto page = to_number(row) / rows_together;
        if (page >= pages_.size() || pages_[page].empty()) return {};
        return pages_[page][to_number(row) % rows_together];
    }

private:
    static constexpr std::uint64_t rows_together = 256;

    std::vector<std::vector<std::string>> pages_;
};

}  // namespace bulk::memory
