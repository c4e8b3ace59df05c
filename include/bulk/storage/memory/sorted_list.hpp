// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bulk::memory {

/// A sorted set of small values: as `std::set`, in a third of its memory. The values stand in
/// chunks; one more moves those behind it in its chunk, and a full chunk is cut in two.
template <typename T>
class sorted_list {
public:
    void insert(const T& value) {
        place(value);
        newest_ = value;
    }

    bool erase(const T& value) {
        const auto chunk = chunk_of(value);
        if (chunk == chunks_.end()) return false;
        const auto at = std::ranges::lower_bound(*chunk, value);
        if (at == chunk->end() || *at != value) return false;
        chunk->erase(at);
        if (chunk->empty()) chunks_.erase(chunk);
        return true;
    }

    /// Those from `first` on, in order, until `visit` says false.
    template <typename Visit>
    void visit_from(const T& first, Visit visit) const {
        auto chunk = std::ranges::lower_bound(chunks_, first, {}, last_of);
        if (chunk == chunks_.end()) return;
        for (auto at = std::ranges::lower_bound(*chunk, first); chunk != chunks_.end();) {
            for (; at != chunk->end(); ++at)
                if (!visit(*at)) return;
            if (++chunk != chunks_.end()) at = chunk->begin();
        }
    }

private:
    using chunk = std::vector<T>;
    static constexpr std::size_t most = 256;
    static constexpr auto last_of = [](const chunk& each) -> const T& { return each.back(); };

    void place(const T& value) {
        auto chunk = chunk_of(value);
        if (chunk == chunks_.end()) {  // behind everything
            if (chunks_.empty() || chunks_.back().size() == most) add_chunk(chunks_.end());
            chunks_.back().push_back(value);
            return;
        }
        auto at = std::ranges::lower_bound(*chunk, value);
        if (*at == value) return;
        if (chunk->size() < most) {
            chunk->insert(at, value);
            return;
        }
        // What comes in order leaves full chunks behind it; what comes anywhere, halves.
        const bool is_in_order = at != chunk->begin() && *(at - 1) == newest_;
        const auto kept = is_in_order ? at - chunk->begin() : static_cast<std::ptrdiff_t>(most) / 2;
        const auto half = add_chunk(chunk + 1);  // moves the chunks
        chunk = half - 1;
        half->assign(chunk->begin() + kept, chunk->end());
        chunk->resize(static_cast<std::size_t>(kept));
        auto& into = value < half->front() ? *chunk : *half;
        into.insert(std::ranges::lower_bound(into, value), value);
    }

    /// The first that ends with the value or behind it.
    auto chunk_of(const T& value) { return std::ranges::lower_bound(chunks_, value, {}, last_of); }

    auto add_chunk(std::vector<chunk>::const_iterator before) {
        const auto made = chunks_.emplace(before);
        made->reserve(most);
        return made;
    }

    std::vector<chunk> chunks_;  ///< none is empty
    T newest_{};
};

}  // namespace bulk::memory
