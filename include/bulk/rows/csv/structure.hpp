// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/linkage.hpp>
#include <bulk/rows/csv/blocks.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/end_positions.hpp>
#include <bulk/rows/csv/plain_blocks.hpp>
#include <bulk/rows/csv/scan_state.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace bulk::csv {

/// What a byte is once quotes are understood. `misplaced`: text behind a closing quote.
enum class byte_role : std::uint8_t { text, field_end, row_end, quoted_newline, misplaced };

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The rules, byte by byte: what they mean, and how a block is read in which a quote stands where
/// none should. The blanks that `trim` takes off, and the first half of CRLF, change nothing.
[[nodiscard]] inline byte_role role_of(char c, bool before_line_feed, const dialect& dialect,
                                       scan_state& state) {
    const bool newline = c == '\n' || (c == '\r' && !before_line_feed);
    if (state.inside) {
        if (c != dialect.quote) return newline ? byte_role::quoted_newline : byte_role::text;
        state.inside = false;
        state.after_quote = true;
        return byte_role::text;
    }
    if (newline) {
        state = {};
        return byte_role::row_end;
    }
    if (state.comment || (c == '\r' && before_line_feed)) return byte_role::text;
    if (c == dialect.delimiter) {
        state = {.row_begins = false};
        return byte_role::field_end;
    }
    if (dialect.trim && is_blank(c)) {
        state.closed |= std::exchange(state.after_quote, false);
        return byte_role::text;
    }
    const bool begins = std::exchange(state.row_begins, false);
    if (c == dialect.quote && c != '\0' && (state.may_open || state.after_quote)) {
        state = {.inside = true, .may_open = false, .row_begins = false};
        return byte_role::text;
    }
    if (begins && c == dialect.comment && c != '\0') {
        state.comment = true;
        return byte_role::text;
    }
    const bool misplaced = state.after_quote || state.closed;
    state.may_open = state.after_quote = state.closed = false;
    return misplaced ? byte_role::misplaced : byte_role::text;
}

namespace detail {

/// Some blocks of a text that is read up to `end`.
struct batch {
    const char* text;
    std::size_t end;
    std::size_t base;
    std::size_t count;
};

/// Forgets what lies behind the text.
inline void cut(block& bits, std::size_t size) {
    const std::uint64_t valid = (std::uint64_t{1} << size) - 1;
    bits.quotes &= valid;
    bits.delimiters &= valid;
    bits.line_feeds &= valid;
    bits.carriage_returns &= valid;
    bits.inside = prefix_xor(bits.quotes);
}

inline block_ends resolve_bytes(const char* text, std::size_t size, std::size_t base,
                                bool next_is_line_feed, const dialect& dialect, scan_state& state,
                                structure& out) {
    block_ends ends;
    std::uint64_t newlines = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const bool line_feed = i + 1 < size ? text[base + i + 1] == '\n' : next_is_line_feed;
        const std::uint64_t bit = std::uint64_t{1} << i;
        switch (role_of(text[base + i], line_feed, dialect, state)) {
            case byte_role::row_end:
                ends.rows |= bit;
                [[fallthrough]];
            case byte_role::field_end:
                ends.fields |= bit;
                break;
            case byte_role::quoted_newline:
                newlines |= bit;
                break;
            case byte_role::misplaced:
                out.has_misplaced = true;
                break;
            case byte_role::text:
                break;
        }
    }
    out.quoted_newlines[base / 64] = newlines;
    return ends;
}

/// The state behind `size` bytes without quotes and comments: what the last byte made of it that is
/// no blank to be trimmed. `ends` are those of the last block.
inline void move_past(const char* text, std::size_t size, block_ends ends, const dialect& dialect,
                      scan_state& state) {
    const std::size_t last = (size - 1) % 64;
    if (!dialect.trim || (ends.fields >> last & 1) != 0 || !is_blank(text[size - 1])) {
        state = {.may_open = (ends.fields >> last & 1) != 0,
                 .row_begins = (ends.rows >> last & 1) != 0};
        return;
    }
    while (size > 0 && is_blank(text[size - 1]) && text[size - 1] != dialect.delimiter) --size;
    if (size == 0) return;
    const char c = text[size - 1];
    const bool newline = c == '\n' || c == '\r';
    state = {.may_open = newline || c == dialect.delimiter, .row_begins = newline};
}

/// The state behind a block up to its `last` byte, where blanks are trimmed: they leave it as it was before them.
inline void move_past_trimmed(const char* text, std::size_t last, block_ends ends,
                              std::uint64_t inside, std::uint64_t closing, scan_state& state) {
    const bool is_inside = (inside >> last & 1) != 0;
    std::size_t at = last;
    if (!is_inside)
        while (at > 0 && (ends.fields >> at & 1) == 0 && is_blank(text[at])) --at;
    const bool is_end = (ends.fields >> at & 1) != 0;
    if (at > 0 || is_end || is_inside || !is_blank(text[0]))
        state = {.inside = is_inside,
                 .may_open = is_end,
                 .after_quote = (closing >> at & 1) != 0,
                 .row_begins = (ends.rows >> at & 1) != 0};
}

/// Which delimiters and newlines of a batch count. Bit-parallel where every quote stands where it
/// should; a block in which one does not is read byte by byte, with the same result.
inline void resolve(const batch& in, const blocks& read, const dialect& dialect, scan_state& state,
                    std::span<block_ends> ends, structure& out) {
    // The state in registers, as a mask or as the lowest bit. Where nothing is trimmed and there are
    // no comments, that is all of it that counts.
    std::uint64_t inside_before = 0, may_open_before = 0, closed_before = 0;
    const auto load = [&] {
        inside_before = state.inside ? ~std::uint64_t{0} : 0;
        may_open_before = state.may_open || state.after_quote ? 1 : 0;
        closed_before = state.after_quote || state.closed ? 1 : 0;
    };
    const auto store = [&] {
        if (dialect.trim || dialect.comment != '\0') return;
        state = {.inside = inside_before != 0,
                 .may_open = may_open_before > closed_before,
                 .after_quote = closed_before != 0};
    };
    load();
    for (std::size_t i = 0; i < in.count; ++i) {
        const block& bits = read[i];
        const std::size_t base = in.base + i * 64;
        const std::size_t size = std::min<std::size_t>(in.end - base, 64);
        const std::size_t last = size - 1;
        const auto next_is_line_feed = [&] {
            return i + 1 < in.count ? read[i + 1].line_feeds & 1
                                    : std::uint64_t{in.text[base + size] == '\n'};
        };
        const std::uint64_t inside = bits.inside ^ inside_before;
        std::uint64_t newlines = bits.line_feeds;
        if (bits.carriage_returns != 0)
            newlines |=
                bits.carriage_returns & ~(bits.line_feeds >> 1 | next_is_line_feed() << last);
        const std::uint64_t fields = (bits.delimiters | newlines) & ~inside;
        const std::uint64_t closing = bits.quotes & ~inside;
        const std::uint64_t may_open = (fields | closing) << 1 | may_open_before;
        const std::uint64_t behind = closing << 1 | closed_before;
        const std::uint64_t misplaced = (bits.quotes & inside & ~may_open) |
                                        (behind & ~(fields | bits.quotes | bits.carriage_returns));
        if (misplaced != 0 || dialect.comment != '\0' || state.closed) [[unlikely]] {
            store();
            ends[i] =
                resolve_bytes(in.text, size, base, next_is_line_feed() != 0, dialect, state, out);
            load();
            continue;
        }
        ends[i] = {fields, newlines & ~inside};
        out.quoted_newlines[base / 64] = newlines & inside;
        if (dialect.trim) [[unlikely]] {
            move_past_trimmed(in.text + base, last, ends[i], inside, closing, state);
            load();
            continue;
        }
        inside_before = 0 - (inside >> last & 1);
        may_open_before = (fields | closing) >> last & 1;
        closed_before = closing >> last & 1;
    }
    store();
}

/// Some blocks of a text that has quotes. Up to here there may have been none, and nobody wrote so.
inline void note_quotes(const blocks& read, std::size_t count, std::size_t base, bool had_quotes,
                        structure& out) {
    if (!had_quotes) {
        std::fill_n(out.quotes.begin(), base / 64, 0);
        std::fill_n(out.quoted_newlines.begin(), base / 64, 0);
    }
    for (std::size_t i = 0; i < count; ++i) out.quotes[base / 64 + i] = read[i].quotes;
}

}  // namespace detail

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
BULK_INLINE void find_structure(const char* text, std::size_t from, std::size_t to,
                                const dialect& dialect, instruction_set set, structure& out) {
    if (out.quotes.size() < to / 64 + 2) {
        out.quotes.resize(to / 64 + 2);
        out.quoted_newlines.resize(to / 64 + 2);
    }
    scan_state state = out.state;
    const bool quotes = dialect.quote != '\0';
    bool has_quotes = out.has_quotes;
    const auto is_plain = [&] {
        return dialect.comment == '\0' && !state.inside && !state.after_quote && !state.closed;
    };
    bool try_plain = !has_quotes && is_plain();
    blocks read;
    std::array<block_ends, blocks_at_once> ends;
    for (std::size_t base = from; base < to; base += blocks_at_once * 64) {
        const std::size_t count = std::min((to - base + 63) / 64, blocks_at_once);
        const std::size_t size = std::min(to - base, count * 64);
        if (try_plain) {
            const block_summary sum = read_plain_ends(set, text + base, count, dialect.delimiter,
                                                      quotes ? dialect.quote : '\r', ends.data());
            try_plain = sum.quotes == 0;
            if (try_plain) {
                out.ascii &= sum.ascii;
                auto& [fields, rows] = ends[count - 1];
                const std::uint64_t valid = ~std::uint64_t{0} >> (63 - (size - 1) % 64);
                fields &= valid;
                rows &= valid;
                detail::move_past(text + base, size, ends[count - 1], dialect, state);
                out.ends.put(set, {ends.data(), count}, base);
                continue;
            }
        }
        block_summary sum = read_blocks(set, text + base, count, dialect.delimiter,
                                        quotes ? dialect.quote : '\n', read);
        out.ascii &= sum.ascii;
        if (!quotes) {
            for (auto& block : read) block.quotes = block.inside = 0;
            sum.quotes = 0;
        }
        if (size < count * 64) detail::cut(read[count - 1], size % 64);
        if (sum.quotes != 0 || state.inside || has_quotes) {
            detail::note_quotes(read, count, base, std::exchange(has_quotes, true), out);
        }
        if ((sum.quotes | sum.carriage_returns) == 0 && is_plain()) {
            for (std::size_t i = 0; i < count; ++i)
                ends[i] = {read[i].delimiters | read[i].line_feeds, read[i].line_feeds};
            if (has_quotes)
                std::fill_n(out.quoted_newlines.begin() + static_cast<std::ptrdiff_t>(base / 64),
                            count, 0);
            detail::move_past(text + base, size, ends[count - 1], dialect, state);
        } else {
            const detail::batch batch{text, to, base, count};
            detail::resolve(batch, read, dialect, state, {ends.data(), count}, out);
        }
        out.ends.put(set, {ends.data(), count}, base);
    }
    out.has_quotes = has_quotes;
    out.state = state;
}
// NOLINTEND(misc-definitions-in-headers)

}  // namespace bulk::csv
