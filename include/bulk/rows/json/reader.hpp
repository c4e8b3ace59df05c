// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/json/elements.hpp>
#include <bulk/rows/json/keys.hpp>
#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/scratch.hpp>
#include <bulk/rows/slice.hpp>

#include <array>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::json {

/// Typed rows from a JSON array or from NDJSON, one after the other, in memory of fixed size.
template <declared_row Row>
class reader {
public:
    [[nodiscard]] static reader open(byte_source source, layout layout,
                                     const row_limits& limits = {},
                                     std::size_t window = std::size_t{64} * 1024) {
        return reader{element_scanner{std::move(source), layout, limits, window}, limits};
    }

    /// One slice of a file, `source` being its bytes only.
    [[nodiscard]] static reader open_slice(byte_source source, const slice& slice, layout layout,
                                           const row_limits& limits = {}) {
        reader opened{
            element_scanner{
                std::move(source), layout, limits,
                scan_start{.line = slice.line, .offset = slice.offset, .too_long = slice.too_long}},
            limits};
        opened.row_ = row_number{to_number(slice.first_row) - 1};
        return opened;
    }

    /// Reads the next row into `row`; `std::string_view` members live until the next call. After
    /// `bad_row` its content is not specified.
    [[nodiscard]] read_status next(Row& row) {
        const auto found = scanner_.next();
        if (found == found::end) return read_status::end;
        if (found == found::failure) return read_status::failure;
        row_ = row_number{to_number(row_) + 1};
        if (found == found::too_long)
            return refuse({}, {},
                          concat("the row has ", scanner_.passed_over(), " bytes; the limit is ",
                                 limits_.row_bytes));
        const std::string_view element = scanner_.current();
        has_scratch_ = false;
        keys_.begin_element();
        seen_.reset();
        if (std::exchange(has_similar_, false)) similar_.reset();
        const char* at = element.data();
        const char* const end = at + element.size();
        if (element.empty() || *at != '{') [[unlikely]]
            return not_an_object(element);
        if (!read_object(at, end, 0, limits_.json_depth, row)) [[unlikely]]
            return explain();
        if (at != end) [[unlikely]] {
            (void)wrong(syntax::text_behind, at);
            return explain();
        }
        if (!seen_.all() && !complete(row)) [[unlikely]]
            return missing();
        return read_status::row;
    }

    /// Goes past the next rows, at least one, without reading them.
    [[nodiscard]] read_status skip(std::uint64_t rows) {
        for (; rows > 0; --rows) {
            const auto found = scanner_.next();
            if (found == found::end) return read_status::end;
            if (found == found::failure) return read_status::failure;
            row_ = row_number{to_number(row_) + 1};
        }
        return read_status::row;
    }

    [[nodiscard]] row_number row() const { return row_; }                 ///< of the last row
    [[nodiscard]] std::uint64_t line() const { return scanner_.line(); }  ///< where it begins
    /// Whether there is a raw text of the last row: not when it was too long.
    [[nodiscard]] bool has_raw() const { return scanner_.passed_over() == 0; }
    /// The last row as it stands in the file; gone with the next one.
    [[nodiscard]] std::string_view raw() const { return scanner_.current(); }
    [[nodiscard]] const row_error& problem() const { return problem_; }
    [[nodiscard]] const bulk::error& error() const { return scanner_.error(); }

private:
    static constexpr std::size_t width = columns_of<Row>.size;

    /// Why the element could not be read.
    struct mishap {
        syntax wrong = syntax::fine;
        const char* at = nullptr;
        std::size_t member = width;  ///< where there is one
        std::string_view cell{};
        std::string_view kind{};  ///< of a value that no column takes
    };

    reader(element_scanner scanner, const row_limits& limits)
        : scanner_{std::move(scanner)}, limits_{limits} {}

    bool wrong(syntax what, const char* at) {
        mishap_ = {.wrong = what, .at = at};
        return false;
    }

    /// Reads an object from its brace on. Recurses only where a column's name asks for it.
    bool read_object(const char*& at, const char* end, std::size_t group, std::size_t depth,
                     Row& row) {
        if (depth == 0) return wrong(syntax::too_deep, at);
        ++at;
        skip_spaces(at, end);
        if (at < end && *at == '}') {
            ++at;
            return true;
        }
        while (true) {
            const known_key* key = keys_.guess(at, end, group);
            if (key != nullptr) [[likely]]
                at += key->text.size();
            else if (key = read_key(at, end, group); key == nullptr)
                return false;
            if (at == end || *at != ':') {
                skip_spaces(at, end);
                if (at == end || *at != ':') return wrong(syntax::expected_colon, at);
            }
            ++at;
            skip_spaces(at, end);
            if (!read_value(*key, at, end, depth - 1, row)) return false;
            skip_spaces(at, end);
            if (at == end) return wrong(syntax::expected_comma_or_brace, at);
            if (*at == '}') {
                ++at;
                return true;
            }
            if (*at != ',') return wrong(syntax::expected_comma_or_brace, at);
            ++at;
            skip_spaces(at, end);
        }
    }

    /// A key that does not stand where it stood the last time.
    const known_key* read_key(const char*& at, const char* end, std::size_t group) {
        const auto refuse = [&](syntax what) {
            (void)wrong(what, at);
            return nullptr;
        };
        if (at == end || *at != '"') return refuse(syntax::expected_key);
        const char* const begin = at;
        string_token key;
        if (const auto what = read_string(at, end, key); what != syntax::fine) return refuse(what);
        if (const auto what = check_string(key); what != syntax::fine) return refuse(what);
        return &keys_.find({begin, at}, content(key), group);
    }

    /// What a string says, which was checked.
    [[nodiscard]] std::string_view content(const string_token& token) {
        if (!token.is_escaped) return token.raw;
        // A row without escapes, as most are, needs no second copy of its size.
        if (!std::exchange(has_scratch_, true)) scratch_.clear(scanner_.current().size());
        char* const begin = scratch_.take(token.raw.size());
        return {begin, unescape(token.raw, begin)};
    }

    [[gnu::always_inline]] bool read_value(const known_key& key, const char*& at, const char* end,
                                           std::size_t depth, Row& row) {
        if (key.kind == key_kind::column && ((key.is_exact && !has_similar_) || counts(key)))
            [[likely]]
            return readers[key.index](*this, at, end, depth, row);
        if (key.kind == key_kind::group && at < end && *at == '{')
            return read_object(at, end, key.index, depth, row);
        const auto what = skip_value(at, end, depth);
        return what == syntax::fine || wrong(what, at);
    }

    /// Of keys that stand for one column the last counts, but one that is only like the column's name
    /// does not replace one that is it.
    [[nodiscard]] bool counts(const known_key& key) {
        if (!key.is_exact && seen_[key.index] && !similar_[key.index]) return false;
        similar_[key.index] = !key.is_exact;
        has_similar_ = true;
        return true;
    }

    using read_function = bool (*)(reader&, const char*&, const char*, std::size_t, Row&);

    template <auto Pointer, std::size_t Member>
    static bool read_member(reader& self, const char*& at, const char* end, std::size_t depth,
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
        if (text.size() <= limits_.field_bytes) [[likely]]
            if (read_cell(text, column_descriptions<Row>[Member].format, into)) [[likely]] {
                seen_[Member] = true;
                return true;
            }
        mishap_ = {.member = Member, .cell = text};
        return false;
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

    [[nodiscard]] read_status refuse(std::string_view column, std::string cell,
                                     std::string reason) {
        problem_ = {.row = row_,
                    .line = scanner_.line(),
                    .column = std::string{column},
                    .cell = std::move(cell),
                    .reason = std::move(reason)};
        return read_status::bad_row;
    }

    [[nodiscard]] read_status not_an_object(std::string_view element) {
        if (element.empty())
            return refuse({}, {}, "the element is missing: there is a comma too many");
        const char* at = element.data();
        const char* const end = at + element.size();
        if (const auto what = skip_value(at, end, limits_.json_depth); what != syntax::fine)
            (void)wrong(what, at);
        else if (at != end)
            (void)wrong(syntax::text_behind, at);
        else
            return refuse({}, {},
                          concat("the element is ", kind_of(element), "; an object is expected"));
        return explain();
    }

    [[nodiscard]] static std::string_view kind_of(std::string_view value) {
        switch (value.front()) {
            case '"':
                return "a string";
            case '[':
                return "an array";
            case 'n':
                return "null";
            case 't':
            case 'f':
                return value;
            default:
                return "a number";
        }
    }

    [[nodiscard]] read_status explain();
    [[nodiscard]] read_status missing();

    element_scanner scanner_;
    row_limits limits_;
    key_book<Row> keys_;
    std::bitset<width> seen_;
    std::bitset<width> similar_;  ///< of those: by a key that is only like the column's name
    bool has_similar_ = false;    ///< in this element
    Row defaults_{};
    scratch scratch_;
    bool has_scratch_ = false;  ///< for this element
    row_number row_{};
    mishap mishap_;
    row_error problem_;
};

template <declared_row Row>
read_status reader<Row>::explain() {
    if (mishap_.wrong != syntax::fine) {
        const auto byte = mishap_.at - scanner_.current().data() + 1;
        std::string reason{describe(mishap_.wrong)};
        if (mishap_.wrong == syntax::too_deep)
            reason += concat("; the limit is ", limits_.json_depth);
        const bool has_column = mishap_.member < width;
        return refuse(has_column ? column_descriptions<Row>[mishap_.member].name : "", {},
                      concat(reason, ", at byte ", byte, " of the element"));
    }
    const auto& column = column_descriptions<Row>[mishap_.member];
    if (!mishap_.kind.empty())
        return refuse(column.name, {},
                      concat("it is ", mishap_.kind, "; the column takes one value"));
    const std::string_view cell = mishap_.cell;
    const std::string shown = column.hidden ? std::string{hidden_text} : shortened(cell);
    if (cell.size() > limits_.field_bytes)
        return refuse(
            column.name, shown,
            concat("the field has ", cell.size(), " bytes; the limit is ", limits_.field_bytes));
    std::string reason;
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t member) {
        using bare = typename bare_type<member_type_of<Pointer>>::type;
        if (member != mishap_.member) return;
        if (auto read = text_to<bare>(cell, column.format); !read)
            reason = cell.empty() ? "the field is empty" : std::move(read).error().message;
    });
    // A reason of the user's own may quote the cell.
    if (column.hidden && !cell.empty() && reason.contains(cell)) reason = "it cannot be read";
    return refuse(column.name, shown, std::move(reason));
}

template <declared_row Row>
read_status reader<Row>::missing() {
    // The names that the element has, for one that is nearly right. It was read before.
    std::vector<std::string_view> names;
    const char* at = scanner_.current().data() + 1;
    const char* const end = scanner_.current().data() + scanner_.current().size();
    while (true) {
        while (at < end && *at != '"' && *at != '}') ++at;
        string_token key;
        if (at == end || *at == '}' || read_string(at, end, key) != syntax::fine) break;
        if (names.size() == limits_.columns) break;  // somebody else's text costs no more memory
        names.push_back(key.raw);
        while (at < end && *at != ':') ++at;
        ++at;
        skip_spaces(at, end);
        if (skip_value(at, end, limits_.json_depth) != syntax::fine) break;
    }
    std::string columns, first;
    for (std::size_t member = 0; member < width; ++member) {
        const auto& column = column_descriptions<Row>[member];
        if (seen_[member] || !column.required) continue;
        if (first.empty()) first = column.name;
        columns += concat(columns.empty() ? "" : ", ", '\'', column.name, '\'');
        if (std::ranges::any_of(names, [&](auto name) { return same_column(name, column.name); }))
            columns += " (it is null)";
        else if (const auto near = nearest_name(column.name, names))
            columns += concat(" (is it '", *near, "'?)");
    }
    return refuse(first, {}, concat("the element has no ", columns));
}

}  // namespace bulk::json
