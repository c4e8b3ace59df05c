// JSON as a tree, for answers: `parsed["items"][0]["id"].text()`. What is not there is `missing`.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

class json {
public:
    enum class kind { missing, invalid, null, truth, number, text, list, object };

    static json parse(std::string_view text) {
        json read;
        std::size_t at = 0;
        if (!read.value(text, at)) return of(kind::invalid);
        skip(text, at);
        return at == text.size() ? read : of(kind::invalid);
    }

    const json& operator[](std::string_view name) const {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return items[i];
        return none();
    }
    const json& operator[](std::size_t index) const {
        return index < items.size() ? items[index] : none();
    }
    const json& operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }

    [[nodiscard]] std::size_t size() const { return items.size(); }
    [[nodiscard]] bool is_null() const { return is == kind::null; }
    [[nodiscard]] bool is_there() const { return is != kind::missing; }
    [[nodiscard]] bool is_true() const { return is == kind::truth && raw == "true"; }
    /// Of a text what it says, of everything else how it is written.
    [[nodiscard]] const std::string& text() const { return raw; }
    bool operator==(std::string_view said) const { return is != kind::missing && raw == said; }

    kind is = kind::missing;
    std::string raw;
    std::vector<json> items;         ///< of a list, or the values of an object
    std::vector<std::string> names;  ///< of an object's members

private:
    static json of(kind is) {
        json made;
        made.is = is;
        return made;
    }
    static const json& none() {
        static const json missing;
        return missing;
    }
    static void skip(std::string_view text, std::size_t& at) {
        while (at < text.size() && std::string_view{" \t\r\n"}.contains(text[at])) ++at;
    }

    static bool string(std::string_view text, std::size_t& at, std::string& into) {
        if (at == text.size() || text[at] != '"') return false;
        for (++at; at < text.size() && text[at] != '"'; ++at) {
            if (static_cast<unsigned char>(text[at]) < 0x20) return false;
            if (text[at] != '\\') {
                into += text[at];
                continue;
            }
            if (++at == text.size()) return false;
            constexpr std::string_view from = "nrtbf\"\\/", to = "\n\r\t\b\f\"\\/";
            if (const auto found = from.find(text[at]); found != std::string_view::npos) {
                into += to[found];
            } else if (text[at] == 'u' && at + 4 < text.size()) {
                into += static_cast<char>(
                    std::strtol(std::string{text.substr(at + 1, 4)}.c_str(), nullptr, 16));
                at += 4;
            } else {
                return false;
            }
        }
        return at++ < text.size();
    }

    bool value(std::string_view text, std::size_t& at) {
        skip(text, at);
        if (at == text.size()) return false;
        const auto begin = at;
        if (text[at] == '"') {
            is = kind::text;
            return string(text, at, raw);
        }
        if (text[at] == '{' || text[at] == '[') {
            is = text[at] == '{' ? kind::object : kind::list;
            const char end = is == kind::object ? '}' : ']';
            ++at;
            skip(text, at);
            bool is_first = true;
            while (at < text.size() && text[at] != end) {
                if (!is_first && text[at++] != ',') return false;
                is_first = false;
                skip(text, at);
                std::string name;
                if (is == kind::object) {
                    if (!string(text, at, name)) return false;
                    skip(text, at);
                    if (at == text.size() || text[at++] != ':') return false;
                }
                json child;
                if (!child.value(text, at)) return false;
                if (is == kind::object) names.push_back(std::move(name));
                items.push_back(std::move(child));
                skip(text, at);
            }
            if (at++ >= text.size()) return false;
            raw = text.substr(begin, at - begin);
            return true;
        }
        while (at < text.size() && !std::string_view{",]} \t\r\n"}.contains(text[at])) ++at;
        raw = text.substr(begin, at - begin);
        is = raw == "null"                     ? kind::null
             : raw == "true" || raw == "false" ? kind::truth
                                               : kind::number;
        return is != kind::number ||
               (!raw.empty() && raw.find_first_not_of("0123456789+-.eE") == std::string::npos);
    }
};

}  // namespace support
