// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::sqlite {

/// What to do about damage, wherever it is found.
inline constexpr std::string_view damage_advice =
    "restore a backup, or submit the file again as a new operation; `doctor --check` lists "
    "everything that is damaged";

/// Damage that a read has found. Clients see it: it names no file.
[[nodiscard]] inline error damaged(std::string_view where, std::string_view what) {
    return {errc::damaged, concat(where, ": the stored ", what,
                                  " is damaged (it does not match its checksum): ", damage_advice)};
}

[[nodiscard]] inline error damaged_operation(operation_id id) {
    return damaged(concat("operation ", to_text(id)), "record of the operation");
}

[[nodiscard]] inline error damaged_rows(operation_id id, std::uint64_t first, std::uint64_t last,
                                        std::string_view what) {
    return damaged(concat("operation ", to_text(id), ", rows ", first, " to ", last), what);
}

/// `step`: of none if it is left out.
[[nodiscard]] inline error damaged_row(operation_id id, row_number row, std::string_view what,
                                       std::optional<step_index> step = std::nullopt) {
    return damaged(concat("operation ", to_text(id), ", row ", to_number(row),
                          step ? concat(", step ", to_number(*step)) : std::string{}),
                   what);
}

}  // namespace bulk::sqlite
