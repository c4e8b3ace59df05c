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
#include <utility>

namespace bulk::files {

/// 64 bits in 16 digits.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t value) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[value >> shift & 0xf];
    return text;
}

/// What is kept beside the content of an upload: lines that people can read, texts with their size
/// because they may hold anything, and a checksum of all that. The id is where it is kept.
/// Version 1 had neither a content type nor an uploader.
[[nodiscard]] inline std::string description_text(const stored_file& file) {
    const auto text_line = [](std::string_view word, std::string_view value) {
        return concat(word, ' ', value.size(), '\n', value, '\n');
    };
    std::string text =
        concat("bulk file 2\nsize ", file.size, "\nchecksum ", hexadecimal(file.checksum),
               "\nstored_at ", file.stored_at.time_since_epoch().count(), '\n',
               text_line("content_type", file.content_type),
               text_line("uploaded_by", file.uploaded_by), text_line("name", file.name));
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
        description_reader left{text.substr(0, text.size() - sum_size)};
        const bool is_first = left.skip("bulk file 1\n");
        if (!is_first && !left.skip("bulk file 2\n")) return std::nullopt;
        const auto size = left.number<std::uint64_t>("size ");
        const auto content_sum = left.number<std::uint64_t>("checksum ", 16);
        const auto stored_at = left.number<std::int64_t>("stored_at ");
        auto content_type = is_first ? std::optional{std::string{}} : left.text("content_type ");
        auto uploaded_by = is_first ? std::optional{std::string{}} : left.text("uploaded_by ");
        auto name = left.text("name ");
        if (!size || !content_sum || !stored_at || !content_type || !uploaded_by || !name ||
            !left.text_.empty())
            return std::nullopt;
        return stored_file{.id = std::move(id),
                           .name = std::move(*name),
                           .size = *size,
                           .checksum = *content_sum,
                           .stored_at = timestamp{std::chrono::microseconds{*stored_at}},
                           .content_type = std::move(*content_type),
                           .uploaded_by = std::move(*uploaded_by)};
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

    /// A line of a word and a size, and so many bytes behind it.
    [[nodiscard]] std::optional<std::string> text(std::string_view word) {
        const auto size = number<std::size_t>(word);
        if (!size || *size >= text_.size() || text_[*size] != '\n') return std::nullopt;
        std::string value{text_.substr(0, *size)};
        text_.remove_prefix(*size + 1);
        return value;
    }

    std::string_view text_;
};

}  // namespace bulk::files
