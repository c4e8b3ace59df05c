// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/dialect.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// CSV as docs/guide/files.md and docs/decisions/0026-unmatched-quotes.md have it, read from a whole
// text, one byte at a time, field by field, with nothing of the library but what a dialect is: what
// the scanner and the reader are compared with.

namespace naive {

inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

struct field {
    std::string content;
    std::string raw;
    bool valid = true;  ///< no text behind its closing quote
};

struct row {
    std::size_t end = 0;   ///< without what ends it
    std::size_t next = 0;  ///< where the next one begins
    std::vector<field> fields;
    bool never_closed = false;
    bool is_nothing = false;      ///< a blank line or a comment
    bool closes_nothing = false;  ///< some quote before an end closes no field
    std::size_t stop = 0;         ///< how far it was read, half a line end included
    // The quoted field in which the first line ends:
    std::size_t open_field = none;
    std::vector<std::size_t> line_ends{};  ///< in it
    std::size_t closing = none;            ///< its closing quote
    bool closed_well = false;
};

/// Reads rows of a text that ends where it ends.
class text_reader {
public:
    text_reader(std::string_view text, const bulk::csv::dialect& format)
        : text_{text}, format_{format} {}

    [[nodiscard]] row read(std::size_t begin) const {
        row found;
        std::size_t at = begin;
        if (format_.comment != '\0') {
            const std::size_t first = behind_blanks(at);
            if (first < text_.size() && text_[first] == format_.comment) {
                at = first;
                while (line_end(at) == 0 && at < text_.size()) ++at;
                found.is_nothing = true;
                return ended(found, at);
            }
        }
        while (true) {
            at = read_field(found, at);
            if (at < text_.size() && line_end(at) == 0) {
                ++at;  // a delimiter
                continue;
            }
            if (found.fields.size() == 1) {
                const auto& raw = found.fields[0].raw;
                found.is_nothing = format_.trim ? trimmed(raw).empty() : raw.empty();
            }
            return ended(found, at);
        }
    }

    /// The size of a line end: LF, CRLF or CR.
    [[nodiscard]] std::size_t line_end(std::size_t at) const {
        if (at >= text_.size()) return 0;
        if (text_[at] == '\n') return 1;
        if (text_[at] != '\r') return 0;
        return at + 1 < text_.size() && text_[at + 1] == '\n' ? 2 : 1;
    }

    /// Fields from behind a closing quote on: what follows it counts as the first.
    [[nodiscard]] row read_behind_quote(std::size_t at) const {
        row found;
        found.fields.push_back({});
        const std::size_t stop = behind_blanks(at);
        if (!is_end(stop)) {
            found.fields[0].valid = false;
            at = read_text(found, stop);
        } else {
            at = stop;
        }
        while (at < text_.size() && line_end(at) == 0) at = read_field(found, at + 1);
        return ended(found, at);
    }

    static std::string_view trimmed(std::string_view text) {
        while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
            text.remove_prefix(1);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
        return text;
    }

private:
    [[nodiscard]] bool is_end(std::size_t at) const {
        return at >= text_.size() || text_[at] == format_.delimiter || line_end(at) > 0;
    }
    [[nodiscard]] std::size_t behind_blanks(std::size_t at) const {
        if (format_.trim)
            while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t') &&
                   text_[at] != format_.delimiter)
                ++at;
        return at;
    }
    [[nodiscard]] row& ended(row& found, std::size_t at) const {
        found.end = at;
        found.next = at + line_end(at);
        found.stop = line_end(at) == 2 ? at + 1 : at;
        return found;
    }

    /// Text up to an end, in which quotes mean nothing.
    [[nodiscard]] std::size_t read_text(row& found, std::size_t at) const {
        for (; !is_end(at); ++at)
            if (format_.quote != '\0' && text_[at] == format_.quote && is_end(at + 1))
                found.closes_nothing = true;
        return at;
    }

    [[nodiscard]] std::size_t read_field(row& found, std::size_t begin) const {
        const std::size_t number = found.fields.size();
        found.fields.push_back({});
        field& here = found.fields.back();
        std::size_t at = behind_blanks(begin);
        if (format_.quote != '\0' && at < text_.size() && text_[at] == format_.quote) {
            std::size_t closing = none;
            for (++at; at < text_.size(); ++at) {
                if (const auto size = line_end(at); size > 0) {
                    if (found.open_field == none) found.open_field = number;
                    if (size == 2) here.content += text_[at++];
                    if (found.open_field == number) found.line_ends.push_back(at);
                }
                if (text_[at] != format_.quote) {
                    here.content += text_[at];
                } else if (at + 1 < text_.size() && text_[at + 1] == format_.quote) {
                    here.content += text_[at++];
                } else {
                    closing = at++;
                    break;
                }
            }
            if (closing == none) {
                found.never_closed = true;
                here.raw = text_.substr(begin, at - begin);
                return at;
            }
            at = behind_blanks(at);
            here.valid = is_end(at);
            if (found.open_field == number) {
                found.closing = closing;
                found.closed_well = here.valid;
            }
            if (!here.valid) at = read_text(found, at);
            here.raw = text_.substr(begin, at - begin);
            return at;
        }
        at = read_text(found, at);
        here.raw = text_.substr(begin, at - begin);
        here.content = format_.trim ? trimmed(here.raw) : std::string_view{here.raw};
        return at;
    }

    std::string_view text_;
    const bulk::csv::dialect& format_;
};

/// Where a row with quotes that do not match ends.
struct unmatched {
    std::size_t size = 0;
    std::size_t next = 0;
    std::size_t field = 0;
};

/// Docs/decisions/0026: `text` begins with the row; `ended`: it is all that is left of the file.
class judge {
public:
    judge(std::string_view text, bool ended, const bulk::csv::dialect& format, std::size_t width)
        : text_{text}, ended_{ended}, format_{format}, width_{width}, reader_{text, format} {}

    [[nodiscard]] std::optional<unmatched> decide() const {
        row first = reader_.read(0);
        const bool complete = is_complete(first);
        // What follows its closing quote is not at hand.
        if (!complete && first.open_field == first.fields.size() - 1) first.closed_well = false;
        if (complete && is_clean(first)) return std::nullopt;
        if (auto found = ends_earlier(first)) return found;
        if (first.never_closed && ended_)
            return unmatched{text_.size(), text_.size(),
                             first.open_field == none ? first.fields.size() - 1 : first.open_field};
        if (!complete || (first.fields.size() > width_ && first.open_field != none))
            return std::nullopt;
        if (auto found = ends_without_quote(first)) return found;
        return ends_later(first);
    }

private:
    [[nodiscard]] bool is_complete(const row& read) const {
        return !read.never_closed && (ended_ || read.next > read.end);
    }
    [[nodiscard]] bool is_clean(const row& read) const {
        return is_complete(read) && read.fields.size() == width_ && !read.closes_nothing &&
               std::ranges::all_of(read.fields, &field::valid);
    }
    [[nodiscard]] std::size_t without_return(std::size_t line_feed) const {
        return line_feed > 0 && text_[line_feed] == '\n' && text_[line_feed - 1] == '\r'
                   ? line_feed - 1
                   : line_feed;
    }

    /// How many clean rows follow, of two; the end of the file is as good.
    [[nodiscard]] int clean_rows(std::size_t begin) const {
        int rows = 0;
        while (rows < 2) {
            if (begin == text_.size()) return ended_ ? 2 : rows;
            const row next = reader_.read(begin);
            if (next.is_nothing) {
                if (!is_complete(next)) return rows;
                begin = next.next;
                continue;
            }
            if (!is_clean(next)) return rows;
            begin = next.next;
            ++rows;
        }
        return rows;
    }

    [[nodiscard]] bool gets_past(std::size_t begin, std::size_t closing) const {
        while (begin <= closing) {
            const row next = reader_.read(begin);
            if (!is_complete(next) || next.closes_nothing ||
                !std::ranges::all_of(next.fields, &field::valid))
                return false;
            begin = next.next;
        }
        return true;
    }

    [[nodiscard]] std::optional<unmatched> ends_earlier(const row& first) const {
        std::optional<unmatched> best;
        int most = 0, lines = 0;
        for (const auto line : first.line_ends) {
            if (++lines > 64) break;
            const int rows = clean_rows(line + 1);
            if (rows <= most) continue;
            if (first.closed_well && !gets_past(line + 1, first.closing)) continue;
            most = rows;
            best = unmatched{without_return(line), line + 1, first.open_field};
        }
        return best;
    }

    [[nodiscard]] std::optional<unmatched> ends_without_quote(const row& first) const {
        const auto bad = std::ranges::find(first.fields, false, &field::valid);
        if (bad == first.fields.end()) return std::nullopt;
        const auto number = static_cast<std::size_t>(bad - first.fields.begin());
        std::size_t quote = 0;
        for (std::size_t i = 0; i < number; ++i) quote += first.fields[i].raw.size() + 1;
        while (text_[quote] != format_.quote) ++quote;
        // A letter that means nothing stands for the quote; closing ones are closing ones.
        std::string other{text_};
        other[quote] = 'q';
        const text_reader without{other, format_};
        const row again = without.read(0);
        const bool complete = !again.never_closed && (ended_ || again.next > again.end);
        if (!complete || again.fields.size() != width_ || again.next == first.next ||
            !std::ranges::all_of(again.fields, &field::valid) || clean_rows(again.next) == 0)
            return std::nullopt;
        return unmatched{again.end, again.next, number};
    }

    [[nodiscard]] std::optional<unmatched> ends_later(const row& first) const {
        std::size_t fields = first.fields.size();
        for (std::size_t i = first.fields.size(); i-- > 0;)
            if (!first.fields[i].valid) fields = i + 1;
        const bool all_valid = std::ranges::all_of(first.fields, &field::valid);
        if (fields > width_ || (all_valid && fields == width_)) return std::nullopt;
        std::size_t begin = first.next;
        for (int lines = 0; lines < 16 && begin < text_.size(); ++lines) {
            row next = reader_.read(begin);
            for (std::size_t from = begin; next.is_nothing && next.next < text_.size();) {
                from = next.next;
                next = reader_.read(from);
            }
            if (!next.is_nothing && is_clean(next)) return std::nullopt;
            std::size_t at = begin;
            while (at < text_.size() && reader_.line_end(at) == 0 &&
                   !(format_.quote != '\0' && text_[at] == format_.quote))
                ++at;
            if (at == text_.size()) return std::nullopt;
            if (reader_.line_end(at) > 0) {
                begin = at + reader_.line_end(at);
                continue;
            }
            const bool before_end = at + 1 == text_.size() || text_[at + 1] == format_.delimiter ||
                                    reader_.line_end(at + 1) > 0;
            const row alone = reader_.read(begin);
            if (!before_end || !alone.closes_nothing || alone.fields.size() == width_)
                return std::nullopt;
            const row rest = reader_.read_behind_quote(at + 1);
            if (!is_complete(rest) || rest.closes_nothing ||
                !std::ranges::all_of(rest.fields, &field::valid) ||
                fields + rest.fields.size() - 1 != width_ || clean_rows(rest.next) == 0)
                return std::nullopt;
            return unmatched{rest.end, rest.next, fields - 1};
        }
        return std::nullopt;
    }

    std::string_view text_;
    bool ended_;
    const bulk::csv::dialect& format_;
    std::size_t width_;
    text_reader reader_;
};

/// What is found in a file.
struct event {
    enum class kind : std::uint8_t { record, too_long, unmatched, failure } what = kind::record;
    std::uint64_t line = 1;
    std::size_t begin = 0;
    std::size_t size = 0;  ///< of a row that is too long with, else without what ends it
    std::vector<field> fields{};
    std::size_t unmatched_field = 0;
    std::string message{};
};

[[nodiscard]] inline std::uint64_t count_lines(std::string_view text) {
    std::uint64_t lines = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        lines +=
            text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
    return lines;
}

/// Everything in a file, header included.
[[nodiscard]] inline std::vector<event> read_file(std::string_view text,
                                                  const bulk::csv::dialect& format,
                                                  std::size_t row_bytes) {
    std::vector<event> events;
    const text_reader reader{text, format};
    std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0, width = 0;
    const std::size_t begin_of_text = at;
    while (at < text.size()) {
        const std::uint64_t line = 1 + count_lines(text.substr(begin_of_text, at - begin_of_text));
        const row found = reader.read(at);
        if (found.is_nothing && found.stop - at <= row_bytes) {
            at = found.next;
            continue;
        }
        const bool too_long = found.stop - at > row_bytes;
        const bool sound = !found.never_closed && !too_long && found.fields.size() == width &&
                           std::ranges::all_of(found.fields, &field::valid);
        if (width > 0 && !sound) {
            const auto window = text.substr(at, row_bytes + 1);
            const bool ended = window.size() <= row_bytes;
            if (const auto elsewhere = judge{window, ended, format, width}.decide()) {
                events.push_back({.what = event::kind::unmatched,
                                  .line = line,
                                  .begin = at,
                                  .size = elsewhere->size,
                                  .unmatched_field = elsewhere->field});
                at += elsewhere->next;
                continue;
            }
        }
        if (found.never_closed && width == 0) {
            std::size_t opened = at;  // the last quote that opens a field
            for (const auto& each : found.fields)
                if (&each != &found.fields.back()) opened += each.raw.size() + 1;
            events.push_back(
                {.what = event::kind::failure,
                 .message =
                     too_long
                         ? "a quote is never closed; its row begins in line " + std::to_string(line)
                         : "a quote is never closed; it opened in line " +
                               std::to_string(line + count_lines(text.substr(at, opened - at)))});
            return events;
        }
        if (too_long) {
            events.push_back({.what = event::kind::too_long,
                              .line = line,
                              .begin = at,
                              .size = found.next - at});
        } else {
            events.push_back(
                {.line = line, .begin = at, .size = found.end - at, .fields = found.fields});
            if (width == 0) width = found.fields.size();
        }
        at = found.next;
    }
    return events;
}

/// What separates the fields: the candidate that cuts most rows into as many fields as the first.
[[nodiscard]] inline char detect(std::string_view text, bulk::csv::dialect format) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const char given = format.delimiter;
    char best = given;
    double best_share = 0;
    std::size_t best_fields = 1;
    for (const char candidate : std::string_view{",;\t|"}) {
        if (candidate == format.quote || candidate == format.comment) continue;
        format.delimiter = candidate;
        const text_reader reader{text, format};
        std::vector<std::size_t> counts;
        for (std::size_t at = 0; at < text.size();) {
            const row found = reader.read(at);
            const bool has_end = found.next > found.end && !found.never_closed;
            if (!found.is_nothing && (has_end || counts.empty()))
                counts.push_back(found.fields.size());
            at = found.next;
        }
        if (counts.empty() || counts[0] == 1) continue;
        std::size_t alike = 0;
        for (const auto count : counts) alike += count == counts[0];
        const double share = static_cast<double>(alike) / static_cast<double>(counts.size());
        if (share > best_share || (share == best_share && counts[0] > best_fields)) {
            best = candidate;
            best_share = share;
            best_fields = counts[0];
        }
    }
    return best;
}

}  // namespace naive
