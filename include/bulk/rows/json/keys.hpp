// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/members.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::json {

/// What a key leads to.
enum class key_kind : std::uint8_t { column, group, ignored };

/// A key that the file has, as it stands there.
struct known_key {
    std::string text{};      ///< with its quotes and escapes
    std::size_t parent = 0;  ///< the group that it stands in
    key_kind kind = key_kind::ignored;
    std::size_t index = 0;  ///< of the column's member, or of the group
    bool is_exact = false;  ///< it is the column's name, not only like it

    std::uint64_t begin[2]{};  ///< the first 16 bytes of the text,
    std::uint64_t mask[2]{};   ///< of which these count

    /// Whether the text at `at`, 64 bytes of which can be read, begins with this key.
    [[nodiscard, gnu::always_inline]] bool stands_at(const char* at, const char* end) const {
        std::uint64_t words[2];
        std::memcpy(words, at, 16);
        if (((words[0] & mask[0]) ^ begin[0]) != 0 || ((words[1] & mask[1]) ^ begin[1]) != 0)
            return false;
        if (text.size() <= 16) return true;
        return static_cast<std::size_t>(end - at) >= text.size() &&
               std::memcmp(at, text.data(), text.size()) == 0;
    }
};

/// The keys of a file and what they lead to: the columns of a row by their names, exact or in any
/// case and with any spaces. A column `address.city` is the key `city` of the object `address`, the
/// group; or a key of just that name. Keys of one file come in one order, nearly always: so each is
/// compared first with the one that came next the last time.
template <declared_row Row>
class key_book {
public:
    key_book() {
        for (const auto& column : column_descriptions<Row>)
            for (auto dot = column.name.find('.'); dot != std::string_view::npos;
                 dot = column.name.find('.', dot + 1))
                if (const auto group = column.name.substr(0, dot);
                    std::ranges::find(groups_, group) == groups_.end())
                    groups_.push_back(group);
    }

    /// A new element begins.
    void begin_element() { next_ = 0; }

    /// The key that comes next if this element is like those before, or null.
    [[nodiscard, gnu::always_inline]] const known_key* guess(const char* at, const char* end,
                                                             std::size_t parent) {
        if (next_ >= known_.size()) return nullptr;
        const known_key& likely = known_[next_];
        if (likely.parent != parent || !likely.stands_at(at, end)) return nullptr;
        ++next_;
        return &likely;
    }

    /// The key of that text, its quotes included; `name` is what it says.
    [[nodiscard]] const known_key& find(std::string_view text, std::string_view name,
                                        std::size_t parent) {
        if (text.size() > longest_known) return other_ = resolve(name, parent);
        for (std::size_t i = 0; i < known_.size(); ++i) {
            const std::size_t at = (next_ + i) % known_.size();
            if (known_[at].parent != parent || known_[at].text != text) continue;
            next_ = at + 1;
            return known_[at];
        }
        known_key& made = known_.size() < most_known ? known_.emplace_back() : other_;
        made = resolve(name, parent);
        made.text = text;
        made.parent = parent;
        char bytes[16] = {}, mask[16] = {};
        std::memcpy(bytes, text.data(), std::min<std::size_t>(text.size(), 16));
        std::memset(mask, 0xff, std::min<std::size_t>(text.size(), 16));
        std::memcpy(made.begin, bytes, 16);
        std::memcpy(made.mask, mask, 16);
        next_ = known_.size();
        return made;
    }

private:
    /// A file with ever new keys, or with huge ones, costs time for each, but no memory.
    static constexpr std::size_t most_known = 512;
    static constexpr std::size_t longest_known = 1024;

    [[nodiscard]] known_key resolve(std::string_view name, std::size_t parent) const {
        std::string joined;
        std::string_view full = name;
        if (parent != 0) full = joined.append(groups_[parent]).append(".").append(name);
        const auto& columns = column_descriptions<Row>;
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (columns[i].name == full)
                return {.kind = key_kind::column, .index = i, .is_exact = true};
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (same_column(columns[i].name, full)) return {.kind = key_kind::column, .index = i};
        for (std::size_t i = 1; i < groups_.size(); ++i)
            if (same_column(groups_[i], full)) return {.kind = key_kind::group, .index = i};
        return {};
    }

    std::vector<std::string_view> groups_{{}};  ///< the first is the element itself
    std::vector<known_key> known_;
    known_key other_;
    std::size_t next_ = 0;
};

}  // namespace bulk::json
