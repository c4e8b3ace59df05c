// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::memory {

/// What happened, and how far it was read by whom.
class event_table {
public:
    void append(const std::vector<event>& events) {
        for (event each : events) {
            each.sequence = ++last_;
            of_[each.operation].push_back(each.sequence);
            all_.push_back(std::move(each));
        }
    }

    [[nodiscard]] std::vector<event> find_events(std::optional<operation_id> id,
                                                 std::optional<std::uint64_t> after,
                                                 std::uint32_t limit) const {
        if (!id)
            return pick(all_.size(), after ? place_behind(*after) : 0, after.has_value(), limit,
                        [](std::size_t at) { return at; });
        const auto of = of_.find(*id);
        if (of == of_.end()) return {};
        const auto& numbers = of->second;
        const auto first = std::ranges::upper_bound(numbers, after.value_or(0)) - numbers.begin();
        return pick(numbers.size(), static_cast<std::size_t>(first), after.has_value(), limit,
                    [&](std::size_t at) { return place_behind(numbers[at] - 1); });
    }

    void remove_events(operation_id id) {
        if (of_.erase(id) > 0)
            std::erase_if(all_, [&](const event& each) { return each.operation == id; });
    }

    [[nodiscard]] std::optional<std::uint64_t> event_position(const std::string& reader) const {
        const auto at = positions_.find(reader);
        return at == positions_.end() ? std::nullopt : std::optional{at->second};
    }

    void raise_event_position(const std::string& reader, std::uint64_t position) {
        auto& at = positions_[reader];
        at = std::max(at, position);
    }

private:
    [[nodiscard]] std::size_t place_behind(std::uint64_t number) const {
        return static_cast<std::size_t>(
            std::ranges::upper_bound(all_, number, {}, &event::sequence) - all_.begin());
    }

    /// Of `count` events so many from `first` on, or the newest.
    template <typename Place>
    [[nodiscard]] std::vector<event> pick(std::size_t count, std::size_t first, bool is_from_first,
                                          std::uint32_t limit, Place place) const {
        if (!is_from_first) first = count - std::min<std::size_t>(limit, count);
        std::vector<event> found;
        for (auto at = first; at < count && found.size() < limit; ++at)
            found.push_back(all_[place(at)]);
        return found;
    }

    std::deque<event> all_;  ///< by number
    std::uint64_t last_ = 0;
    std::map<operation_id, std::vector<std::uint64_t>> of_;  ///< their numbers
    std::map<std::string, std::uint64_t> positions_;
};

}  // namespace bulk::memory
