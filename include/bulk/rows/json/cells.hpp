// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/cell.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/json/keys.hpp>
#include <bulk/rows/json/mishap.hpp>
#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/scratch.hpp>

#include <array>
#include <bitset>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bulk::json {

/// The values of an object's columns into the members of a row. Says what is wrong where one cannot be read.
template <declared_row Row>
class cell_reader {
public:
    static constexpr std::size_t width = columns_of<Row>.size;

    explicit cell_reader(const row_limits& limits) : field_bytes_{limits.field_bytes} {}

    void begin_element(std::size_t size) {
        element_size_ = size;
        has_scratch_ = false;
        seen_.reset();
        if (std::exchange(has_similar_, false)) similar_.reset();
    }

    /// Whether the value of a column's key counts.
    [[nodiscard, gnu::always_inline]] bool takes(const known_key& key) {
        return (key.is_exact && !has_similar_) || counts(key);
    }

    /// Reads a value into a member, by its number.
    [[gnu::always_inline]] bool read(std::size_t member, const char*& at, const char* end,
                                     std::size_t depth, Row& row) {
        return readers[member](*this, at, end, depth, row);
    }

    bool wrong(syntax what, const char* at) {
        mishap_ = {.wrong = what, .at = at};
        return false;
    }

    /// What a string says, which was checked.
    [[nodiscard]] std::string_view content(const string_token& token) {
        if (!token.is_escaped) return token.raw;
        // A row without escapes, as most are, needs no second copy of its size.
        if (!std::exchange(has_scratch_, true)) scratch_.clear(element_size_);
        char* const begin = scratch_.take(token.raw.size());
        return {begin, unescape(token.raw, begin)};
    }

    /// Gives the members their defaults that the element does not have. False when one is required.
    [[nodiscard]] bool complete(Row& row) {
        bool whole = true;
        for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t member) {
            if (seen_[member]) return;
            if (column_descriptions<Row>[member].required)
                whole = false;
            else
                row.*Pointer = defaults_.*Pointer;
        });
        return whole;
    }

    [[nodiscard]] bool has_all() const { return seen_.all(); }
    [[nodiscard]] const std::bitset<width>& seen() const { return seen_; }
    [[nodiscard]] const json::mishap& mishap() const { return mishap_; }

private:
    /// Of keys that stand for one column the last counts, but one that is only like the column's name
    /// does not replace one that is it.
    [[nodiscard]] bool counts(const known_key& key) {
        if (!key.is_exact && seen_[key.index] && !similar_[key.index]) return false;
        similar_[key.index] = !key.is_exact;
        has_similar_ = true;
        return true;
    }

    using read_function = bool (*)(cell_reader&, const char*&, const char*, std::size_t, Row&);

    template <auto Pointer, std::size_t Member>
    static bool read_member(cell_reader& self, const char*& at, const char* end, std::size_t depth,
                            Row& row) {
        if (self.template read_into<Member>(at, end, depth, row.*Pointer)) [[likely]]
            return true;
        self.mishap_.member = Member;
        return false;
    }

    template <auto... Pointers>
    [[nodiscard]] static consteval std::array<read_function, width> read_functions(
        const member_list<column_options, Pointers...>&) {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return std::array<read_function, width>{&read_member<Pointers, I>...};
        }(std::make_index_sequence<width>{});
    }
    static constexpr auto readers = read_functions(columns_of<Row>);

    template <std::size_t Member, typename T>
    [[gnu::always_inline]] bool read_into(const char*& at, const char* end, std::size_t depth,
                                          T& into) {
        if constexpr (is_pii<T>) {
            return read_into<Member>(at, end, depth, into.reveal());
        } else if constexpr (is_optional<T>) {
            if (at < end && *at == 'n' && word_at(at, end) == "null") {
                at += 4;
                into.reset();
                seen_[Member] = true;
                return true;
            }
            if (!holds_text<T> && !holds_json<typename bare_type<T>::type> && at < end &&
                *at == '"' && end - at > 1 && at[1] == '"') {
                at += 2;
                into.reset();
                seen_[Member] = true;
                return true;
            }
            if (!into) into.emplace();
            return read_into<Member>(at, end, depth, *into);
        } else if constexpr (holds_json<T>) {
            const char* const begin = at;
            if (const auto what = skip_value(at, end, depth); what != syntax::fine)
                return wrong(what, at);
            return take<Member>({begin, at}, into);
        } else {
            if (at < end && *at == '"') return read_quoted<Member>(at, end, into);
            if constexpr (reads_fast<T>) {
                const std::string_view word = word_at(at, end);
                if (!has_leading_zero(word) &&
                    read_fast(word.data(), word.data() + word.size(), into)) [[likely]] {
                    at += word.size();
                    seen_[Member] = true;
                    return true;
                }
            }
            return read_word<Member>(at, end, depth, into);
        }
    }

    [[nodiscard, gnu::always_inline]] static bool has_leading_zero(std::string_view word) {
        const std::size_t sign = word.starts_with('-') ? 1 : 0;
        return word.size() > sign + 1 && word[sign] == '0' && word[sign + 1] != '.';
    }

    template <std::size_t Member, typename T>
    [[gnu::always_inline]] bool read_quoted(const char*& at, const char* end, T& into) {
        const char* const begin = at++;
        string_token token;
        if (!scan_string(at, end, token)) [[unlikely]]
            return wrong(at < end ? syntax::control_character : syntax::unclosed_string, at);
        if (token.is_ascii && !token.is_escaped) [[likely]]
            return take<Member>(token.raw, into);
        if (const auto what = check_string(token); what != syntax::fine) return wrong(what, begin);
        return take<Member>(content(token), into);
    }

    /// What stands without quotes, or is no cell at all.
    template <std::size_t Member, typename T>
    bool read_word(const char*& at, const char* end, std::size_t depth, T& into) {
        if (at < end && (*at == '{' || *at == '[')) {
            const std::string_view kind = *at == '{' ? "an object" : "an array";
            if (const auto what = skip_value(at, end, depth); what != syntax::fine)
                return wrong(what, at);
            mishap_ = {.member = Member, .kind = kind};
            return false;
        }
        const std::string_view word = word_at(at, end);
        if (const auto what = check_word(word); what != syntax::fine) return wrong(what, at);
        at += word.size();
        if (word == "null") {  // as if the key were not there
            seen_[Member] = false;
            return true;
        }
        return take<Member>(word, into);
    }

    /// The text of a cell into its member.
    template <std::size_t Member, typename T>
    [[gnu::always_inline]] bool take(std::string_view text, T& into) {
        if (text.size() <= field_bytes_) [[likely]]
            if (read_cell(text, column_descriptions<Row>[Member].format, into)) [[likely]] {
                seen_[Member] = true;
                return true;
            }
        mishap_ = {.member = Member, .cell = text};
        return false;
    }

    std::size_t field_bytes_;
    std::size_t element_size_ = 0;
    std::bitset<width> seen_;
    std::bitset<width> similar_;  ///< of those: by a key that is only like the column's name
    bool has_similar_ = false;    ///< in this element
    Row defaults_{};
    scratch scratch_;
    bool has_scratch_ = false;  ///< for this element
    json::mishap mishap_;
};

}  // namespace bulk::json
