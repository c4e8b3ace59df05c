// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/message.hpp>

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

/// The value of a parameter such as `boundary` in `multipart/form-data; boundary="a b"`, quoted or not.
[[nodiscard]] inline std::optional<std::string> header_parameter(std::string_view header,
                                                                 std::string_view name) {
    std::size_t at = std::min(header.find(';'), header.size());
    while (at < header.size()) {
        ++at;
        while (at < header.size() && (header[at] == ' ' || header[at] == '\t')) ++at;
        const auto begin = at;
        while (at < header.size() && header[at] != '=' && header[at] != ';') ++at;
        std::string_view known = header.substr(begin, at - begin);
        while (known.ends_with(' ') || known.ends_with('\t')) known.remove_suffix(1);
        std::string value;
        if (at < header.size() && header[at] == '=') {
            ++at;
            if (at < header.size() && header[at] == '"') {
                for (++at; at < header.size() && header[at] != '"'; ++at) {
                    if (header[at] == '\\' && at + 1 < header.size()) ++at;
                    value += header[at];
                }
                while (at < header.size() && header[at] != ';') ++at;
            } else {
                while (at < header.size() && header[at] != ';') value += header[at++];
                while (value.ends_with(' ') || value.ends_with('\t')) value.pop_back();
            }
        }
        if (same_name(known, name)) return value;
    }
    return std::nullopt;
}

/// One part of a form: a field, or a file.
struct form_part {
    std::string name{};
    std::optional<std::string> file_name{};
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
        if (text_.starts_with("--")) {
            is_over_ = true;
            return std::nullopt;
        }
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

    [[nodiscard]] static std::unexpected<error> refuse(std::string_view why) {
        return fail(errc::invalid_argument, concat("the form cannot be read: ", why));
    }

    std::size_t take(std::span<char> into, std::size_t count) {
        std::copy_n(text_.begin(), count, into.begin());
        text_.erase(0, count);
        return count;
    }

    /// At least so many bytes, which there must be.
    [[nodiscard]] result<> need(std::size_t count) {
        std::array<char, 16384> piece{};
        while (text_.size() < count) {
            const auto got = pull_(piece);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) return refuse("it ends in the middle of a part");
            text_.append(piece.data(), *got);
        }
        return {};
    }

    /// Up to the first boundary; its line end may be the beginning of the body.
    [[nodiscard]] result<> pass_preamble() {
        std::size_t passed = 0;
        while (true) {
            if (const auto found = text_.find(mark_); found != std::string::npos) {
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
            const auto colon = line.find(':');
            if (colon == std::string::npos) return refuse("a header of a part has no colon");
            std::string_view value{line};
            value.remove_prefix(colon + 1);
            while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
            if (same_name(line.substr(0, colon), "content-disposition")) {
                is_form = same_name(value.substr(0, 9), "form-data");
                part.name = header_parameter(value, "name").value_or("");
                part.file_name = header_parameter(value, "filename");
            } else if (same_name(line.substr(0, colon), "content-type")) {
                part.type = value;
            }
        }
        if (!is_form || part.name.empty()) return refuse("a part has no name");
        return part;
    }

    body_pull pull_;
    const std::string mark_;
    std::string text_;  ///< what has come and was not given out; begins as if a line had ended
    bool is_first_ = true;
    bool is_at_end_ = true;  ///< of a part
    bool is_over_ = false;
};

}  // namespace bulk::http
