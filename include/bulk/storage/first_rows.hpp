// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/row_order.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// The records that come first in an order, behind a place, of all that go by: a heap holds so many.
class first_rows {
public:
    first_rows(bool is_descending, const std::optional<row_order>& after, std::size_t most)
        : is_before_{is_descending}, after_{after}, most_{most} {}

    void offer(row_order order) {
        if (after_ && !is_before_(*after_, order)) return;
        if (best_.size() == most_) {
            if (!is_before_(order, best_.front())) return;
            std::ranges::pop_heap(best_, is_before_);
            best_.pop_back();
        }
        best_.push_back(std::move(order));
        std::ranges::push_heap(best_, is_before_);
    }

    /// In order. Nothing is offered any more.
    [[nodiscard]] std::vector<row_order> take() {
        std::ranges::sort_heap(best_, is_before_);
        return std::move(best_);
    }

private:
    struct comparison {
        bool is_descending;
        bool operator()(const row_order& a, const row_order& b) const {
            return is_descending ? b < a : a < b;
        }
    };

    comparison is_before_;
    const std::optional<row_order>& after_;
    std::size_t most_;
    std::vector<row_order> best_;
};

}  // namespace bulk
