// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/storage/stored_file.hpp>

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bulk::files {

/// 64 bits in 16 digits.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t value) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[value >> shift & 0xf];
    return text;
}

/// What is kept beside the content of an upload: lines that people can read, the name last because
/// it may hold anything, and a checksum of all that. The id is where it is kept.
[[nodiscard]] inline std::string description_text(const stored_file& file) {
    std::string text =
        concat("bulk file 1\nsize ", file.size, "\nchecksum ", hexadecimal(file.checksum),
               "\nstored_at ", file.stored_at.time_since_epoch().count(), "\nname ",
               file.name.size(), '\n', file.name, '\n');
    checksum sum;
    sum.add(text);
    return text + concat("sum ", hexadecimal(sum.value()), '\n');
}

/// Reads the text above; none when it is not what somebody wrote with that function.
class description_reader {
public:
    [[nodiscard]] static std::optional<stored_file> read(std::string id, std::string_view text) {
        constexpr std::size_t sum_size = 4 + 16 + 1;
        if (text.size() < sum_size) return std::nullopt;
        checksum sum;
        sum.add(text.substr(0, text.size() - sum_size));
        if (text.substr(text.size() - sum_size) != concat("sum ", hexadecimal(sum.value()), '\n'))
            return std::nullopt;
        description_reader left{text};
        if (!left.skip("bulk file 1\n")) return std::nullopt;
        const auto size = left.number<std::uint64_t>("size ");
        const auto content_sum = left.number<std::uint64_t>("checksum ", 16);
        const auto stored_at = left.number<std::int64_t>("stored_at ");
        const auto name_size = left.number<std::size_t>("name ");
        if (!size || !content_sum || !stored_at || !name_size ||
            left.text_.size() != *name_size + 1 + sum_size)
            return std::nullopt;
        return stored_file{.id = std::move(id),
                           .name = std::string{left.text_.substr(0, *name_size)},
                           .size = *size,
                           .checksum = *content_sum,
                           .stored_at = timestamp{std::chrono::microseconds{*stored_at}}};
    }

private:
    explicit description_reader(std::string_view text) : text_{text} {}

    [[nodiscard]] bool skip(std::string_view expected) {
        if (!text_.starts_with(expected)) return false;
        text_.remove_prefix(expected.size());
        return true;
    }

    /// A line of a word and a number.
    template <std::integral Number>
    [[nodiscard]] std::optional<Number> number(std::string_view word, int base = 10) {
        if (!skip(word)) return std::nullopt;
        Number value{};
        const auto [end, code] =
            std::from_chars(text_.data(), text_.data() + text_.size(), value, base);
        if (code != std::errc{}) return std::nullopt;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        if (!skip("\n")) return std::nullopt;
        return value;
    }

    std::string_view text_;
};

}  // namespace bulk::files
