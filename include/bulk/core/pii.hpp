// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// A value about a person: it is read, checked and handed to steps like any other, but no message,
/// event, report or page of the library shows it.
template <typename T>
class pii {
public:
    using value_type = T;

    pii() = default;
    explicit pii(T value) : value_{std::move(value)} {}

    /// The value itself. The name is long on purpose: it can be found in a review.
    [[nodiscard]] const T& reveal() const { return value_; }
    [[nodiscard]] T& reveal() { return value_; }

    bool operator==(const pii&) const = default;

private:
    T value_{};
};

/// What is shown instead.
inline constexpr std::string_view hidden_text = "***";

template <typename T>
[[nodiscard]] std::string to_text(const pii<T>&) {
    return std::string{hidden_text};
}

template <typename T>
inline constexpr bool is_pii = false;
template <typename T>
inline constexpr bool is_pii<pii<T>> = true;

}  // namespace bulk
