// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/server/token.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace bulk::http {

/// Takes the chunks from around a body, as RFC 9112 has them and no more leniently: every line ends with
/// CR and LF, sizes are digits, and nothing else is at their place. Trailers are read and dropped.
class chunked_body {
public:
    /// `most` bytes, 0 is any number: refused with 413 as soon as a chunk says that there are more.
    explicit chunked_body(std::uint64_t most) : most_{most} {}

    /// The most bytes of one line of framing, or of all trailers.
    static constexpr std::size_t most_framing = 16'384;
    /// And of all framing for each byte of the body: chunks of one byte have five. Else somebody has us
    /// read gigabytes of extensions for a few bytes.
    static constexpr std::uint64_t most_framing_a_byte = 16;

    struct step {
        std::size_t used = 0;  ///< of what came
        std::size_t made = 0;  ///< of the body
        int status = 0;  ///< to refuse it with; what was right in front of that is given first
    };

    /// Reads what has come. Neither made anything nor done: more is needed.
    [[nodiscard]] step read(std::string_view come, std::span<char> into) {
        step done;
        while (status_ == 0 && !is_done() && done.used < come.size()) {
            const auto rest = come.substr(done.used);
            if (left_ == 0) {
                done.used += read_line(rest);
                continue;
            }
            const auto room = std::min(rest.size(), into.size() - done.made);
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(room, left_));
            if (count == 0) break;
            std::copy_n(rest.data(), count, into.data() + done.made);
            done.used += count;
            done.made += count;
            made_ += count;
            left_ -= count;
        }
        if (done.made == 0) done.status = status_;
        return done;
    }

    [[nodiscard]] bool is_done() const { return next_ == line::none; }

private:
    /// What the next line of framing is.
    enum class line : std::uint8_t { size, end_of_chunk, trailer, none };

    /// Some of a line, or the rest of it: how much.
    std::size_t read_line(std::string_view come) {
        const auto end = come.find('\n');
        const auto count = end == std::string_view::npos ? come.size() : end + 1;
        const auto some = come.substr(0, std::min(count, most_framing + 1));
        line_ += some;
        framing_ += some.size();
        if (line_.size() > most_framing ||
            framing_ > 2 * most_framing + most_framing_a_byte * made_ ||
            (next_ == line::end_of_chunk && !std::string_view{"\r\n"}.starts_with(line_))) {
            status_ = 400;
        } else if (end != std::string_view::npos) {
            const std::string_view whole = line_;
            status_ = whole.ends_with("\r\n") ? take(whole.substr(0, whole.size() - 2)) : 400;
            line_.clear();
        }
        return some.size();
    }

    /// 0, or the status to refuse it with.
    [[nodiscard]] int take(std::string_view text) {
        if (next_ == line::size) return take_size(text);
        if (next_ == line::end_of_chunk) {
            next_ = line::size;
            return 0;
        }
        if (text.empty()) {
            next_ = line::none;
            return 0;
        }
        trailers_ += text.size();
        const auto colon = text.find(':');
        const auto name = text.substr(0, colon);
        if (colon == std::string_view::npos || trailers_ > most_framing || !is_token(name) ||
            !is_field_value(text.substr(colon + 1)))
            return 400;
        // Where the body ends is settled, and whom it was for.
        const bool is_too_late = same_name(name, "content-length") ||
                                 same_name(name, "transfer-encoding") || same_name(name, "host");
        return is_too_late ? 400 : 0;
    }

    [[nodiscard]] int take_size(std::string_view text) {
        const char* const end = text.data() + text.size();
        // Which takes neither a sign nor 0x for a number.
        const auto [behind, problem] = std::from_chars(text.data(), end, left_, 16);
        const bool is_size = problem == std::errc{};
        if (!is_size || !are_extensions({behind, static_cast<std::size_t>(end - behind)})) {
            left_ = 0;
            return 400;
        }
        next_ = left_ == 0 ? line::trailer : line::end_of_chunk;
        return most_ > 0 && left_ > most_ - made_ ? 413 : 0;
    }

    /// `;name`, `;name=token`, `;name="text"`, any number of them, with blanks around the signs.
    [[nodiscard]] static bool are_extensions(std::string_view text) {
        while (!text.empty()) {
            pass_blanks(text);
            if (!text.starts_with(';')) return false;
            text.remove_prefix(1);
            pass_blanks(text);
            if (!pass_token(text)) return false;
            auto behind = text;
            pass_blanks(behind);
            if (!behind.starts_with('=')) continue;
            text = behind.substr(1);
            pass_blanks(text);
            if (!(text.starts_with('"') ? pass_quoted(text) : pass_token(text))) return false;
        }
        return true;
    }

    static void pass_blanks(std::string_view& text) {
        while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    }

    [[nodiscard]] static bool pass_token(std::string_view& text) {
        const auto end = std::min(text.find_first_of("; \t="), text.size());
        const bool is_one = is_token(text.substr(0, end));
        text.remove_prefix(end);
        return is_one;
    }

    [[nodiscard]] static bool pass_quoted(std::string_view& text) {
        std::size_t at = 1;
        while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2U : 1U;
        if (at >= text.size() || !is_field_value(text.substr(0, at))) return false;
        text.remove_prefix(at + 1);
        return true;
    }

    std::uint64_t most_;
    std::uint64_t left_ = 0;  ///< of this chunk
    std::uint64_t made_ = 0;
    std::uint64_t framing_ = 0;
    std::size_t trailers_ = 0;
    std::string line_;  ///< as far as it has come
    line next_ = line::size;
    int status_ = 0;
};

}  // namespace bulk::http
