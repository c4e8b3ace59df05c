// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/header_parameter.hpp>
#include <bulk/http/message.hpp>
#include <bulk/rows/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http {

/// One part of a form: a field, or a file.
struct form_part {
    std::string name{};
    std::optional<std::string> file_name{};  ///< as it was sent: may be a path, or empty
    std::string type{};
};

/// Reads multipart/form-data while it comes, in memory of fixed size: part by part, each pulled piece
/// by piece. Whatever of a part is not pulled is passed over.
class multipart_reader {
public:
    /// `boundary` as the Content-Type says it.
    multipart_reader(body_pull pull, std::string_view boundary)
        : pull_{std::move(pull)}, mark_{concat("\r\n--", boundary)}, text_{"\r\n"} {}

    [[nodiscard]] static result<std::string> boundary_of(std::string_view content_type) {
        auto boundary = header_parameter(content_type, "boundary");
        if (!boundary || boundary->empty() || boundary->size() > 70)
            return fail(errc::invalid_argument,
                        "the form has no boundary of 1 to 70 characters: see its Content-Type");
        return std::move(*boundary);
    }

    /// The next part; none behind the last.
    [[nodiscard]] result<std::optional<form_part>> next() {
        if (is_over_) return std::nullopt;
        std::array<char, 4096> passed{};
        if (!is_first_) {
            while (true) {
                const auto count = read(passed);
                if (!count) return std::unexpected{count.error()};
                if (*count == 0) break;
            }
        } else if (auto begun = pass_preamble(); !begun) {
            return std::unexpected{begun.error()};
        }
        is_first_ = false;
        // Behind the mark: "--" is the end of all, a line end the beginning of a part.
        if (auto more = need(2); !more) return std::unexpected{more.error()};
        if (text_.starts_with("--")) return finish();
        while (text_.starts_with(' ') || text_.starts_with('\t')) {
            text_.erase(0, 1);
            if (auto more = need(2); !more) return std::unexpected{more.error()};
        }
        if (!text_.starts_with("\r\n")) return refuse("a boundary is not at the end of its line");
        text_.erase(0, 2);
        is_at_end_ = false;
        return read_head();
    }

    /// Some bytes of the part; 0 at its end.
    [[nodiscard]] result<std::size_t> read(std::span<char> into) {
        while (!is_at_end_ && !into.empty()) {
            const auto found = text_.find(mark_);
            if (found != std::string::npos) {
                const auto count = std::min(found, into.size());
                if (count > 0) return take(into, count);
                text_.erase(0, mark_.size());
                is_at_end_ = true;
                break;
            }
            // The mark may begin in what is there, and go on in what comes.
            if (text_.size() >= mark_.size())
                return take(into, std::min(text_.size() - (mark_.size() - 1), into.size()));
            if (auto more = need(mark_.size()); !more) return std::unexpected{more.error()};
        }
        return 0;
    }

private:
    static constexpr std::size_t most_head = 8192;
    static constexpr std::size_t piece_bytes = 16384;

    [[nodiscard]] static std::unexpected<error> refuse(std::string_view why) {
        return fail(errc::invalid_argument, concat("the form cannot be read: ", why));
    }

    std::size_t take(std::span<char> into, std::size_t count) {
        std::copy_n(text_.begin(), count, into.begin());
        text_.erase(0, count);
        return count;
    }

    /// How many bytes came; 0 at the end of the body.
    [[nodiscard]] result<std::size_t> pull_more() {
        const auto before = text_.size();
        text_.resize(before + piece_bytes);
        const auto got = pull_(std::span{text_}.subspan(before));
        text_.resize(before + got.value_or(0));
        return got;
    }

    /// At least so many bytes, which there must be.
    [[nodiscard]] result<> need(std::size_t count) {
        while (text_.size() < count) {
            const auto got = pull_more();
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) return refuse("it ends in the middle of a part");
        }
        return {};
    }

    /// Behind the last boundary nothing counts, but it is read: the body must have come whole, and the
    /// next request is behind it.
    [[nodiscard]] result<std::optional<form_part>> finish() {
        std::size_t passed = text_.size();
        while (passed <= most_head) {
            text_.clear();
            const auto got = pull_more();
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) {
                is_over_ = true;
                return std::nullopt;
            }
            passed += *got;
        }
        return refuse("too much is behind its end");
    }

    /// Up to the first boundary; its line end may be the beginning of the body.
    [[nodiscard]] result<> pass_preamble() {
        std::size_t passed = 0;
        while (true) {
            const auto found = text_.find(mark_);
            if (found != std::string::npos && passed + found <= most_head) {
                text_.erase(0, found + mark_.size());
                return {};
            }
            if (text_.size() >= mark_.size()) {
                passed += text_.size() - (mark_.size() - 1);
                text_.erase(0, text_.size() - (mark_.size() - 1));
            }
            if (passed > most_head) return refuse("its first boundary does not come");
            if (auto more = need(text_.size() + 1); !more) return more;
        }
    }

    [[nodiscard]] result<std::optional<form_part>> read_head() {
        form_part part;
        bool is_form = false;
        std::size_t length = 0;
        while (true) {
            std::size_t end = text_.find("\r\n");
            while (end == std::string::npos) {
                if (text_.size() > most_head) return refuse("the head of a part is too long");
                if (auto more = need(text_.size() + 1); !more) return std::unexpected{more.error()};
                end = text_.find("\r\n");
            }
            const std::string line = text_.substr(0, end);
            length += line.size() + 2;
            if (length > most_head) return refuse("the head of a part is too long");
            if (line.empty()) {
                // The line end in front of the boundary of an empty part is this one.
                text_.erase(0, end);
                if (auto more = need(mark_.size()); !more) return std::unexpected{more.error()};
                if (!text_.starts_with(mark_)) text_.erase(0, 2);
                break;
            }
            text_.erase(0, end + 2);
            if (auto read = read_header(line, part, is_form); !read)
                return std::unexpected{read.error()};
        }
        if (!is_form || part.name.empty()) return refuse("a part has no name");
        return part;
    }

    [[nodiscard]] static result<> read_header(std::string_view line, form_part& part,
                                              bool& is_form) {
        const auto is_control = [](char c) {
            return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
        };
        if (std::ranges::any_of(line, is_control) || find_invalid_utf8(line) != line.size())
            return refuse("a header of a part has bytes that no header has");
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return refuse("a header of a part has no colon");
        const auto name = line.substr(0, colon);
        auto value = line.substr(colon + 1);
        value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
        if (same_name(name, "content-type")) part.type = value;
        if (!same_name(name, "content-disposition")) return {};
        if (is_form) return refuse("a part says twice what it is");
        is_form = same_name(value.substr(0, value.find_first_of("; \t")), "form-data");
        part.name = unquoted(header_parameter(value, "name").value_or(""));
        auto file_name = any_header_parameter(value, "filename");
        if (!file_name) return std::unexpected{file_name.error()};
        if (*file_name) part.file_name = unquoted(std::move(**file_name));
        return {};
    }

    /// Browsers write a quote within a name as %22, and escape nothing else that may be in one.
    [[nodiscard]] static std::string unquoted(std::string text) {
        for (auto at = text.find("%22"); at != std::string::npos; at = text.find("%22", at + 1))
            text.replace(at, 3, "\"");
        return text;
    }

    body_pull pull_;
    const std::string mark_;
    std::string text_;  ///< what has come and was not given out; begins as if a line had ended
    bool is_first_ = true;
    bool is_at_end_ = true;  ///< of a part
    bool is_over_ = false;
};

}  // namespace bulk::http
