// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/signal.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/step_moves.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::memory {

/// Signals that rows were given and did not use yet.
class given_signals {
public:
    void give(record_place to, std::string_view key, const std::optional<std::string>& failure) {
        const auto sequence = ++last_;
        by_place_.emplace(to, sequence);
        all_.emplace(sequence, given_signal{.sequence = sequence,
                                            .row = to.row(),
                                            .step = to.step(),
                                            .key = std::string{key},
                                            .failure = failure});
    }

    void move_steps(const step_moves& to) {
        by_place_.clear();
        for (auto& [sequence, each] : all_) {
            each.step = moved(each.step, to);
            by_place_.emplace(record_place{each.row, each.step}, sequence);
        }
    }

    [[nodiscard]] const given_signal* find(record_place to) const {
        const auto at = by_place_.find(to);
        return at == by_place_.end() ? nullptr : &all_.at(at->second);
    }

    void use_up(record_place of) {
        const auto at = by_place_.find(of);
        if (at == by_place_.end()) return;
        all_.erase(at->second);
        by_place_.erase(at);
    }

    [[nodiscard]] std::vector<given_signal> behind(std::uint64_t after, std::uint32_t limit) const {
        std::vector<given_signal> found;
        for (auto at = all_.upper_bound(after); at != all_.end() && found.size() < limit; ++at)
            found.push_back(at->second);
        return found;
    }

private:
    std::map<std::uint64_t, given_signal> all_;
    std::map<record_place, std::uint64_t> by_place_;
    std::uint64_t last_ = 0;
};

}  // namespace bulk::memory
