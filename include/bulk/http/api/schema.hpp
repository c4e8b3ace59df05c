// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace bulk::http::api {

/// The form of an object: `name:type` by commas. A type is one of text, whole (a number), count (a
/// number of up to 64 bits, as a string of digits), number, truth, moment, uuid, object (any members),
/// anything, int, long, double and bytes (of .NET), or the name of a schema or an enumeration; `?` behind
/// it may be null, brackets around it make a list, `|` is either. All members are always there, except those of requests, which may be left out unless
/// they have a `!`.
struct schema {
    std::string_view name{};
    std::string_view about{};
    std::string_view members{};
};

}  // namespace bulk::http::api
