// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http {

/// How many different wrong tokens one address may send.
struct guess_options {
    std::size_t most_wrong = 20;
    std::chrono::seconds window{60};
    std::function<std::chrono::steady_clock::time_point()> now{};  ///< unset: the steady clock
};

/// Slows down whoever tries tokens. The same wrong token counts once: a client that was not told of a new
/// one locks nobody out. An address that has tried too many is refused for a while, but for tokens
/// that were right from there before: many clients may share the address of a proxy.
class guess_limit {
public:
    explicit guess_limit(guess_options options) : options_{std::move(options)} {}

    /// How long that address has to wait before another token is looked at; none: it is not.
    [[nodiscard]] std::optional<std::chrono::seconds> blocked(const std::string& address,
                                                              std::string_view name) {
        const std::scoped_lock lock{mutex_};
        const auto at = all_.find(address);
        if (at == all_.end()) return std::nullopt;
        auto& wrong = at->second.wrong;
        const auto now = time();
        while (!wrong.empty() && now - wrong.front().first >= options_.window) wrong.pop_front();
        if (wrong.size() < options_.most_wrong) return std::nullopt;
        if (!name.empty() && at->second.right.contains(name)) return std::nullopt;
        return std::chrono::ceil<std::chrono::seconds>(wrong.front().first + options_.window - now);
    }

    void note_wrong(const std::string& address, std::string_view secret) {
        const std::scoped_lock lock{mutex_};
        auto& guesses = of(address);
        const auto hash = std::hash<std::string_view>{}(secret);
        const auto is_same = [&](const auto& each) { return each.second == hash; };
        if (std::ranges::none_of(guesses.wrong, is_same)) guesses.wrong.emplace_back(time(), hash);
    }

    void note_right(const std::string& address, std::string_view name) {
        const std::scoped_lock lock{mutex_};
        auto& right = of(address).right;
        if (!right.contains(name)) right.emplace(name);
    }

private:
    struct guesses {
        std::deque<std::pair<std::chrono::steady_clock::time_point, std::size_t>> wrong;
        std::set<std::string, std::less<>> right;  ///< names of principals
    };
    static constexpr std::size_t most_addresses = 10'000;

    [[nodiscard]] std::chrono::steady_clock::time_point time() const {
        return options_.now ? options_.now() : std::chrono::steady_clock::now();
    }

    /// With the lock. One that has tried nothing lately is forgotten first.
    [[nodiscard]] guesses& of(const std::string& address) {
        if (all_.size() >= most_addresses && !all_.contains(address)) {
            const auto last = [](const auto& each) {
                return each.second.wrong.empty() ? std::chrono::steady_clock::time_point{}
                                                 : each.second.wrong.back().first;
            };
            all_.erase(std::ranges::min_element(all_, {}, last));
        }
        return all_[address];
    }

    guess_options options_;
    std::mutex mutex_;
    std::map<std::string, guesses> all_;
};

}  // namespace bulk::http
