// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace bulk {

/// Holds every layer of a packed file to the limits, each against the bytes of the file itself.
class unpack_meter {
public:
    explicit unpack_meter(const unpack_limits& limits) : limits_{limits} {}

    /// The bytes of the file, counted.
    [[nodiscard]] byte_source packed(byte_source source) {
        return byte_source{[source = std::move(source),
                            count = packed_](std::span<char> into) mutable -> result<std::size_t> {
            auto got = source.read_some(into);
            if (got) *count += *got;
            return got;
        }};
    }

    /// What was unpacked from them, as far as the limits go.
    [[nodiscard]] byte_source unpacked(byte_source source) {
        return byte_source{
            [source = std::move(source), packed = packed_, limits = limits_,
             count = std::uint64_t{0}](std::span<char> into) mutable -> result<std::size_t> {
                auto got = source.read_some(into);
                if (!got) return got;
                count += *got;
                if (limits.bytes > 0 && count > limits.bytes)
                    return fail(errc::invalid_argument,
                                concat("the file unpacks to more than ", limits.bytes,
                                       " bytes, the most that is taken; split it, or raise "
                                       "max_unpacked_size"));
                if (limits.ratio > 0 && count > limits.ratio_from && count / limits.ratio > *packed)
                    return fail(errc::invalid_argument,
                                concat("the file unpacks to more than ", limits.ratio,
                                       " times its size (", count, " bytes from ", *packed,
                                       "); upload it unpacked or in "
                                       "parts, or raise max_unpack_ratio"));
                return got;
            }};
    }

private:
    unpack_limits limits_;
    std::shared_ptr<std::uint64_t> packed_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace bulk
