// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/read_value.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/reflect.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// One thing that the command line may have: a flag (`--rows`), or a word that stands alone (`FILE`).
struct flag {
    std::string name{};  ///< with its short form: `--output,-O`
    std::string help{};
    std::string kind{};  ///< of its value
    bool is_required = false;
    bool is_repeated = false;                          ///< may be given several times
    std::function<result<>(std::string_view)> take{};  ///< its value; none for a switch
    bool* is_on = nullptr;                             ///< a switch
};

/// Declares what a program or one of its verbs takes: each call names a flag or a word, and the
/// variable that gets it, which outlives the parsing.
class flags {
public:
    [[nodiscard]] const std::vector<flag>& all() const { return all_; }

    /// A word that stands alone.
    void word(const std::string& name, std::string& value, const std::string& help) {
        all_.push_back({.name = name, .help = help, .is_required = true, .take = text_into(value)});
    }
    void optional_word(const std::string& name, std::string& value, const std::string& help) {
        option(name, help, {}, text_into(value));
    }

    void text(const std::string& name, std::string& value, const std::string& help,
              const std::string& kind = "TEXT") {
        option(name, help, kind, text_into(value));
    }
    /// An empty one differs from none.
    void text(const std::string& name, std::optional<std::string>& value, const std::string& help,
              const std::string& kind = "TEXT") {
        option(name, help, kind, [&value](std::string_view text) -> result<> {
            value = text;
            return {};
        });
    }
    /// May be given several times.
    void texts(const std::string& name, std::vector<std::string>& values, const std::string& help,
               const std::string& kind = "TEXT") {
        repeated(name, help, kind, [&values](std::string_view text) -> result<> {
            values.emplace_back(text);
            return {};
        });
    }
    template <typename Number>
    void number(const std::string& name, Number& value, const std::string& help) {
        option(name, help, "N",
               into(value, [](std::string_view text) { return read_number<bare<Number>>(text); }));
    }
    void numbers(const std::string& name, std::vector<std::uint64_t>& values,
                 const std::string& help) {
        repeated(name, help, "N", [&values](std::string_view text) -> result<> {
            const auto number = read_number<std::uint64_t>(text);
            if (!number) return std::unexpected{number.error()};
            values.push_back(*number);
            return {};
        });
    }
    template <typename Span>
    void span(const std::string& name, Span& value, const std::string& help) {
        option(name, help, "TIME", into(value, read_span));
    }
    void size(const std::string& name, std::int64_t& value, const std::string& help) {
        option(name, help, "SIZE", into(value, read_size));
    }
    void moment(const std::string& name, std::optional<timestamp>& value, const std::string& help) {
        option(name, help, "UTC", into(value, read_moment));
    }
    template <typename Choice>
    void choice(const std::string& name, Choice& value, const std::string& help) {
        option(name, help, names_of<bare<Choice>>(), into(value, read_choice<bare<Choice>>));
    }
    template <described_enum E>
    void choices(const std::string& name, std::vector<E>& values, const std::string& help) {
        repeated(name, help, names_of<E>(), [&values](std::string_view text) -> result<> {
            const auto value = read_choice<E>(text);
            if (!value) return std::unexpected{value.error()};
            values.push_back(*value);
            return {};
        });
    }
    void yes(const std::string& name, bool& value, const std::string& help) {
        all_.push_back({.name = name, .help = help, .is_on = &value});
    }

private:
    using take = std::function<result<>(std::string_view)>;

    template <typename T>
    struct bare_of {
        using type = T;
    };
    template <typename T>
    struct bare_of<std::optional<T>> {
        using type = T;
    };
    template <typename T>
    using bare = typename bare_of<T>::type;

    template <described_enum E>
    [[nodiscard]] static std::string names_of() {
        std::string all;
        for (const auto& each : enumerators_of<E>) all += concat(all.empty() ? "" : "|", each.name);
        return all;
    }

    template <typename T, typename Read>
    [[nodiscard]] static take into(T& value, Read read) {
        return [&value, read](std::string_view text) -> result<> {
            auto got = read(text);
            if (!got) return std::unexpected{std::move(got).error()};
            value = *got;
            return {};
        };
    }
    [[nodiscard]] static take text_into(std::string& value) {
        return [&value](std::string_view text) -> result<> {
            value = text;
            return {};
        };
    }

    void option(const std::string& name, const std::string& help, const std::string& kind,
                take taken) {
        all_.push_back({.name = name, .help = help, .kind = kind, .take = std::move(taken)});
    }
    void repeated(const std::string& name, const std::string& help, const std::string& kind,
                  take taken) {
        option(name, help, kind, std::move(taken));
        all_.back().is_repeated = true;
    }

    std::vector<flag> all_;
};

}  // namespace bulk::cli
