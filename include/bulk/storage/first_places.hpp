// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// The places of one page, picked while all that match go by in any order: the first ones behind a place.
template <typename Place>
class first_places {
public:
    first_places(const std::optional<Place>& after, bool is_descending, std::size_t most)
        : after_{after}, is_descending_{is_descending}, most_{most} {}

    void add(Place place) {
        const auto is_before = [this](const Place& a, const Place& b) { return precedes(a, b); };
        if (after_ && !is_before(*after_, place)) return;
        if (heap_.size() == most_) {
            if (!is_before(place, heap_.front())) return;
            std::ranges::pop_heap(heap_, is_before);
            heap_.pop_back();
        }
        heap_.push_back(std::move(place));
        std::ranges::push_heap(heap_, is_before);
    }

    /// In order.
    [[nodiscard]] std::vector<Place> take() && {
        std::ranges::sort_heap(heap_,
                               [this](const Place& a, const Place& b) { return precedes(a, b); });
        return std::move(heap_);
    }

private:
    [[nodiscard]] bool precedes(const Place& a, const Place& b) const {
        return is_descending_ ? b < a : a < b;
    }

    std::optional<Place> after_;
    bool is_descending_;
    std::size_t most_;
    std::vector<Place> heap_;  ///< the last of them in front
};

}  // namespace bulk
