// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/dialect.hpp>

#include <cstddef>
#include <string_view>

namespace bulk::csv {

/// So much of a file is looked at.
inline constexpr std::size_t detection_size = std::size_t{64} * 1024;

/// What separates the fields of a text: comma, semicolon, tab or pipe. The one that cuts most rows
/// into as many fields as the first; of several such, the one that finds the most fields. The
/// dialect's own when none is found in the first row. Quotes and comments are respected.
[[nodiscard]] char detect_delimiter(std::string_view text, dialect dialect);

/// The dialect with the delimiter of a file, if it asks for that to be found out.
[[nodiscard]] result<dialect> detected(byte_source& source, dialect dialect);

}  // namespace bulk::csv

#ifndef BULK_COMPILED
#include <bulk/rows/csv/detect_implementation.hpp>
#endif
